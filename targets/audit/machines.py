"""The machine of an image: decoded once, shared by every proof and search over that image."""

from weakref import WeakKeyDictionary

from targets.audit.image import Image
from targets.audit.machine import Machine
from targets.audit.thumb import thumb_machine
from targets.audit.x86 import x86_machine

_MACHINES: WeakKeyDictionary[Image, Machine] = WeakKeyDictionary()


def machine_of(image: Image) -> Machine:
    """Thumb or x86-64, by the image's processor."""
    if image not in _MACHINES:
        _MACHINES[image] = x86_machine(image) if image.machine == "x86-64" else thumb_machine(image)
    return _MACHINES[image]
