"""SIL on emulated machine code: bit agreement with the host, one instruction count."""

import pytest

from exporter.errors import KinefixError
from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.complete import with_tunable
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from sil.campaign import run
from sil.options import Options

pytestmark = pytest.mark.emulated


@pytest.fixture(autouse=True)
def _tools(require_tool):
    for tool in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        require_tool(tool)


def export_of(name, precision, folder, *, tunable=0):
    """With the first parameters that have a range made tunable."""
    mechanism = read_mechanism(model_path(name))
    ranged = [each.name for each in mechanism.parameters if each.minimum is not None]
    mechanism = with_tunable(mechanism, ranged[:tunable])
    return write_export(program_of_mechanism(mechanism, precision), folder, canonical(mechanism))


def test_cortex_m4f_agrees_bit_for_bit_at_one_instruction_count(tmp_path):
    options = Options(functions=("dostep",), count=4000, runner="emulated")
    campaign = run(export_of("slider_crank", "float32", tmp_path / "export", tunable=1), options)
    told = {verdict.check: verdict.detail for verdict in campaign.verdicts}
    assert "at 7 parameter sets" in told["bit agreement of emulated and host"]
    values = {verdict.check: verdict.value for verdict in campaign.verdicts}
    assert campaign.passed
    assert values["bit agreement of emulated and host"] == 0
    assert values["spread of the instruction count"] == 0


def test_cortex_m7_agrees_bit_for_bit_in_double_precision(tmp_path):
    options = Options(functions=("dynamics",), count=2000, runner="m7")
    campaign = run(export_of("four_bar", "float64", tmp_path / "export", tunable=1), options)
    assert campaign.passed
    assert {v.check for v in campaign.verdicts} >= {"bit agreement of m7 and host"}


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("name", ["slider_crank", "four_bar"])
def test_a_hundred_thousand_vectors_agree_on_the_target(tmp_path, name, precision):
    campaign = run(export_of(name, precision, tmp_path / "export"), Options(runner="all"))
    assert [verdict.sentence() for verdict in campaign.verdicts if not verdict.passed] == []


def test_double_precision_on_a_single_precision_core_is_refused(tmp_path):
    export = export_of("slider_crank", "float64", tmp_path / "export")
    with pytest.raises(KinefixError, match="use `--runner m7` for float64"):
        run(export, Options(functions=("position",), count=100, runner="emulated"))
