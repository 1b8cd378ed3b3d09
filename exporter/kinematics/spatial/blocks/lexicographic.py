"""A block of a lexicographic basis: the steps of one angle, then the angle itself."""

from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.blocks.turns import margin_text, texts
from exporter.kinematics.spatial.groebner.extraction import Variables
from exporter.kinematics.spatial.groebner.polynomials import variables_of
from exporter.kinematics.spatial.pose import SpatialPose
from exporter.kinematics.spatial.roots import Angle


def lexicographic(block: Block, pose: SpatialPose) -> None:
    """Write sine and cosine of the block's angle in the order that the search found."""
    if pose.variables is None:
        pose.variables = _known_variables(block, pose)
    variables = pose.variables
    before = len(variables.roots)
    for step in block.steps:
        variables.solve(step, pose.sign_of(block))
    name = block.coordinates[0]
    sine, cosine = (variables.values[variable] for variable in variables_of(name))
    # of the steps themselves: one of the pair may be the root of one minus the other's square
    pose.angles[name] = Angle(cosine, sine, lambda d: cosine * d.of(sine) - sine * d.of(cosine))
    about = margin_text(f"radicand of the quadratic of {name}")
    for root in variables.roots[before:]:
        pose.margins.append(Margin(block.id, "margin", root.radicand, about))
        pose.margins.append(Margin(block.id, "pivot", root.value, f"root of the quadratic of {name}: half of the gap"))


def _known_variables(block: Block, pose: SpatialPose) -> Variables:
    """Variables of the independent coordinates."""
    values = {f"d.{name}": value for name, value in pose.slides.items()}
    for name, angle in pose.angles.items():
        sine, cosine = variables_of(name)
        values.update({sine: angle.sine, cosine: angle.cosine})
    return Variables(pose.tools, texts(block), values)
