"""Prints README.md of a package: what to click, and the settings of each node as a table.

In: a manifest. Out: text.
"""

from pathlib import Path

from exporter.manifest import Manifest
from targets.labview.call_table import (
    CALLING_CONVENTION,
    RESULT_SETTING,
    SETTINGS,
    THREAD_SETTING,
    Setting,
    callbacks,
    describe_parameter,
)
from targets.labview.interface import CODES, INSTANCES, Call, Kind, Role, calls, parameter_fields, state_fields
from targets.labview.shim import conditions
from targets.render import render

TEMPLATES = Path(__file__).parent / "templates"


def readme_text(manifest: Manifest) -> str:
    """The text."""
    every = calls(manifest)
    context = {
        "m": manifest.name,
        "title": manifest.title,
        "kinefix": manifest.kinefix,
        "export_id": f"{manifest.export_id:08X}",
        "real": manifest.real,
        "instances": INSTANCES,
        "thread": THREAD_SETTING,
        "convention": CALLING_CONVENTION,
        "codes": CODES,
        "conditions": conditions(manifest),
        "tunable": [field.name for field in parameter_fields(manifest)],
        "state": [field.name for field in state_fields(manifest)],
        "groups": [
            (role.value, [_node(manifest, call) for call in every if call.role is role])
            for role in Role
            if role is not Role.CALLBACK and any(call.role is role for call in every)
        ],
    }
    return render(TEMPLATES, "README.md.j2", context)


def _node(manifest: Manifest, call: Call) -> dict[str, object]:
    rows = [_row("return type", RESULT_SETTING, "", "zero, conditions, or a negative code")]
    for each in call.parameters:
        rows.append(_row(each.name, SETTINGS[each.kind], each.length, _cell(describe_parameter(each))))
    return {
        "symbol": call.symbol,
        "about": call.about,
        "rows": rows,
        "callbacks": {name: value for name, value in callbacks(manifest, call).items() if value},
        "slot": any(each.kind is Kind.SLOT for each in call.parameters),
    }


def _row(name: str, setting: Setting, length: str, about: str) -> dict[str, str]:
    form = setting.form
    if setting.dimensions:
        form = f"{form}, {setting.dimensions} dimension"
    return {
        "name": name,
        "type": setting.type,
        "data_type": setting.data_type or "-",
        "form": form or "-",
        "size": length or "-",
        "about": about,
    }


def _cell(text: str) -> str:
    """Text that can stand in a table of Markdown."""
    return text.replace("|", "\\|")
