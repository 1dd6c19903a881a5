"""Commits several small sources in one transaction, by the same statements for all of them.

Their traces get consecutive ids, in the order of the sources: importers and linkers then insert the
rows of all traces from the first id on. Rows are those of commits one after the other.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import duckdb

from warehouse.errors import DuplicateTrace
from warehouse.ingest import commit, conservation, detail_tables, formats, runs, trace_rows
from warehouse.ingest.commit import CommittedTrace
from warehouse.ingest.decode import DecodedSource, Settings, discard, set_variable
from warehouse.ingest.importer import Importer, NotTogether, Problem
from warehouse.ingest.runs import Members, Run, RunChoice
from warehouse.ingest.together import DecodedTogether
from warehouse.ingest.trace_rows import NewTrace
from warehouse.library import macros
from warehouse.link import linkers, run_links
from warehouse.store import database, statements

_Counts = dict[int, dict[str, int]]  # by trace and table


@dataclass
class _Trace:
    """A trace that is being inserted."""

    id: int
    run: Run
    decoded: DecodedSource
    problems: list[Problem]


def commit_together(
    together: DecodedTogether,
    db: Path,
    settings: Settings,
    choice: RunChoice,
    *,
    wait_s: float = database.DEFAULT_WAIT_S,
) -> list[CommittedTrace]:
    """Inserts all sources that were decoded, each as one trace, or none of them.

    Raises DuplicateTrace if another import of one of them was faster, and NotTogether where one
    trace would change what becomes of the next.
    """
    importer = formats.by_name(together.unit[0].importer)
    connection = together.opened(settings)
    try:
        waiting = time.perf_counter()
        # On any failure the store rolls the transaction back.
        with database.attach_for_writing(connection, db, wait_s=wait_s) as attached:
            locked = time.perf_counter()
            for source in together.decoded:
                source.seconds["wait"] = (locked - waiting) / len(together.decoded)
            macros.keep_stored(connection)
            connection.execute("BEGIN")
            chosen = deepcopy(choice)
            done = _insert(connection, importer, together.decoded, chosen, settings)
            attached.commit()
        choice.of_job, choice.timelines = chosen.of_job, chosen.timelines
        for each in done:
            each.seconds["lock"] = (time.perf_counter() - locked) / len(done)
        return done
    finally:
        discard(connection)


def _insert(
    connection: duckdb.DuckDBPyConnection,
    importer: Importer,
    decoded: list[DecodedSource],
    choice: RunChoice,
    settings: Settings,
) -> list[CommittedTrace]:
    started, cpu_started = time.perf_counter(), time.process_time()
    _refuse_duplicates(connection, decoded)
    first = database.next_id(connection, "trace")
    set_variable(connection, "trace_id", first)
    set_variable(connection, "first_id", first << 32)
    set_variable(connection, "metadata_json", "{}")
    detail_tables.create(connection, importer)
    traces = _insert_traces(connection, importer, decoded, choice, first)
    _normalize(connection, importer)
    stored = _counts(connection, importer.record_tables, first)
    for trace in traces:
        rows = {table: stored[trace.id][table] for table in importer.record_tables}
        trace.problems += conservation.check(
            importer, trace.decoded.account, rows, is_strict=settings.is_strict
        )
    normalized, cpu_normalized = time.perf_counter(), time.process_time()
    linkers.link_traces(connection, linkers.linkers(), {trace.id: trace.run.id for trace in traces})
    n = len(traces)
    for each in decoded:
        each.seconds |= {
            "write": (normalized - started) / n, "link": (time.perf_counter() - normalized) / n
        }  # fmt: skip
        each.cpu_seconds |= {
            "write": (cpu_normalized - cpu_started) / n,
            "link": (time.process_time() - cpu_normalized) / n,
        }
    return _describe(connection, importer, traces, stored, first)


def _refuse_duplicates(connection: duckdb.DuckDBPyConnection, decoded: list[DecodedSource]) -> None:
    files = [file.sha256 for each in decoded for file in each.files]
    (n,) = database.one(
        connection, "SELECT count(*) FROM source_file WHERE sha256 IN (SELECT unnest(?))", [files]
    )
    if n:
        raise DuplicateTrace("a source is in the warehouse already")


def _insert_traces(
    connection: duckdb.DuckDBPyConnection,
    importer: Importer,
    decoded: list[DecodedSource],
    choice: RunChoice,
    first: int,
) -> list[_Trace]:
    """Inserts the rows of the traces; the run of each is known before that of the next."""
    origins = connection.execute(
        "SELECT first_ns, last_ns FROM scratch.origin ORDER BY trace_n"
    ).fetchall()
    traces: list[_Trace] = []
    added: list[NewTrace] = []
    members = Members(connection)
    for trace_id, (each, origin) in enumerate(zip(decoded, origins, strict=True), first):
        if formats.is_capture(each.source, importer.name):  # joins the run of files beside it
            trace_rows.insert(connection, added)
            added.clear()
        run = runs.assign(connection, each, choice, set(), members)
        choice.remember(each, run.id, trace_id)
        rank, _ = runs.trace_rank(each, choice)
        members.add(run.id, rank, importer.kind, runs.trace_name(each))
        added.append(NewTrace(trace_id, run.id, each, choice, origin))
        traces.append(_Trace(trace_id, run, each, list(each.facts.problems)))
    trace_rows.insert(connection, added)
    # A graph that waits for its timeline would see one after the other.
    (n_waiting,) = database.one(
        connection,
        "SELECT count(*) FROM trace WHERE kind = 'graph' AND timeline_trace_id IS NULL "
        "AND run_id IN (SELECT run_id FROM trace WHERE id >= ?)",
        [first],
    )
    if n_waiting:
        raise NotTogether
    return traces


def _normalize(connection: duckdb.DuckDBPyConnection, importer: Importer) -> None:
    set_variable(connection, "first_row", 0)
    set_variable(connection, "last_row", commit.LAST_ROW)
    for script in importer.normalize:
        statements.execute(connection, commit.text_of(script))


def _counts(connection: duckdb.DuckDBPyConnection, tables: Sequence[str], first: int) -> _Counts:
    """Returns the rows of the new traces in each table."""
    found: _Counts = defaultdict(lambda: dict.fromkeys(tables, 0))
    counts = " UNION ALL ".join(
        f"SELECT trace_id, '{table}', count(*) FROM {table} WHERE trace_id >= {first} "
        "GROUP BY trace_id"
        for table in tables
    )
    for trace_id, table, n in connection.execute(counts).fetchall():
        found[trace_id][table] = n
    return found


def _describe(
    connection: duckdb.DuckDBPyConnection,
    importer: Importer,
    traces: list[_Trace],
    stored: _Counts,
    first: int,
) -> list[CommittedTrace]:
    """Stores problems and statistics of the traces, and returns what they are."""
    tables = {*commit.COUNTED.values(), *commit.COUNTED_OF_GRAPHS.values()}
    others = _counts(connection, sorted(tables - set(importer.record_tables)), first)
    noted = _counts(connection, ["import_problem", "import_stat"], first)
    problems: list[tuple[object, ...]] = []
    stats: list[tuple[object, ...]] = []
    counts: dict[int, dict[str, int]] = {}
    for trace in traces:
        rows, first_id = {**stored[trace.id], **others[trace.id]}, trace.id << 32
        problems += commit.problem_rows(
            trace.problems, trace.id, first_id + noted[trace.id]["import_problem"]
        )
        counts[trace.id] = commit.counted(trace.decoded, rows.__getitem__)
        stats += [
            (first_id + n, trace.id, *stat)
            for n, stat in enumerate(
                commit.stats_of(trace.decoded, counts[trace.id], trace.decoded.seconds),
                noted[trace.id]["import_stat"],
            )
        ]
    trace_rows.insert_rows(connection, "import_problem", problems)
    trace_rows.insert_rows(connection, "import_stat", stats)
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for trace_id, kind, n in connection.execute(
        "SELECT trace_id, kind, sum(count)::BIGINT FROM import_problem WHERE trace_id >= ? "
        "GROUP BY trace_id, kind ORDER BY min(id)",
        [first],
    ).fetchall():
        found[trace_id][kind] = n
    leaves_unlinked = bool(run_links.unlinked_runs(connection))
    return [
        CommittedTrace(
            trace.id, trace.run.id, trace.run.name, counts[trace.id],
            dict(trace.decoded.account.unused), found[trace.id], trace.decoded.damage,
            dict(trace.decoded.seconds), leaves_unlinked,
        )
        for trace in traces
    ]  # fmt: skip
