"""`tw lake`: Parquet files of traces that many machines write and read."""

from __future__ import annotations

from pathlib import Path

import click

from warehouse.cli import options

folder = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))


@click.group()
def lake() -> None:
    """Keep traces as Parquet files that many machines share.

    A lake is a folder of Parquet files. Many machines write to it at once, without a server;
    `tw query --lake DIR` and other commands read it in place, and so do other programs.

    \b
    Example:
      tw lake sync /mnt/lake
      tw query kernel_summary --lake /mnt/lake
    """


@lake.command()
@folder
@click.option(
    "--as",
    "name",
    metavar="NAME",
    help="Name of the warehouse in the lake.  [default: its host and path]",
)
@options.database
def sync(folder: Path, name: str | None, db: Path | None, wait_s: float) -> None:
    """Make a lake hold what the warehouse holds.

    New and replaced traces are written under ids of the lake; traces that were dropped from the
    warehouse leave the lake, unless another warehouse has them. What did not change is not written
    again. A warehouse that was moved must be named as before with --as.

    \b
    Example:
      tw lake sync /mnt/lake
      tw lake sync --db team.duckdb --as team /mnt/lake
    """
    from warehouse import config
    from warehouse.lake import sync as syncing
    from warehouse.library.describe import size
    from warehouse.wording import counted

    done = syncing.sync(config.database_path(db), folder, name=name, wait_s=wait_s)
    changes = f"{counted(done.n_written, 'trace')} written ({size(done.n_bytes)})"
    if done.n_removed:
        changes += f", {done.n_removed} removed"
    click.echo(f"{changes}; {counted(done.n_traces, 'trace')} in the warehouse.", err=True)
