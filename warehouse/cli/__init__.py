"""The command line: one small module a command, imported only when it runs.

Only this package knows a terminal. A command parses options, calls the library, prints the result
on stdout and everything else on stderr, and leaves exit codes to `main`.
"""

from __future__ import annotations

import importlib
import os
import sys

import click

from warehouse import __version__
from warehouse.errors import ExitCode, TwError

#: command -> (module under warehouse.cli, attribute, one line for `tw --help`)
COMMANDS = {
    "import": ("import_", "import_", "Read trace files into the warehouse."),
    "query": ("query", "query", "Run a library query, a file or a statement."),
    "shell": ("shell", "shell", "Ask questions in SQL, with completion and history."),
    "queries": ("queries", "queries", "List, show, check and create queries."),
    "export": ("export", "export", "Write Perfetto, Chrome or Parquet files."),
    "verify": ("verify", "verify", "Say whether the numbers of a written file still stand."),
    "open": ("open_", "open_", "Show a timeline in the Perfetto UI, in the browser."),
    "compare": ("compare", "compare", "Say what differs between two runs."),
    "check": ("check", "check", "Look for defects in the data."),
    "schedule": ("schedule", "schedule", "Make the same export again and again."),
    "runs": ("runs", "runs", "List the runs and traces in the warehouse."),
    "tag": ("tag", "tag", "Label runs, or list the labels."),
    "drop": ("drop", "drop", "Remove runs or traces from the warehouse."),
    "prune": ("prune", "prune", "Remove runs that have grown old."),
    "vacuum": ("vacuum", "vacuum", "Give free space back to the disk."),
    "backup": ("backup", "backup", "Copy the warehouse, whole or not at all."),
    "link": ("link", "link", "Make the links of runs anew."),
    "formats": ("formats", "formats", "List the importers."),
    "schema": ("schema", "schema", "Show or upgrade the warehouse's schema."),
    "info": ("info", "info", "Say what the warehouse file is, and how large."),
    "config": ("config_", "config_", "Show which settings hold here."),
    "completion": ("completion", "completion", "Print the completion script of a shell."),
    "demo": ("demo", "demo", "Import a real recording, query it and export it."),
}


class LazyGroup(click.Group):
    """Knows its commands by name and help line; imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[cmd_name]
        command = getattr(importlib.import_module(f"warehouse.cli.{module}"), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, _, line) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            import difflib

            near = difflib.get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"No such command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


def _print_spec(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        from warehouse.cli import spec

        click.echo(spec.text(tw))
        context.exit()


@click.group(cls=LazyGroup, context_settings={"auto_envvar_prefix": "TW", "max_content_width": 100})
@click.version_option(__version__, prog_name="tw")
@click.option(
    "--spec",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_spec,
    help="Print commands, options and query contracts as JSON.",
)
def tw() -> None:
    """Trace Warehouse: import, query and export training and inference traces.

    \b
    Example:
      tw import traces/*.json.gz
      tw query utilization
      tw export perfetto -o run.pftrace
    """


def main() -> None:
    """Runs `tw`; every deliberate failure becomes one sentence, a hint and an exit code."""
    # NumPy's linear algebra, which nothing here uses, starts threads that wait by spinning.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        sys.exit(tw.main(standalone_mode=False))
    except click.exceptions.Abort:
        sys.exit(_interrupted())
    except KeyboardInterrupt:
        sys.exit(_interrupted())
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except RuntimeError as error:
        if str(error) != "Query interrupted":  # how DuckDB passes on Ctrl-C
            raise
        sys.exit(_interrupted())
    except BrokenPipeError:
        # The reader of our output went away, as `head` does; stdout cannot be flushed any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ExitCode.OK)
    except TwError as error:
        if os.environ.get("TW_DEBUG"):
            raise
        click.echo(f"Error: {error.message}", err=True)
        if error.hint:
            click.echo(f"Hint: {error.hint}", err=True)
        sys.exit(error.exit_code)


def _interrupted() -> int:
    click.echo("Interrupted.", err=True)
    return ExitCode.INTERRUPT
