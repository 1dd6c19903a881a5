"""`tw backup`: copies the warehouse."""

from __future__ import annotations

from pathlib import Path

import click

from warehouse.cli import options


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--force", "replaces", is_flag=True, help="Replace an existing file.")
@options.database
def backup(target: Path, replaces: bool, db: Path | None, wait_s: float) -> None:
    """Copy the warehouse to TARGET, completely or not at all.

    Readers are not blocked; writers wait until the copy is complete. TARGET is a normal warehouse
    file: read it with `--db TARGET`, copy it back to restore. If TARGET is a folder, the file is
    named after the warehouse and the time in UTC.

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
