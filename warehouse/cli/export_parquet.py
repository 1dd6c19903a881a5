"""`tw export parquet`: a lake of Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli.export_options import output_option, run_stem, say, scoped
from warehouse.cli.memory_options import memory_limit
from warehouse.cli.options import database, lake
from warehouse.cli.scope_options import scope
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.query.selection import Selection


@click.command(short_help="Write all tables as Parquet.")
@lake
@database
@memory_limit
@scope
@output_option("Folder to create; must not exist or be empty.  [default: RUN.lake]")
def parquet(db: Path | None, wait_s: float, selection: Selection, output: Path | None) -> None:
    """Write all tables as Parquet, partitioned by trace (Hive layout).

    \b
    Example:
      tw export parquet -o lake
      duckdb -c "FROM read_parquet('lake/slice/**', hive_partitioning := true) LIMIT 5"
    """
    from warehouse.export import registry

    with scoped(db, wait_s, selection) as opened:
        path = output or Path(f"{run_stem(opened.seen)}.lake")
        tables = registry.export(opened, "parquet", path)
    n_rows = sum(table.n_rows for table in tables)
    n_files = sum(table.n_files for table in tables)
    say(
        f"Wrote {path}: {counted(n_rows, 'row')} of {counted(len(tables), 'table')} in "
        f"{counted(n_files, 'file')}."
    )
