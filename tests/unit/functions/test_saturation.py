"""What is limited so that an export is proven finite, and no more than that."""

import pytest

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.engine import solved_mechanism
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.cost import cost
from exporter.sequence.operations import OperationSequence, Saturation
from exporter.sequence.proven import drop_proven_guards


def proven(model: str, saturate: Saturation) -> OperationSequence:
    solved = solved_mechanism(read_mechanism(model_path(model)))
    return drop_proven_guards(functions.acceleration(solved, "float32", contract=True, saturate=saturate))


@pytest.mark.parametrize("model", ["backhoe", "scissor_lift"])
def test_a_cascade_needs_its_directions_limited(model: str) -> None:
    """Loops in a chain: with rates limited alone the bounds of directions multiply beyond float32."""
    with pytest.raises(ModelError, match="may overflow"):
        proven(model, Saturation.RATES)
    assert proven(model, Saturation.DIRECTIONS).outputs


@pytest.mark.parametrize(("model", "needed"), [("four_bar", Saturation.NOTHING), ("excavator", Saturation.RATES)])
def test_an_export_is_limited_no_more_than_it_needs(model: str, needed: Saturation) -> None:
    """One loop is proven by its ranges, four in a chain by their limited rates; each level costs selects."""
    program = program_of_mechanism(read_mechanism(model_path(model)), "float32")
    exported = next(function for function in program.functions if function.name == "acceleration")
    assert cost(exported) == cost(proven(model, needed))
    assert cost(proven(model, Saturation.DIRECTIONS)).select > cost(exported).select
