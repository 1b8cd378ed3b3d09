"""The scene of a solved mechanism: in its plane where it has one, in space elsewhere or where a view is asked for.

In: a Solution and the coordinates of one assembly. Used by: `kinefix show`, pictures of exports.
"""

from collections.abc import Mapping

from exporter.drawing.scene import Scene, planar_form, scene_of
from exporter.drawing.spatial_scene import spatial_scene
from exporter.drawing.trails import trails_of
from exporter.drawing.views import Name
from exporter.kinematics.protocol.solution import Solution


def picture_scene(
    solved: Solution,
    coordinates: Mapping[str, float],
    caption: str = "",
    view: Name | None = None,
    *,
    paths: bool = True,
) -> Scene:
    """One assembly at all its coordinates (rad, m), with paths where it is the exported one."""
    form, trails = planar_form(solved), trails_of(solved, coordinates) if paths else ()
    if form is not None and view is None:
        return scene_of(form, coordinates, caption, trails, solved.mechanism)
    return spatial_scene(solved.mechanism, coordinates, view, caption, trails)
