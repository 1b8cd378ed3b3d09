"""The reference keeps one Jacobian: of many rows of a platform each has a hundred megabytes."""

import weakref

import numpy as np

from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from sil.reference.closures import closures_of
from sil.reference.motion import configuration
from sil.reference.skeleton import skeleton_of


def test_the_jacobian_of_one_configuration_is_kept() -> None:
    """The one that was asked for last: asked for again it is the same array, and those before are gone."""
    closures = closures_of(skeleton_of(read_mechanism(model_path("slider_crank"))))
    rows = np.zeros((3, len(closures.skeleton.coordinates)))
    places = [configuration(rows + angle) for angle in (0.1, 0.2, 0.3, 0.4)]
    kept = [weakref.ref(closures.residual_and_jacobian(at)[1]) for at in places]
    assert [each() is None for each in kept] == [True, True, True, False]
    assert closures.residual_and_jacobian(places[-1])[1] is kept[-1]()
