"""The suite of an export as text: tests for its inputs, ranges, parameters and conditions by their names.

In: a manifest, the function that the device runs, and where the bench file is. Out: files by name.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from exporter.digits import digits
from exporter.manifest import Field, Function, Manifest
from hil.identity import expected_identity
from targets.rows import tunable_fields

if TYPE_CHECKING:
    from jinja2 import Environment

VECTORS, ACTIVATIONS, STEPS_UNDER_FAULTS = 300, 2000, 400
CHECKED = "ARG_REJECTED"
BENCH_LINE = r"^\$\{BENCH\} .*$"
"""Where the bench file lies: all that differs between two bench files of one export."""
TEMPLATES = Path(__file__).parent


def suite_files(manifest: Manifest, function: Function, bench: str) -> dict[str, str]:
    """Texts by file name; `bench` is the bench file as seen from their folder."""
    states = expected_identity(manifest, function).state_values
    suite = _environment().get_template("suite.robot.j2").render(
        title=_plain_text(manifest.title),
        bench=bench,
        vectors=VECTORS,
        activations=ACTIVATIONS,
        has_model=bool(manifest.model),
        is_checked=CHECKED in function.conditions,
        inputs=[field.name for field in function.row_inputs[states:]],
        beyond=[
            *_beyond("Set State", function.row_inputs[:states]),
            *_beyond("Set Input", function.row_inputs[states:]),
        ],
        parameters=list(_parameters(manifest)),
    )  # fmt: skip
    faults = _environment().get_template("faults.toml.j2").render(steps=STEPS_UNDER_FAULTS)
    return {f"{manifest.name}.robot": suite, "faults.toml": faults}


def _plain_text(text: str) -> str:
    """Text that Robot Framework takes as it is: one line, its special characters escaped."""
    return re.sub(r"([\\$@&%#])", r"\\\1", " ".join(text.split()))


def _beyond(keyword: str, fields: tuple[Field, ...]) -> Iterator[dict[str, str]]:
    """Values on both sides of each range, as far from it as it is wide."""
    for field in fields:
        if field.minimum is None or field.maximum is None:
            continue
        width = field.maximum - field.minimum
        for value in (field.minimum - width, field.maximum + width):
            yield {"keyword": keyword, "name": field.name, "value": _quantity(value, field)}


def _parameters(manifest: Manifest) -> Iterator[dict[str, str]]:
    for field in tunable_fields(manifest):
        if field.minimum is None or field.maximum is None:
            continue
        beyond = field.maximum + (field.maximum - field.minimum)
        ends = {"least": field.minimum, "greatest": field.maximum, "beyond": beyond}
        yield {"name": field.name} | {name: _quantity(value, field) for name, value in ends.items()}


def _quantity(value: float, field: Field) -> str:
    return digits(value) if field.unit == "1" else f"{digits(value)} {field.unit}"


@cache
def _environment() -> "Environment":
    from jinja2 import FileSystemLoader  # noqa: PLC0415 - not for --help

    from exporter.template_environment import environment  # noqa: PLC0415

    return environment(FileSystemLoader(TEMPLATES), autoescape=False)
