"""Changed copies of one random job as runs of one warehouse, and what a change does to a row.

Rows of different runs are compared by names that do not depend on the import: an id of a slice
becomes (slice, rank, mark), an id of a device (device, rank, number), and so on. Which columns are
times, and which are rates, is read from the units of the query's header.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from tests.support.random_program import Event
from tests.support.randomtrace import LIBRARY, RandomTrace, Row, Runs, make_job
from warehouse.library.arguments import arguments
from warehouse.library.installed import Macros
from warehouse.library.library import Query
from warehouse.query import execute, scope
from warehouse.query.kept import keep
from warehouse.query.selection import Selection
from warehouse.store import database

SHIFT_NS = 7_777_000_123
FACTOR = 10

#: How values of each unit grow when all times do: by FACTOR to this power.
POWERS: Mapping[str, int] = {
    "ns": 1, "us": 1, "cycle": 1, "byte*ns": 1, "byte/s": -1, "GB/s": -1, "1/s": -1, "count/s": -1,
    "Hz": -1, "MHz": -1, "1e12/s": -1, "MiB/s": -1,
    "byte": 0, "MiB": 0, "count": 0, "ratio": 0, "percent": 0, "text": 0, "bool": 0, "json": 0,
    "id": 0, "source id": 0, "address": 0, "UTC": 0, "1": 0, "1/byte": 0, "count/byte": 0,
    "see metric.unit": 0, "see value_unit": 0, "see unit": 0, "see counter": 0,
}  # fmt: skip


class SliceOf(NamedTuple):
    """A parameter that is a slice: the one with this mark in rank 0 of the run that is asked."""

    mark: int


_NATURAL = {
    "slice": "SELECT s.id, ['slice', t.rank::VARCHAR, s.args_json ->> '$.\"Ev Idx\"'] "
    "FROM slice AS s JOIN trace AS t ON t.id = s.trace_id",
    "device": "SELECT d.id, ['device', t.rank::VARCHAR, d.ordinal::VARCHAR] "
    "FROM device AS d JOIN trace AS t ON t.id = d.trace_id",
    "track": "SELECT k.id, ['track', t.rank::VARCHAR, k.kind, k.stream::VARCHAR, "
    "  d.ordinal::VARCHAR, p.source_pid, h.source_tid] "
    "FROM track AS k JOIN trace AS t ON t.id = k.trace_id "
    "LEFT JOIN thread AS h ON h.id = k.thread_id LEFT JOIN process AS p ON p.id = k.process_id "
    "LEFT JOIN device AS d ON d.id = k.device_id",
    "thread": "SELECT h.id, ['thread', t.rank::VARCHAR, p.source_pid, h.source_tid] "
    "FROM thread AS h JOIN trace AS t ON t.id = h.trace_id "
    "JOIN process AS p ON p.id = h.process_id",
    "process": "SELECT p.id, ['process', t.rank::VARCHAR, p.source_pid] "
    "FROM process AS p JOIN trace AS t ON t.id = p.trace_id",
    "trace": "SELECT id, ['trace', rank::VARCHAR] FROM trace",
    "clock": "SELECT c.id, ['clock', t.rank::VARCHAR, c.name] "
    "FROM clock AS c JOIN trace AS t ON t.id = c.trace_id",
    "run": "SELECT id, ['run'] FROM run",
}  # fmt: skip


# --- changes of a trace


def shifted(trace: RandomTrace) -> RandomTrace:
    return trace.changed([_at(event, event["ts"] + SHIFT_NS) for event in trace.events])


def tenfold(trace: RandomTrace) -> RandomTrace:
    return trace.changed(
        [
            _at(event, event["ts"] * FACTOR)
            | ({"dur": event["dur"] * FACTOR} if "dur" in event else {})
            for event in trace.events
        ]
    )


def _at(event: Event, ts: int) -> Event:
    return event if event["ph"] == "M" else event | {"ts": ts}


def permuted(trace: RandomTrace) -> RandomTrace:
    """Another order of events, but where the order says which of two is inside the other."""
    places: dict[object, float] = {}
    source = random.Random(trace.rank)
    order = [
        places.setdefault((e["pid"], e["tid"], e["ts"]), source.random()) for e in trace.events
    ]
    ranked = sorted(range(len(order)), key=lambda n: (order[n], n))
    return trace.changed([trace.events[n] for n in ranked])


def with_idle_device(trace: RandomTrace) -> RandomTrace:
    """One more device in the document, and one more thread with a name but without slices."""
    idle = {"ph": "M", "name": "thread_name", "pid": 4242, "tid": 9999, "ts": 0}
    knobs = replace(trace.knobs, devices=trace.knobs.devices + 1)
    more = trace.changed([*trace.events, idle | {"args": {"name": "idle"}}])
    return replace(more, knobs=knobs)


def jobs() -> dict[str, list[RandomTrace]]:
    """The base job and its changed copies, by run name: none that a query might say otherwise."""
    base = make_job(11, ranks=2, steps=2, operators=2)
    made = {
        "base job": base,
        "shifted job": [shifted(trace) for trace in base],
        "permuted job": [permuted(trace) for trace in base],
        "tenfold job": [tenfold(trace) for trace in base],
        "idle job": [with_idle_device(trace) for trace in base],
        "copy job": base,
        "rank 0 alone": base[:1],
        "rank 1 alone": base[1:],
    }
    # The same bytes twice would be skipped, and a second trace of a rank of a job noted.
    return {
        name: [trace.changed(trace.events, group_trace_id=name) for trace in job]
        for name, job in made.items()
    }


# --- rows


class Answers:
    """Queries run over one warehouse; answers are kept, as several tests look at each."""

    def __init__(self, runs: Runs, *, threads: int | None = None, run: str | None = None) -> None:
        self.reader = database.Reader(runs.path, threads=threads)
        connection = self.reader.connection
        names = connection.execute("SELECT id, name FROM run").fetchall()
        self.run_names: dict[int, str] = {int(id): str(name) for id, name in names}
        self.natural: dict[tuple[str, int], tuple[str | None, ...]] = {
            (table, int(id)): tuple(name)
            for table, sql in _NATURAL.items()
            for id, name in connection.execute(sql).fetchall()
        }
        self.run = run or "base job"  # whose slices a parameter names
        self.slice_ids: dict[tuple[str, int], int] = {
            (str(name), int(mark)): int(id)
            for name, mark, id in connection.execute(
                "SELECT r.name, s.args_json ->> '$.\"Ev Idx\"', s.id FROM slice AS s "
                "JOIN trace AS t ON t.id = s.trace_id JOIN run AS r ON r.id = t.run_id "
                "WHERE t.rank = 0"
            ).fetchall()
        }
        if run is not None:
            scope.apply(connection, scope.resolve(connection, Selection(runs=(run,))))
        self._tables: dict[str, pa.Table] = {}
        self.installed = Macros()
        self.kept: set[str] = set()

    def close(self) -> None:
        self.reader.close()

    def resolved(
        self, parameters: Mapping[str, object], run: str | None = None
    ) -> dict[str, object]:
        """The parameters with ids for the slices they name; -1 where the run has no such slice."""
        return {
            name: self.slice_ids.get((run or self.run, value.mark), -1)
            if isinstance(value, SliceOf)
            else value
            for name, value in parameters.items()
        }

    def table(
        self, query: Query, parameters: Mapping[str, object], run: str | None = None
    ) -> pa.Table:
        parameters = self.resolved(parameters, run)
        key = f"{query.key} {sorted(parameters.items())}"
        if key not in self._tables:
            self._tables[key] = self.result(query, parameters)
        return self._tables[key]

    def result(
        self, query: Query | str, parameters: Mapping[str, object] | None = None
    ) -> pa.Table:
        """The rows of a query or statement, with the blocks that were computed before."""
        return execute.run(
            self.reader.connection, query, parameters, library=LIBRARY, installed=self.installed,
            kept=self.kept,
        ).table()  # fmt: skip

    def install(self, query: Query) -> None:
        install(self.reader.connection, query, self.installed, self.kept)

    def rows(self, query: Query, parameters: Mapping[str, object], run: str) -> list[Row]:
        """The rows of one run, by names that do not depend on the import."""
        return [
            {name: self._named(query, name, value) for name, value in row.items()}
            for row in self.table(query, parameters, run).to_pylist()
            if self.run_names[row["run_id"]] == run
        ]

    def _named(self, query: Query, column: str, value: Any) -> Any:
        unit = units(query)[column]
        if isinstance(value, list):
            return [self._named(query, column, item) for item in value]
        if value is None or unit in ("id", "UTC"):
            return None
        if unit.startswith("ref "):
            table = unit.removeprefix("ref ").removesuffix(".id")
            return self.natural[table, value] if table in _NATURAL else None
        return "(run)" if value in self.run_names.values() else value


def units(query: Query) -> dict[str, str]:
    assert query.header is not None
    return {column.name: column.unit or "text" for column in query.header.columns}


def longer(query: Query, rows: Iterable[Row]) -> list[Row]:
    """What rows become when all times of the trace are FACTOR times as long."""
    powers = {name: POWERS.get(unit, 0) for name, unit in units(query).items()}
    return [
        {name: _times(value, FACTOR ** powers[name]) for name, value in row.items()} for row in rows
    ]


def _times(value: Any, factor: float) -> Any:
    if isinstance(value, list):
        return [_times(item, factor) for item in value]
    return value if value is None or factor == 1 else value * factor


def install(
    connection: duckdb.DuckDBPyConnection, query: Query, installed: Macros, kept: set[str]
) -> None:
    """Creates the macros that a query calls, as a session does: some blocks are computed once."""
    LIBRARY.install_for(connection, query, installed)

    def create(block: Query, table: str) -> None:
        execute.create_table(connection, block, arguments(block, {}), table)

    keep(connection, LIBRARY, query, installed, kept, create)


def differences(found: Iterable[Row], expected: Iterable[Row]) -> list[str]:
    """How two sets of rows differ, floats by more than rounding; the first few, for a message."""
    ours, theirs = sorted(found, key=_order), sorted(expected, key=_order)
    messages = [] if len(ours) == len(theirs) else [f"{len(ours)} rows, expected {len(theirs)}"]
    for one, other in zip(ours, theirs, strict=False):
        wrong = {
            name: (one[name], other[name]) for name in other if not _close(one[name], other[name])
        }
        if wrong:
            where = {name: value for name, value in other.items() if name not in wrong}
            messages.append(f"(found, expected) {wrong} in {where}")
    return messages[:3]


def _order(row: Row) -> tuple[str, str]:
    """Floats last: equal rows may differ in their last digits."""
    exact = [value for value in row.values() if not isinstance(value, float)]
    rough = [value for value in row.values() if isinstance(value, float)]
    return repr(exact), repr(rough)


def _close(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_close, one, other))
    if isinstance(one, float) or isinstance(other, float):
        return None not in (one, other) and math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return bool(one == other)
