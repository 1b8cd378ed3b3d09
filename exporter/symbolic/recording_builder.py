"""A builder that holds conditions back until it is known under which Piecewise arms their guards count.

Both arms of a conditional are computed. A guard that only an unselected arm needs must not raise its flag: sin(x)/x in
the arm for x != 0 is no trouble at x = 0. So each condition is recorded with the value that it guards, and `release`
masks it with the flags that select that value.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from exporter.records import dataclass
from exporter.sequence.builder import STATUS, Builder, Flag, Value
from exporter.sequence.operations import Kind, Operation, Precision

Literal = tuple[int, bool]  # index of a flag, and the value that it must have
Clause = frozenset[Literal]  # all of them hold
NO_CONDITION: frozenset[Clause] = frozenset({frozenset()})
MOST_CLAUSES = 8
"""Beyond this a guard counts as always needed: its flag may then speak for an arm that was not selected."""


@dataclass(frozen=True, slots=True)
class RecordedCondition:
    """A condition and the value that it guards."""

    name: str
    flag: Flag
    about: str
    guards: int


class RecordingBuilder(Builder):
    """Collects operations like its base; `condition` inside `guarding` waits for `release`."""

    def __init__(self, name: str, precision: Precision, *, contract: bool = True) -> None:
        super().__init__(name, precision, contract=contract)
        self._recorded: list[RecordedCondition] = []
        self._waiting: list[tuple[str, Flag, str]] | None = None

    @property
    def length(self) -> int:
        """How many operations there are."""
        return len(self._operations)

    def operations(self) -> tuple[Operation, ...]:
        """All operations so far."""
        return tuple(self._operations)

    def condition(self, name: str, flag: Flag, about: str = "") -> None:
        """Record a condition, or register it at once outside of `guarding`."""
        if self._waiting is None:
            super().condition(name, flag, about)
        else:
            self._waiting.append((name, flag, about))

    @contextmanager
    def guarding(self) -> Iterator[list[Value]]:
        """Conditions registered inside guard the values that the caller appends to the list."""
        guarded: list[Value] = []
        outer, self._waiting = self._waiting, []
        try:
            yield guarded
        finally:
            waiting, self._waiting = self._waiting, outer
        for value in guarded:
            self._recorded.extend(RecordedCondition(*condition, value.index) for condition in waiting)

    def release(self) -> None:
        """Register what was recorded. Call after the last output."""
        with self.under(STATUS):
            self._release()

    def _release(self) -> None:
        needed = self.needed_under()
        written = set()
        for recorded in self._recorded:
            clauses = needed.get(recorded.guards)
            if clauses is None or recorded in written:
                continue
            written.add(recorded)
            super().condition(recorded.name, self._masked(recorded.flag, clauses), recorded.about)

    def needed_under(self) -> dict[int, frozenset[Clause]]:
        """For each operation that an output depends on: the alternatives under which it does. After the last output."""
        needed = {output.operation: NO_CONDITION for output in self._outputs}
        for index in range(self.length - 1, -1, -1):
            if index not in needed:
                continue
            operation, clauses = self._operations[index], needed[index]
            for position, operand in enumerate(operation.operands):
                through = _narrow_clauses(operation, position, clauses)
                needed[operand] = _simplify_clauses(needed.get(operand, frozenset()) | through)
        return needed

    def _masked(self, flag: Flag, clauses: frozenset[Clause]) -> Flag:
        if clauses == NO_CONDITION:
            return flag
        mask = self.flag(False)
        for clause in sorted(clauses, key=sorted):
            mask = self.flag_or(mask, self._all(clause))
        return self.flag_and(flag, mask)

    def _all(self, clause: Clause) -> Flag:
        result = self.flag(True)
        for index, wanted in sorted(clause):
            literal = Flag(self, index)
            result = self.flag_and(result, literal if wanted else self.flag_not(literal))
        return result


def _narrow_clauses(operation: Operation, position: int, clauses: frozenset[Clause]) -> frozenset[Clause]:
    """The alternatives under which an operand is needed: an arm of a select, only where it is selected."""
    if operation.kind is not Kind.SELECT or position == 0:
        return clauses
    literal = (operation.operands[0], position == 1)
    opposite = (literal[0], not literal[1])
    return frozenset(clause | {literal} for clause in clauses if opposite not in clause)


def _simplify_clauses(clauses: frozenset[Clause]) -> frozenset[Clause]:
    """Merge "f and c" with "not f and c", drop what a shorter clause covers, give up on many."""
    if frozenset() in clauses:
        return NO_CONDITION
    current = set(clauses)
    changed = True
    while changed:
        changed = False
        for clause in sorted(current, key=sorted):
            shorter = _merge_clause(clause, current)
            if shorter is not None:
                current = {other for other in current if not shorter <= other} | {shorter}
                changed = True
                break
    kept = frozenset(clause for clause in current if not any(other < clause for other in current))
    return kept if len(kept) <= MOST_CLAUSES else NO_CONDITION


def _merge_clause(clause: Clause, others: set[Clause]) -> Clause | None:
    for index, wanted in sorted(clause):
        rest = clause - {(index, wanted)}
        if rest | {(index, not wanted)} in others:
            return rest
    return None
