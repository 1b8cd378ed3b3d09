"""Whether a DBC file has the frames of an export, for buses whose other tools work by that file.

In: a DBC file, the layout of the function. Out: nothing, or an error that names the first difference. The file may have
further messages: a network's database usually does.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from hil.can.database import database_of
from hil.can.layout import CanLayout
from hil.errors import BenchError

if TYPE_CHECKING:
    from cantools.database.can import Database, Message, Signal


def require_database(path: Path, layout: CanLayout) -> None:
    """Raises `BenchError` where the file cannot be read or has other frames; reals may be spelled in words."""
    given = _read(path)
    differences = [_first_difference(given, database_of(layout, words)) for words in (False, True)]
    if all(differences):
        raise BenchError(
            f"the CAN database {path} is not the one of '{layout.function}' of {layout.model}: {differences[0]}; "
            f"write it with: kinefix dbc EXPORT --function {layout.function} --base 0x{layout.commit:X} --out {path}"
        )
    if foreign := _foreign_message(given, database_of(layout)):
        raise BenchError(
            f"the CAN database {path} does not fit '{layout.function}' of {layout.model}: {foreign}; give one of the "
            "two other identifiers, for the export's frames by [link.main] base and kinefix dbc --base"
        )


def _read(path: Path) -> "Database":
    from cantools.database import load_string  # noqa: PLC0415 - only where a bench names a database
    from cantools.database.errors import Error  # noqa: PLC0415

    try:
        text = path.read_text(encoding="cp1252", errors="replace")
        return cast("Database", load_string(text, "dbc", strict=False))
    except (OSError, Error, ValueError) as error:
        why = " ".join(str(error).split())
        raise BenchError(f"the CAN database {path} cannot be read ({why}); correct [link.main] dbc") from error


def _first_difference(given: "Database", wanted: "Database") -> str:
    """What the file lacks or says otherwise; empty where it has all frames."""
    found = (_difference(given, message) for message in wanted.messages)
    return next((each for each in found if each), "")


def _foreign_message(given: "Database", wanted: "Database") -> str:
    """Which other message has an identifier of the export's frames; empty where none has."""
    ours = {(message.frame_id, message.is_extended_frame): message.name for message in wanted.messages}
    for message in given.messages:
        name = ours.get((message.frame_id, message.is_extended_frame), message.name)
        if name != message.name:
            return f"its message '{message.name}' has the identifier 0x{message.frame_id:X} of '{name}'"
    return ""


def _difference(given: "Database", wanted: "Message") -> str:
    named = [message for message in given.messages if message.name == wanted.name]
    if not named:
        return f"message '{wanted.name}' is missing"
    if len(named) > 1:
        places = " and ".join(f"0x{message.frame_id:X}" for message in named)
        return f"message '{wanted.name}' is there {len(named)} times, with the identifiers {places}"
    (message,) = named
    facts = (
        ("the identifier", f"0x{message.frame_id:X}", f"0x{wanted.frame_id:X}"),
        ("the length", f"{message.length} bytes", f"{wanted.length} bytes"),
        ("the kind of identifier", _bits(message), _bits(wanted)),
    )
    told = [f"{what} of '{wanted.name}' is {theirs}, not {ours}" for what, theirs, ours in facts if theirs != ours]
    return next(iter(told), "") or next(_signal_differences(message, wanted), "")


def _bits(message: "Message") -> str:
    return "29 bits" if message.is_extended_frame else "11 bits"


def _signal_differences(given: "Message", wanted: "Message") -> Iterator[str]:
    for signal in wanted.signals:
        named = [each for each in given.signals if each.name == signal.name]
        if len(named) != 1:
            yield f"message '{wanted.name}' has {f'{len(named)} signals' if named else 'no signal'} '{signal.name}'"
        elif (said := _spelling(named[0])) != (ours := _spelling(signal)):
            yield f"signal '{signal.name}' of '{wanted.name}' is spelled as {said}, not as {ours}"
    names = {signal.name for signal in wanted.signals}
    for foreign in (signal for signal in given.signals if signal.name not in names):
        covered = next((signal.name for signal in wanted.signals if _bits_of(signal) & _bits_of(foreign)), "")
        if covered:
            yield f"signal '{foreign.name}' of '{wanted.name}' lies over bits of '{covered}'"


def _bits_of(signal: "Signal") -> set[int]:
    """Which bits of a message a signal takes; a big-endian one goes on at the top of the next byte."""
    if signal.byte_order == "little_endian":
        return set(range(signal.start, signal.start + signal.length))
    first = 8 * (signal.start // 8) + 7 - signal.start % 8  # counted from the top of each byte
    return {8 * (place // 8) + 7 - place % 8 for place in range(first, first + signal.length)}


def _spelling(signal: "Signal") -> str:
    """Where and how a signal's bits stand, in which frames of the message, and in which unit."""
    kind = "float" if signal.is_float else "signed" if signal.is_signed else "unsigned"
    scale = "" if (signal.scale, signal.offset) == (1, 0) else f", times {signal.scale} plus {signal.offset}"
    order = signal.byte_order.replace("_", " ")
    switched = ", in some frames alone (multiplexed)" if signal.multiplexer_ids else ""
    switches = ", a multiplexer" if signal.is_multiplexer else ""
    where = f"{kind}, {signal.length} bits from bit {signal.start}, {order}"
    return f"{where}{scale}{switched}{switches} [{signal.unit or '1'}]"
