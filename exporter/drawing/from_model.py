"""Draws a mechanism from its export alone, at its design pose.

In: a `Manifest`, which holds the canonical model. Out: the SVG; empty for a symbolic model.
"""

from dataclasses import replace

from exporter.drawing.of_solution import picture_scene
from exporter.drawing.scene import Scene
from exporter.drawing.svg import svg
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.modes import exported_mode
from exporter.kinematics.protocol.solution import Solution
from exporter.manifest import Manifest
from exporter.model.canonical import from_canonical
from exporter.model.complete import completed
from exporter.model.mechanism import SolverOptions


def picture_of_model(manifest: Manifest) -> str:
    """The exported assembly; by the triangular form, also where the export takes another method.

    Raises:
        ModelError: the model in the manifest cannot be solved by this version.
    """
    if manifest.kind != "mechanism" or not manifest.model:
        return ""
    mechanism = replace(from_canonical(dict(manifest.model)), solver=SolverOptions())
    return svg((_scene(solved_mechanism(completed(mechanism))),))


def _scene(solved: Solution) -> Scene:
    mechanism = solved.mechanism
    pose = exported_mode(solved, {name: mechanism.pose[name] for name in mechanism.independent}).coordinates
    return picture_scene(solved, pose)
