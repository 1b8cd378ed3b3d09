"""The cache of builds: once per key, never half-written, shared by processes that may be killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from exporter.errors import CheckFailed, KinefixError
from targets.build_cache import SUMS_NAME, cached_entry, key_of


def writer(content: str, log: list[str]) -> Callable[[Path], None]:
    """A build that writes two files and is remembered."""

    def build(folder: Path) -> None:
        log.append(content)
        (folder / "obj").mkdir()
        (folder / "obj" / "part").write_text("part", encoding="utf-8")
        (folder / "product").write_text(content, encoding="utf-8")

    return build


def test_an_entry_is_built_once_and_found_again(tmp_path: Path) -> None:
    log: list[str] = []
    first = cached_entry(tmp_path / "cache", "a", writer("one", log))
    again = cached_entry(tmp_path / "cache", "a", writer("never", log))
    other = cached_entry(tmp_path / "cache", "b", writer("other", log))
    assert (first, log) == (again, ["one", "other"])
    assert (first / "product").read_text(encoding="utf-8") == "one"
    assert (other / "product").read_text(encoding="utf-8") == "other"


def truncate(entry: Path) -> None:
    (entry / "product").write_bytes(b"")


def drop(entry: Path) -> None:
    (entry / "obj" / "part").unlink()


def forget(entry: Path) -> None:
    (entry / SUMS_NAME).unlink()


def garble(entry: Path) -> None:
    (entry / SUMS_NAME).write_text('{"product"', encoding="utf-8")


def empty(entry: Path) -> None:
    (entry / SUMS_NAME).write_text("{}", encoding="utf-8")


@pytest.mark.parametrize("harm", [truncate, drop, forget, garble, empty])
def test_an_entry_that_is_not_whole_is_built_again(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    log: list[str] = []
    entry = cached_entry(tmp_path, "a", writer("one", log))
    harm(entry)
    assert cached_entry(tmp_path, "a", writer("two", log)) == entry
    assert log == ["one", "two"]
    assert (entry / "product").read_text(encoding="utf-8") == "two"


def test_what_others_put_beside_the_product_does_not_matter(tmp_path: Path) -> None:
    log: list[str] = []
    entry = cached_entry(tmp_path, "a", writer("one", log))
    (entry / "__pycache__").mkdir()
    (entry / "__pycache__" / "product.pyc").write_bytes(b"1")
    cached_entry(tmp_path, "a", writer("two", log))
    assert log == ["one"]


def test_a_build_that_fails_leaves_no_entry(tmp_path: Path) -> None:
    def fails(folder: Path) -> None:
        (folder / "product").write_text("half", encoding="utf-8")
        raise CheckFailed("the compiler refused")

    with pytest.raises(CheckFailed, match="the compiler refused"):
        cached_entry(tmp_path, "a", fails)
    log: list[str] = []
    cached_entry(tmp_path, "a", writer("whole", log))
    assert log == ["whole"]


def test_a_cache_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(KinefixError, match=r"cannot build in '.*file' .*name another folder"):
        cached_entry(tmp_path / "file", "a", writer("one", []))


def test_a_key_tells_apart_what_a_plain_join_does_not() -> None:
    assert key_of(["ab", "c"]) != key_of(["a", "bc"]) != key_of(["a", b"b", "c"])
    assert key_of(["ab"]) == key_of([b"ab"])


BUILDER = """
import sys
from pathlib import Path
from targets.build_cache import cached_entry
cache, building, go, log = map(Path, sys.argv[1:])

def build(folder):
    (folder / "product").write_text("half")
    building.open("w").close()
    go.open().close()
    (folder / "product").write_text("whole")
    with log.open("a") as lines:
        lines.write("built\\n")

print((cached_entry(cache, "a", build) / "product").read_text())
"""


class Builders:
    """Processes that build one entry and wait in the midst of it."""

    def __init__(self, folder: Path) -> None:
        self.building, self.go, self.log = folder / "building", folder / "go", folder / "log"
        self.arguments = [str(each) for each in (folder / "cache", self.building, self.go, self.log)]
        for pipe in (self.building, self.go):
            os.mkfifo(pipe)

    def start(self) -> "subprocess.Popen[str]":
        """One more of them."""
        return subprocess.Popen([sys.executable, "-c", BUILDER, *self.arguments], stdout=subprocess.PIPE, text=True)


def test_a_process_that_is_killed_in_a_build_leaves_nothing_that_is_used(tmp_path: Path) -> None:
    builders = Builders(tmp_path)
    with builders.start() as killed:
        builders.building.open(encoding="utf-8").close()
        killed.send_signal(signal.SIGKILL)
    log: list[str] = []
    entry = cached_entry(tmp_path / "cache", "a", writer("whole", log))
    assert log == ["whole"]
    assert (entry / "product").read_text(encoding="utf-8") == "whole"


def test_two_processes_build_one_entry_once(tmp_path: Path) -> None:
    """One of them is in the midst of it when the other one asks for it."""
    builders = Builders(tmp_path)
    with builders.start() as first:
        builders.building.open(encoding="utf-8").close()
        with builders.start() as second:
            builders.go.open("w", encoding="utf-8").close()
            said = [each.communicate()[0] for each in (first, second)]
    assert said == ["whole\n", "whole\n"]
    assert builders.log.read_text(encoding="utf-8") == "built\n"
