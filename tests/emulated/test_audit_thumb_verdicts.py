"""The verdict on hand-written Thumb code whose instructions are counted by eye."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from exporter.errors import ModelError
from targets.audit.path import prove
from targets.audit.result import PathProof

pytestmark = pytest.mark.emulated

Prove = Callable[[str, str], PathProof]


@pytest.fixture
def snippets(load_data_module: Callable[[str], ModuleType], require_tool: Callable[[str], str]) -> ModuleType:
    require_tool("arm-none-eabi-gcc")
    return load_data_module("compile_snippet")


@pytest.fixture
def prove_assembly(snippets: ModuleType, tmp_path: Path) -> Prove:
    def check(text: str, symbol: str) -> PathProof:
        return prove(snippets.compile_object(tmp_path, snippets.assembly(text), "m4f", suffix=".s"), symbol)

    return check


@pytest.fixture
def prove_c(snippets: ModuleType, tmp_path: Path) -> Prove:
    def check(text: str, symbol: str) -> PathProof:
        return prove(snippets.compile_object(tmp_path, text, "m4f"), symbol)

    return check


def refused(proof: PathProof) -> str:
    assert proof.verdict == "refused"
    assert proof.instructions is None
    assert proof.refusal is not None
    return proof.refusal.sentence()


SINGLE = {
    "a straight line": ("f:\n vadd.f32 s0, s0, s1\n vsqrt.f32 s0, s0\n bx lr\n", 3, 0),
    "an IT block, both halves counted": (
        "f:\n cmp r0, #3\n ite gt\n movgt r0, #7\n movle r0, #9\n bx lr\n", 5, 0,
    ),
    "push and pop": ("f:\n push {r4, r5, lr}\n vpush {d8, d9}\n sub sp, #8\n add sp, #8\n vpop {d8, d9}\n"
                     " pop {r4, r5, pc}\n", 6, 36),
    "a frame pointer": (
        "f:\n push {r7, lr}\n sub sp, #24\n mov r7, sp\n adds r7, #24\n mov sp, r7\n pop {r7, pc}\n", 6, 32,
    ),
    "a literal pool behind the code": ("f:\n ldr r0, =0x12345678\n vldr s0, 1f\n bx lr\n .align 2\n1: .word 0\n", 3, 0),
    "a call": ("g:\n adds r0, #1\n bx lr\nf:\n push {r4, lr}\n bl g\n bl g\n pop {r4, pc}\n", 8, 8),
    "a tail call": ("g:\n adds r0, #1\n bx lr\nf:\n adds r0, #2\n b.w g\n", 4, 0),
    "a loop that counts down from an immediate": ("f:\n movs r3, #10\n1: subs r3, #1\n bne 1b\n bx lr\n", 22, 0),
    "a loop that counts up, signed": ("f:\n movs r3, #0\n1: adds r3, #1\n cmp r3, #5\n blt 1b\n bx lr\n", 17, 0),
    "a loop over pointers a constant apart": (
        "f:\n add.w r1, r0, #16\n1: ldr r2, [r0], #4\n cmp r0, r1\n bne 1b\n bx lr\n", 14, 0,
    ),
    "a loop around a call": (
        "g:\n bx lr\nf:\n push {r4, lr}\n movs r4, #3\n1: bl g\n subs r4, #1\n bne 1b\n pop {r4, pc}\n", 15, 8,
    ),
    "a loop that tests with cbz": ("f:\n movs r3, #4\n1: subs r3, #1\n cbz r3, 2f\n b 1b\n2: bx lr\n", 13, 0),
    "a counter in movw and movt": (
        "f:\n movw r3, #1\n movt r3, #1\n sub.w r3, r3, #65536\n1: subs r3, #1\n bne 1b\n bx lr\n", 6, 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SINGLE)
def test_single_path_with_the_count_made_by_eye(name: str, prove_assembly: Prove) -> None:
    text, instructions, stack = SINGLE[name]
    proof = prove_assembly(text, "f")
    assert (proof.verdict, proof.refusal) == ("single path", None)
    assert proof.instructions == proof.fewest == len(proof.trace) == instructions
    assert proof.stack_bytes == stack


def test_a_forward_branch_gives_the_longest_and_the_shortest_path(prove_assembly: Prove) -> None:
    proof = prove_assembly("f:\n cmp r0, r1\n ble 1f\n adds r0, #1\n adds r0, #1\n1: bx lr\n", "f")
    assert (proof.verdict, proof.instructions, proof.fewest) == ("acyclic bound", 5, 3)


def test_a_branch_in_a_counted_loop_gives_a_bound(prove_assembly: Prove) -> None:
    """3 rounds of ldr, cmp, ble, [add], subs, bne; before them one move, behind them the return."""
    text = "f:\n movs r3, #3\n1: ldr r1, [r0]\n cmp r1, #0\n ble 2f\n adds r2, #1\n2: subs r3, #1\n bne 1b\n bx lr\n"
    proof = prove_assembly(text, "f")
    assert (proof.verdict, proof.instructions, proof.fewest) == ("acyclic bound", 20, 17)


def test_instructions_are_told_apart_by_function(prove_assembly: Prove) -> None:
    proof = prove_assembly("g:\n adds r0, #1\n bx lr\nf:\n push {r4, lr}\n bl g\n bl g\n pop {r4, pc}\n", "f")
    assert proof.functions == {"f": 4, "g": 4}


REFUSED = {
    "a loop on data": ("f:\n1: subs r0, #1\n bne 1b\n bx lr\n", "loop whose exit depends on data", "f+0x2: bne f+0x0"),
    "a loop on a loaded bound": (
        "f:\n ldr r1, [r0]\n movs r3, #0\n1: adds r3, #1\n cmp r3, r1\n blt 1b\n bx lr\n",
        "loop whose exit depends", "f+0x8",
    ),
    "a loop without an exit": ("f:\n1: b 1b\n", "loop that never ends", "f+0x0: b f+0x0"),
    "recursion": ("f:\n push {r4, lr}\n bl f\n pop {r4, pc}\n", "recursion: f calls f", "f+0x2"),
    "mutual recursion": ("g:\n push {r4, lr}\n bl f\n pop {r4, pc}\nf:\n push {r4, lr}\n bl g\n pop {r4, pc}\n",
                         "recursion: g calls f", "g+0x2: bl f+0x0"),
    "a function pointer": ("f:\n push {r4, lr}\n blx r3\n pop {r4, pc}\n", "function pointer in r3", "f+0x2: blx r3"),
    "an indirect jump": ("f:\n bx r3\n", "indirect jump through r3", "f+0x0: bx r3"),
    "a jump table": ("f:\n tbb [pc, r0]\n.byte 1, 2\n", "jump table", "f+0x0: tbb"),
    "a jump table of addresses": ("f:\n ldr pc, [r1, r0, lsl #2]\n", "indirect jump", "f+0x0: ldr"),
    "a jump to a computed address": ("f:\n mov pc, r3\n", "indirect jump", "f+0x0: mov pc, r3"),
    "a predicated division": ("f:\n cmp r0, r1\n it gt\n sdivgt r0, r0, r1\n bx lr\n", "predicated division", "f+0x4"),
    "a predicated root": (
        "f:\n cmp r0, #0\n it gt\n vsqrtgt.f32 s0, s0\n bx lr\n", "predicated division or square", "f+0x4",
    ),
    "a predicated load": ("f:\n cmp r0, #0\n it ne\n ldrne r0, [r0]\n bx lr\n", "predicated load", "f+0x4: ldrne"),
    "a predicated store": ("f:\n cmp r0, #0\n it ne\n vstrne s0, [r0]\n bx lr\n", "predicated load or store", "f+0x4"),
    "a predicated return": ("f:\n cmp r0, #0\n it eq\n bxeq lr\n bx lr\n", "predicated call, jump or return", "f+0x4"),
    "a predicated call": (
        "g:\n bx lr\nf:\n push {r4, lr}\n it eq\n bleq g\n pop {r4, pc}\n", "predicated call", "f+0x4",
    ),
    "data instead of code": ("f:\n adds r0, #1\n .word 0x12345678\n", "data, not code", "f+0x"),
    "a stack of variable size": ("f:\n sub sp, sp, r0\n add sp, sp, r0\n bx lr\n", "not constant", "f+0x0: sub"),
    "a stack that is not restored": ("f:\n sub sp, #8\n bx lr\n", "another stack pointer", "f+0x2: bx lr"),
    "a supervisor call": ("f:\n svc #0\n bx lr\n", "supervisor call", "f+0x0: svc"),
    "a call out of the file": (
        "f:\n push {r4, lr}\n bl __aeabi_dmul\n pop {r4, pc}\n", "a call of __aeabi_dmul", "f+0x2",
    ),
    "control that runs on": ("f:\n adds r0, #1\n adds r0, #1\ng:\n bx lr\n", "leaves f without", "g+0x0"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_reason_place_and_instruction(name: str, prove_assembly: Prove) -> None:
    text, reason, place = REFUSED[name]
    sentence = refused(prove_assembly(text, "f"))
    assert reason in sentence
    assert place in sentence


def test_a_predicated_load_whose_condition_is_known_is_no_hazard(prove_assembly: Prove) -> None:
    proof = prove_assembly("f:\n movs r3, #0\n cmp r3, #0\n it eq\n ldreq r0, [r0]\n bx lr\n", "f")
    assert (proof.verdict, proof.instructions) == ("single path", 5)


def test_a_counter_that_a_callee_overwrites_is_not_believed(prove_assembly: Prove) -> None:
    """g changes r4 without saving it: the loop around the call then has no known trip count."""
    text = (
        "g:\n ldr r4, [r0]\n bx lr\nf:\n push {r4, lr}\n movs r4, #3\n1: bl g\n subs r4, #1\n bne 1b\n pop {r4, pc}\n"
    )
    assert "loop" in refused(prove_assembly(text, "f"))


def test_a_counter_in_a_scratch_register_survives_a_callee_that_leaves_it_alone(prove_assembly: Prove) -> None:
    """As gcc does with -fipa-ra."""
    text = "g:\n adds r0, #1\n bx lr\nf:\n push {r4, lr}\n movs r2, #3\n1: bl g\n subs r2, #1\n bne 1b\n pop {r4, pc}\n"
    assert prove_assembly(text, "f").instructions == 2 + 3 * (1 + 2 + 2) + 1


def test_an_unknown_function_is_an_error_that_names_those_there_are(prove_assembly: Prove) -> None:
    with pytest.raises(ModelError, match="no function h in the file; it has: f"):
        prove_assembly("f:\n bx lr\n", "h")


C_CASES = {
    "int f(int a) { return a > 3 ? 7 : 9; }": "single path",  # both moves in one IT block
    "float f(float a, float b) { return a > b ? a / b : b; }": "refused",  # a predicated division
    "float f(float a, float b) { if (a > b) { return a * b + b / (a + 1.0F) - a; } return b; }": "acyclic bound",
    "float f(const float *p) { float s = 0; for (int i = 0; i < 10; i++) { s += p[i]; } return s; }": "single path",
    "float f(const float *p, int n) { float s = 0; for (int i = 0; i < n; i++) { s += p[i]; } return s; }": "refused",
    "int f(int n) { return n <= 1 ? 1 : n * f(n - 1) + f(n - 2); }": "refused",
    "int f(int n, int m) { switch (n) { case 0: return m + 1; case 1: return m * 3; case 2: return m ^ 5;"
    " case 3: return m / 3; case 4: return m - 1; case 5: return m << 3; default: return 0; } }": "refused",
    "int f(int (*g)(int), int a) { return g(a) + 1; }": "refused",
    "float f(float a) { return a * 0.1; }": "refused",  # a double literal: __aeabi_f2d, __aeabi_dmul
    "void f(float *p) { for (int i = 0; i < 7; i++) { for (int j = 0; j < 20; j++) { p[i] = p[i] * p[j] + 1.0F; } } }":
        "single path",
}  # fmt: skip


@pytest.mark.parametrize("text", C_CASES)
def test_what_the_compiler_makes_of_c(text: str, prove_c: Prove) -> None:
    proof = prove_c(text, "f")
    assert proof.verdict == C_CASES[text], proof.refusal


@pytest.mark.parametrize("level", ["-O1", "-O2", "-O3", "-Os"])
def test_stack_equals_what_the_compiler_reports(level: str, snippets: ModuleType, tmp_path: Path) -> None:
    """gcc's -fstack-usage is the oracle: per function, so the chain is summed here."""
    text = (
        "__attribute__((noinline)) float g(const float *p) { volatile float t[5]; t[0] = p[0]; return t[0] * p[1]; }\n"
        "float f(const float *p) { float a = g(p); float b = g(p + 2); return a * b + p[4]; }\n"
    )
    path = snippets.compile_object(tmp_path, text, "m4f", level, "-fstack-usage")
    lines = path.with_suffix(".su").read_text().splitlines()
    usage = {line.split("\t")[0].rsplit(":", 1)[1]: int(line.split("\t")[1]) for line in lines}
    assert prove(path, "f").stack_bytes == usage["f"] + usage["g"]
