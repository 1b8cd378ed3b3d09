"""Starts the device of an open bench anew: software and emulator again, a board by its reset command."""

from dataclasses import replace

from hil.bench_runtime import BenchRuntime, open_bench
from hil.errors import BenchError
from hil.faults.fault_file import FaultFile


def require_restart(runtime: BenchRuntime) -> None:
    """Raises `BenchError` where the bench file says no way to reset its board."""
    target = runtime.bench.target
    if target.kind == "board" and not target.reset:
        raise BenchError(
            f"{runtime.bench.path}: [target.{target.name}] has no 'reset'; write the command that resets the board"
        )


def restarted(runtime: BenchRuntime, faults: FaultFile | None = None) -> BenchRuntime:
    """Close the bench and open it again, without flashing; parameters are those of the bench file."""
    require_restart(runtime)
    bench = replace(runtime.bench, target=replace(runtime.bench.target, flash=()))
    runtime.close()
    return open_bench(bench, faults)
