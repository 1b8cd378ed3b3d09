"""What stands beside Kinefix in benchmarks/peers.py is right: the expert's C, and the equations of other generators.

The oracle is SIL's reference: Newton's method on the closures of the model files, and mass matrices of all bodies.
"""

import importlib
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
AGREED = 1e-12
ITEMS = ("w1", "w2", "w3", "w3d", "w4k", "w4d", "w5")
CLOSED = tuple(item for item in ITEMS if item != "w5")
NAMED = "12.2"  # the compilers of the page's figures
ALIKE = 0.1  # by which figures may differ, as libm's do from one processor to the next
NUMBERS = SimpleNamespace(sin=np.sin, cos=np.cos, sqrt=np.sqrt, named=lambda value: value)


@pytest.fixture
def peers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    sys.modules.pop("peers", None)
    return importlib.import_module("peers")


@pytest.fixture
def counting(require_tool: Callable[[str], str]) -> None:
    """What compiles and counts."""
    for tool in ("gcc", "valgrind"):
        require_tool(tool)


def difference(peers: ModuleType, item: str, results: np.ndarray) -> float:
    """Largest one from the reference, relative where a value is above 1; results are (rows, outputs)."""
    value = peers.reference_values(item, peers.ITEMS[item][2])
    right = np.column_stack([value(output.signal.name) for output in peers.bare(item).outputs])
    return float(np.max(np.abs(results - right) / np.maximum(1.0, np.abs(right))))


@pytest.mark.parametrize("item", ITEMS)
def test_textbook_equations_are_right(peers: ModuleType, item: str) -> None:
    """In numbers, before SymPy or CasADi make C of them."""
    values = peers.EQUATIONS[item](list(peers.rows_of_peers(item).T), NUMBERS)
    assert difference(peers, item, np.column_stack(values)) < AGREED


@pytest.mark.compiled
@pytest.mark.usefixtures("counting")
@pytest.mark.parametrize("item", CLOSED)
def test_the_expert_is_right(peers: ModuleType, item: str) -> None:
    names = tuple(output.signal.name for output in peers.bare(item).outputs)
    expert = peers.by_hand(item, names)
    assert difference(peers, item, peers.results(expert.callee, expert.rows)) < AGREED


@pytest.mark.compiled
@pytest.mark.usefixtures("counting")
def test_a_number_that_is_off_by_a_thousandth_shows_as_an_error(peers: ModuleType) -> None:
    path = ROOT / "benchmarks" / "expert" / "w4k_parallel_robot.c"
    text = path.read_text(encoding="utf-8").replace("d - 0.2", "d - 0.2002")
    names = tuple(output.signal.name for output in peers.bare("w4k").outputs)
    wrong = peers.Contender(peers.on_arrays(text, "expert", len(names)), peers.ITEMS["w4k"][2], names)
    assert peers.error_of("w4k", wrong) > 1e-5


@pytest.mark.compiled
@pytest.mark.usefixtures("counting")
def test_a_call_that_copies_a_number_is_counted(peers: ModuleType) -> None:
    """A load, a store and a return; the whole call adds the loop."""
    text = "void copy(const double *in, double *out)\n{\n    out[0] = in[0];\n}\n"
    callee, rows = peers.on_arrays(text, "copy", 1), np.arange(200.0)[:, None]
    assert peers.results(callee, rows).tolist() == rows.tolist()
    assert peers.alone(callee, rows) <= 5
    assert peers.alone(callee, rows) < peers.whole(callee, rows) <= 16


@pytest.mark.compiled
@pytest.mark.usefixtures("counting")
def test_one_item_is_printed(
    peers: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every contender has a line, CasADi's tells how to install it where it is missing."""
    monkeypatch.setitem(sys.modules, "casadi", None)
    assert peers.main(["w2"]) == 0
    _, *lines = capsys.readouterr().out.splitlines()
    counted = [re.fullmatch(r"w2 +(.+?) +\d+ +\d+ +(\d+|–) +\de-1[56]", line) for line in lines[:-1]]
    assert [found[1] for found in counted if found] == [
        "Kinefix, arithmetic alone", "Kinefix, as users link it", "expert, by hand", "SymPy, cse",
    ]  # fmt: skip
    assert "CasADi" in lines[-1]
    assert "not installed: pip install 'kinefix[peers]'" in lines[-1]


def test_an_item_that_is_not_there_is_refused(peers: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        peers.main(["w2", "w9"])
    assert "there is no item w9; there are w1, w2," in capsys.readouterr().err


@pytest.mark.compiled
@pytest.mark.usefixtures("counting")
@pytest.mark.parametrize("item", ["w1", "w4d", "w5"])
def test_casadi_gives_what_its_equations_say(peers: ModuleType, item: str) -> None:
    pytest.importorskip("casadi", reason="CasADi is missing: pip install kinefix[peers]")
    contender = dict(peers.contenders(item))["CasADi"]
    assert peers.error_of(item, contender) < AGREED


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.usefixtures("counting")
def test_the_page_has_the_figures(peers: ModuleType, require_tool: Callable[[str], str]) -> None:
    """All of docs/compare.md to a tenth; those of CasADi where it is installed."""
    for compiler in ("gcc", require_tool("arm-none-eabi-gcc")):
        version = subprocess.run([compiler, "-dumpfullversion"], capture_output=True, text=True, check=True).stdout
        if not version.startswith(f"{NAMED}."):
            pytest.skip(f"{compiler} is {version.strip()}; the page names {NAMED}")
    page = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    wholes, weights = figures_of(page, "whole"), figures_of(page, "m4f")
    assert tuple(wholes) == tuple(weights) == ITEMS
    for item in ITEMS:
        every = [each for _, each in peers.contenders(item)]
        weighed = [each for each in every if isinstance(each, str) or not each.own_kernels]
        agree(every, wholes[item], lambda each: peers.whole(each.callee, each.rows))
        agree(weighed, weights[item], lambda each: peers.weight(each.callee))


def figures_of(page: str, name: str) -> dict[str, list[str]]:
    """Cells of a table of the page by item."""
    table = page.partition(f"<!-- peers: {name} -->\n")[2].partition("<!-- end of peers -->")[0]
    return {line.split()[1].lower(): line.strip("| \n").split(" | ")[1:] for line in table.splitlines()[2:]}


def agree(contenders: list[Any], cells: list[str], count: Callable[[Any], float]) -> None:
    """Each cell is what is counted; where there is no contender there is nothing to count."""
    for contender, cell in zip(contenders, cells, strict=True):
        if not isinstance(contender, str):
            assert count(contender) == pytest.approx(float(cell.replace(",", "")), rel=ALIKE)
