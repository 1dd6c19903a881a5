"""The graph of a run that a replay simulates: tables of nodes, edges and resources.

The tables are those of the queries replay_node, replay_edge and replay_resource, copied from a
session into a database in memory, where what-ifs change them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np

from warehouse import arrow
from warehouse.errors import QueryError
from warehouse.library.installed import Macros
from warehouse.query import execute
from warehouse.replay import deadlock
from warehouse.replay.engine import Times, Work
from warehouse.replay.shared import computed_once

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from warehouse.library.library import Query
    from warehouse.query.session import Session

#: Table in memory -> query that fills it.
TABLES = {"node": "replay_node", "edge": "replay_edge", "resource": "replay_resource"}
#: Table in memory -> the order of its rows in that query.
_ORDERS = {"node": "node_id", "edge": "ordinal", "resource": "resource_id"}
#: The query of the measured times.
MEASURED = "replay_measured"
#: The query of what the nodes stand for.
OCCURRENCES = "replay_occurrence"
#: The query of why a run cannot be replayed.
PROBLEMS = "replay_problem"
_NODES = """
SELECT node_id, dur_ns, gap_ns, release_ns, coalesce(resource_id, -1) AS resource_id, priority,
  order_key, coalesce(slot_id, -1) AS slot_id
FROM node
"""


class Graph:
    """The nodes, edges and resources of one run, numbered from 0."""

    def __init__(
        self, session: Session, parameters: Mapping[str, bool], *, places: bool = False
    ) -> None:
        """Copies the graph, with `places` also what the nodes stand for.

        Raises QueryError if the runs in scope have none.
        """
        self.queries = session.queries
        self._session = session
        arrow.leave_pandas_unloaded()
        self.connection = duckdb.connect()
        # Interactive Python draws it on stdout.
        self.connection.execute("SET enable_progress_bar = false")
        self.critical_path_ns: float | None = None  # of the last simulation, if its engine has one
        self._is_kept = False  # a copy of the tables, for `restore_original`
        self._is_ordered = False  # rows are as in the queries, see `_order`
        #: Macros that stand for the queries of the tables, and what these call.
        self.installed = Macros()
        self._copied: set[str] = set()  # queries whose rows are there
        with computed_once(session, [*TABLES.values(), MEASURED], parameters):
            self.warnings = self._refuse(session.run(PROBLEMS).rows(), parameters)
            self._copy(session, "measured", MEASURED, {})
            if places:  # of the largest runs, the rows of all blocks would not fit into memory
                session.forget_rows(needed_by=[*TABLES.values(), OCCURRENCES])
                self._copy(session, "occurrence", OCCURRENCES, {})
                session.forget_rows(needed_by=TABLES.values())
            for table, name in TABLES.items():
                self._copy(session, table, name, parameters)
        if places:
            session.forget_rows()
        self._check()

    def _copy(
        self, session: Session, table: str, name: str, parameters: Mapping[str, bool]
    ) -> None:
        query = self.queries.find(name)
        declared = {each.name for each in query.parameters}
        values = {key: value for key, value in parameters.items() if key in declared}
        with session.run(query.unordered(), values) as result:
            self.replace(table, result.reader())
        self.connection.execute(f'CREATE MACRO "{query.key}"() AS TABLE FROM {table}')
        self._copied.add(str(query.key))
        self.installed.hold(str(each.key) for each in self.queries.closure([query]))

    def read(self, query: Query) -> None:
        """Copies the rows of what a what-if calls besides the graph, by the same name.

        Blocks that call the graph themselves, or have parameters, are run in memory, on the graph
        as it is.
        """
        for key in query.pins.values():
            if key in self._copied:
                continue
            callee = self.queries.queries[key]
            if callee.parameters or self._reads_graph(callee):
                self.read(callee)
            else:
                self._copy(self._session, f'"rows of {key}"', str(callee.key), {})

    def rows(self, query: Query, arguments: Mapping[str, str]) -> pa.Table:
        """The rows of a query on the graph as it is, with those arguments that it has."""
        declared = {each.name for each in query.parameters}
        values = {key: value for key, value in arguments.items() if key in declared}
        if not self._reads_graph(query):
            return self._session.run(query, values).table()
        self._order()
        self.read(query)
        return execute.run(
            self.connection, query, values, library=self.queries, installed=self.installed
        ).table()

    def _reads_graph(self, query: Query) -> bool:
        names = {each.header.name for each in self.queries.closure([query]) if each.header}
        return not names.isdisjoint(TABLES.values())

    def replace(self, table: str, rows: pa.Table | pa.RecordBatchReader) -> None:
        """Replaces the rows of a table."""
        self.connection.register("rows", rows)
        self.connection.execute(f"CREATE OR REPLACE TABLE {table} AS FROM rows")
        self.connection.unregister("rows")

    def digest(self) -> list[tuple[int, int]]:
        """The number of rows of each table, and a digest of them."""
        sql = "SELECT count(*), bit_xor(hash(t)) FROM {} AS t"
        return [self.connection.execute(sql.format(table)).fetchall()[0] for table in TABLES]

    def _order(self) -> None:
        """Puts the rows in the order of the queries, in which sums in floating point are the same.

        Only what-ifs need them: to sort a million nodes takes longer than to simulate them.
        """
        if not self._is_ordered:
            for table, order in _ORDERS.items():
                self.connection.execute(
                    f"CREATE OR REPLACE TABLE {table} AS FROM {table} ORDER BY {order}"
                )
        self._is_ordered = True

    def restore_original(self) -> None:
        """Undoes all changes since the first call, before which there must be none."""
        self._order()
        source, target = ("original_{}", "{}") if self._is_kept else ("{}", "original_{}")
        for table in TABLES:
            self.connection.execute(
                f"CREATE OR REPLACE TABLE {target.format(table)} AS FROM {source.format(table)}"
            )
        self._is_kept = True

    def work(self) -> Work:
        """The tables as arrays, edges in the order of `ordinal`."""
        nodes = self.connection.sql(_NODES).fetchnumpy()
        by_id = np.argsort(nodes.pop("node_id"))
        nodes = {name: values[by_id] for name, values in nodes.items()}
        edges = self.connection.sql(
            "SELECT from_id, to_id, delay_ns, (kind = 'arrive')::BIGINT AS is_arrival "
            "FROM edge ORDER BY from_id, ordinal"
        ).fetchnumpy()
        priorities = self.connection.sql(
            "SELECT (\"order\" = 'priority')::BIGINT AS p, (n_servers IS NULL)::BIGINT AS u "
            "FROM resource ORDER BY resource_id"
        ).fetchnumpy()
        n = len(nodes["dur_ns"])
        n_edges = np.bincount(edges["from_id"], minlength=n)
        return Work(
            dur=_floats(nodes["dur_ns"]),
            gap=_floats(nodes["gap_ns"]),
            release=_floats(nodes["release_ns"]),
            resource=_integers(nodes["resource_id"]),
            priority=_integers(nodes["priority"]),
            order=_integers(nodes["order_key"]),
            slot=_integers(nodes["slot_id"]),
            is_by_priority=_integers(priorities["p"]),
            is_unlimited=_integers(priorities["u"]),
            first_edge=np.concatenate([[0], np.cumsum(n_edges)]).astype(np.int64),
            target=_integers(edges["to_id"]),
            delay=_floats(edges["delay_ns"]),
            is_arrival=_integers(edges["is_arrival"]),
        )

    def device_work(self) -> str:
        """The classes and streams of device work, as a sentence."""
        query = self.queries.find("replay_device_work")
        self.read(query)
        work = f'"rows of {query.key}" SEMI JOIN node USING (slice_id)'
        classes = self._column(f"SELECT DISTINCT class FROM {work} ORDER BY class")
        streams = self._column(f"SELECT DISTINCT stream FROM {work} ORDER BY stream")
        if not classes:
            return "The run has no device work."
        return f"Classes are {', '.join(classes)}; streams are {', '.join(streams)}."

    def names(self) -> list[str]:
        """The names of the nodes."""
        return self._column("SELECT name FROM node ORDER BY node_id")

    def has(self, *kinds: str) -> bool:
        """Whether nodes of one of the kinds exist."""
        sql = "SELECT 1 FROM node WHERE kind IN (SELECT unnest($kinds::VARCHAR[])) LIMIT 1"
        return bool(self.connection.execute(sql, {"kinds": list(kinds)}).fetchall())

    def store(self, times: Times) -> None:
        """Stores simulated times as the table `time`; raises QueryError if some nodes never run."""
        import pyarrow as pa

        self.replace("time", pa.table({
            "node_id": np.arange(len(times.start)), "start_ns": times.start, "end_ns": times.end,
            "queue_ns": times.queue, "cause_id": times.cause,
        }))  # fmt: skip
        if times.n_done < len(times.start):
            n_waiting = len(times.start) - times.n_done
            raise deadlock.explain(self.connection, self._session.connection, n_waiting)

    @staticmethod
    def _refuse(problems: list[Any], parameters: Mapping[str, bool]) -> list[tuple[str, str]]:
        """Raises QueryError for the first error of the run; returns warnings and their remedies.

        With the parameter `strict`, warnings are errors.
        """
        warnings = []
        for _, kind, severity, problem, remedy in problems:
            if kind == "clock" and parameters.get("assume_aligned"):
                continue
            if severity == "error" or parameters.get("strict"):
                raise QueryError(problem, hint=remedy)
            warnings.append((problem, remedy))
        return warnings

    def _check(self) -> None:
        ((n_runs, n_nodes),) = self.connection.execute(
            "SELECT count(DISTINCT run_id), count(*) FROM node"
        ).fetchall()
        if n_nodes == 0:
            raise QueryError(
                "the run has no graph to replay",
                hint="docs/replay.md lists the formats whose runs have one.",
            )
        if n_runs > 1:
            raise QueryError("more than one run is in scope", hint="Choose one with --run.")

    def _column(self, sql: str) -> list[str]:
        return [str(value) for (value,) in self.connection.execute(sql).fetchall()]


def _floats(values: Any) -> NDArray[np.float64]:
    return np.ascontiguousarray(np.ma.filled(values, 0), dtype=np.float64)


def _integers(values: Any) -> NDArray[np.int64]:
    return np.ascontiguousarray(np.ma.filled(values, -1), dtype=np.int64)
