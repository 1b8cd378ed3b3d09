"""What the firmware must be, and whether it is: held against the answer to HELLO before anything is exchanged."""

from dataclasses import dataclass

from exporter.manifest import Function, Manifest
from hil.errors import WrongFirmware
from hil.hello import Hello
from targets.rows import input_slots, output_slots, tunable_fields


@dataclass(frozen=True, slots=True)
class Identity:
    """What the firmware must be."""

    export_id: int
    model_hash: bytes  # 32 bytes
    row_inputs: int
    row_outputs: int
    state_values: int
    operations: int
    build_id: int = 0  # 0: any build of that export
    parameters: int = 0  # tunable ones


def expected_identity(manifest: Manifest, function: Function) -> Identity:
    """What any build of a function of an export must be."""
    return Identity(
        export_id=manifest.export_id,
        model_hash=bytes.fromhex(manifest.model_hash),
        row_inputs=len(function.row_inputs),
        row_outputs=len(function.row_outputs),
        state_values=_state_values(manifest, function),
        operations=sum(function.cost.values()),
        parameters=len(tunable_fields(manifest)),
    )


def _state_values(manifest: Manifest, function: Function) -> int:
    """How many leading reals of both rows are the state: none where a function does not read what it writes."""
    read = [slot.field for slot in input_slots(manifest, function) if slot.argument == "state"]
    written = [slot.field for slot in output_slots(manifest, function) if slot.argument == "state"]
    return len(read) if read == written else 0


def check_identity(hello: Hello, expected: Identity) -> None:
    """Hold what the device says against what it must be; raises `WrongFirmware` naming the first difference."""
    if hello.model_hash != expected.model_hash or hello.export_id != expected.export_id:
        raise WrongFirmware(
            f"the device runs model {hello.model_hash.hex()[:16]} (export {hello.export_id:08x}), the export on disk "
            f"is model {expected.model_hash.hex()[:16]} (export {expected.export_id:08x}); "
            "load the firmware that belongs to this export"
        )
    runs = (hello.row_inputs, hello.row_outputs, hello.state_values, hello.operations)
    wanted = (expected.row_inputs, expected.row_outputs, expected.state_values, expected.operations)
    if runs != wanted:
        raise WrongFirmware(
            f"the device runs another function of this export: inputs, outputs, state values and operations are "
            f"{runs}, expected {wanted}; correct [bench] function or load the other firmware"
        )
    if hello.parameters != expected.parameters:
        raise WrongFirmware(
            f"the device has {hello.parameters} tunable parameters, the export has {expected.parameters}; "
            "load the firmware that belongs to this export"
        )
    if expected.build_id and hello.build_id != expected.build_id:
        raise WrongFirmware(
            f"the device runs build {hello.build_id:08x}, the bench expects build {expected.build_id:08x}; "
            "load the firmware that was just built"
        )
