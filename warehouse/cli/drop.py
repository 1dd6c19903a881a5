"""`tw drop`: removes whole traces, in one transaction."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli import options
from warehouse.errors import DatabaseError, UsageError

if TYPE_CHECKING:
    from warehouse.scope import Scope, Selection


@click.command()
@click.option(
    "--run", "runs", multiple=True, metavar="RUN",
    help="NAME, ID, latest, all, tag:NAME or since:7d; repeatable.",
)  # fmt: skip
@click.option("--trace", "traces", multiple=True, metavar="TRACE", help="NAME or ID; repeatable.")
@click.option("--yes", "-y", "is_agreed", is_flag=True, help="Do not ask first.")
@options.database
def drop(
    db: Path | None,
    wait_s: float,
    runs: tuple[str, ...],
    traces: tuple[str, ...],
    is_agreed: bool,
) -> None:
    """Remove runs or traces from the warehouse.

    With both --run and --trace, only the named traces of the named runs go. Links go with either
    of their ends, and a run goes with its last trace. The trace files themselves are not touched.

    \b
    Example:
      tw drop --run baseline
      tw drop --run baseline --trace rank-3 --yes
    """
    from warehouse import config
    from warehouse.scope import Selection

    if not runs and not traces:
        raise UsageError("say what to remove", hint="Give --run NAME or --trace NAME.")
    path, selection = config.database_path(db), Selection(runs=runs, traces=traces)
    chosen, names = _look(path, wait_s, selection)
    if not is_agreed:
        _ask(names)
    _remove(path, wait_s, selection, chosen)
    click.echo(f"Removed {_count(names)}: {', '.join(names)}.", err=True)


def _look(path: Path, wait_s: float, selection: Selection) -> tuple[Scope, list[str]]:
    """What would go; the warehouse is not held while the user thinks about it."""
    from warehouse import scope, store

    with store.Reader(path, wait_s=wait_s) as reader:
        chosen = scope.resolve(reader.connection, selection)
        rows = reader.connection.execute(
            "SELECT r.name || '/' || t.name FROM trace AS t JOIN run AS r ON r.id = t.run_id "
            "WHERE t.id IN (SELECT unnest(?)) ORDER BY t.id",
            [list(chosen.trace_ids)],
        ).fetchall()
    if not rows:
        raise UsageError("nothing matches: there is no such trace", hint="`tw runs` lists them.")
    return chosen, [str(name) for (name,) in rows]


def _ask(names: list[str]) -> None:
    import sys

    if not sys.stdin.isatty():
        raise UsageError(
            f"this would remove {_count(names)}: {', '.join(names)}", hint="Add --yes to do it."
        )
    click.confirm(f"Remove {_count(names)}: {', '.join(names)}?", abort=True, err=True)


def _remove(path: Path, wait_s: float, selection: Selection, agreed: Scope) -> None:
    """Removes what was agreed to, all or nothing."""
    from warehouse import link, scope, store
    from warehouse.commit import delete_trace

    with store.writer(path, wait_s=wait_s) as connection:
        if scope.resolve(connection, selection).trace_ids != agreed.trace_ids:
            raise DatabaseError(
                "the warehouse was changed meanwhile; nothing was removed", hint="Try again."
            )
        connection.execute("BEGIN")
        try:
            runs = {delete_trace(connection, trace_id) for trace_id in agreed.trace_ids}
            known = link.linkers()
            for run_id in sorted(runs):
                link.link_run(connection, known, run_id)
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise


def _count(names: list[str]) -> str:
    return f"{len(names):,} trace{'s' * (len(names) != 1)}"
