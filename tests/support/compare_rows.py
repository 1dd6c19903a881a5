"""Comparisons of simulated recordings whose rows are written directly, without an import.

`Pairs` holds a warehouse in memory with the macros of the library. The rows of a pair are those
that an import of its documents makes, of the columns that comparisons read; they are removed then.
It knows recordings of one rank whose operators, calls and device work were all recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import duckdb
import pyarrow as pa

from warehouse.library import library
from warehouse.library.arguments import arguments
from warehouse.library.installed import Macros
from warehouse.store import database

Row = dict[str, Any]
Event = Mapping[str, Any]
DEVICE_KINDS = {"kernel": "kernel", "gpu_memcpy": "memcpy", "gpu_memset": "memset"}
CREATED = "2024-01-01"
TABLES = ("summary", "kernels", "ops", "steps", "notes")


@dataclass(frozen=True)
class Recorded:
    """What a run is, and the format of its recording."""

    kind: str = "measured"
    format: str = "kineto"


@dataclass
class _Trace:
    """Rows of the tables of one recording; events have times in ns."""

    number: int
    tables: dict[str, list[Row]] = field(default_factory=dict)

    def id(self, place: int) -> int:
        return self.number << 32 | place

    def add(self, table: str, **row: Any) -> None:
        self.tables.setdefault(table, []).append(row)

    def link(self, kind: str, source: int, target: int) -> None:
        self.add("link", id=self.id(len(self.tables.get("link", ()))), trace_id=self.number,
                 run_id=self.number, from_id=source, to_id=target, kind=kind, rule="r",
                 confidence=1.0, link_set="default", query="q", query_version=1)  # fmt: skip


def rows(number: int, events: Sequence[Event]) -> dict[str, list[Row]]:
    """Rows by table of trace `number`, whose run has the same number."""
    made = _Trace(number)
    made.add("process", id=made.id(0), trace_id=number, pid=1)
    for place, kind in ((1, "thread"), (2, "stream")):
        made.add("track", id=made.id(place), trace_id=number, kind=kind, process_id=made.id(0))
    host = [each for each in events if each["cat"] not in DEVICE_KINDS]
    host.sort(key=lambda each: (each["ts"], -each["dur"]))
    begin = min(each["ts"] for each in events)
    causes: dict[int, tuple[int, int | None, int | None]] = {}
    above: list[tuple[int, Event]] = []  # slices around the next, outermost first
    for place, each in enumerate(host):
        while above and above[-1][1]["ts"] + above[-1][1]["dur"] <= each["ts"]:
            above.pop()
        own = made.id(place)
        _host_slice(made, own, each, begin, [slice_id for slice_id, _ in above])
        if each["cat"] == "cuda_runtime":
            op = next((i for i, e in reversed(above) if e["cat"] == "cpu_op"), None)
            step = next((i for i, e in above if e["cat"] == "user_annotation"), None)
            causes[each["args"]["correlation"]] = (own, op, step)
            if op is not None:
                made.link("op_launch", op, own)
        above.append((own, each))
    device = [each for each in events if each["cat"] in DEVICE_KINDS]
    for place, each in enumerate(device, len(host)):
        _device_slice(made, made.id(place), each, begin, causes[each["args"]["correlation"]])
    return made.tables


def _host_slice(made: _Trace, own: int, each: Event, begin: int, above: Sequence[int]) -> None:
    common = {"trace_id": made.number, "track_id": made.id(1), "ts": each["ts"] - begin,
              "dur": each["dur"], "name": each["name"]}  # fmt: skip
    made.add("slice", id=own, **common, category=each["cat"], depth=len(above),
             parent_id=above[-1] if above else None)  # fmt: skip
    if each["cat"] == "cpu_op":
        made.add("cpu_op", slice_id=own, **common)
    elif each["cat"] == "cuda_runtime":
        made.add("launch", slice_id=own, **common, category=each["cat"])
    else:
        made.add("step", slice_id=own, **common, number=int(each["name"].split("#")[1]))


def _device_slice(
    made: _Trace, own: int, each: Event, begin: int, cause: tuple[int, int | None, int | None]
) -> None:
    kind = DEVICE_KINDS[each["cat"]]
    common = {"trace_id": made.number, "track_id": made.id(2), "ts": each["ts"] - begin,
              "dur": each["dur"], "name": each["name"]}  # fmt: skip
    made.add("slice", id=own, **common, category=each["cat"], depth=0, parent_id=None)
    made.add(
        "gpu_op", slice_id=own, **common, device_id=made.id(0), kind=kind,
        **{"class": "compute" if kind == "kernel" else "memory"},
        direction=each["name"].split()[1] if kind == "memcpy" else None,
    )  # fmt: skip
    call, _, step = cause
    made.link("launch", call, own)
    if step is not None:
        made.link("step", step, own)


class Pairs:
    """Compares pairs of recordings, one after the other."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._queries = library.load()
        self._installed = Macros()
        for name in TABLES:  # outside of transactions, which are rolled back
            query = self._queries.find(f"compare_{name}").on(connection)
            self._queries.install_for(connection, query, self._installed)

    def compared(
        self, a: Sequence[Event], b: Sequence[Event], *names: str, of_b: Recorded | None = None
    ) -> dict[str, list[Row]]:
        """Rows of the queries `compare_NAME` between the events of both sides, with times in ns."""
        sides = (("a", a, Recorded()), ("b", b, of_b or Recorded()))
        self._do("BEGIN")
        try:
            for number, (side, events, recorded) in enumerate(sides, 1):
                self._insert(number, side, recorded, rows(number, events))
            return {name: self._run(f"compare_{name}") for name in names}
        finally:
            self._do("ROLLBACK")

    def _do(self, statement: str) -> None:
        self._connection.execute(statement).fetchall()

    def _insert(
        self, number: int, side: str, recorded: Recorded, tables: Mapping[str, list[Row]]
    ) -> None:
        self._do(
            "INSERT INTO run (id, name, kind, created_at) VALUES "
            f"({number}, '{side}', '{recorded.kind}', TIMESTAMP '{CREATED}')"
        )
        self._do(
            "INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, "
            f"tw_version, imported_at, base_ns, source_base_ns) VALUES ({number}, {number}, "
            f"'t', 0, '{recorded.format}', 'kineto', 1, '0', TIMESTAMP '{CREATED}', 0, 0)"
        )
        for table, made in tables.items():
            self._connection.register("written", pa.Table.from_pylist(made))
            self._do(f"INSERT INTO {table} BY NAME SELECT * FROM written")
            self._connection.unregister("written")

    def _run(self, name: str) -> list[Row]:
        query = self._queries.find(name)
        values = arguments(query, {"a": "a", "b": "b"})
        found = self._connection.execute(query.bound_sql, values)
        names = [each[0] for each in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


@contextmanager
def pairs() -> Iterator[Pairs]:
    """Pairs in a warehouse in memory."""
    with duckdb.connect(config={**database.NO_WRONG_STATISTICS, "threads": 1}) as connection:
        database.fill_memory(connection)
        yield Pairs(connection)
