"""ci/setup on computers made of stubs: nothing is installed twice, and nothing without the right to."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ("bash", "cat", "cut", "dirname", "env", "head", "mkdir", "paste", "rm", "sed", "sha256sum")
FRESH = ["venv", "pip", "pip"]
"""What a new environment takes: itself, this project, and Singular without what else its package asks for."""
Computer = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What ci/setup reads, in a folder of its own."""
    folder = tmp_path / "a checkout"
    (folder / "ci").mkdir(parents=True)
    for name in ("ci/setup", "ci/apt-packages.txt", "ci/browser-packages.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture
def computer(tmp_path: Path, checkout: Path) -> Computer:
    """Run ci/setup where programs are stubs that note how they were called in a log beside the checkout."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    for name in PROGRAMS:
        (bin_folder / name).symlink_to(str(shutil.which(name)))

    def run(user: int, *words: str, installed: bool) -> subprocess.CompletedProcess[str]:
        status = "install ok installed" if installed else "unknown ok not-installed"
        stub(bin_folder / "id", f"echo {user}")
        stub(bin_folder / "dpkg-query", f"echo '{status}'")
        stub(bin_folder / "apt-get", f'echo "apt-get $*" >>"{tmp_path}/log"')
        stub(bin_folder / "python3", fake_python(tmp_path))
        return subprocess.run(
            [checkout / "ci" / "setup", *words],
            env={"PATH": os.fspath(bin_folder)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def stub(path: Path, body: str) -> None:
    path.write_text(f"#!{shutil.which('bash')}\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


def fake_python(tmp_path: Path) -> str:
    """A Python that makes environments of itself, whose pip installs nothing."""
    return f"""
case "$*" in
    -c*) exit 0 ;;
    "-m venv"*) echo "venv" >>"{tmp_path}/log"; mkdir -p .venv/bin; cat "$0" >.venv/bin/python
        printf '#!%s/.venv/bin/python\\n' "$PWD" >.venv/bin/pip; {shutil.which("chmod")} +x .venv/bin/python ;;
    *passagemath-singular*) echo "pip" >>"{tmp_path}/log"; [[ ! -f "{tmp_path}/no-singular" ]] ;;
    "-m pip"*) echo "pip" >>"{tmp_path}/log" ;;
esac"""


def log(tmp_path: Path) -> list[str]:
    path = tmp_path / "log"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="ci/setup is for Debian and Ubuntu")


def test_a_second_call_does_nothing(computer: Computer, tmp_path: Path) -> None:
    assert computer(1000, installed=True).returncode == 0
    assert log(tmp_path) == FRESH
    assert computer(1000, installed=True).returncode == 0
    assert log(tmp_path) == FRESH


def test_without_singular_the_project_is_set_up_all_the_same(computer: Computer, tmp_path: Path) -> None:
    (tmp_path / "no-singular").touch()
    done = computer(1000, installed=True)
    assert done.returncode == 0
    assert "warning: Singular cannot be installed here" in done.stderr
    assert log(tmp_path) == FRESH


def test_a_changed_project_file_is_installed_into_the_same_environment(
    computer: Computer, checkout: Path, tmp_path: Path
) -> None:
    computer(1000, installed=True)
    (checkout / "pyproject.toml").write_text("changed", encoding="utf-8")
    assert computer(1000, installed=True).returncode == 0
    assert log(tmp_path) == [*FRESH, *FRESH[1:]]


def test_a_moved_checkout_gets_a_new_environment(computer: Computer, checkout: Path, tmp_path: Path) -> None:
    """Scripts of the old one name a folder that is gone."""
    computer(1000, installed=True)
    (checkout / ".venv" / "bin" / "pip").write_text("#!/elsewhere/.venv/bin/python\n", encoding="utf-8")
    (checkout / ".venv" / "kinefix-setup.stamp").write_text("of elsewhere", encoding="utf-8")
    assert computer(1000, installed=True).returncode == 0
    assert log(tmp_path) == [*FRESH, *FRESH]


def test_root_installs_what_is_missing(computer: Computer, tmp_path: Path) -> None:
    assert computer(0, installed=False).returncode == 0
    assert log(tmp_path)[0] == "apt-get update"
    assert log(tmp_path)[1].startswith("apt-get install --yes --no-install-recommends gcc libc6-dev")


def test_without_root_and_sudo_the_command_is_printed(computer: Computer, checkout: Path, tmp_path: Path) -> None:
    """Exit code 2, and nothing was made."""
    done = computer(1000, installed=False)
    assert done.returncode == 2
    assert "run: sudo apt-get update && sudo apt-get install --yes --no-install-recommends gcc libc6-dev" in done.stderr
    assert log(tmp_path) == []
    assert not (checkout / ".venv").exists()


def test_a_browser_is_installed_where_it_is_asked_for(computer: Computer, tmp_path: Path) -> None:
    """With what reads its PDF; not without --browser."""
    assert computer(0, installed=False).returncode == 0
    assert "chromium" not in log(tmp_path)[1]
    (tmp_path / "log").unlink()
    assert computer(0, "--browser", installed=False).returncode == 0
    assert " fonts-dejavu-core poppler-utils chromium" in log(tmp_path)[1]


def test_a_browser_that_is_there_is_not_installed_again(computer: Computer, tmp_path: Path) -> None:
    """Chrome serves as well; with everything there, nothing is done."""
    stub(tmp_path / "bin" / "google-chrome", "exit 0")
    assert computer(0, "--browser", installed=False).returncode == 0
    assert "chromium" not in log(tmp_path)[1]
    assert "poppler-utils" in log(tmp_path)[1]
    (tmp_path / "log").unlink()
    assert computer(0, "--browser", installed=True).returncode == 0
    assert log(tmp_path) == []


def test_another_word_is_refused(computer: Computer, tmp_path: Path) -> None:
    """Before anything is installed."""
    done = computer(0, "--brwser", installed=False)
    assert (done.returncode, log(tmp_path)) == (2, [])
    assert "it takes nothing or --browser, not '--brwser'" in done.stderr
