"""Prints the flat interface: `<m>_lv.h`, `<m>_lv.c`, the lists of exports and the version resource.

In: a manifest and the derived constants at nominal parameters. Out: texts; deterministic, no path, no date.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import cast

from exporter.c99.comments import comment_lines, comment_text
from exporter.c99.literals import real_literal
from exporter.c99.signatures import signature
from exporter.manifest import Argument, Field, Function, Manifest, ParameterEntry
from exporter.sequence.operations import Precision
from exporter.sequence.status import BITS, EFMI_BITS
from targets.labview.call_table import describe_parameter
from targets.labview.interface import (
    CODES,
    INSTANCES,
    VERSION,
    Call,
    Kind,
    Role,
    argument_of,
    calls,
    exported_names,
    inputs_of,
    parameter_fields,
    state_fields,
)
from targets.render import render
from targets.rows import nominal_parameters

TEMPLATES = Path(__file__).parent / "templates"
WINDOWS_SOURCE = Path(__file__).parent / "windows.c"
INT32_SPAN = 1 << 32
UINT16_SPAN = 1 << 16


@dataclass(frozen=True, slots=True)
class Texts:
    """Everything that is printed for the libraries, by file name."""

    header: str
    source: str
    definition: str  # .def
    version_map: str  # for ld


def texts(manifest: Manifest, derived: Mapping[str, float]) -> Texts:
    """Print the interface.

    Args:
        manifest: of the export.
        derived: what recalibrate makes of the nominal parameters, by the derived constants' user names.

    Raises:
        ModelError: a name cannot be exported.
    """
    listing = _base(manifest) | {"exported": exported_names(manifest)}
    return Texts(
        header=render(TEMPLATES, "lv.h.j2", _header(manifest)),
        source=render(TEMPLATES, "lv.c.j2", _source(manifest, derived)),
        definition=render(TEMPLATES, "exports.def.j2", listing),
        version_map=render(TEMPLATES, "exports.map.j2", listing),
    )


def version_resource(manifest: Manifest, file: str) -> str:
    """The resource script of a DLL of this file name."""
    numbers = [int(part) if part.isdigit() else 0 for part in manifest.kinefix.split(".")[:3]]
    context = _base(manifest) | {
        "file": file,
        "title": comment_text(manifest.title).replace("\\", "\\\\").replace('"', '""'),
        "model_hash": manifest.model_hash,
        "numbers": ",".join(str(number) for number in [*numbers, *[0] * (4 - len(numbers))]),
    }
    return render(TEMPLATES, "version.rc.j2", context)


def conditions(manifest: Manifest) -> list[dict[str, str]]:
    """The conditions that this export can report: name, mask, meaning."""
    return [
        {"name": name, "mask": f"0x{1 << bit:08X}", "about": comment_text(_meaning(name))}
        for name, bit in sorted(manifest.status.items(), key=lambda item: item[1])
    ]


def _meaning(name: str) -> str:
    return BITS[name][1] if name in BITS else f"eFMI condition {EFMI_BITS[name]}"


def _base(manifest: Manifest) -> dict[str, object]:
    return {
        "m": manifest.name,
        "M": manifest.name.upper(),
        "kinefix": manifest.kinefix,
        "export_id": f"{manifest.export_id:08X}",
    }


def _header(manifest: Manifest) -> dict[str, object]:
    roles = [
        (role.value, [_declaration_facts(call) for call in members])
        for role, members in groupby(_by_role(calls(manifest)), key=lambda call: call.role)
    ]
    return _base(manifest) | {
        "title": comment_text(manifest.title),
        "codes": CODES,
        "conditions": conditions(manifest),
        "roles": roles,
    }


def _by_role(every: Sequence[Call]) -> list[Call]:
    order = list(Role)
    return sorted(every, key=lambda call: order.index(call.role))


def _declaration_facts(call: Call) -> dict[str, object]:
    sentences = [call.about, *(f"{each.name}: {describe_parameter(each)}" for each in call.parameters)]
    lines = [line for sentence in sentences for line in comment_lines(sentence, 0)]
    bare = [line.removeprefix("/* ").removeprefix(" * ").removesuffix(" */") for line in lines]
    block = [("/* " if number == 0 else " * ") + line for number, line in enumerate(bare)]
    block[-1] += " */"
    return {"about": block, "prototype": signature(*call.prototype)}


class _Words:
    """Texts one behind the other; equal ones once."""

    def __init__(self) -> None:
        self._at: dict[str, int] = {}
        self._size = 0

    def at(self, text: str) -> int:
        """Where a text begins."""
        plain = " ".join(text.split()).encode("ascii", "backslashreplace").decode("ascii")
        if plain not in self._at:
            self._at[plain] = self._size
            self._size += len(plain) + 1
        return self._at[plain]

    def comma(self) -> int:
        """Where ", " begins, which is no text of anybody's."""
        self._at.setdefault(", ", self._size)
        self._size += 3
        return self._at[", "]

    def list_texts(self) -> list[dict[str, object]]:
        """For the template, in order."""
        return [{"at": at, "size": len(text) + 1, "literal": string(text)} for text, at in self._at.items()]

    @property
    def offset(self) -> str:
        """The smallest unsigned type that holds a position."""
        return "uint16_t" if self._size <= UINT16_SPAN else "uint32_t"


