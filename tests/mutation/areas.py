"""What is mutated: five areas, their files, and the order in which faults are drawn from each."""

from dataclasses import dataclass
from pathlib import Path
from random import Random

import c_operators
import python_operators
from python_operators import OPERATORS, Fault

ROOT = Path(__file__).resolve().parent.parent.parent
SEED = 20_261_128
"""Fixed before the first run."""

AREAS: dict[str, tuple[str, ...]] = {
    "kinematics": (
        "exporter/kinematics/*.py",
        "exporter/kinematics/protocol/*.py",
        "exporter/kinematics/planar/*.py",
        "exporter/kinematics/planar/blocks/*.py",
        "exporter/kinematics/spatial/*.py",
    ),
    "dynamics": ("exporter/dynamics/*.py", "exporter/dynamics/switching/*.py"),
    "hoisting": (
        "exporter/sequence/hoist.py",
        "exporter/sequence/passes.py",
        "exporter/sequence/shared_sums.py",
        "exporter/sequence/proven.py",
    ),
    "parameters": (
        "exporter/kinematics/protocol/scope.py",
        "exporter/kinematics/planar/lengths.py",
        "exporter/kinematics/protocol/frames.py",
        "exporter/functions/signals.py",
        "exporter/functions/mechanism.py",
        "exporter/functions/program.py",
        "exporter/c99/layout.py",
        "exporter/c99/functions.py",
        "exporter/c99/statements.py",
        "exporter/c99/names.py",
        "targets/rows.py",
    ),
    "firmware": ("targets/ecu/*.c",),
}
LEFT_OUT = {
    "exporter/kinematics/branch_choice.py": "chooses and explains, writes nothing",
    "exporter/kinematics/engine.py": "chooses an engine",
    "exporter/kinematics/modes.py": "evaluates assemblies for show",
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault in a file."""

    area: str
    path: str  # from the root
    fault: Fault

    @property
    def name(self) -> str:
        """How reports and commands call it."""
        return f"{self.path}:{self.fault.number}"

    @property
    def sentence(self) -> str:
        """One line for a report."""
        return f"{self.name} {self.fault.operator}, line {self.fault.line}: {self.fault.before}"

    def source(self) -> str:
        """The text of the file with the fault."""
        operators = c_operators if self.path.endswith(".c") else python_operators
        return operators.with_fault((ROOT / self.path).read_text(encoding="utf-8"), self.fault.number)


def files_of(area: str) -> list[str]:
    """The files of an area, sorted."""
    paths = {path.relative_to(ROOT).as_posix() for pattern in AREAS[area] for path in ROOT.glob(pattern)}
    return sorted(paths - set(LEFT_OUT))


def faults_of(path: str) -> list[Fault]:
    """All faults of a file."""
    operators = c_operators if path.endswith(".c") else python_operators
    return operators.faults_of((ROOT / path).read_text(encoding="utf-8"))


def drawn(area: str, seed: int = SEED) -> list[Mutant]:
    """All mutants of an area in the order in which they are tried: the operators in turn, each at places by chance."""
    generator = Random(f"{seed} {area}")
    waiting: dict[str, list[Mutant]] = {operator: [] for operator in OPERATORS}
    for path in files_of(area):
        for fault in faults_of(path):
            waiting[fault.operator].append(Mutant(area, path, fault))
    for mutants in waiting.values():
        generator.shuffle(mutants)
    order = []
    while any(waiting.values()):
        order += [mutants.pop() for mutants in waiting.values() if mutants]
    return order
