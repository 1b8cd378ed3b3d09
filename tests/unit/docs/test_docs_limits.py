"""What docs/limits.md says of pip alone: those things run with an empty PATH, so that no program can be called."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = [
    ["new", "mine"],
    ["list"],
    ["show", "slider_crank", "--picture", "a.svg"],
    ["show", "slider_crank", "--picture", "a.png"],
    ["export", "slider_crank", "--out", "exported"],
]
MATHEMATICS = """
import numpy as np
from exporter.functions.program import program_of_mechanism
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from sil.reference.mechanism import reference_of
mechanism = read_mechanism(model_path("slider_crank"))
ours = interpret(program_of_mechanism(mechanism, "float64").functions[0], np.array([[0.5]])).outputs[0]
slide = reference_of(mechanism).positions(np.array([[0.5]]))[0, mechanism.coordinates().index("s")]
assert abs(ours[2] - slide) < 1e-12
"""


def run(folder: Path, code: str, *arguments: str) -> None:
    """Python in a folder, without programs."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env={**os.environ, "PATH": str(folder / "nothing")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_commands_that_need_no_program(tmp_path: Path, arguments: list[str]) -> None:
    """Model files, pictures, export."""
    run(tmp_path, "import sys; from exporter.cli import main; main(sys.argv[1:])", *arguments)


def test_interpreter_and_reference_need_no_program(tmp_path: Path) -> None:
    """The page's mathematics runs alone, and both agree on the slider's place."""
    run(tmp_path, MATHEMATICS)
