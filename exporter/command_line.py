"""The command line of `kinefix`: finds its subcommands through the entry-point group `kinefix.commands`.

Nothing heavy is imported here: a subcommand's module is imported when it is called or asked for its help.
"""

import gc
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import EntryPoint, entry_points

import click

from exporter import __version__
from exporter.ending import ending, wants_trace
from exporter.errors import KinefixError
from exporter.visible import visible

GROUP = "kinefix.commands"
COLLECTED_AFTER = (100_000, 20, 20)
"""Objects made before garbage is looked for: those of a run live to its end, and looking took 7 % of its time."""

CLOSED_PIPE_EXIT_CODE = 141
"""What a shell gives a program that SIGPIPE ends."""

COMMAND_SUMMARIES: dict[str, str] = {
    "new": "Write a commented mechanism file that works.",
    "list": "List the mechanisms of the library.",
    "show": "Solve order, branches, margins, cost, and a picture at a pose.",
    "analyse": "Loops, choices of coordinates, solve order, degrees, costs.",
    "compare": "Cost, accuracy and constancy of the triangular form and other methods.",
    "trace": "Follow a path: flags, margins, continuity, and a picture.",
    "export": "Write the C99 export of a mechanism or a symbolic model.",
    "build": "Compile an export for the host or a microcontroller.",
    "audit": "Prove the single path and count instructions in the machine code.",
    "sil": "Verify an export against the independent reference (software in the loop).",
    "hil": "Run an export on an emulated or real ECU, in time (hardware in the loop).",
    "dbc": "Write the CAN database (DBC) of an export.",
    "requirements": "Say which requirement was shown by which test.",
    "report": "Collect the reports of a run into one page.",
    "doctor": "Say which tools are present and how to get the others.",
}


class PipelineGroup(click.Group):
    """Subcommands in the order of the pipeline, loaded on demand; one-line helps without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Our own in pipeline order, then those of third parties."""
        found = set(_entry_points())
        return [name for name in COMMAND_SUMMARIES if name in found] + sorted(found - set(COMMAND_SUMMARIES))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one subcommand.

        Raises:
            KinefixError: it is installed and does not load.
        """
        entry = _entry_points().get(cmd_name)
        if entry is None:
            return None
        try:
            command: click.Command = entry.load()
        except (ImportError, AttributeError) as error:
            raise KinefixError(
                f"the command '{cmd_name}' ({entry.value}) cannot be loaded: {error}; install the package again"
            ) from error
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of subcommands, from COMMAND_SUMMARIES where it is known."""
        rows = []
        for name in self.list_commands(ctx):
            about = COMMAND_SUMMARIES.get(name)
            if about is None:
                command = self.get_command(ctx, name)
                about = command.get_short_help_str() if command else ""
            rows.append((name, about))
        with formatter.section("Commands, in the order of the pipeline"):
            formatter.write_dl(rows)


def _entry_points() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


@click.group(
    cls=PipelineGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="kinefix")
@click.pass_context
def kinefix(context: click.Context) -> None:
    """Closed-loop mechanisms on embedded targets: exact kinematics, minimal dynamics, C99 with a fixed operation count.

    \b
    A first run:
      kinefix new my_mechanism
      kinefix show my_mechanism.toml
      kinefix export my_mechanism.toml --out out/my_mechanism
      kinefix sil out/my_mechanism --count 2000
    """  # noqa: D301 - \b is click's mark for a paragraph that keeps its lines
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line: exit code 0, 1 (a check failed), 2 (wrong use, or something is missing), or of a signal.

    Of SIGPIPE where the reader of a pipe has closed it, as `head` does. Whatever is raised becomes one line on stderr
    (see `exporter.ending`).
    """
    gc.set_threshold(*COLLECTED_AFTER)
    try:
        code = kinefix.main(
            args=None if arguments is None else list(arguments), prog_name="kinefix", standalone_mode=False
        )
    except SystemExit:
        if "PacifyFlush" not in type(sys.stdout).__name__:  # which click puts there once a pipe is closed
            raise
        return CLOSED_PIPE_EXIT_CODE
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - no input ends in a traceback
        return _tell(error)
    return code if isinstance(code, int) else 0


def _tell(error: BaseException) -> int:
    end = ending(error)
    with suppress(OSError):  # of a terminal that is closed
        if wants_trace():
            traceback.print_exception(error)
        click.echo(f"kinefix: error: {visible(' '.join(end.sentence.split()))}", err=True)
        for line in end.listed:
            click.echo(f"  {visible(line)}", err=True)
    return end.code
