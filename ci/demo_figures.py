"""Prints the figures of ci/demo from what the commands left behind.

In: the folder of the demo, with show.json, audit.json, and report.json of sil, hil and can. Out: lines on stdout; exit
code 1 where the proved and the counted instructions differ.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

FUNCTION = "dostep"
NO_ERRORS = re.compile("bit agreement|spread|not finite|repeated|flagged wrongly|not replaced")  # counts, not errors


def read(folder: Path, name: str) -> Any:
    """A JSON file of the demo."""
    return json.loads((folder / name).read_text(encoding="utf-8"))


def named(entries: list[dict[str, Any]], name: str, key: str = "name") -> dict[str, Any]:
    """The entry of that name."""
    return next(entry for entry in entries if entry[key] == name)


def counted_instructions(sil: dict[str, Any]) -> tuple[int, int]:
    """Fewest and most instructions that a call took over all vectors."""
    spread = named(sil["verdicts"], "spread of the instruction count", "check")
    return spread["fewest"], spread["fewest"] + int(spread["value"])


def agreements(sil: dict[str, Any]) -> str:
    """Who agrees with whom on how many vectors."""
    count = named(sil["vectors"], FUNCTION, "function")["count"]
    told = [verdict for verdict in sil["verdicts"] if verdict["check"].startswith("bit agreement")]
    pairs = "; ".join(
        f"{verdict['check'].removeprefix('bit agreement of ')}: {verdict['value']:g} differ" for verdict in told
    )
    return f"{count:,} vectors, {pairs}"


def errors(sil: dict[str, Any]) -> list[str]:
    """The worst error of every comparison with the reference, and its limit."""
    return [
        f"{verdict['check']} {verdict['value']:.3g} of {verdict['limit']:.3g}"
        for verdict in sil["verdicts"]
        if not NO_ERRORS.search(verdict["check"])
    ]


def deadline(hil: dict[str, Any]) -> str:
    """The longest way from release to finish."""
    worst = named(hil["verdicts"], "worst finish after release", "check")
    return f"{worst['value']:.4g} {worst['unit']} of {worst['limit']:.4g} {worst['unit']}, {hil['time_base']}"


def main(folder: Path) -> None:
    """Print every figure."""
    show, audit = read(folder, "show.json"), read(folder, "audit.json")
    sil, hil, can = (read(folder, f"{name}/report.json") for name in ("sil", "hil", "can"))
    proof = named(audit["functions"], FUNCTION)
    fewest, most = counted_instructions(sil)
    run = hil["free_run"]
    rows = [
        ("operations of the step", named(show["functions"], FUNCTION)["cost_text"]),
        ("instructions, static", f"{proof['instructions']}, of them {proof['outside']} outside the kernels"),
        ("instructions, dynamic", str(fewest) if fewest == most else f"{fewest} to {most}"),
        ("bit agreement", agreements(sil)),
        *(("worst error", error) for error in errors(sil)),
        ("activations", f"{run['ran']:,} of {run['requested']:,}"),
        ("missed", f"{run['missed']:,}, skipped {run['skipped']:,}"),
        ("worst case, deadline", deadline(hil)),
        ("over CAN", can["headline"]),
        ("side by side", ", ".join(f"{each['kind']} ({each['title']})" for each in hil["columns"])),
        *(("not shown", f"{each['what']}: {each['why']}") for each in hil["not_shown"]),
        ("all reports", str(folder / "index.html")),
        ("report to sign", f"{folder / 'hil' / 'report.html'}: {hil['verdict']}"),
    ]
    for label, value in rows:
        print(f"{label:<23} {value}")
    if not fewest == most == proof["instructions"]:
        sys.exit("ci/demo: error: the instructions that were proved are not those that were counted")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
