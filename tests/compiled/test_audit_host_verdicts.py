"""The verdict on x86-64 code: assembler counted by eye, and what gcc makes of C."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from exporter.errors import ModelError
from targets.audit.image import load_image
from targets.audit.path import prove
from targets.audit.precision import double_instructions
from targets.audit.result import PathProof
from targets.audit.sizes import sizes
from targets.audit.symbols import forbidden

pytestmark = pytest.mark.compiled

HEADER = ".intel_syntax noprefix\n.text\n"


@pytest.fixture
def snippets(load_data_module: Callable[[str], ModuleType], require_tool: Callable[[str], str]) -> ModuleType:
    require_tool("gcc")
    return load_data_module("compile_snippet")


@pytest.fixture
def prove_assembly(snippets: ModuleType, tmp_path: Path) -> Callable[[str], PathProof]:
    def check(text: str) -> PathProof:
        named = text.replace("f:", ".type f, @function\nf:").replace("g:", ".type g, @function\ng:")
        return prove(snippets.compile_object(tmp_path, HEADER + named, "host", suffix=".s"), "f")

    return check


SINGLE = {
    "a straight line": ("f:\n mulss xmm0, xmm1\n addss xmm0, xmm1\n ret\n", 3, 0),
    "a conditional move": ("f:\n cmp edi, 3\n mov eax, 7\n cmovle eax, esi\n ret\n", 4, 0),
    "a frame": ("f:\n push rbx\n sub rsp, 32\n add rsp, 32\n pop rbx\n ret\n", 5, 40),
    "a frame pointer": ("f:\n push rbp\n mov rbp, rsp\n sub rsp, 64\n leave\n ret\n", 5, 72),
    "a call": ("g:\n inc eax\n ret\nf:\n sub rsp, 8\n call g\n call g\n add rsp, 8\n ret\n", 9, 16),
    "a tail call": ("g:\n inc eax\n ret\nf:\n inc eax\n jmp g\n", 4, 0),
    "a counted loop": ("f:\n mov eax, 10\n1: sub eax, 1\n jne 1b\n ret\n", 22, 0),
    "a loop that counts up": ("f:\n xor eax, eax\n1: inc eax\n cmp eax, 5\n jl 1b\n ret\n", 17, 0),
    "a loop over pointers": ("f:\n lea rax, [rdi + 16]\n1: add rdi, 4\n cmp rdi, rax\n jne 1b\n ret\n", 14, 0),
}

REFUSED = {
    "a loop on data": ("f:\n1: dec edi\n jne 1b\n ret\n", "loop whose exit depends on data"),
    "recursion": ("f:\n call f\n ret\n", "recursion"),
    "a function pointer": ("f:\n call rdi\n ret\n", "function pointer"),
    "a jump table": ("f:\n jmp [rax + rdi*8]\n", "jump table"),
    "a repeated string instruction": ("f:\n rep movsb\n ret\n", "repeated string instruction"),
    "a call out of the file": ("f:\n call sin\n ret\n", "a call of sin"),
    "a narrow counter is not believed": ("f:\n mov al, 3\n1: dec al\n jne 1b\n ret\n", "loop"),
    "a trap": ("f:\n ud2\n", "trap"),
}


@pytest.mark.parametrize("name", SINGLE)
def test_single_path_with_the_count_made_by_eye(name: str, prove_assembly: Callable[[str], PathProof]) -> None:
    text, instructions, stack = SINGLE[name]
    proof = prove_assembly(text)
    assert (proof.verdict, proof.refusal) == ("single path", None)
    assert (proof.instructions, proof.stack_bytes) == (instructions, stack)


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_reason(name: str, prove_assembly: Callable[[str], PathProof]) -> None:
    text, reason = REFUSED[name]
    proof = prove_assembly(text)
    assert proof.refusal is not None
    assert reason in proof.refusal.sentence()


def test_a_forward_branch_is_a_bound(prove_assembly: Callable[[str], PathProof]) -> None:
    proof = prove_assembly("f:\n test edi, edi\n je 1f\n inc eax\n inc eax\n1: ret\n")
    assert (proof.verdict, proof.instructions, proof.fewest) == ("acyclic bound", 5, 3)


# Case T03: f(x, y) = x^(3/2) + x^2/3 + sqrt(y)/2 sin(x), written without suffixes as a naive exporter prints it.
NAIVE = """#include <math.h>
float f(float x, float y) { return pow(x, 3.0/2.0) + (1.0/3.0)*pow(x, 2) + (1.0/2.0)*sqrt(y)*sin(x); }
"""


def test_a_naive_float_function_pulls_in_libm_and_the_symbol_table_says_so(
    snippets: ModuleType, tmp_path: Path
) -> None:
    path = snippets.compile_object(tmp_path, NAIVE, "host")
    assert {"pow", "sin"} <= set(forbidden(path, "float32"))


def test_a_double_literal_is_found_where_the_host_computes_doubles(snippets: ModuleType, tmp_path: Path) -> None:
    """No symbol betrays it on x86-64: only the instructions do."""
    path = snippets.compile_object(tmp_path, "float f(float a) { return a * 0.1; }", "host")
    assert forbidden(path, "float32") == ()
    texts = " ".join(double_instructions(load_image(path)).values())
    assert "mulsd" in texts
    clean = snippets.compile_object(tmp_path, "float f(float a) { return a * 0.1F; }", "host")
    assert double_instructions(load_image(clean)) == {}


def test_sizes_are_those_of_the_variables(snippets: ModuleType, tmp_path: Path) -> None:
    text = "int bss[25]; int data[10] = {1}; int f(void) { return bss[0] + data[0]; }"
    found = sizes(snippets.compile_object(tmp_path, text, "host"))
    assert (found.data, found.bss) == (40, 100)
    assert found.text > 0


def test_text_that_is_no_elf_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not an object at all")
    with pytest.raises(ModelError, match=r"notes\.txt is not an ELF file"):
        prove(path, "f")
