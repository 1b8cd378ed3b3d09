"""Vectors are read from tables by name and unit, results are written as such, and lead back to the same bits.

Oracle: text that is read back by `csv`.
"""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from driven_bench import state_of

from hil.driving.measure import parse_measure
from hil.errors import BenchError
from hil.keywords import Keywords

pytestmark = pytest.mark.compiled


def test_a_table_is_read_by_name_and_unit(ecu: Keywords, tmp_path: Path) -> None:
    """In any order, with the state each row is a vector; without it the rows are steps one after another."""
    path = tmp_path / "vectors.csv"
    path.write_text("\ufefftheta.rate [rpm],F [kN], theta [deg]\r\n60,0.1,30\r\n0,-0.2,90\r\n", encoding="utf-8")
    assert ecu.load_vectors_from_csv(str(path)) == 2
    ecu.run_test_vectors()
    ecu.outputs_should_be_bit_identical()
    right = [[math.pi / 6, 2 * math.pi, 100.0], [math.pi / 2, 0.0, -200.0]]
    assert np.allclose(state_of(ecu).ran().rows, right, rtol=1e-7)
    ecu.load_test_vectors(str(path))
    assert np.allclose(state_of(ecu).rows, right, rtol=1e-15)
    path.write_text("F [N]\n100\n\n200\n", encoding="utf-8")
    ecu.reset_inputs()
    assert ecu.load_vectors_from_csv(str(path)) == 2
    ecu.run_test_vectors()
    run = state_of(ecu).ran()
    assert run.rows[:, 2].tolist() == [100.0, 200.0]
    assert run.rows[1, :2].tolist() == run.outputs[0, :2].tolist()
    page = Path(ecu.save_deadline_report(str(tmp_path / "report"))).read_text(encoding="utf-8")
    assert "file vectors.csv, SHA-256" in page
    assert "--vectors" not in page


TABLES = {
    "no header": ("", "has no header"),
    "no rows": ("F [N]\n", "has a header and no rows"),
    "not UTF-8": (b"F [N]\n\xff\n", "no CSV file in UTF-8"),
    "semicolons": ("theta [rad];F [N]\n1;2\n", "line 1: columns are separated by commas"),
    "unknown": ("F [N],G [N]\n1,2\n", r"line 1, column 2 'G \[N\]': slider_crank_dostep has no such input"),
    "misspelt": ("thata [rad]\n1\n", r"did you mean 'theta \[rad\]'"),
    "missing": ("theta [rad],F [N]\n1,2\n", r"line 1: there is no column for theta.rate; .*theta.rate \[rad/s\]"),
    "twice": ("F [N],F [kN]\n1,2\n", r"column 2 'F \[kN\]': 'F' has a column already"),
    "wrong unit": ("F [deg]\n1\n", r"column 1 'F \[deg\]': input 'F': 'deg' is an angle"),
    "no unit": ("F\n1\n", "column 1 'F': input 'F': '1' is a number without a unit"),
    "no known unit": ("F [Nn]\n1\n", 'unit "Nn" is not known'),
    "NaN": ("F [N]\n1\nnan\n", r"line 3, column 'F \[N\]': \"nan\" is not a finite decimal number"),
    "an empty cell": ("theta [rad],theta.rate [rad/s],F [N]\n1,,2\n", "line 2, column 'theta.rate"),
    "a cell too many": ("F [N]\n1,2\n", "line 2: 2 cells, and the header has 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_wrong_table_is_told_with_its_place(ecu: Keywords, tmp_path: Path, name: str) -> None:
    """File, line and column are named; a right table is not refused (test_a_table_is_read_by_name_and_unit)."""
    content, words = TABLES[name]
    path = tmp_path / "vectors.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(BenchError, match=rf"(?s)vectors\.csv.*{words}"):
        ecu.load_vectors_from_csv(str(path))


def test_results_lead_back_to_the_same_bits(ecu: Keywords, tmp_path: Path) -> None:
    """Every step since the inputs were reset; an output in another unit where that is asked for."""
    path = tmp_path / "results.csv"
    with pytest.raises(BenchError, match="nothing was stepped since the inputs were reset"):
        ecu.save_results_to_csv(str(path))
    ecu.step(3)
    ecu.set_invalid_input("F", "NaN")
    ecu.step()
    assert ecu.save_results_to_csv(str(path), piston_position="mm") == 4
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    runs = state_of(ecu).driving().runs
    outputs = np.vstack([run.outputs for run in runs])
    assert [np.float32(line["output theta [rad]"]) for line in lines] == outputs[:, 0].tolist()
    assert [float(line["output piston_position [mm]"]) for line in lines] == pytest.approx(1000 * outputs[:, 4])
    assert [line["status"] for line in lines] == ["ok", "ok", "ok", "ARG_REJECTED"]
    assert lines[3]["input F [N]"] == "nan"
    assert [line["step"] for line in lines] == ["1", "2", "3", "4"]
    with pytest.raises(BenchError, match="has no output 'piston'"):
        ecu.save_results_to_csv(str(path), piston="mm")
    with pytest.raises(BenchError, match="cannot be written"):
        ecu.save_results_to_csv(str(path / "below.csv"))


def test_there_is_no_table(ecu: Keywords, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"none\.csv.*theta \[deg\],F \[N\]"):
        ecu.load_vectors_from_csv(str(tmp_path / "none.csv"))


def test_a_zero_is_fed_with_its_sign(ecu: Keywords, tmp_path: Path) -> None:
    """By name and from a table, in any unit; results lead back to the same bits."""
    ecu.set_state("theta.rate", parse_measure("-0 rpm"))
    ecu.set_input("F", parse_measure("-0.0 kN"))
    ecu.step()
    assert np.signbit(state_of(ecu).ran().rows[0, 1:]).tolist() == [True, True]
    ecu.save_results_to_csv(str(tmp_path / "results.csv"))
    text = (tmp_path / "results.csv").read_text(encoding="utf-8").replace("input ", "")
    head, told = [cells[1:4] for cells in csv.reader(text.splitlines())]
    (tmp_path / "again.csv").write_text("\n".join(map(",".join, (head, told))), encoding="utf-8")
    fed = state_of(ecu).ran().rows.astype(np.float32)
    ecu.load_test_vectors(str(tmp_path / "again.csv"))
    assert state_of(ecu).rows.astype(np.float32).tobytes() == fed.tobytes()
