"""`tw demo`: imports, queries and exports a sample recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.errors import TwError
from warehouse.query.selection import Selection
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.library.library import Library
    from warehouse.store.database import Reader

RUN = "demo"
#: Titles and statements of the tables shown.
TABLES = (
    (
        "How busy each host thread is (thread_utilization)",
        "SELECT rank, thread, n_ops, span_ns, busy_ns, utilization FROM thread_utilization()"
        " ORDER BY rank, thread",
    ),
    (
        "Operators by self time (op_summary)",
        "SELECT rank, name, n_calls, self_ns, self_share, median_ns FROM op_summary()"
        " QUALIFY row_number() OVER (PARTITION BY rank ORDER BY self_ns DESC, name) <= 5"
        " ORDER BY rank, self_ns DESC, name",
    ),
)


@click.command()
@click.option(
    "--db",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("tw-demo.duckdb"),
    show_default=True,
    help="Warehouse for the run `demo`.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("demo.pftrace"),
    show_default=True,
    help="Perfetto trace to write.",
)
def demo(db: Path, output: Path) -> None:
    """Import a sample recording, query it and export it.

    The recording ships with tw: three training steps of a small transformer on two ranks, recorded
    on CPUs by the PyTorch profiler. It has no GPU work, so the tables show host threads. The
    recording is imported only once.

    \b
    Example:
      tw demo
    """
    from warehouse.export.perfetto.trace import export_perfetto
    from warehouse.library import library
    from warehouse.query import scope
    from warehouse.store import database

    _import(db)
    with database.Reader(db) as reader:
        chosen = scope.resolve(reader.connection, Selection(runs=(RUN,)))
        scope.apply(reader.connection, chosen)
        queries = library.load()
        for title, statement in TABLES:
            _show(reader, queries, title, statement)
        written = export_perfetto(reader.connection, output)
    n_slices = counted(written.n_slices, "slice")
    click.echo(f"\nWrote {output}: {n_slices}; ui.perfetto.dev opens it.", err=True)
    click.echo(f"Next: `tw queries list`, `tw query op_summary --db {db} --rank 0`.", err=True)


def _import(db: Path) -> None:
    from warehouse.cli.import_progress import Bar
    from warehouse.ingest import pipeline

    recording = Path(__file__).parent.parent / "demo_data"
    options = pipeline.Options(run=RUN, jobs=1)
    with Bar(quiet=False) as bar:
        outcomes = pipeline.import_paths([recording], db=db, options=options, progress=bar)
    for outcome in outcomes:
        if outcome.status == "failed":
            raise outcome.error or TwError("the sample recording could not be imported")


def _show(reader: Reader, queries: Library, title: str, statement: str) -> None:
    from warehouse.cli.emit import emit
    from warehouse.query import execute

    click.echo(f"\n{title}")
    with execute.run(reader.connection, statement, library=queries) as result:
        emit(result, "table", None, about={})
