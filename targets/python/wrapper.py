"""Writes `<m>.py`, a module for users: numpy arrays by name in, numpy arrays by name out, beside `lib<m>.so`.

In: a manifest. Out: the module's text. It needs numpy and nothing of Kinefix.
"""

import keyword
from collections.abc import Iterable
from pathlib import Path

from exporter.manifest import Field, Function, Manifest
from targets.render import render
from targets.rows import every_function, input_slots, nominal_parameters, tunable_fields

TEMPLATES = Path(__file__).parent / "templates"
RESERVED_ARGUMENTS = frozenset({"parameters", "status"})  # names that every function of the module has already
TAKEN_FUNCTIONS = frozenset({"conditions", "PARAMETERS", "STATUS", "REAL", "MODEL_HASH", "EXPORT_ID"})


def wrapper_text(manifest: Manifest) -> str:
    """The module's text: deterministic, no path, no date."""
    return render(TEMPLATES, "wrapper.py.j2", _context(manifest, every_function(manifest)))


def labview_wrapper_text(manifest: Manifest) -> str:
    """The Python module for the libraries of a LabVIEW package: what it shows is what LabVIEW sees, in double."""
    context = _context(manifest, manifest.functions) | {
        "real": "float64",
        "tunable": any(struct.group == "par" for struct in manifest.structs),
        "states": {
            function.name: sum(slot.argument == "state" for slot in input_slots(manifest, function))
            for function in manifest.functions
        },
        "stateful": [
            function.name
            for function in manifest.functions
            if any(argument.name == "state" for argument in function.arguments)
        ],
    }
    return render(TEMPLATES, "labview.py.j2", context)


def _context(manifest: Manifest, functions: Iterable[Function]) -> dict[str, object]:
    fields = tunable_fields(manifest)
    return {
        "kinefix": manifest.kinefix,
        "name": manifest.name,
        "title": _text(manifest.title),
        "real": manifest.real,
        "model_hash": manifest.model_hash,
        "export_id": f"0x{manifest.export_id:08X}",
        "status": manifest.status,
        "parameters": [
            {"name": repr(field.name), "value": repr(nominal.value), "about": _about(field)}
            for field, nominal in zip(fields, nominal_parameters(manifest), strict=True)
        ],
        "functions": [_function(function) for function in functions],
    }


def _function(function: Function) -> dict[str, object]:
    inputs = [
        {"name": _identifier(field.field, RESERVED_ARGUMENTS), "about": _about(field)} for field in function.row_inputs
    ]
    outputs = [
        {"name": _identifier(field.field, RESERVED_ARGUMENTS), "about": _about(field)} for field in function.row_outputs
    ]
    return {
        "name": _identifier(function.name, TAKEN_FUNCTIONS),
        "loop": f"kfx_rows_{function.name}",
        "result": "".join(part.capitalize() for part in function.name.split("_")) + "Result",
        "symbol": function.symbol,
        "inputs": inputs,
        "outputs": outputs,
        "conditions": [(name, _text(about)) for name, about in function.conditions.items()],
    }


def _identifier(name: str, taken: frozenset[str]) -> str:
    """A C identifier as one of Python: keywords and names of the module get an underscore."""
    return f"{name}_" if keyword.iskeyword(name) or name in taken else name


def _about(field: Field) -> str:
    unit = "dimensionless" if field.unit == "1" else field.unit
    limits = "" if field.minimum is None or field.maximum is None else f", [{field.minimum:.9g}, {field.maximum:.9g}]"
    return _text(f"{field.about or field.name} ({unit}{limits})")


def _text(text: str) -> str:
    """Text that can stand in a docstring."""
    return " ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''").rstrip('"')
