"""The names of all detectors, read from the code: enumerations, verdicts, and every refusal of some packages."""

from functools import lru_cache
from pathlib import Path

from watched_raises import refusals_of

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("sil", "hil", "targets.audit")
FINDINGS = ("jump", "out of reach", "outside of the ranges", "narrow")


@lru_cache(maxsize=1)
def detector_names() -> dict[str, str]:
    """What each detector says, by its name, in the order of the table."""
    return {**_enumerated(), **_refusals()}


def _enumerated() -> dict[str, str]:
    from exporter.sequence.status import BITS
    from hil.messages import FAULT_TEXT, Fault, Outcome
    from hil.protocol import REASONS
    from sil.verdict import Outcome as Judged

    return {
        **{f"verdict: {name}": "of SIL or the bench" for name in check_names()},
        **{f"flag: {name}": about for name, (_, about) in BITS.items()},
        **{f"outcome: {outcome.value}": "how a check ended" for outcome in Judged},
        **{f"finding: {name}": "of a trace" for name in FINDINGS},
        **{f"reason: {reason.name}": text for reason, text in REASONS.items()},
        **{f"fault: {fault.name}": text for fault, text in FAULT_TEXT.items() if fault is not Fault.NONE},
        **{f"violation: {each.name}": "of a deadline" for each in Outcome if each is not Outcome.IN_TIME},
    }


@lru_cache(maxsize=1)
def check_names() -> tuple[str, ...]:
    """The checks of SIL and of the bench."""
    from hil.check_names import BenchCheck
    from sil.check_names import Check

    return (*Check, *BenchCheck)


def _refusals() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package.replace(".", "/")).rglob("*.py")):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            for refusal in refusals_of(module, path.read_text(encoding="utf-8")):
                found[f"refusal: {refusal.name}"] = refusal.text
    return found
