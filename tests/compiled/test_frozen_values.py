"""The exported check of frozen parameters, called in C: a value one place off, or none at all, is told."""

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from exporter.export import write_export

pytestmark = pytest.mark.compiled

FROZEN_MISMATCH = 1 << 21  # of the contract


@pytest.mark.parametrize("real", ["float32", "float64"])
def test_a_frozen_parameter_that_differs_is_flagged(
    real: str,
    load_data_module: Callable[[str], ModuleType],
    require_tool: Callable[[str], str],
    detector: Callable[..., None],
    tmp_path: Path,
) -> None:
    """Each parameter alone, by its last place, NaN and infinity; those of the export are taken without a word."""
    program = load_data_module("sample_program").slider_crank_program(real, tunable=True)
    folder = write_export(program, tmp_path / "export", {}).folder
    library = tmp_path / "library.so"
    subprocess.run(
        [require_tool("gcc"), "-std=c99", "-shared", "-fPIC", f"-I{folder}", str(folder / "slider_crank.c"), "-o",
         str(library)],
        check=True,
    )  # fmt: skip
    check = ctypes.CDLL(str(library)).slider_crank_check_frozen
    check.restype, check.argtypes = ctypes.c_uint32, [ctypes.c_void_p]
    right = np.array([float(each.value) for each in program.frozen], dtype=real)
    statuses = set()
    for place, value in enumerate(right):
        for wrong in (np.nextafter(value, value + 1), np.nextafter(value, value - 1), np.nan, np.inf, -value):
            given = right.copy()
            given[place] = wrong
            statuses.add(check(given.ctypes.data))
    assert statuses == {FROZEN_MISMATCH}
    assert check(right.ctypes.data) == 0
    detector("flag: FROZEN_MISMATCH", fired=True)
    detector("flag: FROZEN_MISMATCH", fired=False)
