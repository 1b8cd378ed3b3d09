"""Prints a program as the C files of an export.

In: a program. Out: file name -> text: header, source, self-test, bundled kernel headers, index
enums with copy helpers.
No date, host or path: the same program gives the same bytes. The export id is a hash of these texts.
"""

import hashlib

from exporter import __version__
from exporter.c99.comments import WIDTH, clipped, comment_lines, comment_text
from exporter.c99.functions import REAL, every_function, printed_function
from exporter.c99.kernels import REAL_OF, Bundle, bits_name, bundle, id_macro
from exporter.c99.layout import FROZEN_STRUCT, Layout, layout
from exporter.c99.literals import bits_literal, real_literal
from exporter.c99.render import render
from exporter.c99.selftest import checked_functions, product_difference
from exporter.c99.signatures import signature
from exporter.c99.statements import TAG_OF, WIDTH_OF
from exporter.c99.tables import array_lines
from exporter.manifest import Field, Struct
from exporter.records import dataclass
from exporter.sequence.looped import loop_text
from exporter.sequence.operations import Precision
from exporter.sequence.program import Program
from exporter.sequence.status import BITS

MANTISSA: dict[Precision, tuple[str, int]] = {"float32": ("FLT_MANT_DIG", 24), "float64": ("DBL_MANT_DIG", 53)}
STRUCT_COMMENTS: dict[str, str] = {
    "par": "Tunable parameters.",
    "derived": "What {m}_recalibrate makes of the parameters, so that a call does not.",
    "state": "The state; the caller owns it.",
    "in": "What {function} reads.",
    "out": "What {function} writes, in solve order.",
    FROZEN_STRUCT: "Values to compare with the parameters that were substituted at export.",
}


LONGEST_WORDS = 60
LONGEST_SOURCE = 100
"""Title and options, and where the model comes from, are cut there in a banner; the manifest has them whole."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The C files of a program and what they were printed from."""

    layout: Layout
    files: dict[str, str]
    export_id: int


def program_files(program: Program) -> dict[str, str]:
    """File name -> text.

    Raises:
        ModelError: a name is too long for C99, or a constant is out of the precision's range.
    """
    return program_texts(program).files


def program_texts(program: Program) -> Texts:
    """The files with the layout and the export id."""
    plan = layout(program)
    files = _files(plan)
    draft = _with_id(files, 0)
    digest = hashlib.sha256("".join(f"{name}\0{text}\0" for name, text in sorted(draft.items())).encode()).digest()
    export_id = int.from_bytes(digest[:4], "big")
    return Texts(plan, _with_id(files, export_id), export_id)


_PLACEHOLDER = "@EXPORT_ID@"


def _with_id(files: dict[str, str], export_id: int) -> dict[str, str]:
    return {name: text.replace(_PLACEHOLDER, f"{export_id:08X}") for name, text in files.items()}


def _files(plan: Layout) -> dict[str, str]:
    """The texts, with a placeholder for the export id: it is a hash of them."""
    bits = bits_name(plan.program.precision)
    functions = every_function(plan)
    bundled = bundle([sequence for _, sequence in functions], plan.program.precision)
    context = _context(plan, bundled)
    printed = [printed_function(plan, function, sequence) for function, sequence in functions]
    context["functions"] = printed
    context["tables"] = array_lines([sequence for _, sequence in functions], REAL)
    context["reals"] = any(f"const {REAL} " in line for each in printed for line in each.lines)
    m = plan.prefix
    ids = {id_macro(bits): bundled.ids[id_macro(bits)]}
    selftest = {**context, **_selftest_context(plan), "ids": ids, "bits_header": bits}
    return {
        f"{m}.h": render("header.h.j2", **context),
        f"{m}.c": render("source.c.j2", **context),
        f"{m}_arrays.h": render("arrays.h.j2", **context),
        f"{m}_selftest.c": render("selftest.c.j2", **selftest),
        **bundled.files,
    }


def _selftest_context(plan: Layout) -> dict[str, object]:
    program = plan.program
    factors, difference = product_difference(program.precision)
    width = WIDTH_OF[program.precision]
    return {
        "tag": TAG_OF[program.precision],
        "bits": f"uint{width}_t",
        "zero": f"UINT{width}_C(0)",
        "factors": factors,
        "difference": difference,
        "checked": checked_functions(plan),
        "frozen_fields": [
            (plan.names.of(each.name, each.unit), _frozen_macro(plan, each.name, each.unit)) for each in program.frozen
        ],
        "frozen_off": real_literal(program.frozen[0].value + 1, program.precision) if program.frozen else "",
        "nominal": [
            (plan.names.of(each.name, each.unit), real_literal(each.nominal or 0, program.precision))
            for each in (program.parameters if program.recalibrate else ())
        ],
    }


