"""Compiles an export into a shared library of this computer and calls it from Python, many rows at a time.

In: an export. Out: a HostLibrary. The library holds the export, its self-test and a small file of loops over rows
(`<m>_rows.c`), so that a batch costs one foreign call; the loops are not part of the export.
"""

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exporter.errors import CheckFailed
from exporter.manifest import Argument, Function, Manifest
from exporter.progress import say
from targets import flags, toolchain
from targets.build_cache import cached_entry, key_of
from targets.python.wrapper import wrapper_text
from targets.render import render
from targets.rows import (
    every_function,
    function_of,
    has_selftest,
    input_slots,
    nominal_parameters,
    output_slots,
    parameter_values,
    real_rows,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from exporter.export import Export

TEMPLATES = Path(__file__).parent / "templates"
PROFILE = "host-gcc"


@dataclass(frozen=True, slots=True)
class CallResult:
    """What came back, row by row."""

    outputs: "NDArray[np.floating]"  # (rows, outputs), the export's real type
    status: "NDArray[np.uint32]"  # (rows,)
    start_status: int = 0  # of recalibrate at the parameters that were used


@dataclass(frozen=True, slots=True)
class HostLibrary:
    """A loaded shared library. `call` is the door."""

    path: Path
    manifest: Manifest
    compiler: str  # its version line
    _library: Any  # ctypes.CDLL

    def call(
        self, function: str, rows: "NDArray[np.floating]", parameters: Mapping[str, float] | None = None
    ) -> CallResult:
        """Run rows (n, inputs) through a function.

        Args:
            function: its name in the manifest, "position" or "recalibrate".
            rows: reals in the order of the function's row_inputs, SI units; converted to the export's real type.
            parameters: values by the user's name for tunable parameters that differ from nominal.

        Raises:
            KinefixError: no such function or parameter, or wrong number of columns.
        """
        import numpy as np  # noqa: PLC0415 - not for --help

        chosen = function_of(self.manifest, function)
        content = real_rows(self.manifest, chosen, rows)
        par = np.array(parameter_values(self.manifest, parameters or {}), dtype=self.manifest.real)
        outputs = np.empty((len(content), len(chosen.row_outputs)), dtype=self.manifest.real)
        status = np.empty(len(content), dtype=np.uint32)
        loop = getattr(self._library, f"kfx_rows_{chosen.name}")
        start_status = loop(par.ctypes.data, content.ctypes.data, outputs.ctypes.data, status.ctypes.data, len(content))
        return CallResult(outputs, status, start_status)

    def selftest(self) -> None:
        """Run the export's own checks on this computer.

        Raises:
            CheckFailed: one does not hold.
        """
        name = f"{self.manifest.name}_selftest"
        failed = getattr(self._library, name)() if has_selftest(self.manifest) else 0
        if failed != 0:
            raise CheckFailed(f"check {failed} of {name}.c failed on this computer with {self.compiler}; see that file")


def build_host(export: "Export", folder: Path) -> HostLibrary:
    """Compile `lib<m>.so` and its wrapper `<m>.py` into a folder, load the library, run its self-test.

    Raises:
        MissingTool: no gcc.
        CheckFailed: the compiler refused, or the self-test failed.
    """
    tools = toolchain.find(PROFILE)
    _compile(export, tools, folder)
    return _load_tested(export, tools, folder)


def cached_host(export: "Export", cache: Path) -> HostLibrary:
    """The library of an export out of a cache, see `targets.build_cache`; built there where it is not.

    Raises:
        MissingTool: no gcc.
        CheckFailed: the compiler refused, or the self-test failed.
        KinefixError: the cache cannot be written.
    """
    tools = toolchain.find(PROFILE)
    manifest = export.manifest
    facts: list[str | bytes] = [tools.version, *manifest.flags, *tools.profile.core_flags, *flags.SHARED_LINK]
    for name in sorted(_sources(manifest, ".c", ".h")):
        facts += [name, (export.folder / name).read_bytes()]
    key = key_of([*facts, rows_text(manifest), wrapper_text(manifest)])
    return _load_tested(export, tools, cached_entry(cache, key, lambda folder: _compile(export, tools, folder)))


def _compile(export: "Export", tools: toolchain.Toolchain, folder: Path) -> None:
    manifest = export.manifest
    _write_sources(export, folder / "src")
    library = folder / f"lib{manifest.name}.so"
    units = [f"src/{name}" for name in [*sorted(_sources(manifest, ".c")), f"{manifest.name}_rows.c"]]
    arguments = [
        *flags.check_flags(manifest.flags),
        *tools.profile.core_flags,
        *flags.SHARED_LINK,
        "-fPIC",
        "-Isrc",
        *units,
    ]
    say(f"compiling {library.name}")
    library.unlink(missing_ok=True)  # a library that is loaded must not be written over
    toolchain.run_compiler(tools, [*arguments, "-o", library.name, "-lm"], folder)
    (folder / f"{manifest.name}.py").write_text(wrapper_text(manifest), encoding="utf-8")


def _load_tested(export: "Export", tools: toolchain.Toolchain, folder: Path) -> HostLibrary:
    loaded = load_host(folder / f"lib{export.manifest.name}.so", export.manifest, tools.version)
    say("running the self-test")
    loaded.selftest()
    return loaded


def load_host(library: Path, manifest: Manifest, compiler: str = "an unknown compiler") -> HostLibrary:
    """Load a library that `build_host` made. The caller runs `selftest`.

    Raises:
        CheckFailed: it holds another export.
    """
    loaded = ctypes.CDLL(str(library.resolve()))
    loaded.kfx_export_id.restype = ctypes.c_uint32
    if (found := loaded.kfx_export_id()) != manifest.export_id:
        raise CheckFailed(
            f"{library.name} holds export {found:08X}, the manifest describes {manifest.export_id:08X}; build it again"
        )
    for function in every_function(manifest):
        loop = getattr(loaded, f"kfx_rows_{function.name}")
        loop.restype = ctypes.c_uint32
        loop.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_size_t]
    return HostLibrary(library, manifest, compiler, loaded)


def rows_text(manifest: Manifest) -> str:
    """The loops over rows, in C."""
    context = {
        "kinefix": manifest.kinefix,
        "name": manifest.name,
        "export_id": f"UINT32_C(0x{manifest.export_id:08X})",
        "parameters": nominal_parameters(manifest),
        "functions": [_function_context(manifest, function) for function in every_function(manifest)],
    }
    return render(TEMPLATES, "rows.c.j2", context)


def _function_context(manifest: Manifest, function: Function) -> dict[str, object]:
    return {
        "name": function.name,
        "symbol": function.symbol,
        "arguments": function.arguments,
        "calibrated": any(_reads_derived(argument) for argument in function.arguments),
        "inputs": input_slots(manifest, function),
        "outputs": output_slots(manifest, function),
        "call": ", ".join(f"&row_{argument.name}" for argument in function.arguments),
    }


def _reads_derived(argument: Argument) -> bool:
    return argument.name == "derived" and argument.const


def _sources(manifest: Manifest, *endings: str) -> list[str]:
    return [name for name in manifest.files if name.endswith(endings)]


def _write_sources(export: "Export", folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in _sources(export.manifest, ".c", ".h"):
        (folder / name).write_bytes((export.folder / name).read_bytes())
    (folder / f"{export.manifest.name}_rows.c").write_text(rows_text(export.manifest), encoding="utf-8")
