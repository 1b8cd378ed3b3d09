"""Reading the C back catches mutants that the printer would never write."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from exporter.c99.readback import FORBIDDEN, operations, problems
from exporter.export import Export, write_export

Loader = Callable[[str], ModuleType]


@pytest.fixture(scope="module")
def exported(load_data_module: Loader, tmp_path_factory: pytest.TempPathFactory) -> Export:
    """The slider-crank in float32."""
    program = load_data_module("sample_program").slider_crank_program("float32", tunable=True)
    return write_export(program, tmp_path_factory.mktemp("readback") / "export", {}, "symbolic")


def texts(exported: Export) -> dict[str, str]:
    """Name -> text of every file."""
    return {name: Path(exported.folder, name).read_text() for name in exported.manifest.files}


def test_an_export_keeps_its_contract(exported: Export) -> None:
    """The counts in the manifest are those of the text."""
    assert problems(texts(exported), exported.manifest) == ()


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("kfx_select_f32(f41, t39, 0.001F)", "(f41 != 0U) ? t39 : 0.001F", "a conditional operator"),
        ("const uint32_t f21 = f13 | f20", "const uint32_t f21 = f13 || f20", "a short-circuit operator"),
        ("0.4F * t39", "0.4 * t39", "a double literal in float code"),
        ("0.4F * t39", "4e-1 * t39", "a double literal in float code"),
        ("0.4F * t39", "0.4F * INFINITY", "a constant that is not finite"),
        ("t29 * t29", "powf(t29, 2.0F)", "a libm call"),
        ("t44 + t45", "t44 * t45", "mul in the source"),
        ("const real t46 = t44 + t45", "t46 = t44 + t45", "add in the source"),
        ("t44 + t45", "t44 + t45 + t45", "other in the source"),
        ("    out->s_m = t46;", "    if (f41 == 0U) { out->s_m = t46; }", "control flow"),
        ("    out->s_m = t46;", "    static float last = 0.0F;", "static data"),
        ("slider_crank_dynamics(", "slider_crank_other(", "slider_crank_dynamics is not in the source"),
    ],
)
def test_a_mutant_of_the_source_is_caught(exported: Export, before: str, after: str, complaint: str) -> None:
    """Each breaks one rule of the contract."""
    mutant = texts(exported)
    assert before in mutant["slider_crank.c"]
    mutant["slider_crank.c"] = mutant["slider_crank.c"].replace(before, after)
    assert any(complaint in sentence for sentence in problems(mutant, exported.manifest))


def test_operations_are_counted_by_the_form_of_their_statement() -> None:
    """One class each, signs of literals apart."""
    text = """
    const m_real_t t1 = fabsf(in->x);
    const uint32_t f2 = kfx_less_equal_f32(t1, (-2.0F));
    const uint32_t f3 = 1U - f2;
    const m_real_t t4 = kfx_select_f32(f2, in->x, 0.0F);
    const m_real_t t5 = -t4;
    const m_real_t t6 = t5 - (-0.5F);
    const m_real_t t7 = t6 * 1.0e-9F;
    const m_real_t t8 = 1.0F / t7;
    const m_real_t t9 = sqrtf(t8);
    const kfx_sincos_f32_t p9 = kfx_sincos_f32(t9);
    const uint32_t w10 = f3 << 22U;
    """
    assert operations(text) == {
        "abs": 1, "compare": 1, "logic": 2, "select": 1, "negate": 1, "add": 1, "mul": 1, "div": 1, "sqrt": 1,
        "sincos": 1,
    }  # fmt: skip


@pytest.mark.parametrize(("word", "what"), [(word, what) for words, _, what in FORBIDDEN for word in words.split()])
def test_every_forbidden_word_is_caught(exported: Export, word: str, what: str) -> None:
    """And named for what it is."""
    mutant = texts(exported)
    mutant["slider_crank.c"] = mutant["slider_crank.c"].replace("    out->s_m = t46;", f"    out->s_m = {word} (t46);")
    assert f"slider_crank.c contains {what}: 'out->s_m = {word} (t46);'" in problems(mutant, exported.manifest)
