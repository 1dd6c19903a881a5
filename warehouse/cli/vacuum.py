"""`tw vacuum`: gives the space of removed traces back."""

from __future__ import annotations

from pathlib import Path

import click

from warehouse.cli import options


@click.command()
@options.database
def vacuum(db: Path | None, wait_s: float) -> None:
    """Give free space inside the warehouse back to the disk.

    What `tw drop`, `tw prune` and replaced imports leave is used again by later imports, but the
    file does not shrink by itself. This writes it anew beside the old one, so it needs room for
    both; others wait meanwhile.

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
