"""What a note says of seeds and tunable parameters: seeds are fitted at the nominal ones.

In: a Mechanism. Out: the end of a sentence, empty where no tunable parameter moves a joint.
"""

from exporter.model.mechanism import Mechanism
from exporter.model.parameter_sets import shaping_names


def nominal_note(mechanism: Mechanism) -> str:
    """Which parameters seeds do not know, and what comes of it."""
    shaping = sorted(shaping_names(mechanism))
    if not shaping:
        return ""
    one = len(shaping) == 1
    return (
        f"; seeds are fitted at the nominal {'value' if one else 'values'} of {', '.join(shaping)}, and away from "
        f"{'it' if one else 'them'} RESIDUAL_HIGH is set where the steps do not close the loops"
    )
