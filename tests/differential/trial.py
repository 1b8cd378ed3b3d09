"""One random mechanism through the product, and what came of it.

In: a seed. Out: a `Trial`, which is one line of JSON. A refusal is counted by the class of its reason; where
the reason says of the loops what the reference finds untrue, it is a false refusal.
"""

import json
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random

import numpy as np
from agreement import COUNTS, Run, Tally, compared, interpreted
from expected import Expected, drives_to, expectations
from random_mechanism import random_mechanism

from exporter.errors import KinefixError
from exporter.export import load_export, write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.progress import heard_by
from exporter.sequence.operations import Group, OperationSequence, Precision
from exporter.sequence.program import Program
from targets.python.host import build_host
from targets.rows import function_of

PRECISIONS: tuple[Precision, ...] = ("float64", "float32")
ROWS = 8
MACHINE_ROWS = 256  # random ones, over all sets of parameters
COMPILED_EVERY = 5
REASONS = (
    ("design pose is singular", r"edge of the workspace or is singular|, a singular pose: "),
    ("table is too large", r"no (table|polynomial) of up to|no polynomial up to"),
    ("equations repeat in part", r"repeat others wholly"),
    ("table does not follow", r"what is tabulated|do not follow from the design pose"),
    ("blocks leave closures open", r"without a flag"),
    ("slides are parallel", r"slides .* are parallel"),
    ("does not close", r"do(es)? not close|stay open|cannot be assembled"),
    ("branch does not reach", r"does not reach"),
    ("cannot be told apart", r"cannot be told apart|below its threshold"),
    ("several assemblies fit", r"two assembly modes|assembl(y|ies)[^.]* fit"),
    ("degrees of freedom", r"degrees? of freedom|too many|too few|independent coordinates? (is|are) "),
    ("must be solved together", r"solved together|no triangular form|cannot be solved"),
    ("may overflow", r"may overflow|by zero|has a result that"),
    ("mass matrix", r"mass matrix|moves no mass|without mass"),
    ("outputs", r"\[outputs\]|stays across|output"),
)
UNTRUE = (
    "does not close", "branch does not reach", "cannot be told apart", "degrees of freedom", "several assemblies fit",
    "design pose is singular",
)  # fmt: skip
"""Classes that say of the loops what may be untrue: the reference drives all rows, and to the place that is named."""
MOVING_BASES = ("lifted", "moving_base")
"""Kinds whose planar loops a base turns or lifts: of these every refusal is false where the reference drives them."""
OF_NO_LOOP = ("outputs", "mass matrix")
"""Reasons that say nothing of loops: an output of two points that are one, a joint that moves no mass."""
PLACE = re.compile(r"(\w+) = (-?[\d.]+(?:e-?\d+)?)")


@dataclass
class Trial:
    """What came of one mechanism."""

    seed: str
    kind: str = ""
    outcome: str = "exported"  # or "refused", "crashed"
    reason: str = ""  # class of a refusal
    message: str = ""
    false_refusal: bool = False
    compiled: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    alarms: dict[str, int] = field(default_factory=dict)
    worst: float = 0.0  # error over tolerance
    furthest: float = 0.0  # error of accelerations and reactions in float64, over the largest of the row
    disagreements: list[str] = field(default_factory=list)
    refused_float32: str = ""  # class of a refusal in float32 alone
    silence: float = 0.0  # s of processor time between two signs of life of an export

    def line(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self), sort_keys=True)


class Listening:
    """Hears signs of life, told or said, and keeps the longest silence between two, in processor time."""

    def __init__(self) -> None:
        """The first sign of life is the beginning."""
        self.last, self.silence = time.process_time(), 0.0

    def __call__(self, _: object = "") -> None:
        """A sign of life."""
        now = time.process_time()
        self.silence, self.last = max(self.silence, now - self.last), now

    def longest(self) -> float:
        """Until now."""
        self()
        return self.silence