def _frozen_macro(plan: Layout, name: str, unit: str) -> str:
    return f"{plan.macro}_FROZEN_{plan.names.of(name, unit).upper()}"


def _context(plan: Layout, bundled: Bundle) -> dict[str, object]:
    """What the templates of a program share."""
    program = plan.program
    mantissa_macro, mantissa = MANTISSA[program.precision]
    return {
        "m": plan.prefix,
        "M": plan.macro,
        "version": __version__,
        "title": clipped(program.title or program.name, LONGEST_WORDS),
        "source": clipped(program.source, LONGEST_SOURCE),
        "model_hash": program.model_hash,
        "precision": program.precision,
        "parameters": _parameters_text(program),
        "export_id": _PLACEHOLDER,
        "width": WIDTH_OF[program.precision],
        "real": REAL_OF[program.precision],
        "status": _status_lines(plan),
        "status_masks": {f"{plan.macro}_{name}": _mask(name) for name in conditions(plan)},
        "frozen": _frozen_lines(plan),
        "check_frozen": plan.check_frozen.symbol,
        "structs": [_struct(plan, struct) for struct in plan.structs],
        "arrays": [_array(plan, struct) for struct in plan.structs if struct.group != FROZEN_STRUCT],
        "includes": list(bundled.files),
        "ids": bundled.ids,
        "math": bundled.math,
        "mantissa_macro": mantissa_macro,
        "mantissa": mantissa,
        "loop": comment_lines(f"{loop_text(program.loop)}.", 0) if program.loop else [],
    }


def _parameters_text(program: Program) -> str:
    tunable = ", ".join(signal.name for signal in program.parameters) if program.recalibrate else ""
    return clipped(f"tunable parameters {tunable}" if tunable else "every parameter frozen", LONGEST_WORDS)


def _define(name: str, value: str, about: str) -> list[str]:
    """A macro with what it means: behind it, or before it where the line would be too long."""
    comment, line = comment_text(about), f"#define {name} {value}"
    whole = f"{line} /* {comment} */"
    return [whole] if len(whole) <= WIDTH else [*comment_lines(comment, 0), line]


def conditions(plan: Layout) -> list[str]:
    """Names of the conditions that this program can set, by bit."""
    names = {name for function, _ in every_function(plan) for name in function.conditions}
    return sorted(names, key=lambda name: BITS[name][0])


def _mask(name: str) -> str:
    return bits_literal(1 << BITS[name][0], 32)


def _status_lines(plan: Layout) -> list[str]:
    return [line for name in conditions(plan) for line in _define(f"{plan.macro}_{name}", _mask(name), BITS[name][1])]


def _frozen_lines(plan: Layout) -> list[str]:
    return [
        line
        for each in plan.program.frozen
        for line in _define(
            _frozen_macro(plan, each.name, each.unit),
            real_literal(each.value, plan.program.precision),
            each.about or each.name,
        )
    ]


def _function_of(plan: Layout, struct: Struct) -> str:
    return struct.type.removeprefix(f"{plan.prefix}_").removesuffix(f"_{struct.group}_t")


def _struct(plan: Layout, struct: Struct) -> dict[str, object]:
    about = STRUCT_COMMENTS[struct.group].format(m=plan.prefix, function=f"{plan.prefix}_{_function_of(plan, struct)}")
    members = [f"    {plan.prefix}_real_t {field.field};" for field in struct.fields]
    column = max(len(member) for member in members)
    lines: list[str] = []
    for member, field in zip(members, struct.fields, strict=True):
        comment = comment_text(_field_about(field))
        line = f"{member.ljust(column)} /* {comment} */"
        lines += [line] if len(line) <= WIDTH else [*comment_lines(comment), member]
    return {"type": struct.type, "about": about, "lines": lines}


def _field_about(field: Field) -> str:
    """What a field holds, and its range in the unit of its name."""
    about = field.about or field.name
    if field.minimum is None or field.maximum is None:
        return about
    return f"{about}, [{field.minimum:.9g}, {field.maximum:.9g}]"


def _array(plan: Layout, struct: Struct) -> dict[str, object]:
    stem = struct.type.removesuffix("_t")
    array = f"{plan.prefix}_real_t *const array"
    return {
        "type": struct.type,
        "stem": stem,
        "STEM": stem.upper(),
        "from_array": signature(
            f"static inline void {stem}_from_array", [f"{struct.type} *const into", f"const {array}"]
        ),
        "to_array": signature(f"static inline void {stem}_to_array", [f"const {struct.type} *const from", array]),
        "fields": [{"field": field.field, "index": f"{stem.upper()}_{field.field.upper()}"} for field in struct.fields],
    }
