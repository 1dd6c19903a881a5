"""`tw export chrome`: Trace Event JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli.export_options import named, names_folder, output_option, run_stem, say, scoped
from warehouse.cli.memory_options import memory_limit
from warehouse.cli.options import database, lake
from warehouse.cli.scope_options import scope
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.query.selection import Selection


@click.command(short_help="Write Trace Event JSON.")
@lake
@database
@memory_limit
@scope
@output_option("A .json or .json.gz file, or a folder for several traces.  [default: RUN.json.gz]")
@named
def chrome(
    db: Path | None,
    wait_s: float,
    selection: Selection,
    output: Path | None,
    names: tuple[str, ...],
) -> None:
    """Write Trace Event JSON: the imported file again, event for event.

    A file holds one trace, without arrows to others: choose one with --rank or --trace, or name a
    folder for several. With several --run, it holds the traces of all of them, one above the other,
    with arrows for the links between them.

    \b
    Example:
      tw export chrome --rank 0 -o rank0.json.gz
      tw export chrome --run measured --run predicted -o both.json.gz
    """
    from warehouse.export import registry

    with scoped(db, wait_s, selection) as opened:
        path = output or Path(f"{run_stem(opened.seen)}.json.gz")
        request = {"is_folder": names_folder(path, output), **({"names": names} if names else {})}
        files = registry.export(opened, "chrome", path, request)
    for file in files:
        how = "as imported" if file.is_restored else "converted from the timeline"
        say(f"Wrote {file.path}: {counted(file.n_events, 'event')}, {how}.")
    if opened.seen.has_window:
        say("  Only events of the time window were written.")
