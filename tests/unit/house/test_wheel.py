"""The wheel is the product: it carries every file of the packages, and works where there is no checkout."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from exporter.model.library import model_names

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("exporter", "targets", "sil", "hil")
RUN = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import exporter, hil, sil, targets
assert all(module.__file__.startswith(sys.path[0]) for module in (exporter, hil, sil, targets))
from exporter.cli import main
main(sys.argv[1:])
"""


def _run(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout; its build backend comes from the index, so that a laptop may lack it."""
    folder = tmp_path_factory.mktemp("wheel")
    done = _run(sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "-q", "-w", folder, folder=ROOT)
    if done.returncode != 0:
        message = f"no wheel could be built: {done.stderr.strip()[-300:]}"
        pytest.fail(message) if os.environ.get("CI") == "true" else pytest.skip(message)
    return next(folder.glob("kinefix-*.whl"))


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_every_file_of_the_packages_is_in_the_wheel(wheel: Path) -> None:
    """Model files, templates, schemas, C sources and linker scripts too. Oracle: what the repository tracks."""
    listed = _run("git", "ls-files", *PACKAGES, folder=ROOT)
    if listed.returncode != 0:
        pytest.skip("this is no git checkout: there is no list to hold the wheel against")
    with zipfile.ZipFile(wheel) as archive:
        missing = {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()} - set(archive.namelist())
    assert not missing


def test_the_wheel_exports_what_the_checkout_exports(unpacked: Path, tmp_path: Path) -> None:
    """`list`, `show` with a picture and `export` from the unpacked wheel, away from the checkout."""
    said = {
        words[0]: _said(unpacked, tmp_path, *words)
        for words in (["list"], ["show", "slider_crank", "--picture", "it.svg"], ["export", "four_bar", "--out", "it"])
    }
    assert all(name in said["list"] for name in model_names())
    assert (tmp_path / "it.svg").read_text(encoding="utf-8").startswith("<svg")
    _said(ROOT, tmp_path, "export", "four_bar", "--out", "checkout")
    assert _c_files(tmp_path / "it") == _c_files(tmp_path / "checkout")


def _said(packages: Path, folder: Path, *words: str) -> str:
    done = _run(sys.executable, "-c", RUN, packages, *words, folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _c_files(folder: Path) -> dict[str, bytes]:
    found = {path.name: path.read_bytes() for path in folder.glob("*.[ch]")}
    assert "four_bar.c" in found
    return found