def _source(manifest: Manifest, derived: Mapping[str, float]) -> dict[str, object]:
    every = calls(manifest)
    words = _Words()
    context = _base(manifest) | _word_tables(manifest, words) | _constants(manifest, derived)
    context |= {
        "codes": CODES,
        "define": {
            call.symbol.removeprefix(f"{manifest.name}_lv_"): _definition(call) for call in every if not call.function
        },
        "functions": _functions(manifest, every, words),
        "any_state": any(argument_of(function, "state") or _reads_derived(function) for function in manifest.functions),
        "longest_in": max([1, *(len(function.row_inputs) for function in manifest.functions)]),
        "longest_out": max([1, *(len(function.row_outputs) for function in manifest.functions)]),
        "rejects": "ARG_REJECTED" in manifest.status,
        "startup": _startup(manifest),
        "version": VERSION,
        "identity": int32_literal(manifest.export_id),
        "instances": INSTANCES,
    }
    return context | {"words": words.list_texts(), "offset": words.offset}


def _word_tables(manifest: Manifest, words: _Words) -> dict[str, object]:
    signals = [
        {"name": words.at(field.name), "unit": words.at(field.unit)}
        for function in manifest.functions
        for field in (*inputs_of(function, manifest), *function.row_outputs)
    ]
    return {
        "signals": signals,
        "parameters": _parameters(manifest, words),
        "conditions": [each | {"word": words.at(each["name"])} for each in conditions(manifest)],
        "code_words": [words.at("ok"), *(words.at(code.about) for code in CODES)],
        "version_word": words.at(f"{manifest.name}, kinefix {manifest.kinefix}, export 0x{manifest.export_id:08X}"),
        "empty_word": words.at(""),
        "comma_word": words.comma(),
    }


def _constants(manifest: Manifest, derived: Mapping[str, float]) -> dict[str, object]:
    precision = cast(Precision, manifest.real)
    return {
        "derived": [
            {"field": field.field, "literal": real_literal(Fraction(derived[field.name]), precision)}
            for struct in manifest.structs
            if struct.group == "derived"
            for field in struct.fields
        ],
        "state": [
            {"field": field.field, "literal": real_literal(Fraction(field.nominal or 0), precision)}
            for field in state_fields(manifest)
        ],
        "tunable": nominal_parameters(manifest),
    }


def int32_literal(word: int) -> str:
    """A 32-bit word as an int32 literal; the least one cannot be written as one number in C."""
    value = word - INT32_SPAN if word >= INT32_SPAN // 2 else word
    return str(value) if value > -(INT32_SPAN // 2) else "(-2147483647 - 1)"


def string(plain: str) -> str:
    """A C string literal of ASCII text."""
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
    return f'"{escaped}"'


def _definition(call: Call) -> str:
    head, _ = call.prototype
    return signature(head, [_const_declaration(each.kind, each.name) for each in call.parameters])


def _const_declaration(kind: Kind, name: str) -> str:
    """The argument with the argument itself const."""
    return f"const {kind.declare(name)}" if kind in {Kind.INT, Kind.REAL} else kind.declare(f"const {name}")


def _functions(manifest: Manifest, every: Sequence[Call], words: _Words) -> list[dict[str, object]]:
    found = []
    first = 0
    for function in manifest.functions:
        once, *many = [call for call in every if call.function == function.name]
        described = _function(manifest, function, once)
        rows = _definition(many[0]) if many else ""
        found.append(described | {"name": words.at(function.name), "first": first, "define_rows": rows})
        first += len(inputs_of(function, manifest)) + len(function.row_outputs)
    return found


def _function(manifest: Manifest, function: Function, once: Call) -> dict[str, object]:
    names = [each.name for each in once.parameters[1:]]
    taken = len(inputs_of(function, manifest))
    state = argument_of(function, "state")
    return {
        "define": _definition(once),
        "symbol": function.symbol,
        "stateful": int(state is not None),
        "states": len(state_fields(manifest)) if state is not None and not state.const else 0,
        "call": ", ".join(_argument_text(each) for each in function.arguments),
        "inputs": names[:taken],
        "outputs": names[taken:],
    }


def _argument_text(argument: Argument) -> str:
    return {
        "state": "&self->state",
        "derived": "(self != 0) ? &self->derived : &lv_nominal",
        "in": "from",
        "out": "to",
    }[argument.name]


def _reads_derived(function: Function) -> bool:
    return argument_of(function, "derived") is not None


def _startup(manifest: Manifest) -> str:
    """The call that sets the state to its start, empty where the model has none."""
    for function in manifest.functions:
        if function.name == "startup" and not function.row_inputs and argument_of(function, "out") is None:
            passed = {"state": "&self->state", "derived": "&self->derived"}
            return f"{function.symbol}({', '.join(passed[each.name] for each in function.arguments)})"
    return ""


def _parameters(manifest: Manifest, words: _Words) -> list[dict[str, object]]:
    tunable = {field.name: field for field in parameter_fields(manifest)}
    return [
        {"name": words.at(each.name), "unit": words.at(each.unit), **_limits(manifest, each, tunable.get(each.name))}
        for each in manifest.parameters
    ]


def _limits(manifest: Manifest, entry: ParameterEntry, field: Field | None) -> dict[str, str]:
    """Nominal value and range as the library tells them; a tunable value as the instance holds it."""
    import numpy as np  # noqa: PLC0415 - not for --help

    held = entry.value if field is None else float(np.dtype(manifest.real).type(entry.value))
    low, high = (None, None) if field is None else (field.minimum, field.maximum)
    numbers = {"nominal": held, "minimum": held if low is None else low, "maximum": held if high is None else high}
    return {key: real_literal(Fraction(number), "float64") for key, number in numbers.items()}
