"""Where searches for the design pose begin: all coordinates as the file's pose has them.

In: a Mechanism. Out: a row of all its coordinates. It need not close the loops.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.model.couplings import following, ratio_values
from exporter.model.evaluate import evaluate
from exporter.model.mechanism import Mechanism

Array = NDArray[Any]


def pose_row(mechanism: Mechanism) -> Array:
    """Values of all coordinates, (c,), at the pose of the file.

    What it does not give follows from what it gives where couplings tell, and else is 0.
    """
    pose, values = dict(mechanism.pose), mechanism.nominal_values()
    told = following(mechanism.couplings, tuple(pose))
    for coupling in (*told.order, *told.waiting):
        others = (ratio * pose.get(name, 0) for name, ratio in ratio_values(coupling, values).items())
        pose.setdefault(coupling.follower, sum(others, evaluate(coupling.offset, values)))
    return np.array([float(pose.get(name, 0)) for name in mechanism.coordinates()])
