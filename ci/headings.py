"""Figures of the source of an export as a reader meets it: headings, statements under them, tags, size.

    .venv/bin/python ci/headings.py five_link
    .venv/bin/python ci/headings.py out/five_link/five_link.c

bytes          of the source
statements     `const ... = ...;` in functions
headings       comments of their own line in functions
longest        statements under one heading, at most
empty          headings without a statement
unheaded       statements under no heading, or under one that names no step
doubled        headings that tell the rate of a rate, or the acceleration of an acceleration
tagged         statements with the name of a step behind them, in thousandths
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from exporter.c99.files import program_files  # noqa: E402
from exporter.c99.headings import NO_STEP  # noqa: E402
from exporter.export import program_of_source  # noqa: E402

FUNCTION = re.compile(r"^\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
STATEMENT = re.compile(r"    const \w+ \w+ = .*;")
DOUBLED = re.compile(r"\b(?:rates|accelerations) of (?:rates|accelerations) of\b")
HEADING = "    /* "
THOUSAND = 1000


@dataclass
class Heading:
    """A heading and what stands under it."""

    text: str
    statements: int = 0
    tags: int = 0


@dataclass
class Listing:
    """The functions of a source."""

    text: str
    headings: list[Heading] = field(default_factory=list)

    def figures(self) -> dict[str, int]:
        """All figures by name."""
        statements = sum(each.statements for each in self.headings)
        return {
            "bytes": len(self.text.encode()),
            "statements": statements,
            "headings": sum(bool(each.text) for each in self.headings),
            "longest": max((each.statements for each in self.headings), default=0),
            "empty": sum(bool(each.text) and not each.statements for each in self.headings),
            "unheaded": sum(each.statements for each in self.headings if each.text in ("", str(NO_STEP))),
            "doubled": sum(bool(DOUBLED.search(each.text)) for each in self.headings),
            "tagged": round(THOUSAND * sum(each.tags for each in self.headings) / max(statements, 1)),
        }


def listing(text: str) -> Listing:
    """A source, function by function. A tag too long for its line, above the statement, counts as a heading."""
    found = Listing(text)
    for function in FUNCTION.findall(text):
        found.headings.append(Heading(""))
        for line in function.splitlines():
            if line.startswith(HEADING):
                found.headings.append(Heading(line.removeprefix(HEADING).removesuffix(" */")))
            elif STATEMENT.match(line):
                found.headings[-1].statements += 1
                found.headings[-1].tags += line.endswith("*/")
    return found


def source_of(words: str) -> str:
    """The text of a .c file, or of a model's export in float32."""
    if words.endswith(".c"):
        return Path(words).read_text(encoding="utf-8")
    program = program_of_source(words, "float32")
    return program_files(program)[f"{program.name}.c"]


def main() -> int:
    """Print the figures, and the headings over most statements."""
    found = listing(source_of(sys.argv[1]))
    for name, value in found.figures().items():
        sys.stdout.write(f"{name:<12}{value}\n")
    for each in sorted(found.headings, key=lambda each: -each.statements)[:10]:
        sys.stdout.write(f"{each.statements:>5}  {each.text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
