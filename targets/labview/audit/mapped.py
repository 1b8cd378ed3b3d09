"""Maps a 64-bit DLL into this process, on Linux, and calls it at full speed: it imports nothing.

In: a DLL and a shared object with `ms_abi.c`. Out: a `MappedDll`.
"""

import ctypes
import mmap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from targets import toolchain
from targets.labview.audit.image import load_pe

SHIM_SOURCE = Path(__file__).parent / "ms_abi.c"
WORDS = 8
"""Arguments that the shim passes: a callee ignores those that it does not take."""


@dataclass(frozen=True, slots=True)
class MappedDll:
    """A DLL in memory that can be executed."""

    exports: dict[str, int]
    _shim: Any
    _memory: mmap.mmap  # lives as long as this

    def call(self, symbol: str, arguments: Sequence[int]) -> int:
        """Call a function that takes integers and pointers; its int32 result."""
        padded = [*arguments, *[0] * (WORDS - len(arguments))]
        return int(self._shim.kfx_call_ms(self.exports[symbol], *padded))

    def empty_ns(self, calls: int) -> float:
        """Time of a call that computes nothing, in ns, the least of several attempts."""
        return float(self._shim.kfx_time_ms(0, calls, *[0] * WORDS))

    def time_ns(self, symbol: str, arguments: Sequence[int], calls: int) -> float:
        """Time of one call in ns, the least of several attempts."""
        padded = [*arguments, *[0] * (WORDS - len(arguments))]
        return float(self._shim.kfx_time_ms(self.exports[symbol], calls, *padded))


def build_shim(folder: Path) -> Path:
    """Compile the shim with this computer's compiler.

    Raises:
        MissingTool: no compiler.
    """
    tools = toolchain.find("host-gcc")
    (folder / SHIM_SOURCE.name).write_bytes(SHIM_SOURCE.read_bytes())
    toolchain.run_compiler(tools, ["-O2", "-shared", "-fPIC", SHIM_SOURCE.name, "-o", "ms_abi.so"], folder)
    return folder / "ms_abi.so"


def map_dll(path: Path, shim: Path) -> MappedDll:
    """Map a DLL for x86-64."""
    room = load_pe(path).size
    memory = mmap.mmap(-1, room, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    image = load_pe(path, address)
    for at, content in image.segments:
        memory[at - address : at - address + len(content)] = content
    library: Any = ctypes.CDLL(str(shim))
    library.kfx_call_ms.restype = ctypes.c_int
    library.kfx_call_ms.argtypes = [ctypes.c_void_p] + [ctypes.c_uint64] * WORDS
    library.kfx_time_ms.restype = ctypes.c_double
    library.kfx_time_ms.argtypes = [ctypes.c_void_p, ctypes.c_int] + [ctypes.c_uint64] * WORDS
    return MappedDll(image.exports, library, memory)
