"""`tw backup`: a copy of the warehouse to keep."""

from __future__ import annotations

from pathlib import Path

import click

from warehouse.cli import options


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--force", "replaces", is_flag=True, help="Replace an existing file.")
@options.database
def backup(target: Path, replaces: bool, db: Path | None, wait_s: float) -> None:
    """Copy the warehouse to TARGET as it is now, whole or not at all.

    Others may go on reading; who wants to write waits until the copy is made. TARGET is a
    warehouse like any other: `--db TARGET` reads it, and copying it back restores it. A folder
    gets a file with the warehouse's name and the time in UTC.

    \b
    Example:
      tw backup traces-2026-11-20.duckdb
      tw backup /backups/
    """
    from datetime import UTC, datetime

    from warehouse import config
    from warehouse.library.describe import size
    from warehouse.store import copying

    path = config.database_path(db)
    if target.is_dir():
        target /= f"{path.stem}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}{path.suffix}"
    n_bytes = copying.backup(path, target, replaces=replaces, wait_s=wait_s)
    click.echo(f"{target}: {size(n_bytes)}.", err=True)
