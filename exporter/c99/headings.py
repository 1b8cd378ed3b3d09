"""Headings over the statements of a function: which step each run of operations was written for.

In: a sequence. Out: for operations, the heading that starts at it, or the tag that it carries. A run of few
operations amid those of another step stays under that one's heading, each with the name of its own step.
"""

from collections.abc import Sequence

from exporter.records import dataclass
from exporter.sequence.operations import Operation, Step

MOST_TAGGED_OPERATIONS = 4
"""So many operations amid another step's are tagged; more get a heading of their own."""
NO_STEP = Step("", "what belongs to no step")


@dataclass(slots=True)
class _Run:
    """Operations one after the other under one heading."""

    step: Step | None
    members: list[int]
    tagged: dict[int, Step | None]


def headings(operations: Sequence[Operation], printed: Sequence[int]) -> tuple[dict[int, Step], dict[int, Step]]:
    """Heading by the operation that it stands before, and tag by operation.

    Args:
        operations: of a sequence.
        printed: the positions of those that become statements, in order.
    """
    runs = _merge_runs(_runs(operations, printed))
    if all(run.step is None for run in runs):
        return {}, {}
    told = {run.members[0]: run.step or NO_STEP for run in runs}
    tags = {index: step or NO_STEP for run in runs for index, step in run.tagged.items()}
    return told, tags


def _runs(operations: Sequence[Operation], printed: Sequence[int]) -> list[_Run]:
    """Operations of one step that stand together."""
    runs: list[_Run] = []
    for index in printed:
        step = operations[index].step
        if not runs or (runs[-1].step is not step and runs[-1].step != step):
            runs.append(_Run(step, [], {}))
        runs[-1].members.append(index)
    return runs


def _merge_runs(runs: list[_Run]) -> list[_Run]:
    """Few operations between two runs of one step are taken into it, with tags."""
    kept: list[_Run] = []
    for run in runs:
        back = _same_before(kept, run.step)
        if back is None:
            kept.append(run)
            continue
        for between in kept[back + 1 :]:
            kept[back].tagged |= dict.fromkeys(between.members, between.step) | between.tagged
            kept[back].members += between.members
        kept[back].members += run.members
        del kept[back + 1 :]
    return kept


def _same_before(kept: list[_Run], step: Step | None) -> int | None:
    """The last run of this step, where few operations came since."""
    since = 0
    for place in range(len(kept) - 1, -1, -1):
        if kept[place].step == step:
            return place
        since += len(kept[place].members)
        if since > MOST_TAGGED_OPERATIONS:
            break
    return None
