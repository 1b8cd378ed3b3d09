"""A link over CAN for a bench: opens the interface, and keeps a log of all frames where the bench file asks for one.

In: the bench's link, the layout of the function. Out: a `CanLink`, or both ends of one for a device in software.
"""

import itertools
import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import can

from exporter.errors import KinefixError
from hil.bench import LinkSettings
from hil.can.bus import SLCAN, CanSettings, open_bus
from hil.can.codec import DeviceCodec, HostCodec
from hil.can.layout import CanLayout
from hil.can.link import CanLink

VIRTUAL = "virtual"
CHANNEL_NUMBERS, LOG_NUMBERS = itertools.count(1), itertools.count(1)


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
    keep = _log(link, closing)
    return CanLink(open_bus(settings), HostCodec(layout), f"CAN {settings.interface} {settings.channel}", keep)


def both_links(link: LinkSettings, layout: CanLayout, closing: ExitStack) -> tuple[CanLink, CanLink]:
    """Host's end and device's end of a bus, the latter for a device in this process."""
    settings = settings_of(link)
    if settings.interface == VIRTUAL:  # so that benches side by side do not hear each other
        settings = CanSettings(
            VIRTUAL, f"{settings.channel} {next(CHANNEL_NUMBERS)}", settings.bitrate, settings.options
        )
    name = f"CAN {settings.interface} {settings.channel}"
    ours = CanLink(open_bus(settings), HostCodec(layout), name, _log(link, closing))
    theirs = CanLink(open_bus(settings), DeviceCodec(layout), f"{name} (device)", lambda _: None)
    closing.callback(theirs.close)
    return ours, theirs


def _log(link: LinkSettings, closing: ExitStack) -> Callable[[Any], None]:
    """What keeps a frame; the log stands under its name once it is whole, so that the one before can be replayed."""
    if link.log is None:
        return lambda _: None
    path = link.log
    growing = path.with_name(f".{path.stem}-{os.getpid()}-{next(LOG_NUMBERS)}{path.suffix}")  # others may write theirs
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        logger = can.Logger(str(growing))
    except (OSError, ValueError) as error:
        raise KinefixError(f"the CAN log {path} cannot be written ({error}); correct [link.main] log") from error

    def finish() -> None:
        logger.stop()
        growing.replace(path)

    def keep(message: can.Message) -> None:
        message.channel = None  # one bus, one channel, however the interface names what it heard
        logger.on_message_received(message)

    closing.callback(finish)
    return keep
