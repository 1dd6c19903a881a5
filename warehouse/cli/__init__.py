"""The command line: one module per command, imported only when the command runs.

Only this package reads from or prints to a terminal. A command parses options, calls the library,
prints the result to stdout and everything else to stderr. `run` returns the exit code.
"""

from __future__ import annotations

import errno
import gc
import importlib
import os
import sys
from typing import Any, NoReturn

import click

from warehouse import __version__
from warehouse.cli import plugin_group, process, standard_streams
from warehouse.errors import ExitCode, TwError

_OF_STDOUT = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO, errno.EBADF, errno.ENXIO)
_OBJECTS_BETWEEN_COLLECTIONS = 200_000
_DUCKDB = ("duckdb", "_duckdb")  # modules of its exceptions, whose import is slow
#: command -> (module under warehouse.cli, attribute, one line for `tw --help`)
COMMANDS = {
    "import": ("import_", "import_", "Import trace files into the warehouse."),
    "record": ("record", "record", "Record a program and import the trace."),
    "query": ("query", "query", "Run a library query, a file or a statement."),
    "shell": ("shell", "shell", "Run SQL interactively, with completion and history."),
    "queries": ("queries", "queries", "List, show, check and create queries."),
    "export": ("export", "export", "Export traces, graphs, workbooks, pages and Parquet files."),
    "verify": ("verify", "verify", "Check that an exported file still matches its source traces."),
    "open": ("open_", "open_", "Open a timeline in the Perfetto UI, in the browser."),
    "compare": ("compare", "compare", "Compare two runs, or a run with a baseline."),
    "trend": ("trend", "trend", "Follow a figure over runs, and find where it changed."),
    "diagnose": ("diagnose", "diagnose", "Find what makes a run slow, and what repairs save."),
    "replay": ("replay", "replay", "Replay a run, with changes, and predict its time."),
    "optimize": ("optimize", "optimize", "Search for changes that make a run faster."),
    "model": ("model", "model", "Fit, list and show cost models."),
    "check": ("check", "check", "Check data quality."),
    "schedule": ("schedule", "schedule", "Run exports on a schedule."),
    "mcp": ("mcp", "mcp", "Serve the warehouse to agents (Model Context Protocol)."),
    "runs": ("runs", "runs", "List the runs and traces in the warehouse."),
    "tag": ("tag", "tag", "Tag runs, or list tags."),
    "drop": ("drop", "drop", "Remove runs or traces from the warehouse."),
    "prune": ("prune", "prune", "Remove old runs."),
    "vacuum": ("vacuum", "vacuum", "Compact the warehouse file."),
    "backup": ("backup", "backup", "Copy the warehouse to a backup file."),
    "lake": ("lake", "lake", "Keep traces as Parquet files that many machines share."),
    "link": ("link", "link", "Rebuild the links of one or more runs."),
    "formats": ("formats", "formats", "List the importers and their formats."),
    "schema": ("schema", "schema", "Show or upgrade the warehouse's schema."),
    "info": ("info", "info", "Show the size and contents of the warehouse file."),
    "config": ("config_", "config_", "Show the settings and their sources."),
    "completion": ("completion", "completion", "Print a shell completion script."),
    "demo": ("demo", "demo", "Import a sample recording, query it and export it."),
}


class LazyGroup(click.Group):
    """A group whose commands are listed by name and help line, and imported only to run.

    Installed packages add commands under names without a dot; those of `tw` itself come first.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *(n for n in plugin_group.top_level() if n not in COMMANDS)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return plugin_group.loaded(cmd_name, cmd_name)
        module, attribute, _ = COMMANDS[cmd_name]
        command = getattr(importlib.import_module(f"warehouse.cli.{module}"), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            own = {name: line for name, (_, _, line) in COMMANDS.items()}
            lines = [
                (name, own.get(name) or plugin_group.help_line(name))
                for name in self.list_commands(ctx)
            ]
            formatter.write_dl(lines)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader closed the pipe, as `head` does; click would exit 1
            standard_streams.discard_output()
            ctx.exit(ExitCode.OK)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS:  # to list all takes longer
            plugin_group.refuse_unknown(self, ctx, args)
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


def main() -> NoReturn:
    """Runs `tw` and ends the process with its exit code."""
    code = run()
    if code != ExitCode.OK:
        gc.collect()  # closes what frames of the failure keep open
    process.leave(code)


def run() -> int:
    """Runs `tw`; prints each expected failure as one sentence and a hint; returns the exit code."""
    # OpenBLAS, which nothing here uses, would start threads that spin while they wait.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Hardly any object of a command is in a cycle: at the default, searching takes 5 % of the time.
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, 20, 20)
    standard_streams.ensure_open()
    try:
        code = tw.main(standalone_mode=False)
        sys.stdout.flush()  # here, because a failure at exit is not reported as one
        return int(code or ExitCode.OK)
    except SystemExit as ended:
        return _ended(ended)
    except click.exceptions.Abort:
        return _interrupted()
    except KeyboardInterrupt:
        return _interrupted()
    except click.ClickException as error:
        error.show()
        _hint_at_order(error)
        return error.exit_code
    except RuntimeError as error:
        if str(error) != "Query interrupted":  # how DuckDB reports Ctrl-C
            raise
        return _interrupted()
    except BrokenPipeError:
        standard_streams.discard_output()  # the reader closed the pipe, as `head` does
        return ExitCode.OK
    except (TwError, OSError) as error:
        if os.environ.get("TW_DEBUG"):
            raise
        return _failed(error if isinstance(error, TwError) else _system_failure(error))
    except Exception as error:
        if os.environ.get("TW_DEBUG") or type(error).__module__ not in _DUCKDB:
            raise
        return _failed(_database_failure(error))


def _ended(ended: SystemExit) -> int:
    """The exit code of a command that ended the program; a message in its place is printed."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return _failed(_system_failure(error))
    if ended.code is None or isinstance(ended.code, int):
        return ended.code or ExitCode.OK
    click.echo(ended.code, err=True)
    return ExitCode.FAILURE


def _failed(error: TwError) -> int:
    standard_streams.flush_or_discard()
    click.echo(f"Error: {error.message}", err=True)
    if error.hint:
        click.echo(f"Hint: {error.hint}", err=True)
    return error.exit_code


def _hint_at_order(error: click.ClickException) -> None:
    """Prints where options belong, if one precedes the command."""
    if isinstance(error, click.NoSuchOption) and error.ctx and error.ctx.command is tw:
        option = error.option_name
        click.echo(f"Hint: Options follow the command: tw COMMAND {option} ...", err=True)


def _database_failure(error: Exception) -> TwError:
    from warehouse.store import damage, texts

    hint = "Please report it, with the command; TW_DEBUG=1 prints the traceback."
    known = damage.unwritable(error) or texts.refused(error)
    return known or TwError(str(error).partition("\n")[0], hint=hint)


def _system_failure(error: OSError) -> TwError:
    """Converts an error of the operating system; one of writing without a name is about stdout."""
    reason = error.strerror or str(error)
    if error.filename is not None:
        return TwError(f"{error.filename}: {reason}")
    return TwError(f"stdout cannot be written: {reason}" if error.errno in _OF_STDOUT else reason)


def _interrupted() -> int:
    click.echo("Interrupted.", err=True)
    return ExitCode.INTERRUPT
