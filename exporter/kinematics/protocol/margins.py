"""What a block tells of how close a pose is to where it fails: a margin, a pivot, or what an iteration leaves open."""

from exporter.records import dataclass
from exporter.sequence.builder import Value


@dataclass(slots=True)
class Margin:
    """A dimensionless margin or pivot of a block, offered as an output."""

    block: str
    role: str  # "margin" | "pivot"
    value: Value
    about: str
    clear: bool = False  # frozen lengths keep it away from zero in every pose
