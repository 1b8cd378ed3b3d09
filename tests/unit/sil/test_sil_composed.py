"""SIL of a mechanism with its controller: the sound export passes, a wrong part or wire fails in the part behind it.

What is made wrong is the program that runs; the manifest keeps the composition that was meant.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

from exporter.composition import Composition, compose
from exporter.composition.canonical import canonical
from exporter.composition.program import program_of_composition
from exporter.export import Export, write_export
from exporter.model.complete import with_values
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.symbolic import SymbolicModel, given, output, state
from sil.campaign import Campaign, run
from sil.check_names import Check
from sil.options import Options
from sil.verdict import Outcome

COUNT = Options(count=140, runner="interpreter")
tilt, spin, place, summed, wanted = sp.symbols("tilt spin place summed wanted")


def pendulum(
    gain: Any = 42, spin_source: str = "theta.rate", limit: Any = None, mass: str = "0.2", start: Any = 0
) -> Composition:
    """The cart's pendulum under a PI-D law that asks for more than 20 N at large tilts."""
    force = gain * tilt + 8 * spin + 10 * place + summed
    law = SymbolicModel(
        "law",
        (given("tilt", -1, 1), given("spin", -4, 4), given("place", -1, 1), given("wanted", -1, 1)),
        (output("push", force if limit is None else sp.Max(-limit, sp.Min(limit, force))),),
        states=(state("summed", -2, 2, next=summed + (wanted - place) / 100, start=start),),
    )
    mechanism = with_values(read_mechanism(model_path("cart_pendulum")), {"pole_mass": Fraction(mass)})
    wires = {"tilt": "theta", "spin": spin_source, "place": "x"}
    return compose("fall", mechanism, law, measured=wires, driven={"force": "push"})


@pytest.fixture(scope="module")
def meant(tmp_path_factory: pytest.TempPathFactory) -> Export:
    """The export whose manifest says what is right."""
    model = pendulum()
    program = program_of_composition(model, "float64")
    return write_export(program, tmp_path_factory.mktemp("composed") / "export", canonical(model), "composed")


def judged(meant: Export, made: Composition) -> Campaign:
    return run(meant, COUNT, program_of_composition(made, "float64"))


def failed(campaign: Campaign) -> set[str]:
    return {each.check for each in campaign.verdicts if each.outcome is Outcome.FAILED}


def test_the_sound_export_passes_in_both_parts(meant: Export) -> None:
    """On vectors and on a trajectory; limits of signals between the parts are told, and seen among the vectors."""
    campaign = judged(meant, pendulum())
    found = {each.check: each.outcome for each in campaign.verdicts}
    assert campaign.passed
    for check in (
        f"{Check.START}, mechanism",
        f"{Check.START}, controller",
        f"{Check.STEP}, mechanism",
        f"{Check.STEP}, controller",
        f"{Check.OUTPUTS}, controller",
        f"{Check.DYNAMICS}, mechanism, along a trajectory",
        f"{Check.OUTPUTS}, controller, along a trajectory",
        f"{Check.STEP_FLAGS}, signals between the parts",
    ):
        assert found[check] is Outcome.PASSED, check
    assert campaign.tested[-1].flag_counts(campaign.manifest)["LIMITED"] > 10


WRONG: dict[str, tuple[Callable[[], Composition], str]] = {
    "another gain": (lambda: pendulum(gain=43), f"{Check.OUTPUTS}, controller"),
    "another wire": (lambda: pendulum(spin_source="x.rate"), f"{Check.OUTPUTS}, controller"),
    "another mass": (lambda: pendulum(mass="0.21"), f"{Check.DYNAMICS}, mechanism"),
    "another start": (lambda: pendulum(start=1), f"{Check.START}, controller"),
    "a limit of its own": (lambda: pendulum(limit=19), f"{Check.OUTPUTS}, controller"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_made_wrong_fails_in_its_part(meant: Export, case: str) -> None:
    make, check = WRONG[case]
    assert check in failed(judged(meant, make()))


def test_a_signal_that_is_limited_without_a_word_fails(meant: Export) -> None:
    """The program sets no LIMITED; its numbers are right."""
    program = program_of_composition(pendulum(), "float64")
    dostep = program.function("dostep")
    flag, other = ({each.name: each for each in dostep.conditions}[name] for name in ("LIMITED", "ARG_REJECTED"))
    kept = tuple(each for each in dostep.conditions if each is not flag)
    operations = tuple(
        replace(each, operands=(other.operation,), value=other.bit)
        if each.kind == "word_of" and each.operands == (flag.operation,)
        else each
        for each in dostep.operations
    )
    silent = replace(dostep, conditions=kept, operations=operations)
    made = replace(program, functions=(program.function("startup"), silent))
    assert f"{Check.STEP_FLAGS}, signals between the parts" in failed(run(meant, COUNT, made))
