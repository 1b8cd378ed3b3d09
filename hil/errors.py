"""What can go wrong between host and device, each a sentence for the user."""

from exporter.errors import KinefixError


class BenchError(KinefixError):
    """The bench is not as its file says: a key, a port, a tool or a device. Exit code 2."""

    ROBOT_SUPPRESS_NAME = True  # Robot Framework shows the sentence alone


class LinkError(BenchError):
    """The link cannot be opened or broke."""


class FramingError(BenchError):
    """Bytes that are no frame of ours. Counted by the receiver, never fatal to it."""


class OtherVersion(FramingError):  # noqa: N818 - it names the condition
    """A whole packet of another version of the protocol."""


class FrameTimeout(LinkError):  # noqa: N818 - it names the condition
    """No answer within the limit, after all retries."""


class DeviceReset(BenchError):  # noqa: N818 - it names the condition
    """The device announced a boot in the middle of a session: an error of the bench, not a failed check."""


class WrongFirmware(BenchError):  # noqa: N818 - it names the condition
    """The device runs the code of another export."""


class RefusedRequest(BenchError):  # noqa: N818 - it names the condition
    """The device understood the request and refused it; `reason` is the number that it gave."""

    def __init__(self, text: str, reason: int = 0) -> None:
        super().__init__(text)
        self.reason = reason


INTERRUPTIONS = (LinkError, DeviceReset, RefusedRequest)
"""What may end a run that had begun: its user asked for nothing wrong."""
