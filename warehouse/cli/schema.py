"""`tw schema`: tables, columns and the schema version."""

from __future__ import annotations

from pathlib import Path

import click

from warehouse.cli import options
from warehouse.cli.emit import echo_lines


@click.group()
def schema() -> None:
    """Show or upgrade the warehouse's schema.

    \b
    Example:
      tw schema show slice
      tw schema version
    """


@schema.command()
@click.argument("table", required=False)
def show(table: str | None) -> None:
    """List tables and views, or show the columns of one with type, unit and description.

    Shows the schema of this tw; no warehouse is needed.

    \b
    Example:
      tw schema show
      tw schema show gpu_op
    """
    from warehouse.library import describe
    from warehouse.store import catalog

    with catalog.empty() as connection:
        lines = describe.table(connection, table) if table else describe.tables(connection)
    echo_lines(lines)


@schema.command()
@options.database
def version(db: Path | None, wait_s: float) -> None:
    """Print the schema versions of the warehouse and of this tw.

    \b
    Example:
      tw schema version
    """
    from warehouse import config
    from warehouse.store import database, migrate

    path = config.database_path(db)
    found, latest = database.schema_version(path, wait_s=wait_s), migrate.latest_version()
    click.echo(f"{path}: {found}")
    click.echo(f"this tw: {latest}")
    if found < latest:
        click.echo(f"Run `tw schema upgrade --db {path}`.", err=True)


@schema.command()
@options.database
def upgrade(db: Path | None, wait_s: float) -> None:
    """Upgrade the warehouse to the schema of this tw; older versions cannot read it afterwards.

    \b
    Example:
      cp traces.duckdb before.duckdb
      tw schema upgrade
    """
    from warehouse import config
    from warehouse.library import macros
    from warehouse.store import database

    path = config.database_path(db)
    done = database.upgrade_file(path, wait_s=wait_s, afterwards=macros.keep_stored)
    click.echo(f"Ran {', '.join(done)}." if done else "Nothing to do.", err=True)
