"""Test vectors as TDMS, the file format of LabVIEW's own tools. Needs the extra `tdms` (npTDMS).

In: vectors. Out: the file's bytes: a group per function, a channel per signal and one for the status.
"""

import io
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from exporter.errors import MissingTool

if TYPE_CHECKING:
    from targets.labview.vectors import Vectors


def require_tdms() -> None:
    """See that TDMS can be written.

    Raises:
        MissingTool: npTDMS is not installed.
    """
    if find_spec("nptdms") is None:
        raise MissingTool(
            "npTDMS is not installed (it writes TDMS); get it with: pip install npTDMS (or kinefix[tdms])"
        )


def tdms_bytes(made: Sequence["Vectors"]) -> bytes:
    """The file. It holds no time: the same vectors give the same bytes."""
    import nptdms  # noqa: PLC0415 - an extra

    library: Any = nptdms
    stream = io.BytesIO()
    with library.TdmsWriter(stream) as writer:
        writer.write_segment([channel for each in made for channel in _channels(library, each)])
    return stream.getvalue()


def _channels(library: Any, made: "Vectors") -> list[Any]:
    group = made.function.name
    columns = [*(f"in {name}" for name in made.columns_in), *(f"out {name}" for name in made.columns_out)]
    arrays = [*made.inputs.T, *made.outputs.T]
    channels = [library.ChannelObject(group, name, values.copy()) for name, values in zip(columns, arrays, strict=True)]
    return [*channels, library.ChannelObject(group, "status", made.status.copy())]
