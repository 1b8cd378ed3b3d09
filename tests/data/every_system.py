"""Every system of tests/data/systems.toml: read, exported, run and audited.

One row of the table is one export: `sampled` and `whole` give what a campaign and the machine code have against it.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from exporter.export import Export, write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.complete import with_independent, with_tunable
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.points_of_interest import points_of_interest
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.operations import Precision
from sil.campaign import Campaign, run
from sil.limits import LIMITS
from sil.options import FEWEST_VECTORS, Options
from targets.audit.export import audit_elf, audit_export
from targets.audit.result import FunctionAudit

RUNNERS = {"float32": "emulated", "float64": "m7"}
PROFILES = {"float32": "arm-m4f", "float64": "arm-m7"}
RESIDUAL = {"float32": 5e-6, "float64": 1e-13}  # of the original closures over the length
COUNT, FULL = 40, 20_000  # vectors of every function
SPREAD = "spread of the instruction count"
RESIDUAL_CHECK = "closure residual"


def mechanism_of(system: dict[str, Any]) -> Mechanism:
    """The mechanism by the choice of a row."""
    mechanism = read_mechanism(model_path(system["model"]))
    if "tunable" in system:
        mechanism = with_tunable(mechanism, system["tunable"])
    if "independent" not in system:
        return mechanism
    pose = {name: Fraction(str(value)) for name, value in system.get("pose", {}).items()}
    ranges = {
        name: CoordinateRange(*(Fraction(str(value)) for value in limits), None)
        for name, limits in system.get("ranges", {}).items()
    }
    return with_independent(mechanism, system["independent"], pose, ranges)


def sampled(system: dict[str, Any], folder: Path) -> list[str]:
    """What is wrong with the functions over a few vectors on every runner, or with the positions' machine code."""
    precision = system["precision"]
    chosen, count = tuple(system.get("functions", ())), system.get("count", COUNT)
    options = Options(functions=chosen, count=count, runner=RUNNERS[precision])
    mechanism = mechanism_of(system)
    campaign, export = _campaign(mechanism, precision, options, folder)
    elf = folder / "sil" / RUNNERS[precision] / "position" / "firmware.elf"
    audited = audit_elf(elf, [f"{export.manifest.name}_position"])
    return [*_problems(mechanism, campaign, precision), *_path_problems(audited)]


def whole(system: dict[str, Any], precision: Precision, folder: Path) -> list[str]:
    """What fails over many vectors, and in the machine code of every function at every optimisation level."""
    limits = LIMITS[precision]
    if precision == "float32" and "residual" in system:
        limits = replace(limits, residual=float(system["residual"]))
    options = Options(count=system.get("full", FULL), runner=RUNNERS[precision], limits=limits)
    mechanism = mechanism_of(system)
    campaign, export = _campaign(mechanism, precision, options, folder)
    audited = audit_export(export, PROFILES[precision])
    found = [*_problems(mechanism, campaign, precision), *_path_problems(audited.functions)]
    return found if audited.passed else [*found, f"audit: {audited.verdict}, forbidden {audited.forbidden}"]


def _campaign(mechanism: Mechanism, precision: Precision, options: Options, folder: Path) -> tuple[Campaign, Export]:
    program = program_of_mechanism(mechanism, precision, only=options.functions)
    export = write_export(program, folder / "export", canonical(mechanism))
    return run(export, options, program, folder / "sil"), export


def _problems(mechanism: Mechanism, campaign: Campaign, precision: Precision) -> list[str]:
    """Checks that failed, checks that are missing, residuals above what is promised."""
    few = campaign.options.count < FEWEST_VECTORS  # then some check may find no vector that is fit for it, and says so
    found = [each.sentence() for each in campaign.verdicts if not each.passed and (each.stands_against or not few)]
    if points_of_interest(mechanism) and not any("points of interest" in each.check for each in campaign.verdicts):
        found.append("points of interest are not held against the reference")
    needed = {SPREAD, "bit agreement of interpreter and host", f"bit agreement of {RUNNERS[precision]} and host"}
    for tested in campaign.tested:
        checks = {verdict.check for verdict in campaign.verdicts if verdict.function == tested.function}
        found += [f"{tested.function}: no {check}" for check in sorted(needed - checks)]
    residuals = [verdict for verdict in campaign.verdicts if verdict.check == RESIDUAL_CHECK]
    return found + [f"{e.function}: residual {e.value:.2g}" for e in residuals if e.value > RESIDUAL[precision]]


def _path_problems(audited: Sequence[FunctionAudit]) -> list[str]:
    return [f"{each.symbol}: {each.verdict} {each.reason}" for each in audited if each.verdict != "single path"]