def trial(
    seed: str,
    compile_c: bool,
    precisions: Sequence[Precision] = PRECISIONS,
    rows: int = ROWS,
    *,
    machine: bool = False,
    practice: bool = False,
) -> Trial:
    """Draw, export in these precisions, compare; every error of the product is an outcome."""
    drawn = random_mechanism(seed, machine=machine, practice=practice)
    result = Trial(seed, drawn.kind)
    sets = expectations(drawn.text, Random(f"{seed} rows"), rows)
    try:
        mechanism = parse_mechanism(drawn.text, seed)
    except KinefixError as error:
        result.outcome, result.reason, result.message = "crashed", "file refused", str(error)
        return result
    for precision in precisions:
        listening = Listening()
        try:
            with heard_by(listening):
                program = program_of_mechanism(mechanism, precision, tell=listening)
        except KinefixError as error:
            _refused(result, str(error), drawn.text, sets, alone=precision != precisions[0])
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
            result.outcome, result.reason, result.message = "crashed", type(error).__name__, str(error)
        else:
            result.silence = max(result.silence, listening.longest())
            _exported(result, program, mechanism, sets, compile_c)
        if result.outcome != "exported":
            result.silence = max(result.silence, listening.longest())
        if result.outcome != "exported":
            break
    return result


def reason_class(message: str) -> str:
    """Which kind of reason a refusal gives."""
    return next((name for name, pattern in REASONS if re.search(pattern, message)), "other")


def _refused(result: Trial, message: str, text: str, sets: list[Expected], *, alone: bool) -> None:
    """Note a refusal; `alone`: another precision was exported."""
    if alone:
        result.refused_float32 = reason_class(message)
        return
    result.outcome, result.reason, result.message = "refused", reason_class(message), message
    moving = result.kind in MOVING_BASES and result.reason not in OF_NO_LOOP
    if (result.reason in UNTRUE or moving) and sets:
        place = {name: float(value) for name, value in PLACE.findall(message)}
        result.false_refusal = bool(np.all(sets[0].reached.on_branch)) and drives_to(text, place)


def _exported(result: Trial, program: Program, mechanism: Mechanism, sets: list[Expected], compile_c: bool) -> None:
    tally = compared(program, sets)
    if compile_c:
        with tempfile.TemporaryDirectory() as folder:
            tally.add(compared(program, sets, compiled(program, mechanism, Path(folder))))
        result.compiled = True
    _count(result, program.precision, tally)


def compiled(program: Program, mechanism: Mechanism, folder: Path) -> Run:
    """Functions by the exported C on this computer, which must give the interpreter's bits."""
    write_export(program, folder / "export", canonical(mechanism))
    library = build_host(load_export(folder / "export"), folder / "build")
    own = interpreted(program)

    def run(
        function: OperationSequence, rows: np.ndarray, parameters: Mapping[str, float]
    ) -> tuple[np.ndarray, np.ndarray]:
        described = function_of(library.manifest, function.name)
        asked = [signal.name for signal in function.inputs if signal.group is not Group.DERIVED]
        order = [asked.index(entry.name) for entry in described.row_inputs]
        called = library.call(function.name, rows[:, order], parameters)
        given = [(output.signal.group is not Group.STATE, k) for k, output in enumerate(function.outputs)]
        outputs = np.empty_like(called.outputs)
        outputs[:, [k for _, k in sorted(given)]] = called.outputs
        status = called.status | np.uint32(called.start_status)
        _same_bits(function, own(function, rows, parameters), (outputs, status))
        return outputs, status

    return run


def _same_bits(function: OperationSequence, one: tuple[np.ndarray, ...], other: tuple[np.ndarray, ...]) -> None:
    if not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, other, strict=True)):
        raise AssertionError(f"{function.name}: the compiled C and the interpreter differ")


def _count(result: Trial, precision: Precision, tally: Tally) -> None:
    for name in COUNTS:
        result.counts[name] = result.counts.get(name, 0) + getattr(tally, name)
    for name, count in tally.alarms.items():
        if count:
            result.alarms[name] = result.alarms.get(name, 0) + count
    result.worst, result.furthest = max(result.worst, tally.worst), max(result.furthest, tally.furthest)
    result.disagreements += [f"{precision} {each.text()}" for each in tally.disagreements]
