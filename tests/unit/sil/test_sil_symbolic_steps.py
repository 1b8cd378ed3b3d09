"""SIL of symbolic models with states: sound exports pass, each kind of wrong one fails, rounding decides nothing.

What is made wrong is the program that runs; the manifest keeps the model that was meant.
"""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import sympy as sp

from exporter.export import write_export
from exporter.sequence.operations import Precision
from exporter.symbolic import SymbolicModel, define, given, output, state
from exporter.symbolic.canonical import canonical
from exporter.symbolic.program import program_of_symbolic
from sil.campaign import Campaign, run
from sil.check_names import Check
from sil.options import Options
from sil.verdict import Outcome

COUNT = Options(count=140, runner="interpreter")
e, i, k, raw, x, mode = sp.symbols("e i k raw x mode")


@pytest.fixture(scope="module")
def models(load_data_module: Callable[[str], ModuleType]) -> ModuleType:
    return load_data_module("controllers")


def judged(meant: SymbolicModel, made: SymbolicModel, folder: Path, precision: Precision = "float64") -> Campaign:
    """A campaign on the export of one model that runs another one's program."""
    export = write_export(program_of_symbolic(meant, precision), folder / "export", canonical(meant), "symbolic")
    return run(export, COUNT, program_of_symbolic(made, precision))


def failed(campaign: Campaign) -> set[str]:
    return {str(each.check) for each in campaign.verdicts if each.outcome is Outcome.FAILED}


@pytest.mark.parametrize(
    ("name", "precision"),
    [("pi_controller", "float64"), ("lag", "float32"), ("counter", "float32"), ("machine", "float32")],
)
def test_a_sound_export_passes_every_check(models: ModuleType, name: str, precision: Precision, tmp_path: Path) -> None:
    model = getattr(models, name)()
    campaign = judged(model, model, tmp_path, precision)
    found = {each.check: each.outcome for each in campaign.verdicts}
    assert campaign.passed
    assert {found[check] for check in (Check.START, Check.STEP, Check.TRAJECTORY)} == {Outcome.PASSED}


def late(models: ModuleType) -> SymbolicModel:
    """The integral goes on at the limit: no anti-windup."""
    return models.pi_controller(state("i", -4, 4, next=i + k * e / 100, reset=sp.Symbol("r"), start=k / 10))


def deaf(models: ModuleType) -> SymbolicModel:
    """The reset is not heard."""
    frozen = sp.Piecewise((i + k * e / 100, sp.Abs(raw) <= 5), (i, True))
    return models.pi_controller(state("i", -4, 4, next=frozen, start=k / 10))


def elsewhere(models: ModuleType) -> SymbolicModel:
    """It starts beside its start value."""
    frozen = sp.Piecewise((i + k * e / 100, sp.Abs(raw) <= 5), (i, True))
    return models.pi_controller(state("i", -4, 4, next=frozen, reset=sp.Symbol("r"), to=k / 10, start=k / 9))


WRONG: dict[str, tuple[str, Callable[[ModuleType], Any], set[Check]]] = {
    "no anti-windup": ("pi_controller", late, {Check.STEP, Check.TRAJECTORY}),
    "no reset": ("pi_controller", deaf, {Check.STEP, Check.TRAJECTORY}),
    "limited without a word": ("sums", lambda models: models.sums(told=False, both=False), {Check.STEP_FLAGS}),
    "alarmed for nothing": ("sums", lambda models: models.sums(told=True, both=True), {Check.STEP_FLAGS}),
    "another start": ("pi_controller", elsewhere, {Check.START, Check.TRAJECTORY}),
    "another method": ("lag", lambda models: models.lag("euler"), {Check.STEP, Check.TRAJECTORY}),
    "a state forgotten": (
        "machine",
        lambda models: models.machine(sp.Piecewise((2, sp.Eq(mode, 0) & (e > 2)), (0, e < -2), (mode, True))),
        {Check.STEP, Check.TRAJECTORY},
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_made_wrong_fails(models: ModuleType, case: str, tmp_path: Path) -> None:
    name, make, checks = WRONG[case]
    assert checks <= failed(judged(getattr(models, name)(), make(models), tmp_path))


def test_a_step_that_rounding_decides_is_no_failure(tmp_path: Path) -> None:
    """A relay on w^2 <= x^2 + 1 with w the root of the right side: either may come out, and nothing fails.

    What is decided beside it is judged as ever: a second state fails where it is wrong.
    """

    def relay(slope: int) -> SymbolicModel:
        return SymbolicModel(
            "relay",
            (given("e", -1, 1),),
            (output("y", x),),
            steps=(define("w", sp.sqrt(x**2 + 1)),),
            states=(
                state("s", -1, 1, next=sp.Piecewise((1, sp.Symbol("w") ** 2 <= x**2 + 1), (-1, True))),
                state("x", -9, 9, next=x / 2 + slope * e),
            ),
        )

    found = judged(relay(1), relay(1), tmp_path, "float32")
    alone = [each for each in found.verdicts if each.check == f"{Check.STEP}, s"]
    assert not failed(found)
    assert [each.outcome for each in alone] == [Outcome.NOT_JUDGED]  # of few vectors; of many: nothing compared
    assert Check.STEP in failed(judged(relay(1), relay(2), tmp_path / "wrong", "float32"))
