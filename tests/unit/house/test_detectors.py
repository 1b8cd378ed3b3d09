"""The record of detectors itself: what counts as seen, what does not, and that a whole run fails without it."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from detector_names import detector_names
from detectors import Record
from watched_raises import Watcher, refusals_of

ROOT = Path(__file__).resolve().parents[3]
FAKE = """
class Refused(Exception):
    pass

def guarded(number):
    if number < 0:
        raise Refused(f"{number} is below zero; give another")
    return number

def chosen(number):
    if number > 0:
        return number
    else:
        raise Refused("nothing above zero")

def caught(text):
    try:
        return float(text)
    except ValueError as error:
        raise Refused("no number") from error

def never(number):
    if number != number:
        raise Refused("never raised by a test")
    raise TypeError("an error of the program is no refusal")
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[ModuleType, Record]]:
    """A package with refusals, watched, and the record of it."""
    (tmp_path / "kfx_fake").mkdir()
    (tmp_path / "kfx_fake" / "__init__.py").write_text(FAKE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    record = Record()
    watcher = Watcher(("kfx_fake",), record.note)
    watcher.install()
    import kfx_fake  # type: ignore[import-not-found]

    yield kfx_fake, record
    sys.meta_path.remove(watcher)
    del sys.modules["kfx_fake"]


def refused(call: Callable[[], object]) -> None:
    """Make a call that is refused."""
    with pytest.raises(Exception, match=r"zero|no number"):
        call()


def test_names_and_texts_are_those_of_the_code() -> None:
    """One for each `raise` of an error of ours, in the order of the text."""
    found = {refusal.name: refusal.text for refusal in refusals_of("kfx_fake", FAKE)}
    assert list(found) == ["kfx_fake.guarded 1", "kfx_fake.chosen 1", "kfx_fake.caught 1", "kfx_fake.never 1"]
    assert found["kfx_fake.guarded 1"] == " is below zero; give another"


def test_both_branches_and_a_return_count(fake: tuple[ModuleType, Record]) -> None:
    """Fired where it is raised; silent where the `if` decided otherwise, or where the function returned."""
    module, record = fake
    for call, bad, good in ((module.guarded, -1, 1), (module.chosen, 0, 1), (module.caught, "x", "1")):
        refused(lambda: call(bad))  # noqa: B023 - called here
        record.close("fires", passed=True)
        call(good)
        record.close("is silent", passed=True)
    assert set(record.seen) == {"kfx_fake.guarded 1", "kfx_fake.chosen 1", "kfx_fake.caught 1"}
    assert all(tests == ["fires", "is silent"] for tests in record.seen.values())


def test_what_a_failing_test_saw_does_not_count(fake: tuple[ModuleType, Record]) -> None:
    module, record = fake
    refused(lambda: module.guarded(-1))
    record.close("red", passed=False)
    record.close("green", passed=True)
    assert record.seen == {}


def test_a_refusal_that_is_only_seen_silent_lacks_its_fire(fake: tuple[ModuleType, Record]) -> None:
    module, record = fake
    with pytest.raises(TypeError):
        module.never(1)
    record.close("silent", passed=True)
    assert record.seen == {"kfx_fake.never 1": ["", "silent"]}


def test_records_of_processes_are_joined_in_any_order() -> None:
    """Each half from another process; of several tests the first by name."""
    halves = [["b", ""], ["", "z"], ["a", "y"], ["", ""]]
    for order in (halves, halves[::-1]):
        record = Record()
        for tests in order:
            record.add("verdict", tests)
        assert record.both_ways("verdict") == ["a", "y"]
    assert record.both_ways("another") == ["", ""]


def test_a_reason_is_silent_where_a_request_of_its_type_is_answered() -> None:
    record = Record()
    record.add("reason: BUSY to STEP", ["refused", ""])
    record.add("answer to RUN", ["", "another request"])
    assert record.both_ways("reason: BUSY") == ["refused", ""]
    record.add("answer to STEP", ["", "answered"])
    assert record.both_ways("reason: BUSY") == ["refused", "answered"]


def test_every_kind_of_detector_is_read_from_the_code() -> None:
    kinds = {name.partition(":")[0] for name in detector_names()}
    assert kinds == {"verdict", "flag", "outcome", "finding", "reason", "fault", "violation", "refusal"}


def test_a_whole_run_that_saw_nothing_fails_and_a_selection_does_not(tmp_path: Path) -> None:
    """One green test: it sees no detector. The table is written by the whole run, with every name."""
    (tmp_path / "pytest.ini").write_text(f"[pytest]\ntestpaths = tests\npythonpath = {ROOT / 'tests' / 'plugins'}\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_green.py").write_text("def test_green():\n    pass\n")
    runs = (
        "import pytest; print([int(pytest.main(['-q', '-p', 'detectors', *more])) for more in ([], ['-k', 'green'])])"
    )
    done = subprocess.run([sys.executable, "-c", runs], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.endswith("[1, 0]\n"), done.stdout + done.stderr
    assert done.stdout.count(f"detectors: 0 of {len(detector_names()):,} seen") == 2
    assert done.stdout.count("never seen to fire or stay silent") == len(detector_names())
    page = (tmp_path / "build" / "detectors.md").read_text(encoding="utf-8")
    assert all(f"| {name} |" in page for name in detector_names())
