"""`tw shell`: interactive SQL, or a script from standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse import config
from warehouse.cli import options
from warehouse.cli.emit import terminal_view
from warehouse.cli.scope_options import scope
from warehouse.errors import ExitCode, TwError, UsageError
from warehouse.query import encoding
from warehouse.query.selection import Selection

if TYPE_CHECKING:
    from warehouse.shell.shell import Shell

_UNSAFE = (
    "Unsafe: statements may modify the warehouse, read and write any file, attach databases, "
    "install and load extensions, and use the network."
)


@click.command()
@click.option(
    "--format",
    "format",
    type=click.Choice([name for name in encoding.FORMATS if name not in encoding.BINARY]),
    help="Output format.  [default: table]",
)
@options.csv_safe
@click.option(
    "--write", "can_write", is_flag=True, help="Allow statements to modify the warehouse."
)
@click.option(
    "--unsafe",
    "is_unsafe",
    is_flag=True,
    help="Allow any statement, also those that read and write other files.",
)
@click.option("--keep-going", is_flag=True, help="With a script: continue after errors.")
@click.option(
    "--query-path",
    "query_path",
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    help="Folder of your own queries; repeatable.",
)
@scope
@options.lake
@options.database
def shell(
    format: str | None,
    is_csv_safe: bool,
    can_write: bool,
    is_unsafe: bool,
    keep_going: bool,
    query_path: tuple[Path, ...],
    selection: Selection,
    db: Path | None,
    wait_s: float,
) -> None:
    """Run SQL interactively, with completion and history.

    Statements access nothing but the warehouse, which they can only read. With --write they may
    modify it; with --unsafe they may also do anything else that DuckDB can.

    The warehouse is open only while a statement runs. `.help` lists dot commands. A script from
    standard input stops at the first error, with the exit code of that error.

    \b
    Example:
      tw shell --run latest
      echo ".run utilization" | tw shell
    """
    from warehouse.query import session
    from warehouse.shell.shell import Shell

    lake = options.chosen_lake()
    if lake is not None and (can_write or is_unsafe):
        raise UsageError("--write and --unsafe are for warehouses", hint="A lake is only read.")
    place = session.Place.of(db, lake=lake, wait_s=wait_s, query_path=query_path)
    chosen = format or config.load().format or "table"
    is_prompt = sys.stdin.isatty()
    show, view = _write, None
    if is_prompt:
        from warehouse.cli import shell_prompt

        if sys.stdout.isatty():
            show, view = shell_prompt.page, terminal_view
    started = Shell(
        place,
        show=show,
        say=lambda line: click.echo(line, err=True),
        selection=selection,
        format="table" if chosen in encoding.BINARY else chosen,
        is_csv_safe=is_csv_safe,
        can_write=can_write,
        is_unsafe=is_unsafe,
        view=view,
    )
    if is_unsafe:
        click.echo(_UNSAFE, err=True)
    if is_prompt:
        click.echo(f"{place.path}; .help for help, Ctrl-D to leave", err=True)
        shell_prompt.run(started)
    elif not _run_script(started, sys.stdin.read(), keep_going=keep_going):
        sys.exit(ExitCode.FAILURE)


def _write(text: bytes) -> None:
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()


def _run_script(started: Shell, text: str, *, keep_going: bool) -> bool:
    """Runs a script; returns whether it succeeded."""
    from warehouse.shell.shell import inputs

    is_well = True
    for each in inputs(text):
        try:
            started.run(each)
        except TwError as error:
            if not keep_going:
                raise
            is_well = False
            click.echo(f"Error: {error.message}", err=True)
            if error.hint:
                click.echo(f"Hint: {error.hint}", err=True)
        if started.is_over:
            break
    return is_well
