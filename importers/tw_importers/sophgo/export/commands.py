"""`tw export tpu-summary` and `tpu-registers`: the text files of the vendor's TPU tool."""

from __future__ import annotations

from pathlib import Path

import click

from warehouse.cli.memory_options import memory_limit, place
from warehouse.cli.options import database
from warehouse.cli.scope_options import announce, scope
from warehouse.query.selection import Selection


@click.command("tpu-summary", short_help="Write the summary of a TPU capture.")
@database
@memory_limit
@scope
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file to write, besides printing.  [default: summary.txt]",
)
def tpu_summary(db: Path | None, wait_s: float, selection: Selection, output: Path | None) -> None:
    """Print and write the summary of a TPU capture.

    The vendor's table, then work, idle time and traffic of every engine, the links between chips,
    and how much of moving data computing hides.

    \b
    Example:
      tw export tpu-summary
      tw export tpu-summary --run latest -o before.txt
    """
    from warehouse.export import registry
    from warehouse.files import is_stdout
    from warehouse.query import session

    with session.opened(place(db, wait_s, is_export=True), selection) as opened:
        announce(opened.seen, quiet=False)
        path = output or Path("summary.txt")
        text: str = registry.export(opened, "tpu-summary", path)
    if not is_stdout(path):
        click.echo(text, nl=False)
    click.echo(f"Wrote {path}.", err=True)


@click.command("tpu-registers", short_help="Write TPU commands as register text.")
@database
@memory_limit
@scope
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The folder to make; it must be absent or empty.  [default: registers]",
)
def tpu_registers(
    db: Path | None, wait_s: float, selection: Selection, output: Path | None
) -> None:
    """Write the commands of a TPU capture as the vendor's register text files.

    tiuRegInfo_CORE.txt, tdmaRegInfo_CORE.txt and cdmaRegInfo_PORT.txt, in a folder for each
    capture where there are several.

    \b
    Example:
      tw export tpu-registers -o registers
    """
    from warehouse.export import registry
    from warehouse.query import session

    with session.opened(place(db, wait_s, is_export=True), selection) as opened:
        announce(opened.seen, quiet=False)
        path = output or Path("registers")
        written = registry.export(opened, "tpu-registers", path)
    n_bytes = f"{written.n_bytes / 1e6:.1f} MB"
    click.echo(
        f"Wrote {path}: {written.n_commands:,} commands in {written.n_files:,} files, {n_bytes}.",
        err=True,
    )
