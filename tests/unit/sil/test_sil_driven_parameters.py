"""Steps from a table of nominal parameters may end open beside them: flagged, no false alarm, and judged as promised.

The wrong twin flags every row.
"""

from dataclasses import replace

import numpy as np
import pytest

from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.exchanged import solution
from exporter.model.canonical import canonical
from exporter.model.complete import with_independent, with_tunable
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from sil.campaign import run
from sil.check_names import Check
from sil.options import Options
from sil.runners import runner as runners

OPTIONS = Options(functions=("position",), count=400, runner="interpreter", parameters={"l2": 0.25})


def exported(folder):
    """The six-bar driven by its dyad, with a tunable link of the dyad."""
    mechanism = with_tunable(with_independent(read_mechanism(model_path("stephenson_iii")), ["beta1"]), ["l2"])
    program = program_of_mechanism(mechanism, "float32")
    return write_export(program, folder / "export", canonical(mechanism)), program


@pytest.fixture(scope="module")
def six_bar(tmp_path_factory):
    return exported(tmp_path_factory.mktemp("driven"))


def outcomes(campaign):
    return {verdict.check: verdict.passed for verdict in campaign.verdicts}


def test_beside_nominal_parameters_an_open_end_is_flagged_and_no_false_alarm(six_bar):
    export, program = six_bar
    campaign = run(export, OPTIONS, program)
    assert [verdict.sentence() for verdict in campaign.verdicts if verdict.stands_against] == []
    bit = np.uint32(1 << export.manifest.status["RESIDUAL_HIGH"])
    assert any((part.ran.status & bit).any() for tested in campaign.tested for part in tested.parts)


def test_a_flag_on_closed_poses_is_a_false_alarm(six_bar, monkeypatch):
    """Every row is flagged as open; where it is closed the check fires."""
    export, program = six_bar
    bit = np.uint32(1 << export.manifest.status["RESIDUAL_HIGH"])
    sound = runners.Runner.run

    def flagging(self, *given):
        ran = sound(self, *given)
        return replace(ran, status=ran.status | bit)

    monkeypatch.setattr(runners.Runner, "run", flagging)
    assert not outcomes(run(export, OPTIONS, program))[Check.FALSE_ALARMS]


def test_an_export_that_flags_too_late_is_found(tmp_path, monkeypatch):
    """What is left open without a flag is 64 eps at most; an export that lets 1000 pass fails."""
    monkeypatch.setattr(solution, "RESIDUAL_EPS", 1000)
    export, program = exported(tmp_path)
    assert not outcomes(run(export, OPTIONS, program))[Check.CLOSURE]
