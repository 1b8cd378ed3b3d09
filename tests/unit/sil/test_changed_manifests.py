"""A manifest that was changed by hand is refused in a sentence with the place; the one that was written is read."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from exporter.errors import ModelError
from exporter.export import export_source
from exporter.manifest import from_json
from exporter.model.changes import Changes

SEED = 5
CHANGES = 300
OTHERS = (None, 0, -1, "x", [], {}, float("inf"), True, [[]])


@pytest.fixture(scope="module", params=[Changes(), Changes(method="newton", tolerance="1e-5", frozen=("all",))])
def text(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A manifest as it is written: of straight functions, and with a loop."""
    made = export_source("slider_crank", tmp_path_factory.mktemp("ex") / "x", "float32", request.param)
    return (made.folder / "manifest.json").read_text(encoding="utf-8")


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inside:
        yield (*path, key)
        yield from places(value, (*path, key))


def changed(text: str, path: tuple[Any, ...], value: Any) -> str:
    data = json.loads(text)
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return json.dumps(data)


def test_what_was_written_is_read(text: str) -> None:
    assert from_json(text).name == "slider_crank"


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (("functions", 0, "row_outputs", 0, "field"), True, "functions[0].row_outputs[0].field is True"),
        (("functions", 0, "row_inputs", 0, "minimum"), "x", "functions[0].row_inputs[0].minimum is 'x'"),
        (("export_id",), 1.5, "export_id is 1.5"),
        (("status",), {"A": "b"}, "status['A'] is 'b'"),
        (("flags",), ["-O2", 3], "flags[1] is 3"),
        (("name",), None, "name is None"),
        (("functions",), 7, "export the model again"),
    ],
)
def test_another_type_is_told_with_its_place(text: str, path: tuple[Any, ...], value: Any, named: str) -> None:
    with pytest.raises(ModelError) as refusal:
        from_json(changed(text, path, value))
    assert named in str(refusal.value)


def test_no_change_ends_in_another_error(text: str) -> None:
    """Some leave a manifest, most none: both ways are gone."""
    dice, ends = random.Random(SEED), set()
    every = list(places(json.loads(text)))
    for _ in range(CHANGES):
        try:
            from_json(changed(text, dice.choice(every), dice.choice(OTHERS)))
            ends.add("read")
        except ModelError:
            ends.add("refused")
    assert ends == {"read", "refused"}
