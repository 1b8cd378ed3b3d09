"""A link over CAN for a bench: opens the interface, and keeps a log of all frames where the bench file asks for one.

In: the bench's link, the layout of the function. Out: a `CanLink`, or both ends of one for a device in software.
"""

import itertools
from contextlib import ExitStack

from hil.bench import LinkSettings
from hil.can.bus import SLCAN, CanSettings, open_bus
from hil.can.codec import DeviceCodec, HostCodec
from hil.can.frame_log import FrameLog
from hil.can.layout import CanLayout
from hil.can.link import CanLink

VIRTUAL = "virtual"
CHANNEL_NUMBERS = itertools.count(1)


def settings_of(link: LinkSettings, channel: str = "") -> CanSettings:
    """The interface of a bench file; `channel` is where an emulator offers its own."""
    if channel:
        return CanSettings(SLCAN, channel, link.bitrate, link.options)
    return CanSettings(link.interface or VIRTUAL, link.channel or "kinefix", link.bitrate, link.options)


def host_link(link: LinkSettings, layout: CanLayout, closing: ExitStack, channel: str = "") -> CanLink:
    """The host's end.

    Raises:
        MissingTool: python-can has no such interface, or its driver is not installed.
        LinkError: the channel is not there or busy.
        KinefixError: the log cannot be written.
    """
    settings = settings_of(link, channel)
    return _host_end(link, settings, layout, closing)


def both_links(link: LinkSettings, layout: CanLayout, closing: ExitStack) -> tuple[CanLink, CanLink]:
    """Host's end and device's end of a bus, the latter for a device in this process."""
    settings = settings_of(link)
    if settings.interface == VIRTUAL:  # so that benches side by side do not hear each other
        settings = CanSettings(
            VIRTUAL, f"{settings.channel} {next(CHANNEL_NUMBERS)}", settings.bitrate, settings.options
        )
    ours = _host_end(link, settings, layout, closing)
    theirs = CanLink(open_bus(settings), DeviceCodec(layout), f"{ours.name} (device)")
    closing.callback(theirs.close)
    return ours, theirs


def _host_end(link: LinkSettings, settings: CanSettings, layout: CanLayout, closing: ExitStack) -> CanLink:
    """The host's end, with the log that the bench file asks for."""
    log, codec = None if link.log is None else FrameLog(link.log), HostCodec(layout)
    if log is not None:
        closing.callback(log.finish, codec.asked)
    return CanLink(open_bus(settings), codec, f"CAN {settings.interface} {settings.channel}", log)
