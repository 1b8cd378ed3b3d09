"""What a report of SIL says was not shown: each line appears where it holds, and only there."""

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import pytest

from exporter.export import write_export
from sil.campaign import Campaign, run
from sil.not_shown import not_shown_in
from sil.options import Options
from sil.report.document import document
from sil.report.junit import junit
from sil.report.page import page
from sil.verdict import Verdict, not_judged

GOOD = Verdict("closure residual", "position", 1.0, 2.0, "1", "all rows", compared=3)
OPTIONS = Options(functions=("position",), count=20, runner="interpreter")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory, load_data_module: Callable[[str], ModuleType]) -> Campaign:
    """Twenty vectors of one function, by the interpreter."""
    program = load_data_module("sample_program").slider_crank_program("float32")
    return run(write_export(program, tmp_path_factory.mktemp("export"), {}), OPTIONS, program=program)


def lines(campaign: Campaign) -> list[str]:
    """What was not shown."""
    return [each.text for each in not_shown_in(campaign)]


def everything(campaign: Campaign) -> Campaign:
    """The campaign as if it had run all there is, on an emulated core too, with one check that passed."""
    function = next(each for each in campaign.manifest.functions if each.name == "position")
    part = campaign.tested[0].parts[0]
    part = replace(part, ran=replace(part.ran, status=part.ran.status * 0, start_status=0))
    return replace(
        campaign,
        manifest=replace(campaign.manifest, functions=(function,)),
        options=replace(OPTIONS, runner="emulated"),
        runners=("host: gcc", "emulated: QEMU"),
        tested=(replace(campaign.tested[0], parts=(part,)),),
        verdicts=(GOOD,),
    )


TIME = "time (software tells none; kinefix hil does)"
NAN = float("nan")
LACKING: dict[str, tuple[Callable[[Campaign, Campaign], Campaign], str]] = {
    "no compiled C": (
        lambda found, _: replace(found, options=replace(OPTIONS, runner="interpreter")),
        "the compiled C (--runner interpreter)",
    ),
    "no core": (
        lambda found, _: replace(found, runners=("host: gcc",)),
        "machine code of a target (no --runner emulated)",
    ),
    "other functions": (
        lambda found, whole: replace(found, manifest=replace(whole.manifest, functions=whole.manifest.functions[:2])),
        "function dynamics (--function names others)",
    ),
    "given parameters": (
        lambda found, _: replace(found, options=replace(found.options, parameters={"l1": 0.2})),
        "other tunable parameters (--parameter gives one set)",
    ),
    "one vector": (
        lambda found, _: replace(found, options=replace(found.options, row=3)),
        "other vectors (--replay runs one alone)",
    ),
    "a check that is not judged": (
        lambda found, _: replace(found, verdicts=(not_judged("coordinates", "position", "no model"),)),
        "position: coordinates (not judged, no model)",
    ),
    "a check that compared nothing": (
        lambda found, _: replace(found, verdicts=(replace(GOOD, compared=0),)),
        "position: closure residual (nothing compared, all rows)",
    ),
    "a check that measured nothing": (
        lambda found, _: replace(found, verdicts=(replace(GOOD, value=NAN),)),
        "position: closure residual (no measurement, all rows)",
    ),
    "vectors beyond the reference": (
        lambda found, _: replace(found, verdicts=(replace(GOOD, beyond=1),)),
        "position: closure residual on 1 vector (beyond the reach of the reference)",
    ),
}


def test_all_there_is_leaves_time_alone_open(campaign: Campaign) -> None:
    """Software has no clock that counts."""
    assert lines(everything(campaign)) == [TIME]


@pytest.mark.parametrize("case", LACKING)
def test_what_is_lacking_is_named_with_its_reason(campaign: Campaign, case: str) -> None:
    """One change, one line more."""
    change, line = LACKING[case]
    assert set(lines(change(everything(campaign), campaign))) == {TIME, line}


def test_flagged_vectors_are_counted(campaign: Campaign) -> None:
    """Two in twenty are invalid; what is flagged is not held against the reference."""
    flagged = campaign.tested[0].flagged_count(campaign.manifest)
    assert flagged >= 2
    assert f"outputs of {flagged} of 20 vectors against the reference (they are flagged)" in lines(campaign)


def test_page_data_and_junit_begin_alike(campaign: Campaign) -> None:
    """The verdict in a word, then what was not shown."""
    told = document(campaign)
    word = "PASSED" if campaign.passed else "FAILED"
    text = page(campaign).partition("<body>")[2]
    assert text.index(f">{word}</p>") < text.index("Not shown:") < text.index("<h1>")
    assert told["verdict"] == word
    assert [f"{each['what']} ({each['why']})" for each in told["not_shown"]] == lines(campaign)
    said = junit(campaign)
    assert f'name="verdict" value="{word}"' in said
    for number, line in enumerate(lines(campaign), start=1):
        assert f'name="not shown.{number}" value="{line}"' in said
