"""What Kinefix exports beside an expert's C, SymPy's `cse` and CasADi's generated C, on seven items, in one run.

    .venv/bin/python benchmarks/peers.py            # all items
    .venv/bin/python benchmarks/peers.py w1 w4d     # some of them

w1   slider-crank, dynamics
w2   spatial four-bar, positions
w3   Gough-Stewart platform, inverse kinematics; w3d its dynamics
w4k  planar parallel robot, positions; w4d its dynamics
w5   five-link suspension, positions, by Newton steps

Instructions per call are those of double on this computer, counted by callgrind, libm's included. `whole call` is that
of `gcc -O2` with some ten instructions of the loop around it; `alone` is the function by itself, compiled with
-ffp-contract=off -fno-math-errno too. `error` is the largest one against SIL's reference, relative where a value is
above 1. `M4F` weighs the function's instructions in float on a Cortex-M4F, sine and cosine left out (`m4f_weights`).
What users link checks its inputs, has sine and cosine inside, so that it is not weighed, and gives more values than the
others: rates, joints' angles, margins. The expert's C is in `expert/`; `peer_positions` and `peer_dynamics` have the
equations that SymPy and CasADi get.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import peer_dynamics
import peer_positions
import w1_slider_crank
import w2_spatial_four_bar
import w3_gough_stewart
import w3d_gough_stewart
import w4_parallel_robot
import w5_five_link
from as_linked import ITEMS, program_of
from bare_arithmetic import alone_in_a_program
from c_calls import Callee, alone, on_arrays, results, whole
from callgrind_count import files_of
from m4f_weights import can_weigh, weight
from peer_code import CASADI_MISSING, Equations, casadi_code, casadi_installed, sympy_code
from peer_reference import reference_values

from exporter.sequence.operations import OperationSequence
from exporter.sequence.program import Program

HAND = Path(__file__).resolve().parent / "expert"
EQUATIONS: dict[str, Equations] = {
    "w1": peer_dynamics.slider_crank,
    "w2": peer_positions.four_bar,
    "w3": peer_positions.platform,
    "w3d": peer_dynamics.platform,
    "w4k": peer_positions.robot,
    "w4d": peer_dynamics.robot,
    "w5": peer_positions.five_link,
}
MOVED_M = 3.14e-4
"""How far a wheel moves in 1 ms at most, 50 mm up and down once a second: W5's peers start from there."""
NO_EXPERT = "none: Newton's method is no closed form to write by hand"


@dataclass(frozen=True, slots=True)
class Contender:
    """A function in C, its inputs, and the names of its outputs."""

    callee: Callee
    rows: np.ndarray
    names: tuple[str, ...]
    own_kernels: bool = False  # sine and cosine are not libm's


@dataclass(frozen=True, slots=True)
class Figures:
    """What a contender's call takes, and its largest error."""

    whole: float
    alone: float
    m4f: int | None  # where it was weighed
    error: float


def bare(item: str) -> OperationSequence:
    """Our arithmetic alone."""
    if item == "w1":
        return w1_slider_crank.dynamics(w1_slider_crank.bare_program())
    modules = (w2_spatial_four_bar, w3_gough_stewart, w3d_gough_stewart, w4_parallel_robot, w5_five_link)
    write, _ = next(module.ITEMS[item] for module in modules if item in module.ITEMS)
    return write()


def exported(program: Program, name: str, rows: np.ndarray, *, linked: bool) -> Contender:
    """A function of ours, called on arrays."""
    sequence = next(each for each in program.functions if each.name == name)
    symbol = f"{program.name}_{name}"
    files = {file: text for file, text in files_of(program, linked=linked).items() if "selftest" not in file}
    call = f"(void){symbol}((const {symbol}_in_t *)in, ({symbol}_out_t *)out)"
    names = tuple(output.signal.name for output in sequence.outputs)
    return Contender(Callee(files, symbol, f'#include "{program.name}.h"', call, len(names)), rows, names, linked)


def by_hand(item: str, names: tuple[str, ...]) -> Contender:
    """The expert's file."""
    (path,) = HAND.glob(f"{item}_*.c")
    return Contender(on_arrays(path.read_text(encoding="utf-8"), "expert", len(names)), ITEMS[item][2], names)


def rows_of_peers(item: str) -> np.ndarray:
    """Inputs of the textbook's equations: ours, for W5 with the carrier of the call before."""
    rows = ITEMS[item][2]
    if item != "w5":
        return rows
    before = reference_values(item, rows - MOVED_M)
    return np.column_stack([rows, *(before(name) for name in w5_five_link.CARRIER)])


def contenders(item: str) -> Iterator[tuple[str, Contender | str]]:
    """Each with its title; a sentence where there is none."""
    _, function, rows = ITEMS[item]
    sequence = bare(item)
    ours = exported(alone_in_a_program(sequence), sequence.name, rows, linked=False)
    yield "Kinefix, arithmetic alone", ours
    yield "Kinefix, as users link it", exported(program_of(item), function, rows, linked=True)
    yield "expert, by hand", NO_EXPERT if item == "w5" else by_hand(item, ours.names)
    given = rows_of_peers(item)
    yield "SymPy, cse", Contender(sympy_code(EQUATIONS[item], given.shape[1]), given, ours.names)
    if casadi_installed():
        yield "CasADi", Contender(casadi_code(EQUATIONS[item], given.shape[1]), given, ours.names)
    else:
        yield "CasADi", CASADI_MISSING


def error_of(item: str, contender: Contender) -> float:
    """Largest error of the outputs that the reference knows, relative where they are above 1."""
    value = reference_values(item, ITEMS[item][2])
    errors = []
    for name, found in zip(contender.names, results(contender.callee, contender.rows).T, strict=True):
        right = value(name)
        if right is not None:
            errors.append(np.max(np.abs(found - right) / np.maximum(1.0, np.abs(right))))
    return float(max(errors))


def figures(item: str, contender: Contender) -> Figures:
    """Compile it, run it and count."""
    callee, rows = contender.callee, contender.rows
    weighed = weight(callee) if can_weigh() and not contender.own_kernels else None
    return Figures(whole(callee, rows), alone(callee, rows), weighed, error_of(item, contender))


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("items", nargs="*", metavar="ITEM", help=f"of {', '.join(ITEMS)}; all where none is named")
    items = parser.parse_args(arguments).items
    unknown = sorted(set(items) - set(ITEMS))
    if unknown:
        parser.error(f"there is no item {unknown[0]}; there are {', '.join(ITEMS)}")
    print(f"{'':4} {'':26}{'whole call':>12}{'alone':>10}{'M4F':>10}{'error':>10}")
    for item in items or ITEMS:
        for title, contender in contenders(item):
            if isinstance(contender, str):
                print(f"{item:4} {title:26}  {contender}")
                continue
            found = figures(item, contender)
            weighed = "–" if found.m4f is None else f"{found.m4f:,}"
            counted = f"{found.whole:12,.0f}{found.alone:10,.0f}{weighed:>10}{found.error:10.0e}"
            print(f"{item:4} {title:26}{counted}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
