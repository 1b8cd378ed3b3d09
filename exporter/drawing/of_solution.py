"""The scene of a solved mechanism: in its plane where it has one, in space elsewhere or where a view is asked for.

In: a Solution and the coordinates of one assembly. Used by: `kinefix show`, pictures of exports.
"""

from collections.abc import Mapping

from exporter.drawing.scene import Scene, planar_form, scene_of
from exporter.drawing.spatial_scene import spatial_scene
from exporter.drawing.views import Name
from exporter.kinematics.protocol.solution import Solution


def picture_scene(
    solved: Solution, coordinates: Mapping[str, float], caption: str = "", view: Name | None = None
) -> Scene:
    """One assembly at all its coordinates (rad, m)."""
    form = planar_form(solved)
    if form is not None and view is None:
        return scene_of(form, coordinates, caption)
    return spatial_scene(solved.mechanism, coordinates, view or "iso", caption)
