"""docs/bench.md names every key of a bench file and every keyword, and no others. Oracles: the schema, the library."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hil.bench import read_bench
from hil.faults.kinds import Kind
from hil.keywords import Keywords

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "bench.md").read_text(encoding="utf-8")


def resolved(schema: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """A part of the schema, its reference followed."""
    name = part.get("$ref", "").rpartition("/")[2]
    return schema["$defs"][name] if name else part


def keys_of(schema: dict[str, Any], part: dict[str, Any], path: str = "") -> Iterator[str]:
    """Dotted keys of the tables of a schema, `*` for names of the user's."""
    children = dict(part.get("properties", {}))
    if isinstance(part.get("additionalProperties"), dict):
        children["*"] = part["additionalProperties"]
    if not children:
        yield path
    for key, child in children.items():
        below = f"{path}.{key}" if path else key
        if path == "tolerance":
            yield below
        else:
            yield from keys_of(schema, resolved(schema, child), below)


def first_column(heading: str) -> set[str]:
    """Words in code type in the first column of a table."""
    table = PAGE.split(heading)[1].split("\n\n")[0]
    return {word for row in table.splitlines() for word in re.findall(r"`([^`]+)`", row.split(" | ")[0])}


def test_every_key_of_the_schema_is_on_the_page() -> None:
    """The page's table has the keys of the schema, and none more."""
    schema = json.loads((ROOT / "hil" / "bench.schema.json").read_text(encoding="utf-8"))
    assert first_column("| key | value | left out |\n") == set(keys_of(schema, schema))


def test_every_key_and_kind_of_a_faults_file_is_on_the_page() -> None:
    """The page has the keys of the schema, and none more; a rule is written as a table of its own."""
    schema = json.loads((ROOT / "hil" / "faults" / "faults.schema.json").read_text(encoding="utf-8"))
    rule = schema["properties"]["fault"]["items"]["properties"]
    keys = {key for key in schema["properties"] if key != "fault"} | {f"fault.{key}" for key in rule}
    assert first_column("| key of the faults file | value | left out |\n") == keys
    kinds = rule["kinds"]["items"]["enum"]
    assert first_column("| kind | what happens to the frame |\n") == set(kinds) == {kind.value for kind in Kind}
    requests = re.findall(r"`(\w+)`", PAGE.split("| `fault.requests` | ")[1].split(" | ")[0])
    assert requests == rule["requests"]["items"]["enum"]


def test_every_keyword_is_on_the_page() -> None:
    """By the name that a test engineer writes."""
    library = Keywords()
    known = {getattr(library, name).robot_name for name in library.get_keyword_names()}
    assert first_column("| keyword | what it does or claims |\n") == known


def test_defaults_on_the_page_are_those_of_the_reader(tmp_path: Path) -> None:
    """A bench file with the mandatory keys alone."""
    path = tmp_path / "bench.toml"
    path.write_text(
        'schema = 1\n[bench]\nname = "x"\ntarget = "t"\nmodel = "slider_crank"\n'
        '[target.t]\nkind = "emulated"\n[timing]\nperiod = "1 ms"\n',
        encoding="utf-8",
    )
    bench = read_bench(path)
    assert (bench.real, bench.target.profile, bench.target.icount_shift) == ("float32", "arm-m4f", 6)
    assert (bench.link.host, bench.link.port, bench.link.baud) == ("127.0.0.1", 0, 115200)
    assert (bench.timing.deadline, bench.timing.guard) == (bench.timing.period, None)
    assert (bench.timing.counter, bench.timing.latch_after) == ("any", 3)
    assert (bench.timeouts.boot_s, bench.timeouts.reply_s, bench.timeouts.run_s) == (10, 2, None)
    assert bench.timeouts.retries == 3
    assert (bench.runs.lockstep, bench.runs.free_run, bench.runs.vectors, bench.runs.seed) == (1000, 60000, 256, 1)
    assert bench.work == tmp_path.resolve() / "bench-work"
