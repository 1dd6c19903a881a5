"""The part of an import that holds the warehouse: a transaction per trace, then one per run.

Everything slow was done before (`warehouse.ingest.decode`); what is left is to give the trace its
ids, to insert and link it, and to record what was read and what was not used. Links between the
traces of a run are created once, when all traces are committed: creating them for each trace would
take time quadratic in the number of ranks.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path

import duckdb
import pyarrow as pa

from warehouse.errors import DuplicateTrace, TwError
from warehouse.ingest import conservation, detail_tables, formats, pairing, runs, trace_rows
from warehouse.ingest.decode import (
    DecodedSource,
    Settings,
    discard,
    scratch_connection,
    set_variable,
)
from warehouse.ingest.importer import Importer, InParts, Problem
from warehouse.ingest.runs import RunChoice
from warehouse.library import macros
from warehouse.link import linkers, run_links
from warehouse.store import block_cache, database, deletion, statements
from warehouse.store.attachment import Attachment

#: Of a script that runs in parts: an even number of DuckDB's row groups, of 122,880 rows, so that
#: two threads, which compress a row group each, end at the same time.
PART_ROWS = 4 * 122_880
LAST_ROW = 1 << 62  # after all rows
_LARGE_BYTES = 64 << 20  # of content whose decoding leaves memory worth returning
COUNTED = {
    "slices": "slice", "counter_values": "counter", "flow_points": "flow_point", "links": "link"
}  # fmt: skip
COUNTED_OF_GRAPHS = {"nodes": "graph_node", "edges": "graph_edge", "tensors": "tensor"}


@dataclass
class CommittedTrace:
    """A trace that is now in the warehouse."""

    trace_id: int
    run_id: int
    run_name: str
    counts: dict[str, int]  # events, slices, counters, links, ...
    unused: dict[str, int]  # reason -> events
    problems: dict[str, int]  # kind -> count
    damage: str | None  # the parts of the source that could not be read
    seconds: dict[str, float]
    leaves_unlinked: bool  # whether there are runs whose traces `link_runs` is to link
    summary: str | None = None  # sentence of the importer about the content


def commit(
    decoded: DecodedSource,
    db: Path,
    settings: Settings,
    choice: RunChoice,
    *,
    replace: bool = False,
    wait_s: float = database.DEFAULT_WAIT_S,
    is_last: bool = False,
) -> CommittedTrace:
    """Inserts a decoded source as one trace, completely or not at all.

    A graph that is the last source of an import is linked right after its commit, if its run is the
    only one to link. Raises DuplicateTrace if another import of the same bytes was faster and
    `replace` is off.
    """
    importer = formats.by_name(decoded.importer_name)
    if decoded.n_content_bytes > _LARGE_BYTES:
        _return_freed_memory()
    connection = decoded.opened(settings)
    links_run = is_last and importer.kind == "graph"
    try:
        waiting = time.perf_counter()
        # On any failure the store rolls the transaction back.
        with database.attach_for_writing(connection, db, wait_s=wait_s) as attached:
            decoded.seconds["wait"] = time.perf_counter() - waiting
            locked = time.perf_counter()
            macros.keep_stored(connection)
            connection.execute("BEGIN")
            done = _insert(attached, importer, decoded, choice, settings, replace, locked)
            attached.commit()
            if links_run and done.leaves_unlinked:
                _link_run_of(connection, done)
        choice.remember(decoded, done.run_id, done.trace_id)
        done.seconds["lock"] = time.perf_counter() - locked
        return done
    finally:
        discard(connection)


def _return_freed_memory() -> None:
    """Returns memory that decoding has freed to the system: the rows of a large trace need as much.

    Arrow and glibc keep freed memory for their next allocations; other C libraries have no call.
    """
    pa.default_memory_pool().release_unused()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def _link_run_of(connection: duckdb.DuckDBPyConnection, done: CommittedTrace) -> None:
    """Links the run of a committed graph; leaves it to `link_runs` if that fails.

    Other runs are left to `link_runs` as well, which has one transaction for each.
    """
    if [run_id for run_id, _ in run_links.unlinked_runs(connection)] != [done.run_id]:
        return
    with suppress(duckdb.Error, TwError):  # `link_runs` tries again, and reports the error
        with database.transaction(connection):
            run_links.link_run(connection, linkers.linkers(), done.run_id, keeps_links=True)
        done.leaves_unlinked = False


def link_runs(
    db: Path, folder: Path, settings: Settings, *, wait_s: float = database.DEFAULT_WAIT_S
) -> None:
    """Links every run whose traces changed since it was linked, each in one transaction.

    These are the runs of this import, and those of an import that was killed before it linked them.
    Raises TwError if linking fails; the traces stay in the warehouse.
    """
    connection = scratch_connection(folder, settings)
    which = "runs"
    try:
        with database.attach_for_writing(connection, db, wait_s=wait_s):
            all_linkers = linkers.linkers()
            for run_id, name in run_links.unlinked_runs(connection):
                which = f"run {name!r}"
                with database.transaction(connection):
                    run_links.link_run(connection, all_linkers, run_id, keeps_links=True)
    except (duckdb.Error, TwError) as error:
        first = str(error).splitlines()[0]
        raise TwError(
            f"the traces of {which} are in the warehouse but not linked to each other: {first}",
            hint="`tw link --all` links them, and so does the next import.",
        ) from None
    finally:
        connection.close()


def _insert(
    attached: Attachment,
    importer: Importer,
    decoded: DecodedSource,
    choice: RunChoice,
    settings: Settings,
    replace: bool,
    locked: float,
) -> CommittedTrace:
    connection = attached.connection
    cpu_locked = time.process_time()
    touched = _make_room(connection, decoded, replace)
    trace_id = database.next_id(connection, "trace")
    run = runs.assign(connection, decoded, choice, touched)
    set_variable(connection, "trace_id", trace_id)
    set_variable(connection, "first_id", trace_id << 32)
    set_variable(connection, "metadata_json", decoded.facts.metadata_json or "{}")
    detail_tables.create(connection, importer)
    origin = database.one(connection, "SELECT first_ns, last_ns FROM scratch.origin")
    trace_rows.insert(connection, [trace_rows.NewTrace(trace_id, run.id, decoded, choice, origin)])
    if touched:
        deletion.delete_empty_runs(connection)
    _normalize(connection, importer.normalize, settings.memory_limit)
    stored = {table: _count(connection, table, trace_id) for table in importer.record_tables}
    lost = conservation.check(importer, decoded.account, stored, is_strict=settings.is_strict)
    pairing.pair_run(connection, run.id)
    attached.start_sync()  # most rows are there; linking does not wait for the disk
    normalized, cpu_normalized = time.perf_counter(), time.process_time()
    linkers.link_trace(connection, linkers.linkers(), trace_id, run.id)
    for each in sorted(touched):
        run_links.unlink_run(connection, each)
    seconds = {
        **decoded.seconds,
        "write": normalized - locked,
        "link": time.perf_counter() - normalized,
    }
    decoded.cpu_seconds |= {
        "write": cpu_normalized - cpu_locked,
        "link": time.process_time() - cpu_normalized,
    }
    _insert_problems(connection, [*decoded.facts.problems, *lost], trace_id)
    counts = _counts(connection, decoded, trace_id, stored)
    _insert_stats(connection, decoded, trace_id, counts, seconds)
    return CommittedTrace(
        trace_id, run.id, run.name, counts, dict(decoded.account.unused),
        _named_counts(
            connection,
            "SELECT kind, sum(count)::BIGINT FROM import_problem "  # files have the same problems
            f"WHERE trace_id = {trace_id} GROUP BY kind ORDER BY min(id)",
        ),
        decoded.damage,
        seconds,
        leaves_unlinked=bool(run_links.unlinked_runs(connection)),
        summary=decoded.facts.summary,
    )  # fmt: skip


def _normalize(
    connection: duckdb.DuckDBPyConnection,
    scripts: Sequence[Traversable | InParts],
    memory_limit: str,
) -> None:
    """Runs scripts in their order, neighbours on the parts of one table part by part.

    What the first inserts is then still in memory for the second.
    """
    # Scripts that run in parts open the events of a trace for each of them.
    connection.execute("SET parquet_metadata_cache = true")
    for parts, group in itertools.groupby(scripts, _parts):
        texts = [text_of(script) for script in group]
        for first, end in _ranges(connection, *parts) if parts else [(0, LAST_ROW)]:
            set_variable(connection, "first_row", first)
            set_variable(connection, "last_row", end - 1)
            block_cache.shrink(connection, memory_limit)
            for text in texts:
                statements.execute(connection, text)


def _parts(script: Traversable | InParts) -> tuple[str, int] | None:
    """Returns the table and the size of the parts of a script that runs in parts."""
    return (script.table, script.n_rows or PART_ROWS) if isinstance(script, InParts) else None


def _ranges(
    connection: duckdb.DuckDBPyConnection, table: str, size: int
) -> Iterator[tuple[int, int]]:
    """Yields the first row of each part of a scratch table, and the one after its last."""
    (n_rows,) = database.one(connection, f"SELECT count(*) FROM scratch.{table}")
    n_parts = max(1, math.ceil(n_rows / size))
    for n in range(n_parts):
        yield n * size, (n + 1) * size if n + 1 < n_parts else LAST_ROW


def text_of(script: Traversable | InParts) -> str:
    """Returns the SQL of a script."""
    return (script.script if isinstance(script, InParts) else script).read_text()


def _make_room(
    connection: duckdb.DuckDBPyConnection, decoded: DecodedSource, replace: bool
) -> set[int]:
    """Removes the earlier import of the same bytes, or refuses; returns the runs it was in."""
    # All files of a capture must be equal: it may share some of them with another capture.
    rows = connection.execute(
        "SELECT trace_id FROM source_file WHERE NOT starts_with(role, 'option ') GROUP BY trace_id "
        "HAVING list_sort(list(DISTINCT sha256)) = ?",
        [sorted({file.sha256 for file in decoded.files})],
    ).fetchall()
    if rows and not replace:
        raise DuplicateTrace(f"{decoded.source.label} is in the warehouse already")
    if not rows:
        return set()
    return deletion.delete_from_runs(connection, [trace_id for (trace_id,) in rows])


def _insert_problems(
    connection: duckdb.DuckDBPyConnection, problems: Sequence[Problem], trace_id: int
) -> None:
    if problems:
        first = (trace_id << 32) + _count(connection, "import_problem", trace_id)
        trace_rows.insert_rows(
            connection, "import_problem", problem_rows(problems, trace_id, first)
        )


def problem_rows(
    problems: Sequence[Problem], trace_id: int, first: int
) -> list[tuple[object, ...]]:
    """Returns the rows of import_problem, with ids from `first` on."""
    return [
        (first + n, trace_id, p.kind, p.severity, p.count, p.offset, p.example, p.meaning)
        for n, p in enumerate(problems)
    ]


def _insert_stats(
    connection: duckdb.DuckDBPyConnection,
    decoded: DecodedSource,
    trace_id: int,
    counts: dict[str, int],
    seconds: dict[str, float],
) -> None:
    # After the rows that linking has inserted.
    first = (trace_id << 32) + _count(connection, "import_stat", trace_id)
    trace_rows.insert_rows(
        connection,
        "import_stat",
        [(first + n, trace_id, *stat) for n, stat in enumerate(stats_of(decoded, counts, seconds))],
    )


def stats_of(
    decoded: DecodedSource, counts: dict[str, int], seconds: dict[str, float]
) -> list[tuple[str, str | None, float, str]]:
    """Returns name, detail, value and unit of the statistics of an import."""
    return [
        ("content", None, decoded.n_content_bytes, "byte"),
        *((name, None, value, "count") for name, value in counts.items()),
        *(("unused", reason, n, "count") for reason, n in decoded.account.unused.items()),
        *(("seconds", stage, value, "s") for stage, value in seconds.items()),
        *(("cpu_seconds", stage, value, "s") for stage, value in decoded.cpu_seconds.items()),
        *decoded.facts.stats,
    ]  # fmt: skip


def _counts(
    connection: duckdb.DuckDBPyConnection,
    decoded: DecodedSource,
    trace_id: int,
    stored: dict[str, int],
) -> dict[str, int]:
    """Rows of the trace by what they are; `stored` has those of the record tables."""
    return counted(
        decoded,
        lambda table: stored[table] if table in stored else _count(connection, table, trace_id),
    )


def counted(decoded: DecodedSource, n_rows: Callable[[str], int]) -> dict[str, int]:
    """Returns rows of a trace by what they are; `n_rows` gives those of a table."""
    counts = {"events": decoded.account.n_events}
    counts |= {name: n_rows(table) for name, table in COUNTED.items()}
    return counts | {name: n for name, table in COUNTED_OF_GRAPHS.items() if (n := n_rows(table))}


def _count(connection: duckdb.DuckDBPyConnection, table: str, trace_id: int) -> int:
    (n,) = database.one(connection, f"SELECT count(*) FROM {table} WHERE trace_id = ?", [trace_id])
    return int(n)


def _named_counts(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str, int]:
    return {str(name): int(n) for name, n in connection.execute(sql).fetchall()}
