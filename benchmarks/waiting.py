"""What users wait for: processor time of commands, over that of `import numpy`, and vectors that SIL judges a second.

    .venv/bin/python benchmarks/waiting.py                    # exports, analyse and SIL of this checkout
    .venv/bin/python benchmarks/waiting.py sil                # some of them: export, analyse, sil
    .venv/bin/python benchmarks/waiting.py --against FOLDER   # beside those of another checkout
    .venv/bin/python benchmarks/waiting.py sil --count 5000   # SIL with fewer vectors

Everything runs in processes of its own, with compiled bytecode, on both checkouts in turns; the least of so many turns
counts. What else a computer does changes the figures, and their ratios less.
"""

import argparse
import math
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from families import FAMILIES

HERE = Path(__file__).resolve().parent
EXPORTED = ("slider_crank", "five_link", "gough_stewart")
BODIES = 24  # of the spatial chain that is exported
ANALYSED = "five_link"
JUDGED = ("gough_stewart", "five_link", "double_wishbone_front")
TURNS = 2  # of every figure at least
ENOUGH_S = 5.0  # a figure whose turns took longer is not measured again
WHOLE = 100.0  # figures from here on are shown without decimals
COMMAND = "import sys; from exporter.cli import main; sys.exit(main())"


@dataclass(frozen=True)
class Checkout:
    """A tree of the sources."""

    folder: Path

    def output(self, *arguments: str) -> str:
        """What Python prints there."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "OPENBLAS_NUM_THREADS": "1"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, *arguments]
        ran = subprocess.run(command, cwd=self.folder, env=environment, check=True, capture_output=True, text=True)
        return ran.stdout

    def seconds(self, *arguments: str) -> float:
        """Processor time of Python there, with what it calls."""
        before = _children()
        self.output(*arguments)
        return _children() - before


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def least(checkouts: Sequence[Checkout], measure: Callable[[Checkout], float]) -> list[float]:
    """The least figure of each checkout, measured in turns; NaN where it refuses the command."""
    found: list[list[float]] = []
    before = _children()
    while len(found) < TURNS or _children() - before < ENOUGH_S:
        found.append([_measured(measure, each) for each in checkouts])
    return [min(column) for column in zip(*found, strict=True)]


def _measured(measure: Callable[[Checkout], float], checkout: Checkout) -> float:
    try:
        return measure(checkout)
    except subprocess.CalledProcessError:
        return math.nan


def show_exports(checkouts: Sequence[Checkout], _: int) -> None:
    """Exports into an empty folder, over `import numpy`."""
    numpy = least(checkouts, lambda each: each.seconds("-c", "import numpy"))
    _show("import numpy", numpy, "s")
    with tempfile.TemporaryDirectory() as place:
        chain = Path(place) / "open_chain.toml"
        chain.write_text(FAMILIES["open_chain"](BODIES), encoding="utf-8")
        for model in (*EXPORTED, str(chain)):
            taken = least(checkouts, lambda each, model=model: _exported(each, model))
            _show(f"export {Path(model).stem}", [one / other for one, other in zip(taken, numpy, strict=True)], "times")


def _exported(checkout: Checkout, model: str) -> float:
    with tempfile.TemporaryDirectory() as place:
        return checkout.seconds("-c", COMMAND, "export", model, "--out", f"{place}/export")


def show_analyse(checkouts: Sequence[Checkout], _: int) -> None:
    """The analysis of one mechanism."""
    taken = least(checkouts, lambda each: each.seconds("-c", COMMAND, "analyse", ANALYSED))
    _show(f"analyse {ANALYSED}", taken, "s")


def show_sil(checkouts: Sequence[Checkout], count: int) -> None:
    """Vectors of all functions that SIL judges in a second, so many of each function."""
    for name in JUDGED:
        taken = least(checkouts, lambda each, name=name: _second_per_vector(each, name, count))
        _show(f"sil {name}", [1 / each for each in taken], "vectors/s")


def _second_per_vector(checkout: Checkout, name: str, count: int) -> float:
    seconds, vectors = checkout.output(str(HERE / "judged_rows.py"), name, str(count)).split()
    return float(seconds) / int(vectors)


def _show(name: str, values: Sequence[float], unit: str) -> None:
    """One line: the figure of this checkout, and that of the other one with their ratio."""
    others = [f"   other {_figure(value)}, this over other {_figure(values[0] / value)}" for value in values[1:]]
    print(f"{name:36} {_figure(values[0]):>12} {unit:9}", *others, flush=True)


def _figure(value: float) -> str:
    if math.isnan(value):
        return "refused"
    return f"{value:,.0f}" if value >= WHOLE else f"{value:.2f}"


SHOWN = {"export": show_exports, "analyse": show_analyse, "sil": show_sil}


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description="Processor time that users wait for.")
    parser.add_argument("figures", nargs="*", metavar="|".join(SHOWN))
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="another checkout, with this one's environment")
    parser.add_argument("--count", type=int, default=20_000, help="vectors of each function that SIL judges (20,000)")
    given = parser.parse_args()
    if unknown := set(given.figures) - set(SHOWN):
        parser.error(f"no figures {', '.join(sorted(unknown))}; there are {', '.join(SHOWN)}")
    checkouts = [Checkout(folder.resolve()) for folder in (HERE.parent, given.against) if folder]
    for each in checkouts:
        each.output("-m", "compileall", "-q", "exporter", "sil", "targets")
    for name in given.figures or SHOWN:
        SHOWN[name](checkouts, given.count)


if __name__ == "__main__":
    main()
