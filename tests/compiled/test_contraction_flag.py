"""T01: a fused multiply-add changes the last bits; the flags of an export switch it off.

Values of public reports (llvm/llvm-project 91824 and 91224, stan-dev/math 2935): unfused 0.1*10 - 1 is 0, fused it is
2^-54; 0.03 - 3*0.01 is 0 or -2^-59; in float a*d - b*c is -1.1920929e-07 or -1.19209247e-07.
"""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from targets.flags import EXPORT_FLAGS

PROGRAM = """#include <stdio.h>
int main(void)
{
    volatile double tenth = 0.1, ten = 10.0, one = 1.0, small = 0.03, three = 3.0, hundredth = 0.01;
    volatile float a = 1.0000001f, b = 1.0000002f, c = 1.0000003f, d = 1.0000004f;
    printf("%.17g %.17g %.9g\\n", tenth * ten - one, small - three * hundredth, (double)(a * d - b * c));
    return 0;
}
"""
UNFUSED = [0.0, 0.0, -1.1920929e-07]
FUSED = [5.55111512312578e-17, -1.73472347597681e-18, -1.19209247e-07]


def values(folder: Path, flags: list[str]) -> list[float]:
    source, program = folder / "probe.c", folder / "probe"
    source.write_text(PROGRAM)
    subprocess.run(["gcc", *flags, str(source), "-o", str(program)], check=True)
    done = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    return [float(word) for word in done.stdout.split()]


def has_fma() -> bool:
    cpu = Path("/proc/cpuinfo")
    return cpu.exists() and " fma " in cpu.read_text()


@pytest.mark.compiled
def test_flags_of_an_export_keep_products_rounded(tmp_path: Path, require_tool: Callable[[str], str]) -> None:
    """With the export's flags even an FPU that fuses gives the unfused values; without them it gives the fused ones."""
    require_tool("gcc")
    if not has_fma():
        assert values(tmp_path, list(EXPORT_FLAGS)) == pytest.approx(UNFUSED, rel=1e-8, abs=0)
        return
    assert values(tmp_path, [*EXPORT_FLAGS, "-mfma"]) == pytest.approx(UNFUSED, rel=1e-8, abs=0)
    fused = values(tmp_path, ["-O2", "-mfma", "-ffp-contract=fast"])
    assert fused == pytest.approx(FUSED, rel=1e-8, abs=0)
