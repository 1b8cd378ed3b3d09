"""Which rows a conversation proves. Oracle: conversations written by hand, after the rules of the wire protocol."""

import struct
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import pytest

from exporter.export import write_export
from hil.can.conversation import Conversation
from hil.can.layout import CanLayout, layout_of
from hil.hello import Hello
from hil.messages import Counter, Nack, RunRequest
from hil.protocol import Flag, Packet, Reason, Type
from targets.rows import function_of

SESSION = 77
STATE, NEXT = (1.0, 2.0), (3.0, 4.0)
REPLY = Flag.REPLY


def reals(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def ask(kind: Type, number: int, payload: bytes = b"", flags: Flag = Flag.NONE, session: int = SESSION) -> Packet:
    return Packet(kind, session, flags, number, payload)


def answer(kind: Type, number: int, payload: bytes = b"", session: int = SESSION) -> Packet:
    return Packet(kind, session, REPLY, number, payload)


def nack(kind: Type, number: int, reason: Reason, expected: int, session: int = SESSION) -> Packet:
    return answer(Type.NACK, number, Nack(reason, kind, expected, 0, 0).pack(), session)


def stepped(number: int, state: tuple[float, float]) -> Packet:
    return answer(Type.STEP, number, bytes(8) + reals(*state, 0.0))


def served(kind: Type, number: int, payload: bytes = b"", told: bytes = b"", flags: Flag = Flag.NONE) -> list[Packet]:
    return [ask(kind, number, payload, flags), answer(kind, number, told)]


def step(number: int, force: float, state: tuple[float, float] = NEXT) -> list[Packet]:
    return [ask(Type.STEP, number, reals(force)), stepped(number, state)]


def hello(next_number: int) -> Packet:
    told = Hello(1, bytes(32), 0, 1024, 4, Counter.NONE, 0, 0, 3, 4, 2, 0, 1, 0, 0, 0, 1, 0, next_number)
    return answer(Type.HELLO, 9, told.pack(), 0)


OPEN = served(Type.OPEN, 1, bytes(40))
SET = served(Type.SETSTATE, 2, reals(*STATE))
RUN = RunRequest(500, 1, 1, 1, 1, 1, 0).pack()
PARAMETERS = struct.pack("<HHI", 0, 1, 0)


@pytest.fixture(scope="module")
def layout(tmp_path_factory: pytest.TempPathFactory, load_data_module: Callable[[str], ModuleType]) -> CanLayout:
    """Two reals of state, one of input, one tunable parameter, nominal 0.3."""
    program = load_data_module("sample_program").slider_crank_program("float32", tunable=True)
    export = write_export(program, tmp_path_factory.mktemp("conversation") / "export", {})
    return layout_of(export.manifest, function_of(export.manifest, "dostep"))


def follow(layout: CanLayout, packets: list[Packet]) -> Conversation:
    conversation = Conversation(layout)
    for packet in packets:
        conversation.take(packet)
    conversation.end()
    return conversation


@pytest.mark.parametrize(
    ("packets", "rows", "unknown"),
    [
        pytest.param([*SET, *step(3, 5.0), *step(4, 6.0)], [(*STATE, 5.0), (*NEXT, 6.0)], 0, id="one after another"),
        pytest.param([*SET, *step(4, 5.0), *step(5, 6.0)], [(*NEXT, 6.0)], 1, id="a request that is not even there"),
        pytest.param(
            [*SET, ask(Type.STATS, 3), *step(4, 5.0)], [(*STATE, 5.0)], 0, id="what has no answer but changes nothing"
        ),
        pytest.param(
            [*SET, ask(Type.SETSTATE, 3, reals(9.0, 9.0)), *step(4, 5.0)], [], 1, id="a state that may be set or not"
        ),
        pytest.param([*served(Type.GETSTATE, 2, b"", reals(*STATE)), *step(3, 5.0)], [(*STATE, 5.0)], 0, id="read"),
        pytest.param([answer(Type.SETSTATE, 2), *step(3, 5.0)], [], 1, id="set to what is not in the log"),
        pytest.param([*SET, *step(3, 5.0), *step(3, 5.0)], [(*STATE, 5.0)], 0, id="a repeat"),
        pytest.param([*SET, *step(3, 5.0), *SET, *step(4, 6.0)], [(*STATE, 5.0), (*NEXT, 6.0)], 0, id="a late copy"),
        pytest.param(
            [*SET, ask(Type.STEP, 3, b"x"), nack(Type.STEP, 3, Reason.BAD_LENGTH, 4), *step(4, 6.0)],
            [(*STATE, 6.0)], 0, id="a refusal has a number",
        ),
        pytest.param(
            [*SET, ask(Type.STEP, 5, reals(5.0)), nack(Type.STEP, 5, Reason.OUT_OF_ORDER, 3), *step(3, 6.0)],
            [(*STATE, 6.0)], 0, id="one of a request out of turn has none",
        ),
        pytest.param(
            [*SET, ask(Type.STEP, 3, reals(5.0)), nack(Type.STEP, 3, Reason.NO_SESSION, 3, 5), stepped(3, NEXT)],
            [(*STATE, 5.0)], 0, id="a refusal of another session",
        ),
        pytest.param(
            [*SET, ask(Type.STEP, 3, reals(5.0)), hello(3), *step(3, 6.0)], [(*STATE, 6.0)], 0,
            id="never heard, and its number given again",
        ),
        pytest.param([*SET, ask(Type.STEP, 3, reals(5.0)), hello(4), *step(4, 6.0)], [], 1, id="done, by the greeting"),
        pytest.param([*SET, hello(1), *step(1, 6.0)], [], 1, id="started anew, by the greeting"),
        pytest.param(
            [*SET, Packet(Type.BOOT, 0, Flag.EVENT, 0, bytes(8)), *step(1, 6.0)], [], 1, id="started anew, by its word"
        ),
        pytest.param(
            [*SET, ask(Type.STEP, 3, reals(*STATE, 5.0), Flag.WITH_STATE, 5), stepped(3, NEXT), *step(4, 6.0)],
            [(*NEXT, 6.0)], 0, id="a request of another session",
        ),
        pytest.param(
            [*SET, ask(Type.BATCH, 3, bytes(8), Flag.STORE), answer(Type.BATCH, 3), *step(4, 6.0)],
            [(*STATE, 6.0)], 0, id="rows to be stored",
        ),
        pytest.param([*SET, *served(Type.RUN, 3, RUN), *step(4, 6.0), *step(5, 7.0)], [(*NEXT, 7.0)], 1, id="free run"),
    ],
)  # fmt: skip
def test_rows_are_proven(layout: CanLayout, packets: list[Packet], rows: list[tuple[float, ...]], unknown: int) -> None:
    found = follow(layout, [*OPEN, *packets])
    assert [step.row for step in found.steps] == [reals(*row) for row in rows]
    assert found.of_unknown_state == unknown
    assert found.activations == (500 if any(each.type is Type.RUN for each in packets) else 0)


def test_numbers_begin_again_after_the_last(layout: CanLayout) -> None:
    """65,535 is followed by 0, over a request without answer and under late copies too."""
    first = [*served(Type.OPEN, 65_533, bytes(40)), *served(Type.SETSTATE, 65_534, reals(*STATE))]
    found = follow(layout, [*first, ask(Type.STATS, 65_535), *step(0, 5.0), *first, *step(1, 6.0)])
    assert [step.row for step in found.steps] == [reals(*STATE, 5.0), reals(*NEXT, 6.0)]


def test_without_a_state_there_is_none_to_know(layout: CanLayout) -> None:
    """Nothing in between makes a row unknown."""
    bare = replace(layout, state=replace(layout.state, fields=()), next_state=replace(layout.next_state, fields=()))
    other = [*served(Type.RUN, 2, RUN), ask(Type.STEP, 3, reals(4.0))]
    found = follow(bare, [*OPEN, *other, *step(4, 5.0), hello(9), *step(9, 6.0)])
    assert [step.row for step in found.steps] == [reals(5.0), reals(6.0)]
    assert (found.of_unknown_state, found.unanswered) == (0, 1)


@pytest.mark.parametrize(
    ("packets", "crank"),
    [
        pytest.param([], 0.3, id="nominal after OPEN"),
        pytest.param(served(Type.PARAMETERS, 3, PARAMETERS, PARAMETERS + reals(0.25)), 0.25, id="as the answer says"),
        pytest.param([answer(Type.PARAMETERS, 3, PARAMETERS + reals(0.25))], 0.25, id="without its request"),
        pytest.param([ask(Type.PARAMETERS, 3, PARAMETERS + reals(0.25), Flag.SET | Flag.APPLY)], None, id="unanswered"),
        pytest.param(
            served(Type.PARAMETERS, 3, PARAMETERS, struct.pack("<HHI", 0, 0, 0), Flag.APPLY), None, id="not read back"
        ),
        pytest.param(
            served(Type.PARAMETERS, 3, PARAMETERS, struct.pack("<HHI", 0, 0, 1), Flag.APPLY), 0.3, id="refused"
        ),
    ],
)
def test_parameters_are_proven(layout: CanLayout, packets: list[Packet], crank: float | None) -> None:
    found = follow(layout, [*OPEN, *SET, *packets, *step(4 if packets else 3, 5.0), *step(5 if packets else 4, 5.0)])
    assert {step.parameters for step in found.steps} == {None if crank is None else reals(crank)}
