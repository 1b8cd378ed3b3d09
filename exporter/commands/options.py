"""Options that several commands share: what is to differ from a mechanism's file.

In: words of the command line. Out: `exporter.model.changes.Changes`. The quantities in them are read later, against the
mechanism.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import click
from click.core import ParameterSource

Command = Callable[..., None]


def said(context: click.Context, option: click.Parameter, value: str) -> str:
    """What an option says; given with nothing in it, as by a shell's empty variable, it is wrong use."""
    if not value.strip(" ,") and context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE:
        raise click.BadParameter("nothing is named; give a value or leave the option out")
    return value


_MECHANISM = (
    click.option(
        "--independent",
        metavar="NAMES",
        default="",
        callback=said,
        help="Other independent coordinates, joined by commas.",
    ),
    click.option("--pose", multiple=True, metavar="NAME=QUANTITY", help='Design pose, as "beta=-10 deg"; repeatable.'),
    click.option(
        "--branch",
        metavar="NAMES",
        default="",
        callback=said,
        help='Assembly mode by the names that show prints, as "L1-"; the design pose moves there.',
    ),
    click.option(
        "--set", "values", multiple=True, metavar="NAME=QUANTITY", help='Parameter, as "l1=30 cm"; repeatable.'
    ),
)
_SOLVER = (
    click.option(
        "--method",
        metavar="NAME",
        default="",
        callback=said,
        help="Of the positions: triangular (default), newton, newton-per-loop, characteristic-pair or lexicographic.",
    ),
    click.option("--steps", type=click.IntRange(1), metavar="N", help="Fixed steps of Newton's methods [default: 3]."),
    click.option(
        "--tolerance",
        metavar="NUMBER",
        default="",
        callback=said,
        help="Instead of --steps, Newton's methods step until the residual is below it: NOT fixed-time.",
    ),
    click.option(
        "--max-steps", type=click.IntRange(1), metavar="N", help="At most so many, with --tolerance [default: 20]."
    ),
)
_PROGRAM = (
    click.option(
        "--alternative",
        metavar="NAMES",
        default="",
        callback=said,
        help="As many other independent coordinates, to switch to in dostep.",
    ),
    click.option(
        "--tunable", metavar="NAMES", default="", callback=said, help='Parameters to be set at run time, or "all".'
    ),
    click.option(
        "--frozen", metavar="NAMES", default="", callback=said, help='Parameters to be fixed in the code, or "all".'
    ),
    click.option(
        "--step-method",
        metavar="NAME",
        default="",
        callback=said,
        help="euler, semi_implicit_euler, rk4 or linearly_implicit.",
    ),
    click.option("--period", metavar="TIME", default="", callback=said, help='Period of the step, as "1 ms".'),
)
_OUTPUTS = (
    click.option(
        "--outputs",
        metavar="NAMES",
        default="",
        callback=said,
        help='What functions give, by names or patterns, as "*.acceleration,rho1"; "all" for everything.',
    ),
)
_WORDS = ("alternative", "outputs", "tunable", "frozen", "step_method", "period", "method", "tolerance")
"""Options of programs that are one word each."""


def mechanism_options(command: Command) -> Command:
    """Adds --independent, --pose, --branch and --set, which the command receives as one argument `changes`."""
    return _add_options(_gather_words(command), _MECHANISM)


def program_options(command: Command) -> Command:
    """Adds those of `function_options`, and --alternative, --tunable, --frozen, --step-method, --period."""
    return _add_options(_gather_words(command), (*_MECHANISM, *_SOLVER, *_PROGRAM, *_OUTPUTS))


def function_options(command: Command) -> Command:
    """Adds the mechanism's and --method, --steps, --tolerance, --max-steps, --outputs; the command gets `changes`."""
    return _add_options(_gather_words(command), (*_MECHANISM, *_SOLVER, *_OUTPUTS))


def _add_options(command: Command, options: Iterable[Callable[[Command], Command]]) -> Command:
    for option in reversed(tuple(options)):
        command = option(command)
    return command


def _gather_words(command: Command) -> Command:
    """The command behind one that takes the words."""

    @wraps(command)
    def gathered(
        *,
        independent: str,
        pose: Iterable[str],
        branch: str,
        values: Iterable[str],
        steps: int | None = None,
        max_steps: int | None = None,
        **others: Any,
    ) -> None:
        from exporter.model.changes import Changes

        words = {option: others.pop(option, "") for option in _WORDS}
        changes = Changes(
            independent=names(independent),
            pose=assignments("--pose", pose),
            branch=names(branch),
            values=assignments("--set", values),
            alternative=names(words["alternative"]),
            tunable=names(words["tunable"]),
            frozen=names(words["frozen"]),
            step_method=words["step_method"],
            period=words["period"],
            method=words["method"],
            steps=steps or 0,
            tolerance=words["tolerance"],
            max_steps=max_steps or 0,
            outputs=names(words["outputs"]),
        )
        command(changes=changes, **others)

    return gathered


def names(text: str) -> tuple[str, ...]:
    """The names in "l1, m2"."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def assignments(option: str, words: Iterable[str]) -> dict[str, str]:
    """Name -> quantity of words such as "theta=30 deg".

    Raises:
        ModelError: a word without a name or a quantity, or a name that stands twice.
    """
    from exporter.errors import ModelError

    found: dict[str, str] = {}
    for word in words:
        name, _, text = (part.strip() for part in word.partition("="))
        if not name or not text:
            raise ModelError(f'{option}: "{word}" is not of the form NAME=QUANTITY; write one such as "theta=30 deg"')
        if name in found:
            raise ModelError(f'{option}: "{name}" stands twice; give one value')
        found[name] = text
    return found
