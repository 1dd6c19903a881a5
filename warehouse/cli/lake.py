"""`tw lake`: Parquet files of traces that many machines write and read."""

from __future__ import annotations

from pathlib import Path

import click

from warehouse.cli import options

folder = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))

runs_option = click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="RUN",
    help="NAME, ID, latest, all, tag:NAME or since:7d; repeatable.  "
    "[default: the only run, else the last imported]",
)


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
    warehouse leave the lake, unless another warehouse has them or `tw import --lake` imported
    them. What did not change is not written again. A warehouse that was moved must be named as
    before with --as.

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


@lake.command()
@folder
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def check(folder: Path, quiet: bool) -> None:
    """Verify the files of a lake: bytes, sums and rows.

    Every file that a commit names is read. Exits with 1 if one is missing or differs; claims
    without a commit are only listed.

    \b
    Example:
      tw lake check /mnt/lake
    """
    from warehouse.errors import ExitCode
    from warehouse.lake import upkeep
    from warehouse.library.describe import size
    from warehouse.wording import counted

    done = upkeep.check(folder)
    for each in done.findings:
        kind = "Error" if each.is_error else "Note"
        click.echo(f"{kind}: {each.path} {each.meaning}; {each.remedy}")
    n_errors = sum(each.is_error for each in done.findings)
    if not quiet:
        files = f"{counted(done.n_files, 'file')} ({size(done.n_bytes)})"
        what = f"{counted(done.n_traces, 'trace')}, {files}"
        click.echo(f"{what}: {counted(n_errors, 'error')}.", err=True)
    if n_errors:
        raise SystemExit(ExitCode.FAILURE)


@lake.command()
@folder
@options.age
def vacuum(folder: Path, age: float) -> None:
    """Remove files that are no longer used, and claims of killed imports.

    Files that were replaced stay for queries that began with them; killed imports leave files and
    claims. What no commit names is removed if it is older than --age, a replaced file by the age of
    its replacement: what runs is not disturbed if --age is longer than it takes.

    \b
    Example:
      tw lake vacuum /mnt/lake
      tw lake vacuum --age 1d /mnt/lake
    """
    from warehouse.lake import upkeep
    from warehouse.library.describe import size
    from warehouse.wording import counted

    done = upkeep.vacuum(folder, age)
    files = f"{counted(done.n_files, 'file')} ({size(done.n_bytes)})"
    click.echo(f"Removed {files} and {counted(done.n_claims, 'claim')}.", err=True)


@lake.command()
@folder
@runs_option
def compact(folder: Path, runs: tuple[str, ...]) -> None:
    """Write the traces of a run to one file a table.

    Queries of runs of many ranks open fewer files then. All new files become visible at once, and
    the old ones stay for those who read them until `tw lake vacuum`. Run it again when ranks were
    added, replaced or removed; otherwise it writes nothing.

    \b
    Example:
      tw lake compact --run nightly /mnt/lake
    """
    from warehouse.lake import compact as compacting
    from warehouse.library.describe import size
    from warehouse.wording import counted

    for done in compacting.compact(folder, runs):
        files = f"{counted(done.n_before, 'file')} into {done.n_after}"
        traces = counted(done.n_traces, "trace")
        click.echo(f"{done.name}: {traces}, {files} ({size(done.n_bytes)} written).", err=True)


@lake.command()
@folder
@runs_option
def link(folder: Path, runs: tuple[str, ...]) -> None:
    """Link the ranks of a run that several imports brought into a lake.

    Imports link the ranks that they read themselves, so that ranks from several machines are not
    linked with each other. Run it when all ranks are there. No file of a trace is written.

    \b
    Example:
      tw lake link --run nightly /mnt/lake
    """
    from warehouse.lake import linking
    from warehouse.wording import counted

    for done in linking.link(folder, runs):
        links = counted(done.n_links, "link")
        click.echo(
            f"{done.name}: {counted(done.n_traces, 'trace')}, {links} between them.", err=True
        )


@lake.command()
@folder
def upgrade(folder: Path) -> None:
    """Bring a lake to the schema version of this program.

    The rows of each trace are migrated and written to new files, which replace the old ones at
    the end; if it is interrupted, run it again. Nothing else may write to the lake meanwhile. Older
    programs cannot read it afterwards. `tw lake vacuum` removes the old files later; compacted
    runs are to be compacted again.

    \b
    Example:
      tw lake upgrade /mnt/lake
    """
    from warehouse.lake import upgrade as upgrading
    from warehouse.wording import counted

    done = upgrading.upgrade(folder)
    if done.before == done.after:
        click.echo(f"{folder} has schema version {done.after} already.", err=True)
    else:
        traces = counted(done.n_traces, "trace")
        click.echo(f"Schema version {done.before} to {done.after}: {traces} written.", err=True)
