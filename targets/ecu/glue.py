"""Writes the glue between a firmware and one exported function: rows of reals in, rows of reals out.

In: a manifest and one of its functions. Out: C texts by file name, rendered from `templates/`; see `model.h`.
"""

from collections.abc import Mapping
from pathlib import Path

from exporter.manifest import Argument, Function, Manifest
from targets.render import render
from targets.rows import Slot, has_selftest, input_slots, nominal_parameters, output_slots

TEMPLATES = Path(__file__).parent / "templates"
GLUE_SOURCE = "model_glue.c"
FILES = ("model_shape.h", GLUE_SOURCE)


def glue_files(manifest: Manifest, function: Function, build_id: int) -> dict[str, str]:
    """File name -> text."""
    context = _context(manifest, function, build_id)
    return {name: render(TEMPLATES, f"{name}.j2", context) for name in FILES}


def _context(manifest: Manifest, function: Function, build_id: int) -> Mapping[str, object]:
    inputs, outputs = input_slots(manifest, function), output_slots(manifest, function)
    return {
        "kinefix": manifest.kinefix,
        "name": manifest.name,
        "symbol": function.symbol,
        "status": f"{manifest.name}_status_t",
        "export_id": f"0x{manifest.export_id:08X}",
        "build_id": f"0x{build_id:08X}",
        "model_hash": _hash_bytes(manifest.model_hash),
        "operations": sum(function.cost.values()),
        "arguments": function.arguments,
        "prototype": ", ".join(_parameter(argument) for argument in function.arguments) or "void",
        "call": _argument_list(function),
        "inputs": inputs,
        "outputs": outputs,
        "states": _states(inputs, outputs),
        "recalibrate": manifest.recalibrate,
        "recalibrate_call": _call(manifest.recalibrate) if manifest.recalibrate else "",
        "selftest": has_selftest(manifest),
        "objects": _objects(manifest, function),
        "parameters": nominal_parameters(manifest),
    }


def _objects(manifest: Manifest, function: Function) -> tuple[Argument, ...]:
    """One static struct per argument name, those of recalibrate included."""
    arguments = (*function.arguments, *(manifest.recalibrate.arguments if manifest.recalibrate else ()))
    return tuple({argument.name: argument for argument in arguments}.values())


def _argument_list(function: Function) -> str:
    return ", ".join(f"&model_{argument.name}" for argument in function.arguments)


def _call(function: Function) -> str:
    return f"{function.symbol}({_argument_list(function)})"


def _parameter(argument: Argument) -> str:
    return f"{'const ' if argument.const else ''}{argument.struct} *{argument.name}"


def _states(inputs: tuple[Slot, ...], outputs: tuple[Slot, ...]) -> int:
    """How many leading reals of both rows are the state."""
    written = [slot.field for slot in outputs if slot.argument == "state"]
    read = [slot.field for slot in inputs if slot.argument == "state"]
    return len(read) if read == written else 0


def _hash_bytes(model_hash: str) -> list[str]:
    return [f"0x{byte:02X}" for byte in bytes.fromhex(model_hash)]
