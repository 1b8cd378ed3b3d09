"""What the audit refuses or stops at, each beside its sound twin: damaged files, endless code, endless calls."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from exporter.errors import CheckFailed, ModelError
from targets.audit import dynamic, path
from targets.audit.dynamic import run
from targets.audit.image import load_image
from targets.audit.path import prove
from targets.audit.sizes import sizes
from targets.audit.symbols import linked_names

pytestmark = pytest.mark.compiled

HEADER = ".intel_syntax noprefix\n.text\n.globl f\n.type f, @function\n"
SOUND = "f:\n mov eax, 7\n ret\n"
RISC_V = (243).to_bytes(2, "little")
E_MACHINE = 18  # offset in the header of an ELF file


@pytest.fixture
def snippets(load_data_module: Callable[[str], ModuleType], require_tool: Callable[[str], str]) -> ModuleType:
    require_tool("gcc")
    return load_data_module("compile_snippet")


@pytest.fixture
def assembled(snippets: ModuleType, tmp_path: Path) -> Callable[[str], Path]:
    """An object file of this text."""

    def make(text: str) -> Path:
        return snippets.compile_object(tmp_path, HEADER + text, "host", suffix=".s")

    return make


@pytest.fixture
def linked(snippets: ModuleType, tmp_path: Path) -> Callable[[str], Path]:
    """An executable of this text."""

    def make(text: str) -> Path:
        source = tmp_path / "linked.s"
        source.write_text(HEADER + text, encoding="utf-8")
        return snippets.link(tmp_path, [source], "host", "f")

    return make


@pytest.mark.parametrize("read", [load_image, sizes, linked_names])
def test_a_file_that_is_no_elf_file_is_named(assembled: Callable[[str], Path], read: Callable[[Path], object]) -> None:
    """An object is read; cut to its first bytes it is not."""
    file = assembled(SOUND)
    assert read(file) is not None
    file.write_bytes(file.read_bytes()[:3])
    with pytest.raises(ModelError, match="is not an ELF file"):
        read(file)


def test_code_of_another_processor_is_named(assembled: Callable[[str], Path]) -> None:
    file = assembled(SOUND)
    assert load_image(file).machine == "x86-64"
    data = file.read_bytes()
    file.write_bytes(data[:E_MACHINE] + RISC_V + data[E_MACHINE + 2 :])
    with pytest.raises(ModelError, match="is for EM_RISCV; the audit reads ARM and x86-64 code"):
        load_image(file)


ENDLESS = {
    "a branch on data in a loop without an exit": (
        "f:\n1: test edi, edi\n je 2f\n nop\n2: jmp 1b\n", "a loop without an immediate trip count",
    ),
    "a count beyond the limit": ("f:\n mov eax, 60\n1: dec eax\n jne 1b\n ret\n", "a loop still running after 100"),
    "more branches than the limit": (
        "f:\n" + 12 * " test edi, edi\n je 1f\n nop\n1:\n" + " ret\n", "more than 10 branches that depend on data",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDLESS)
def test_code_that_goes_on_too_long_is_refused(
    assembled: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The limits are lowered here, so that the code can be short; what stays below them is followed to its end."""
    monkeypatch.setattr(path, "STEP_LIMIT", 100)
    monkeypatch.setattr(path, "NODE_LIMIT", 10)
    text, reason = ENDLESS[name]
    assert prove(assembled("f:\n mov eax, 40\n1: dec eax\n jne 1b\n ret\n"), "f").instructions == 82
    assert prove(assembled("f:\n" + 4 * " test edi, edi\n je 1f\n nop\n1:\n" + " ret\n"), "f").instructions == 13
    proof = prove(assembled(text), "f")
    assert proof.refusal is not None
    assert reason in proof.refusal.sentence()


def test_an_object_is_linked_before_it_runs(assembled: Callable[[str], Path], linked: Callable[[str], Path]) -> None:
    assert run(linked(SOUND), "f").result == 7
    for file, name in ((assembled(SOUND), "f"), (linked(SOUND), "g")):
        with pytest.raises(ModelError, match="is no linked file with a function"):
            run(file, name)


@pytest.mark.parametrize("text", ["f:\n ud2\n", "f:\n1: jmp 1b\n"])
def test_a_call_that_does_not_return_is_no_count(
    linked: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """One that stops at an instruction, and one that never does; a call of as many instructions returns."""
    monkeypatch.setattr(dynamic, "STEP_LIMIT", 20)
    assert run(linked("f:\n" + 19 * " nop\n" + " ret\n"), "f").instructions == 20
    with pytest.raises(CheckFailed, match="the emulated call of f stopped near 0x"):
        run(linked(text), "f")
