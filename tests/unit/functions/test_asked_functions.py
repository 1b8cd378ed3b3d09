"""`--functions`: an export of what is asked for and of what that needs, which every later stage takes as it is."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from exporter.c99.files import program_files
from exporter.cli import kinefix
from exporter.errors import ModelError
from exporter.export import Export, export_source, program_of_export
from exporter.functions.program import program_of_mechanism
from exporter.model.changes import Changes, apply_changes
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from sil.campaign import run
from sil.options import Options

WHOLE = ("position", "velocity", "acceleration", "dynamics", "startup", "dostep")
TUNABLE = Changes(tunable=("l1",))


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Export:
    """The step and the positions of the slider-crank, in another order and one twice, its crank tunable."""
    folder = tmp_path_factory.mktemp("asked") / "x"
    return export_source("slider_crank", folder, "float32", TUNABLE, functions=("dostep", "position", "dostep"))


def names(export: Export) -> tuple[str, ...]:
    """Functions of the manifest."""
    return tuple(function.name for function in export.manifest.functions)


def slider_crank(changes: Changes) -> Mechanism:
    """The library's, changed."""
    return apply_changes(read_mechanism(model_path("slider_crank")), changes)


def test_what_is_asked_for_and_the_start_of_a_state_are_there(exported: Export) -> None:
    """In the order of every header; recalibrate stays, which a step needs."""
    assert names(exported) == ("position", "startup", "dostep")
    assert exported.manifest.recalibrate is not None
    source = (exported.folder / "slider_crank.c").read_text()
    assert "slider_crank_dostep(" in source
    assert not [name for name in ("velocity", "acceleration", "dynamics") if f"slider_crank_{name}" in source]


def test_the_model_is_the_same_and_the_export_another(exported: Export, tmp_path: Path) -> None:
    """A bench tells the one from the other, and a reader sees that they are of one model."""
    whole = export_source("slider_crank", tmp_path / "x", "float32", TUNABLE)
    assert names(whole) == WHOLE
    assert whole.manifest.model_hash == exported.manifest.model_hash
    assert whole.manifest.export_id != exported.manifest.export_id
    costs = {function.name: function.cost for function in whole.manifest.functions}
    assert {function.name: function.cost for function in exported.manifest.functions}.items() <= costs.items()


def test_the_program_is_rebuilt_from_the_manifest(exported: Export) -> None:
    """Derived constants are those of the functions that are there, so the C comes out the same to the byte."""
    program = program_of_export(exported)
    assert program is not None
    printed = program_files(program)["slider_crank.c"]
    assert printed == (exported.folder / "slider_crank.c").read_text()


def test_sil_judges_all_that_it_has(exported: Export, tmp_path: Path) -> None:
    """The reference is made of the model, whichever functions are there."""
    campaign = run(exported, Options(count=60, runner="interpreter"), folder=tmp_path)
    judged = {verdict.function for verdict in campaign.verdicts}
    assert campaign.passed
    assert judged == {"recalibrate", "position", "startup", "dostep"}


def test_what_iterates_brings_its_iteration() -> None:
    """Newton's method to a tolerance: one function of three, and the loop knows no other."""
    mechanism = slider_crank(Changes(method="newton", tolerance="1e-6"))
    program = program_of_mechanism(mechanism, "float64", only=["velocity"])
    assert [function.name for function in program.functions] == ["newton_step", "velocity"]
    assert program.loop is not None
    assert program.loop.functions == ("velocity",)
    alone = program_of_mechanism(mechanism, "float64", only=["newton_step"])
    assert alone.loop is None


def test_the_alternative_has_functions_of_its_own() -> None:
    """Functions of either choice can be asked for by the names of the header."""
    mechanism = apply_changes(read_mechanism(model_path("rocker_four_bar")), Changes())
    program = program_of_mechanism(mechanism, "float32", only=["accel_alt", "dostep"])
    assert [function.name for function in program.functions] == ["accel_alt", "startup", "dostep"]


def test_a_function_that_is_not_there_is_one_sentence_and_exit_code_2(tmp_path: Path) -> None:
    """With the names that there are, and the nearest."""
    asked = ["export", "slider_crank", "--out", str(tmp_path / "x"), "--functions", "dostep,positon"]
    result = CliRunner().invoke(kinefix, asked)
    assert isinstance(result.exception, ModelError)
    assert result.exception.exit_code == 2
    told = '"positon" is no function of this model (did you mean "position"?); it has ' + ", ".join(WHOLE)
    assert str(result.exception) == told
    assert not (tmp_path / "x").exists()


def test_a_symbolic_model_has_one_function(tmp_path: Path) -> None:
    """It is told to leave the option out, before any Python of the user's runs."""
    with pytest.raises(ModelError, match="leave --functions out"):
        export_source("no.such:model", tmp_path / "x", "float32", functions=("evaluate",))


@pytest.mark.parametrize("name", ["recalibrate", "check_frozen"])
def test_what_comes_along_is_not_asked_for(name: str) -> None:
    """It is in the export; asked for by name, the sentence says so."""
    mechanism = read_mechanism(model_path("slider_crank"))
    with pytest.raises(ModelError, match=f'"{name}" comes by itself with every function that needs it'):
        program_of_mechanism(mechanism, "float32", only=[name])
