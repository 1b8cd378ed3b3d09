"""Maps a 64-bit DLL into this process, on Linux, and calls it at full speed: it imports nothing.

In: a DLL and a shared object with `ms_abi.c`. Out: a `MappedDll`.
"""

import ctypes
import mmap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from exporter.errors import KinefixError
from targets import toolchain
from targets.labview.audit.image import load_pe

SHIM_SOURCE = Path(__file__).parent / "ms_abi.c"
SHIM_ARGUMENTS = 12
"""Arguments that the shim passes: a callee ignores those that it does not take."""


@dataclass(frozen=True, slots=True)
class NativeLibrary:
    """A library in this process, whose arrays are this process' memory."""

    name: str
    _call: Callable[[str, Sequence[int]], int]
    _kept: list[Any] = field(default_factory=list)  # buffers, and whatever must live as long as this

    def place(self, content: bytes) -> int:
        """Put bytes into a fresh buffer; its address."""
        buffer = ctypes.create_string_buffer(content, max(1, len(content)))
        self._kept.append(buffer)
        return ctypes.addressof(buffer)

    def read(self, address: int, size: int) -> bytes:
        """Bytes from memory."""
        return ctypes.string_at(address, size)

    def call(self, symbol: str, arguments: Sequence[int]) -> int:
        """Call a function that takes integers and pointers; its int32 result."""
        return self._call(symbol, arguments)


@dataclass(frozen=True, slots=True)
class MappedDll:
    """A DLL in memory that can be executed."""

    native: NativeLibrary
    exports: dict[str, int]
    _shim: Any

    def time_ns(self, symbol: str, arguments: Sequence[int], calls: int) -> float:
        """Time of one call in ns, the least of several attempts; of one that does nothing where `symbol` is empty."""
        function = self.exports[symbol] if symbol else 0
        return float(self._shim.kfx_time_ms(function, calls, *_pad_arguments(arguments)))


def _pad_arguments(arguments: Sequence[int]) -> list[int]:
    if len(arguments) > SHIM_ARGUMENTS:
        raise KinefixError(f"the shim passes {SHIM_ARGUMENTS} arguments, and {len(arguments)} were given")
    return [*(each & 0xFFFFFFFFFFFFFFFF for each in arguments), *[0] * (SHIM_ARGUMENTS - len(arguments))]


def load_native(path: Path) -> NativeLibrary:
    """Load a shared object of this computer."""
    library: Any = ctypes.CDLL(str(path.resolve()))

    def call(symbol: str, arguments: Sequence[int]) -> int:
        return int(getattr(library, symbol)(*(ctypes.c_uint64(each & 0xFFFFFFFFFFFFFFFF) for each in arguments)))

    return NativeLibrary(path.name, call)


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
    library.kfx_call_ms.argtypes = [ctypes.c_void_p] + [ctypes.c_uint64] * SHIM_ARGUMENTS
    library.kfx_time_ms.restype = ctypes.c_double
    library.kfx_time_ms.argtypes = [ctypes.c_void_p, ctypes.c_int] + [ctypes.c_uint64] * SHIM_ARGUMENTS

    def call(symbol: str, arguments: Sequence[int]) -> int:
        return int(library.kfx_call_ms(image.exports[symbol], *_pad_arguments(arguments)))

    return MappedDll(NativeLibrary(path.name, call, [memory]), image.exports, library)
