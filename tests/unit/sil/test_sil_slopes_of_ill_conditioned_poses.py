"""Slopes of coordinates that rounding blurs although no fold is near: two parallelograms with a short side each.

What their angles may be off by follows from the condition number of the closure, 21 to 30; a wrong rate is told.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.operations import Kind
from sil.campaign import run
from sil.check_names import Check
from sil.options import Options

ARM = Path(__file__).resolve().parents[2] / "data" / "practice" / "davinci_rcm.toml"


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The positions and velocities of the arm."""
    mechanism = read_mechanism(ARM)
    program = program_of_mechanism(mechanism, "float64", only=("position", "velocity"))
    return write_export(program, tmp_path_factory.mktemp("arm") / "arm", canonical(mechanism)), program


def slopes(export, program):
    """The verdict on velocities by finite differences."""
    options = Options(functions=("velocity",), count=400, runner="interpreter")
    verdicts = run(export, options, program).verdicts
    return next(verdict for verdict in verdicts if verdict.check == Check.VELOCITY_SLOPES)


def test_rounding_of_an_angle_told_by_a_short_side_is_no_wrong_rate(exported):
    """At rest but for a turn of the whole arm, the angles of the parallelograms tremble by some 40 rounding units."""
    verdict = slopes(*exported)
    assert verdict.passed


def test_a_wrong_rate_of_such_an_angle_fails(exported):
    """The last difference of the last block turned into a sum: a rate of the second parallelogram."""
    export, program = exported
    place = [each.name for each in program.functions].index("velocity")
    sequence = program.functions[place]
    operations = list(sequence.operations)
    last = max(k for k, each in enumerate(operations) if each.kind is Kind.SUB and "L4" in str(each.step))
    operations[last] = replace(operations[last], kind=Kind.ADD)
    functions = list(program.functions)
    functions[place] = replace(sequence, operations=tuple(operations))
    assert not slopes(export, replace(program, functions=tuple(functions))).passed
