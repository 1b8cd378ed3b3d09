"""Opens a CAN interface of python-can as a bench file names it.

In: `CanSettings`. Out: a bus. Adapters of the LAWICEL protocol ("slcan") tell their controller's state by a command of
that protocol, which python-can does not ask; the class here does.
"""

import os
import socket
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import can
import serial
from can.interfaces.slcan import slcanBus

from exporter.errors import MissingTool
from hil.bench import DEFAULT_BITRATE
from hil.errors import LinkError

SLCAN = "slcan"
SLCAN_OPTIONS: dict[str, Any] = {"sleep_after_open": 0.0}
"""An adapter that restarts when its port is opened needs 2 s here: `options = { sleep_after_open = 2 }`."""
STATE_S = 0.5
"""How long an adapter may take to tell its state."""
BUS_ERROR = 0x80
"""Bit of the status flags of the LAWICEL protocol (command F)."""
BUS_OFF = "bus-off"
PACKAGES = {"udp_multicast": " (pip install msgpack)"}
"""What python-can needs for an interface and does not install."""


@dataclass(frozen=True, slots=True)
class CanSettings:
    """A CAN interface, and where the frames of the bench begin."""

    interface: str
    channel: str
    bitrate: int = DEFAULT_BITRATE
    options: Mapping[str, Any] = field(default_factory=dict)  # of python-can's bus, as they are


class StatefulSlcanBus(slcanBus):
    """An slcan adapter that can be asked for its state; the answer comes among the frames that are read."""

    def __init__(self, channel: str, **options: Any) -> None:
        self._status_flags = 0
        self._answered = threading.Event()
        with ExitStack() as opening:
            _hold(channel, opening)
            super().__init__(channel, **options)
            self._holding = opening.pop_all()
        self._over_tcp: socket.socket | None = getattr(self.serialPortOrig, "_socket", None)
        if self._over_tcp is not None:  # a frame is a write of its own: none waits for the one before
            self._over_tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def status_flags(self) -> int:
        """The adapter's status flags, asked for now; another thread must be reading. 0 where it does not answer."""
        self._answered.clear()
        self._write("F")
        return self._status_flags if self._answered.wait(STATE_S) else 0

    def shutdown(self) -> None:
        """Leave the bus and release the port, also where the adapter is gone."""
        try:
            super().shutdown()
        finally:
            self.serialPortOrig.close()
            self._holding.close()
            if self._over_tcp is not None:
                self._over_tcp.close()  # pyserial leaves one open that the other end closed

    def reopen(self) -> None:
        """Leave the bus and join it again: what ends the state bus-off."""
        self.close()
        self.open()

    def _read(self, timeout: float | None) -> str | None:
        text = super()._read(timeout)
        if text and text[0] == "F":
            self._status_flags = _flags_in(text)
            self._answered.set()
        return text


def _hold(channel: str, opening: ExitStack) -> None:
    """Lock a real port before anything is written to it, so that a second program is told instead of stealing frames.

    python-can opens ports without a lock. Where one process alone can open a port (Windows) there is nothing to do.
    """
    if os.name == "posix" and "://" not in channel:
        port: Any = serial.serial_for_url(channel, exclusive=True)  # type: ignore[no-untyped-call]
        opening.callback(port.close)


def _flags_in(text: str) -> int:
    try:
        return int(text[1:3], 16)
    except ValueError:
        return 0


def mend(bus: can.BusABC) -> str:
    """Ask the controller for its state; where it is bus-off, join the bus again and return "bus-off", else "".

    Interfaces other than slcan join again by themselves or by their driver's settings (socketcan: restart-ms).
    """
    if isinstance(bus, StatefulSlcanBus):
        if not bus.status_flags() & BUS_ERROR:
            return ""
        bus.reopen()
        return BUS_OFF
    try:
        return BUS_OFF if bus.state is can.BusState.ERROR else ""
    except NotImplementedError:
        return ""


def open_bus(settings: CanSettings) -> can.BusABC:
    """Open the interface.

    Raises:
        MissingTool: python-can has no such interface, or its driver is not installed.
        LinkError: the channel is not there, busy, or does not answer.
    """
    name = f"{settings.interface} {settings.channel}".strip()
    options = {"bitrate": settings.bitrate} | (SLCAN_OPTIONS if settings.interface == SLCAN else {})
    options |= dict(settings.options)
    try:
        if settings.interface == SLCAN:
            return StatefulSlcanBus(settings.channel, **options)
        return can.Bus(channel=settings.channel, interface=settings.interface, **options)
    except (can.CanInterfaceNotImplementedError, ImportError) as error:
        driver, known = PACKAGES.get(settings.interface, ""), ", ".join(sorted(can.VALID_INTERFACES))
        raise MissingTool(
            f"the CAN interface '{settings.interface}' cannot be used here ({error}); correct [link.main] interface, "
            f"or install its driver{driver}. python-can knows {known}"
        ) from error
    except (can.CanError, OSError, ValueError, TypeError) as error:
        raise LinkError(_why_not_open(name, str(error))) from error


def _why_not_open(name: str, text: str) -> str:
    if any(word in text for word in ("busy", "Busy", "exclusively lock", "in use", "Access is denied")):
        return f"the CAN channel {name} is busy ({text}); close the other program that holds it"
    if "No such" in text or "not find" in text or "FileNotFoundError" in text:
        return f"the CAN channel {name} does not exist ({text}); connect the adapter or correct [link.main] channel"
    return f"the CAN channel {name} cannot be opened ({text}); check [link.main] in the bench file"
