"""Stores a prediction as a run: a copy of the measured one, with the times of the replay.

Ids of a copied trace differ from the measured ones by a constant, so that references stay valid.
The run is written in one transaction.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse import __version__
from warehouse.errors import DatabaseError, UsageError
from warehouse.replay import movement
from warehouse.store import catalog, database, deletion

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from warehouse.query.session import Place, Session

#: What a predicted trace does not have: files, and the texts of the events in them.
_NOT_COPIED = ("source_file", "source_event", "prediction_path")
_RUNS = ("run", "schedule")
_SHIFT = 32  # of the id of a trace in other ids
_POINT = """
  LEFT JOIN guide AS g ON g.track_id = o.track_id
  ASOF LEFT JOIN segment AS m ON m.track_id = g.guide_id AND o.ts >= m.point_ts"""


@dataclass(frozen=True)
class Prediction:
    """What is stored: the simulated times, and what they were made from."""

    parent_run_id: int
    trace_ids: tuple[int, ...]
    imported_at: tuple[object, ...]  # of the traces: ids may be given again
    occurrences: pa.Table
    paths: tuple[pa.Table, pa.Table]  # critical paths: without the changes, and with them
    engine: str
    parameters: Mapping[str, bool]
    what_ifs: Sequence[str]
    queries: Mapping[str, str]  # name@version -> digest
    window_ns: tuple[int | None, int | None]
    times_ns: tuple[float | None, float | None, float | None]  # measured, replayed, predicted

    @property
    def sources_json(self) -> str:
        """All that the rows follow from, besides the files."""
        return json.dumps([
            self.engine, dict(self.parameters), list(self.what_ifs), dict(self.queries),
            list(self.window_ns),
        ])  # fmt: skip


@dataclass(frozen=True)
class StoredRun:
    """A run that is now in the warehouse."""

    id: int
    name: str
    parent_name: str
    n_slices: int


def traces_of(session: Session) -> tuple[tuple[int, ...], tuple[object, ...]]:
    """The traces in scope, and when they were imported."""
    rows = session.connection.execute("SELECT id, imported_at FROM trace ORDER BY id").fetchall()
    return tuple(int(each) for each, _ in rows), tuple(at for _, at in rows)


def store(
    place: Place,
    prediction: Prediction,
    name: str,
    *,
    replace: bool = False,
    steps: pa.Table | None = None,
) -> StoredRun:
    """Stores a prediction as the run `name`, completely or not at all.

    `steps` are the candidates of the search that recommended it, rows of `search_step`.

    Raises UsageError if the name is taken, DatabaseError if the measured run was removed meanwhile.
    """
    with (
        database.writer(place.path, wait_s=place.wait_s) as connection,
        database.transaction(connection),
    ):
        _must_be_there(connection, prediction)
        tags = _make_room(connection, prediction, name, replace)
        copy = _Copy(connection, prediction)
        run_id = copy.run(name)
        for tag, created_at in tags:
            connection.execute("INSERT INTO tag VALUES (?, ?, ?)", [tag, run_id, created_at])
        movement.create_tables(
            connection, prediction.occurrences, list(prediction.trace_ids), copy.point_tables()
        )
        copy.rows(run_id)
        copy.paths(run_id)
        if steps is not None:
            copy.steps(run_id, steps)
        (parent,) = database.one(
            connection, "SELECT name FROM run WHERE id = ?", [prediction.parent_run_id]
        )
        (n_slices,) = database.one(connection, "SELECT count(*) FROM moved")
        return StoredRun(run_id, name, str(parent), int(n_slices))


def check_name(place: Place, name: str, *, replace: bool) -> None:
    """Raises UsageError, before the replay, if the name is that of a run that is not replaced."""
    with database.Reader(place.path, wait_s=place.wait_s) as reader:
        _taken(reader.connection, name, replace)


def _taken(connection: duckdb.DuckDBPyConnection, name: str, replace: bool) -> int | None:
    """The run of that name that is to be replaced, if there is one."""
    rows = connection.execute("SELECT id, kind FROM run WHERE name = ?", [name]).fetchall()
    if not rows:
        return None
    ((run_id, kind),) = rows
    if kind != "predicted":
        raise UsageError(f"run {name!r} is measured, not predicted", hint="Choose another name.")
    if not replace:
        raise UsageError(
            f"run {name!r} exists", hint="Choose another name, or replace it with --replace."
        )
    return int(run_id)


def _must_be_there(connection: duckdb.DuckDBPyConnection, prediction: Prediction) -> None:
    rows = connection.execute(
        "SELECT imported_at FROM trace WHERE id IN (SELECT unnest(?::BIGINT[])) ORDER BY id",
        [list(prediction.trace_ids)],
    ).fetchall()
    if tuple(at for (at,) in rows) != prediction.imported_at:
        raise DatabaseError(
            "the measured run has changed meanwhile; nothing was stored", hint="Try again."
        )


def _make_room(
    connection: duckdb.DuckDBPyConnection, prediction: Prediction, name: str, replace: bool
) -> list[tuple[object, ...]]:
    """Removes the prediction of that name, or refuses; returns the names and times of its tags."""
    run_id = _taken(connection, name, replace)
    if run_id == prediction.parent_run_id:
        raise UsageError(f"run {name!r} is the one that was replayed", hint="Choose another name.")
    if run_id is None:
        return []
    tags = connection.execute("SELECT name, created_at FROM tag WHERE run_id = ?", [run_id])
    kept = tags.fetchall()
    rows = connection.execute("SELECT id FROM trace WHERE run_id = ?", [run_id]).fetchall()
    deletion.delete_traces(connection, [int(trace_id) for (trace_id,) in rows])
    return kept


class _Copy:
    """Copies the rows of some traces of a run under new ids."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, prediction: Prediction) -> None:
        self.connection = connection
        self.prediction = prediction
        self.ids = ", ".join(map(str, prediction.trace_ids))
        self.offset = database.next_id(connection, "trace") - min(prediction.trace_ids)

    def run(self, name: str) -> int:
        """Inserts the rows of `run` and `prediction`; returns the id of the run."""
        run_id, made = database.next_id(self.connection, "run"), self.prediction
        self.connection.execute(
            "INSERT INTO run BY NAME SELECT * REPLACE ($run AS id, $name AS name, "
            "'predicted' AS kind, id AS parent_run_id, now() AT TIME ZONE 'UTC' AS created_at) "
            "FROM run WHERE id = $parent",
            {"run": run_id, "name": name, "parent": made.parent_run_id},
        )
        self.connection.execute(
            "INSERT INTO prediction VALUES "
            "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, now() AT TIME ZONE 'UTC')",
            [
                run_id, made.parent_run_id, made.engine, json.dumps(dict(made.parameters)),
                json.dumps(list(made.what_ifs)), json.dumps(dict(made.queries)),
                *made.window_ns, *made.times_ns, __version__,
            ],
        )  # fmt: skip
        return run_id

    def rows(self, run_id: int) -> None:
        """Inserts the rows of all tables of the traces."""
        self._traces(run_id)
        self._files()
        for table in self._copied():
            self._table(table, run_id)
        self._table("link", run_id)

    def point_tables(self) -> list[str]:
        """Copied tables of times on tracks that are not slices."""
        return [table for table in self._copied() if self._is_of_points(table)]

    def _copied(self) -> list[str]:
        tables = catalog.trace_tables(self.connection)
        return [table for table in tables if table not in _NOT_COPIED]

    def _is_of_points(self, table: str) -> bool:
        names = {column.name for column in catalog.columns(self.connection, table)}
        return {"ts", "track_id"} <= names and "dur" not in names

    def paths(self, run_id: int) -> None:
        """Inserts the critical paths, that without changes on the measured traces."""
        for rows, side, offset in zip(
            self.prediction.paths, ("from", "to"), (0, self.offset), strict=True
        ):
            moved = offset << _SHIFT
            self.connection.register("path", rows)
            self.connection.execute(
                "INSERT INTO prediction_path BY NAME SELECT trace_id + $offset AS trace_id, "
                "$run AS predicted_run_id, place, track_id + $moved AS track_id, "
                f"slice_id + $moved AS slice_id, round({side}_ts)::BIGINT AS ts, "
                f"greatest(round({side}_end_ts)::BIGINT - round({side}_ts)::BIGINT, 0) AS dur, "
                "kind, name FROM path ORDER BY place",
                {"offset": offset, "run": run_id, "moved": moved},
            )
            self.connection.unregister("path")

    def steps(self, run_id: int, steps: pa.Table) -> None:
        """Inserts the candidates of a search."""
        self.connection.register("steps", steps)
        self.connection.execute(
            "INSERT INTO search_step BY NAME SELECT $run AS run_id, * FROM steps ORDER BY place",
            {"run": run_id},
        )
        self.connection.unregister("steps")

    def _traces(self, run_id: int) -> None:
        """Times of a file's digits do not apply: exports write the rows, not the file."""
        columns = self._columns("trace", run_id) | {
            "id": f"o.id + {self.offset}",
            "start_ts": "coalesce((SELECT min(m.to_ts) FROM moved AS m "
            f"WHERE m.id >> {_SHIFT} = o.id), o.start_ts)",
            "end_ts": "coalesce((SELECT max(m.to_ts + greatest(m.to_dur, 0)) FROM moved AS m "
            f"WHERE m.id >> {_SHIFT} = o.id), o.end_ts)",
            "ts_style": "NULL", "dur_style": "NULL", "imported_at": "now() AT TIME ZONE 'UTC'",
            "tw_version": f"'{__version__}'",
        }  # fmt: skip
        self._insert("trace", columns, f"FROM trace AS o WHERE o.id IN ({self.ids})", "o.id")

    def _files(self) -> None:
        """A row instead of files, whose digest stands for the files and the changes."""
        rows = self.connection.execute(
            "SELECT t.id, r.name || '/' || t.name, list(f.sha256 ORDER BY f.id) "
            "FROM trace AS t JOIN run AS r ON r.id = t.run_id "
            "LEFT JOIN source_file AS f ON f.trace_id = t.id "
            f"WHERE t.id IN ({self.ids}) GROUP BY t.id, r.name, t.name"
        ).fetchall()
        for trace_id, name, sums in rows:
            new = int(trace_id) + self.offset
            text = json.dumps([self.prediction.sources_json, sums])
            self.connection.execute(
                "INSERT INTO source_file BY NAME SELECT $id AS id, $trace AS trace_id, "
                "$path AS path, 'prediction' AS role, 0 AS n_bytes, 0 AS n_content_bytes, "
                "$sha AS sha256",
                {
                    "id": new << _SHIFT, "trace": new, "path": f"prediction of {name}",
                    "sha": hashlib.sha256(text.encode()).hexdigest(),
                },
            )  # fmt: skip

    def _table(self, table: str, run_id: int) -> None:
        columns = self._columns(table, run_id)
        source = f"FROM {table} AS o"
        if {"ts", "dur"} <= columns.keys():
            key = "id" if table == "slice" else "slice_id"
            source += f" JOIN moved AS m ON m.id = o.{key}"
            columns["ts"] = "m.to_ts + o.ts - m.ts"
            columns["dur"] = "CASE WHEN o.dur = m.dur THEN m.to_dur ELSE o.dur END"
        elif self._is_of_points(table):
            source += _POINT
            columns["ts"] = "coalesce(round(m.at_ts + (o.ts - m.point_ts) * m.ratio)::BIGINT, o.ts)"
        self._insert(table, columns, f"{source} WHERE {self._condition(table)}", "o.rowid")

    def _condition(self, table: str) -> str:
        inside = f"o.trace_id IN ({self.ids})"
        if table != "link":
            return inside
        ends = [f"(o.{end} >> {_SHIFT}) IN ({self.ids})" for end in ("from_id", "to_id")]
        return f"({inside} OR o.trace_id IS NULL AND {' AND '.join(ends)})"

    def _columns(self, table: str, run_id: int) -> dict[str, str]:
        """The new value of each column: ids and references are those of the copies."""
        return {
            column.name: self._value(table, column, run_id)
            for column in catalog.columns(self.connection, table)
        }

    def _value(self, table: str, column: catalog.Column, run_id: int) -> str:
        at, target = f'o."{column.name}"', column.unit.removeprefix("ref ").partition(".")[0]
        if column.name == "run_id":
            return str(run_id)
        if target in _RUNS or (column.unit != "id" and not column.unit.startswith("ref ")):
            return at
        if target == "trace":
            return f"CASE WHEN {at} IN ({self.ids}) THEN {at} + {self.offset} ELSE {at} END"
        offset = self.offset << _SHIFT
        if table == "link" and column.name == "id":
            # of links between traces: -(run_id << 32 | n) - 1
            between = (run_id - self.prediction.parent_run_id) << _SHIFT
            return f"CASE WHEN o.trace_id IS NULL THEN {at} - {between} ELSE {at} + {offset} END"
        is_copied = f"{at} >> {_SHIFT} IN ({self.ids})"
        return f"CASE WHEN {is_copied} THEN {at} + {offset} ELSE {at} END"

    def _insert(self, table: str, columns: Mapping[str, str], source: str, order: str) -> None:
        names = ", ".join(f'"{name}"' for name in columns)
        self.connection.execute(
            f"INSERT INTO {table} ({names}) SELECT {', '.join(columns.values())} {source} "
            f"ORDER BY {order}"
        )
