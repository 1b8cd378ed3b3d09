"""docs/model-file.md says what the code does. Oracle: the page itself, read as text."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from exporter.functions.program import program_of_mechanism
from exporter.model.schema import mechanism_schema
from exporter.model.toml.reader import parse_mechanism
from exporter.model.units import UNITS

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "model-file.md").read_text(encoding="utf-8")


def keys_and_words(schema: Any) -> Iterator[str]:
    """Every key and every fixed word of the schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        yield from (word for word in schema.get("enum", ()) if isinstance(word, str))
        for part in schema.values():
            yield from keys_and_words(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from keys_and_words(part)


@pytest.mark.parametrize("unit", sorted(UNITS))
def test_every_unit_is_in_the_table(unit: str) -> None:
    """In the first, third or fifth column."""
    assert re.search(rf"\| `{unit}` \|", PAGE)


def test_page_has_no_unit_that_is_unknown() -> None:
    """The table promises nothing more."""
    table = PAGE.split("## Units")[1].split("\n## ")[0]
    named = set(re.findall(r"\| `([A-Za-z]+)` (?=\|)", table))
    assert named == set(UNITS)


def test_every_key_and_word_of_the_schema_is_explained() -> None:
    """Each appears in code type on the page."""
    missing = {word for word in keys_and_words(mechanism_schema()) if not re.search(rf"[`{{ \"\[]{word}\b", PAGE)}
    assert missing == set()


def test_example_reads() -> None:
    """The TOML on the page is a mechanism."""
    example = PAGE.split("```toml\n")[1].split("```")[0]
    assert parse_mechanism(example, "example.toml").independent == tuple(
        tomllib.loads(example)["coordinates"]["independent"]
    )


def test_example_of_repeated_parts_reads() -> None:
    """The tripod on the page has three legs, in the order that the page tells."""
    example = PAGE.split("<!-- repeated -->\n```toml\n")[1].split("```")[0]
    tripod = parse_mechanism(example, "tripod.toml")
    assert tripod.independent == ("ankle1", "ankle2", "ankle3", "knee1", "knee2", "knee3")
    assert [joint.name for joint in tripod.joints] == ["ankle1", "knee1", "ankle2", "knee2", "ankle3", "knee3"]


def test_example_of_hardpoints_reads() -> None:
    """The arm and link on the page hang where the hardpoints are, and the pose is that of the sheet."""
    example = PAGE.split("<!-- hardpoints -->\n```toml\n")[1].split("```")[0]
    mechanism = parse_mechanism(example, "arm_and_link.toml")
    assert [frame.name for frame in mechanism.bodies[0].frames] == ["arm.front", "arm.rear", "arm.ball"]
    assert set(mechanism.pose) == {"hinge", "roll", "pitch"}


def test_example_of_elements_is_exported() -> None:
    """The flap on the page has the elements that the text tells of, and its accelerations are proven total."""
    example = PAGE.split("<!-- elements -->\n```toml\n")[1].split("```")[0]
    flap = parse_mechanism(example, "flap.toml")
    assert [element.type for element in flap.elements] == ["gas_spring", "end_stop", "friction"]
    (dynamics,) = program_of_mechanism(flap, "float32", only=["dynamics"]).functions
    assert "strut_length.rate" in [output.signal.name for output in dynamics.outputs]


def test_example_of_couplings_is_exported() -> None:
    """The feed on the page is driven by its motor alone, and its accelerations are proven total."""
    example = PAGE.split("<!-- couplings -->\n```toml\n")[1].split("```")[0]
    feed = parse_mechanism(example, "feed.toml")
    assert [coupling.follower for coupling in feed.couplings] == ["beta", "x", "h"]
    (dynamics,) = program_of_mechanism(feed, "float32", only=["dynamics"]).functions
    assert "h.rate" in [output.signal.name for output in dynamics.outputs]


def test_python_example_runs() -> None:
    """The Python on the page does what it says."""
    names: dict[str, Any] = {}
    exec(PAGE.split("```python\n")[1].split("```")[0], names)
    assert names["driven"].independent == ("alpha3",)
    assert [parameter.name for parameter in names["tuned"].parameters if not parameter.frozen] == ["l2"]


def test_note_on_what_is_reached_is_that_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    """The six-bar's note, as the page prints it."""
    section = PAGE.split("## What of the ranges is reached\n")[1]
    exec(section.split("```python\n")[1].split("```")[0], {})
    assert capsys.readouterr().out == section.split("```text\n")[1].split("```")[0]
