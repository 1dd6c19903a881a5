"""`tw vacuum`: compacts the warehouse file."""

from __future__ import annotations

from pathlib import Path

import click

from warehouse.cli import options


@click.command()
@options.database
def vacuum(db: Path | None, wait_s: float) -> None:
    """Compact the warehouse file and return free space to the file system.

    Imports reuse the space that `tw drop`, `tw prune` and replaced imports free, but the file does
    not shrink by itself. This writes a compact copy beside the file and replaces it, so the disk
    must hold both; other processes wait meanwhile.

    \b
    Example:
      tw vacuum
    """
    from warehouse import config
    from warehouse.library.describe import size
    from warehouse.store import copying

    path = config.database_path(db)
    done = copying.vacuum(path, wait_s=wait_s)
    click.echo(f"{path}: {size(done.before)} before, {size(done.after)} now.", err=True)
