"""The reader of documentation pages notices what is wrong with a page: otherwise its silence would say nothing."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def reader(load_data_module: Callable[[str], ModuleType]) -> ModuleType:
    """tests/data/page_blocks.py."""
    return load_data_module("page_blocks")


def read(reader: ModuleType, folder: Path, page: str) -> None:
    """Type a page into a folder."""
    reader.Reader(folder, "page").read(reader.blocks_of(page))


GOOD = """
<!-- file: a.txt -->
```text
one
two
three
```
```console
$ cat a.txt
one
...
three
$ echo two \\
  words
two words
```
<!-- part of: a.txt -->
```c
two
...
```
```python
print("x" * 3)
```
<!-- output -->
```text
xxx
```
<!-- exit code: 3 -->
```console
$ exit 3
```
"""


def test_a_page_that_is_right_passes(reader: ModuleType, tmp_path: Path) -> None:
    read(reader, tmp_path, GOOD)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("two words\n", "two  words\n"),
        ("...\nthree\n$", "...\nfour\n$"),
        ("$ cat a.txt\none\n", "$ cat a.txt\nzero\n"),
        ("$ cat a.txt\n", "$ cat b.txt\n"),
        ("```c\ntwo\n", "```c\ntwos\n"),
        ("\nxxx\n", "\nxx\n"),
        ("exit code: 3", "exit code: 2"),
        ("<!-- exit code: 3 -->\n", ""),
        ("<!-- output -->\n", ""),
        ("print(", "prin("),
        ("$ echo", "echo"),
    ],
)
def test_a_page_that_is_wrong_is_told(reader: ModuleType, tmp_path: Path, right: str, wrong: str) -> None:
    """One fault at a time."""
    faulty = GOOD.replace(right, wrong, 1)
    assert faulty != GOOD
    with pytest.raises(AssertionError):
        read(reader, tmp_path, faulty)


def test_a_missing_tool_skips_on_a_laptop_and_fails_in_ci(
    reader: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless the page has another way."""
    needed = "<!-- needs: no-such-tool -->\n```console\n$ no-such-tool\n```\n"
    monkeypatch.setenv("CI", "false")
    read(reader, tmp_path, needed)
    monkeypatch.setenv("CI", "true")
    read(reader, tmp_path, needed.replace("needs", "if present"))
    with pytest.raises(AssertionError):
        read(reader, tmp_path, needed)
