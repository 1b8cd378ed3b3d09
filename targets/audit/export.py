"""Audits an export: compiles it for a target, proves each path, holds symbols and sizes against the contract.

In: an export folder. Used by: `AuditResult`. What is counted is what gcc makes of the shipped C with the
shipped flags (-g is added: it describes the code and does not change it); the single path is also required at the
other optimisation levels, since users choose their own.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from exporter.errors import ModelError
from exporter.full_disk import temporary_folder
from exporter.manifest import Manifest
from exporter.progress import counted
from exporter.sequence.operations import Precision
from targets.audit.image import Image, load_image
from targets.audit.kernels import KernelRange, count_kernels, kernel_ranges
from targets.audit.path import prove
from targets.audit.precision import double_instructions
from targets.audit.result import AuditResult, FunctionAudit, LevelCheck, PathProof
from targets.audit.sizes import sizes
from targets.audit.symbols import DOUBLE_IN_FLOAT, findings
from targets.toolchain import Toolchain, find, run_compiler

if TYPE_CHECKING:
    from exporter.export import Export

SHIPPED_LEVEL = "-O2"  # what is shipped, counted and tested
OTHER_LEVELS = ("-O1", "-O3", "-Os")
NOT_CYCLES = "Instructions are counted, not cycles: memory, pipeline and interrupts decide what one takes."


def audit_export(export: "Export", profile: str = "arm-m4f", functions: Sequence[str] | None = None) -> AuditResult:
    """Audit an export on a target.

    `functions` are names ("position") or symbols; all that the export offers without it.

    Raises:
        ModelError: no such function, or one that iterates.
        KinefixError: no such profile.
        MissingTool: the compiler is not installed.
        CheckFailed: the export does not compile.
    """
    tools = find(profile)
    manifest = export.manifest
    with temporary_folder("kinefix-audit-") as folder:
        objects = _compile_levels(export.folder, manifest, tools, folder)
        image = load_image(objects[SHIPPED_LEVEL])
        symbols = _chosen_symbols(manifest, image, functions)
        _require_straight(manifest, symbols)
        proofs = {symbol: prove(image, symbol) for symbol in counted("following", symbols)}
        ranges = kernel_ranges(objects[SHIPPED_LEVEL], image)
        others = {level: load_image(objects[level]) for level in OTHER_LEVELS}
        return AuditResult(
            model=manifest.name,
            real=manifest.real,
            profile=profile,
            compiler=tools.version,
            flags=(*manifest.flags, *tools.profile.core_flags),
            functions=tuple(
                _function(manifest, proofs[symbol], ranges, _levels(others, symbol))
                for symbol in counted("at other levels,", symbols)
            ),
            sizes=sizes(objects[SHIPPED_LEVEL]),
            forbidden=_forbidden_symbols(objects[SHIPPED_LEVEL], image, manifest),
            notes=_notes(manifest, tools),
        )


def audit_elf(elf: Path, functions: Sequence[str]) -> tuple[FunctionAudit, ...]:
    """Prove functions of a file that somebody else linked: counts with kernels apart, without a look at other levels.

    Raises:
        ModelError: not an ELF file, or no such function.
    """
    image = load_image(elf)
    ranges = kernel_ranges(elf, image)
    return tuple(_function_audit(symbol, prove(image, symbol), ranges, ()) for symbol in functions)


def _compile_levels(source: Path, manifest: Manifest, tools: Toolchain, folder: Path) -> dict[str, Path]:
    for name in manifest.files:
        if "/" not in name and name.endswith((".c", ".h")):
            shutil.copyfile(source / name, folder / name)
    objects = {}
    for level in counted("compiling at", (SHIPPED_LEVEL, *OTHER_LEVELS)):
        name = f"{manifest.name}{level}.o"
        flags = [level if flag == SHIPPED_LEVEL else flag for flag in manifest.flags]
        run_compiler(tools, [*flags, *tools.profile.core_flags, "-g", "-c", f"{manifest.name}.c", "-o", name], folder)
        objects[level] = folder / name
    return objects


def _chosen_symbols(manifest: Manifest, image: Image, functions: Sequence[str] | None) -> tuple[str, ...]:
    """Symbols in the manifest's order, then what else the object exports under the model's prefix."""
    prefix = f"{manifest.name}_"
    listed = [function.symbol for function in manifest.functions]
    others = sorted(name for name in image.by_name if name.startswith(prefix) and name not in listed)
    known = [*listed, *others]
    if functions is None:
        return tuple(known)
    wanted = [name if name in known else prefix + name for name in functions]
    for given, symbol in zip(functions, wanted, strict=True):
        if symbol not in known:
            names = ", ".join(name.removeprefix(prefix) for name in known)
            raise ModelError(f"{manifest.name} has no function '{given}'; choose from {names}")
    return tuple(wanted)


def _require_straight(manifest: Manifest, symbols: Sequence[str]) -> None:
    """Functions that iterate are outside of what is proved."""
    loop = manifest.loop
    iterating = [each.name for each in manifest.functions if each.symbol in symbols and manifest.iterates(each.name)]
    if loop is not None and iterating:
        raise ModelError(
            f"{manifest.name}: {iterating[0]} repeats {loop.body} until its residual is at most {loop.tolerance:g}, at "
            f"most {loop.most} times: it is not fixed-time, and there is no single path to prove; audit the iteration "
            f"alone with --function {loop.body}, or export with --steps instead of --tolerance"
        )


def _levels(images: dict[str, Image], symbol: str) -> tuple[LevelCheck, ...]:
    checks = []
    for level, image in images.items():
        proof = prove(image, symbol)
        checks.append(LevelCheck(level, proof.verdict, proof.instructions, _reason(proof)))
    return tuple(checks)


def _function(
    manifest: Manifest, proof: PathProof, ranges: tuple[KernelRange, ...], levels: tuple[LevelCheck, ...]
) -> FunctionAudit:
    return _function_audit(proof.symbol, proof, ranges, levels, name=proof.symbol.removeprefix(f"{manifest.name}_"))


def _function_audit(
    symbol: str, proof: PathProof, ranges: tuple[KernelRange, ...], levels: tuple[LevelCheck, ...], name: str = ""
) -> FunctionAudit:
    kernels = count_kernels(proof.trace, ranges)
    return FunctionAudit(
        name=name or symbol,
        symbol=symbol,
        verdict=proof.verdict,
        instructions=proof.instructions,
        fewest=proof.fewest,
        kernels=kernels,
        outside=None if proof.instructions is None else proof.instructions - sum(kernels.values()),
        stack_bytes=proof.stack_bytes,
        reason=_reason(proof),
        levels=levels,
    )


def _reason(proof: PathProof) -> str:
    if proof.refusal is not None:
        return proof.refusal.sentence()
    if proof.verdict == "acyclic bound":
        return f"branches depend on data: {proof.fewest} to {proof.instructions} instructions"
    return ""


def _forbidden_symbols(elf: Path, image: Image, manifest: Manifest) -> dict[str, str]:
    real: Precision = "float32" if manifest.real == "float32" else "float64"
    found = findings(elf, real)
    if real == "float32":
        found |= {f"{text} at {where}": DOUBLE_IN_FLOAT for where, text in double_instructions(image).items()}
    return found


def _notes(manifest: Manifest, tools: Toolchain) -> tuple[str, ...]:
    notes = [NOT_CYCLES]
    if manifest.loop is not None:
        notes.append(f"The export as a whole is NOT FIXED-TIME: {', '.join(manifest.loop.functions)} iterate.")
    if manifest.real not in tools.profile.fixed_time:
        notes.append(
            f"{tools.profile.title} computes {manifest.real} in software: helpers of the run-time library take a "
            "time that depends on the data, so nothing here is fixed-time"
        )
    return tuple(notes)
