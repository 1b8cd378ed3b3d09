"""The coefficients in the repository are those that the script in the repository makes."""

import subprocess
import sys
from pathlib import Path

import mpmath
import pytest

from exporter.sequence.kernels import coefficients
from exporter.sequence.operations import Precision

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "ci" / "make_coefficients.py"


@pytest.mark.slow
def test_the_script_makes_the_same_bytes() -> None:
    """About 40 s of Remez exchanges; nothing is written."""
    program = (
        f"import runpy; made = runpy.run_path({str(SCRIPT)!r});"
        "import sys; sys.stdout.buffer.write(made['text']().encode())"
    )
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert made.stdout == Path(coefficients.__file__).read_bytes()


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_parts_of_the_quarter_turn_add_up(precision: Precision) -> None:
    """pi/2 to well below the last place of the smallest rest, and products with n < 2^13 are exact."""
    parts = coefficients.QUARTER_TURN_PARTS[precision]
    digits = 24 if precision == "float32" else 53
    with mpmath.workdps(80):
        missing = mpmath.pi / 2 - mpmath.fsum(mpmath.mpf(part.numerator) / part.denominator for part in parts)
        assert abs(missing) < mpmath.mpf(2) ** (-60 if precision == "float32" else -130)
    for part in parts[:-1]:
        assert part.numerator.bit_length() + 13 <= digits


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_every_coefficient_is_a_float_of_its_precision(precision: Precision) -> None:
    """A literal is printed exactly: nothing is rounded a second time."""
    digits = 24 if precision == "float32" else 53
    tables = [table for table in vars(coefficients).values() if isinstance(table, dict) and precision in table]
    assert len(tables) == 14
    assert all(number.numerator.bit_length() <= digits for table in tables for number in table[precision])
