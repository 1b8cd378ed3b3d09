"""The table of a loop system: over the whole ranges where that is possible, else over the part that is reached.

In: a loop system and its assembled design pose. Out: a `LoopTable`, or a refusal in the words of the first attempt.
"""

from exporter.errors import RangesRefused
from exporter.kinematics.spatial.loops.fitting import whole_table
from exporter.kinematics.spatial.loops.following import Follower
from exporter.kinematics.spatial.loops.reached_part import table_of_part
from exporter.kinematics.spatial.loops.system import LoopSystem
from exporter.kinematics.spatial.loops.table import LoopTable
from exporter.model.mechanism import Mechanism


def loop_table(mechanism: Mechanism, design: dict[str, float], system: LoopSystem) -> LoopTable:
    """The smallest table that suffices.

    Raises:
        RangesRefused: of the ranges too little is reached from the design pose, or too large a table is needed.
    """
    follower = Follower(mechanism, design, system)
    try:
        return whole_table(follower)
    except RangesRefused:
        found = table_of_part(follower)
        if found is None:
            raise
        return found
