"""`tw export execution-trace`: PyTorch execution traces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli.export_options import names_folder, output_option, run_stem, say, scoped
from warehouse.cli.memory_options import memory_limit
from warehouse.cli.options import database
from warehouse.cli.scope_options import scope
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.query.selection import Selection


@click.command("execution-trace", short_help="Write PyTorch execution traces.")
@database
@memory_limit
@scope
@output_option("A .json or .json.gz file; a folder/ for several.  [default: RUN_et.json.gz]")
def execution_trace(
    db: Path | None, wait_s: float, selection: Selection, output: Path | None
) -> None:
    """Write PyTorch execution traces as imported: et_replay reads them.

    The same header and nodes again, linked ones with all the linker had added. One file holds one
    trace: with several, choose one by --rank or --trace, or name a folder.

    \b
    Example:
      tw export execution-trace --rank 0 -o rank0_et.json.gz
    """
    from warehouse.export import registry

    with scoped(db, wait_s, selection, whole="an execution trace") as opened:
        path = output or Path(f"{run_stem(opened.seen)}_et.json.gz")
        options = {"is_folder": names_folder(path, output)}
        files = registry.export(opened, "execution-trace", path, options)
    for file in files:
        say(f"Wrote {file.path}: {counted(file.n_nodes, 'node')}.")
