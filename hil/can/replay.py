"""Rows out of a log of CAN frames: what the ECU was stepped with, to be stepped with again.

In: an ASC or BLF file, a layout. Out: `ReplayedLog`: rows (state, then inputs) of the steps that the ECU answered, in
order, the parameters that they were done at, and sentences on what is not among them.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.digits import digits
from hil.can.codec import CanFrame
from hil.can.conversation import AnsweredStep, Conversation, nominal_bytes
from hil.can.heard_packets import HeardPackets
from hil.can.layout import CanLayout
from hil.can.log_file import CanLog, read_can_log
from hil.errors import BenchError
from sil.figures import count_text
from targets.rows import REAL_TYPES


@dataclass(frozen=True, slots=True)
class ReplayedLog:
    """What a log leads back to."""

    rows: NDArray[Any]  # (n, row_inputs)
    parameters: dict[str, float] | None  # tunable ones that are not nominal, SI units; None: not in the log
    notes: tuple[str, ...]  # on what is left out


def replayed_log(path: Path, layout: CanLayout) -> ReplayedLog:
    """The steps of a log that were all done at one set of parameters: the one with most of them.

    A step without its state gets the one that SETSTATE, GETSTATE or the answer before it says. A request that was
    repeated counts once, one that got no answer, was refused or damaged does not count.

    Raises:
        BenchError: the file cannot be read, is no log, holds no step of this layout, or those of several channels.
    """
    log = read_can_log(path, layout.is_extended)
    found = _of_one_channel(path, log, layout)
    notes = [f"{path.name} ends in the middle: what came after is not replayed"] if log.is_cut else []
    notes += _left_out(found)
    if not found.steps:
        frames = count_text(len(log.frames), "frame")
        told = "".join(f"; {note}" for note in notes)
        raise BenchError(
            f"{path} holds {frames} and no answered step of {layout.model}, {layout.function} from "
            f"identifier 0x{layout.commit:X} on{told}; does [link.main] base fit the log, and does it begin early?"
        )
    sets = Counter(step.parameters for step in found.steps)
    known = [each for each, _ in sets.most_common() if each is not None]
    chosen = known[0] if known else None
    rows = [step.row for step in found.steps if step.parameters == chosen]
    table = np.frombuffer(b"".join(rows), dtype=REAL_TYPES[layout.real]).reshape(len(rows), -1).copy()
    notes += _other_sets(found.steps, sets, chosen, layout)
    parameters = None if chosen is None else {name: float(value) for name, value in _changed(chosen, layout).items()}
    return ReplayedLog(table, parameters, tuple(notes))


def _of_one_channel(path: Path, log: CanLog, layout: CanLayout) -> Conversation:
    """The channel with steps. Where none has any, all of them: some tools give what they sent a channel of its own."""
    followed = {channel: _follow(frames, layout) for channel, frames in log.channels.items()}
    stepped = {channel: each for channel, each in followed.items() if each.steps or each.of_unknown_state}
    if len(stepped) > 1:
        names = " and ".join(stepped)
        raise BenchError(
            f"{path} holds steps of {layout.model}, {layout.function} on the channels {names}; "
            "save the channel of one ECU alone, and give that file"
        )
    return next(iter(stepped.values())) if stepped else _follow(log.frames, layout)


def _follow(frames: Iterable[CanFrame], layout: CanLayout) -> Conversation:
    packets, conversation = HeardPackets(layout), Conversation(layout)
    for frame in frames:
        for packet in packets.of(frame):
            conversation.take(packet)
    conversation.end()
    return conversation


def _left_out(found: Conversation) -> list[str]:
    """Sentences on steps that are not among the rows."""
    steps = (
        (found.of_unknown_state, "no state to begin from in the log"),
        (found.unasked, "answered, and no whole request in the log"),
        (found.unanswered, "no answer of the ECU in the log"),
    )
    told = [f"{count_text(count, 'step')} left out: {why}" for count, why in steps if count]
    if found.activations:
        told.append(f"free runs of {count_text(found.activations, 'activation')} left out: their rows are not frames")
    return told


def _other_sets(
    steps: list[AnsweredStep], sets: Counter[bytes | None], chosen: bytes | None, layout: CanLayout
) -> list[str]:
    if chosen is None:
        return ["at which parameters these steps were done is not in the log"] if layout.parameters.size else []
    others = {each: count for each, count in sets.items() if each is not None and each != chosen}
    told = []
    if others:
        first, count = next(iter(others)), count_text(sum(others.values()), "step")
        more = f" and {count_text(len(others) - 1, 'other set')} of parameters" if len(others) > 1 else ""
        told.append(f"{count} left out: done at {_words(first, layout)}{more}")
    if sets[None]:
        told.append(f"{count_text(sets[None], 'step')} left out: no word on their parameters in the log")
    if told:
        told.insert(0, f"{sets[chosen]:,} of {count_text(len(steps), 'step')} taken: done at {_words(chosen, layout)}")
    elif _changed(chosen, layout):
        told.append(f"the steps of the log were done at {_words(chosen, layout)}")
    return told


def _changed(values: bytes, layout: CanLayout) -> dict[str, Any]:
    """The parameters whose bits are not those of their nominal values, by name."""
    real = REAL_TYPES[layout.real]
    given, nominal = np.frombuffer(values, real), np.frombuffer(nominal_bytes(layout) or b"", real)
    pairs = enumerate(layout.parameters.fields)
    return {
        field.name: given[place]
        for place, field in pairs
        if not len(nominal) or given[place].tobytes() != nominal[place].tobytes()
    }


def _words(values: bytes, layout: CanLayout) -> str:
    units = {field.name: field.unit for field in layout.parameters.fields}
    told = ", ".join(f"{name} = {digits(value)} {units[name]}" for name, value in _changed(values, layout).items())
    return told or "nominal parameters"
