"""Which rows of a warehouse are in a lake, which commit they belong to, and which columns are ids.

A trace's commit has the rows that its import makes. A run's commit has what depends on several
traces: the run with its tags, links between traces, linked graphs, and the rows of `trace` and
`clock`, which replace those of the traces' commits. Rows about the warehouse itself (schedules,
inbox, cost models) are not in a lake.

Which columns hold ids is read from the comments of the schema: `[id]`, `[ref TABLE.column]`, and
`[see TABLE.id]` for lists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from warehouse.store import catalog

#: Tables about a warehouse itself.
OF_WAREHOUSE = frozenset({
    "cost_model", "cost_model_group", "cost_model_term", "inbox_file", "schedule", "schedule_run",
    "schema_migration",
})  # fmt: skip

#: Tables whose rows in a run's commit replace rows of the same id in the traces' commits.
REPLACED = ("trace", "clock")

_TRACES = "(SELECT id FROM trace WHERE run_id = {run})"
_LINKED = "(SELECT id FROM graph WHERE link_set IS NOT NULL)"
_PAIRING = "('ambiguous_timeline', 'other_process')"  # kinds of problems that other traces cause

#: Rows of tables that depend on other traces of the run: their condition.
_OF_RUN = {
    "run": "id = {run}",
    "tag": "run_id = {run}",
    "prediction": "run_id = {run}",
    "search_step": "run_id = {run}",
    "prediction_path": "predicted_run_id = {run}",
    "trace": "run_id = {run}",
    "clock": f"trace_id IN {_TRACES}",
    "link": "trace_id IS NULL AND run_id = {run}",
    "graph": f"link_set IS NOT NULL AND trace_id IN {_TRACES}",
    "graph_node": f"graph_id IN {_LINKED} AND trace_id IN {_TRACES}",
    "graph_edge": f"graph_id IN {_LINKED} AND trace_id IN {_TRACES}",
    "import_stat": f"name = 'run_linked' AND trace_id IN {_TRACES}",
    "import_problem": f"kind IN {_PAIRING} AND trace_id IN {_TRACES}",
    "query_version": (
        "name IN (SELECT split_part(detail, '@', 1) FROM import_stat "
        f"WHERE name IN ('linked', 'run_linked') AND trace_id IN {_TRACES})"
    ),
}

#: Rows of these tables that are not of a trace alone.
_NOT_OF_TRACE = {
    "graph": "link_set IS NULL",
    "graph_node": f"graph_id NOT IN {_LINKED}",
    "graph_edge": f"graph_id NOT IN {_LINKED}",
    "import_stat": "name <> 'run_linked'",
    "import_problem": f"kind NOT IN {_PAIRING}",
}


@dataclass(frozen=True)
class Column:
    """A column of a stored table. `ids` says whose ids it holds: trace, run, row or none."""

    name: str
    type: str
    ids: str | None


@dataclass(frozen=True)
class Table:
    """A table of a lake."""

    name: str
    columns: tuple[Column, ...]

    @property
    def trace_column(self) -> str | None:
        """The column with the trace of a row of a trace's commit; None: all rows are of runs."""
        if self.name == "trace":
            return "id"
        is_of_trace = any(column.name == "trace_id" for column in self.columns)
        return "trace_id" if is_of_trace and self.name != "prediction_path" else None

    @property
    def relates(self) -> str | None:
        """Of a table that relates traces of any runs: the first column with a trace."""
        names = [column.name for column in self.columns]
        if "trace_id" in names or "run_id" in names:
            return None
        return next((name for name in names if name.endswith("_trace_id")), None)

    def of_traces(self) -> str | None:
        """The condition of the rows of traces' commits, of all traces; None: there are none."""
        if self.trace_column is None:
            return None
        is_of_trace = f"{self.trace_column} IS NOT NULL"
        more = _NOT_OF_TRACE.get(self.name)
        return f"{is_of_trace} AND {more}" if more else is_of_trace

    def of_run(self, run_id: int) -> str | None:
        """The condition of the rows of a run's commit; None: there are none."""
        condition = _OF_RUN.get(self.name)
        if condition is None and (first := self.relates) is not None:
            condition = f"{first} IN {_TRACES}"
        return None if condition is None else condition.format(run=run_id)


@cache
def tables() -> Mapping[str, Table]:
    """The tables of a lake by name, as the schema of this program has them.

    Raises LookupError for a table or an id column that nothing says how to store.
    """
    with catalog.empty() as connection:
        found = {
            each.name: Table(each.name, tuple(map(_column, catalog.columns(connection, each.name))))
            for each in catalog.tables(connection)
            if each.kind == "table" and each.name not in OF_WAREHOUSE
        }
    for table in found.values():
        if table.trace_column is None and table.of_run(0) is None:
            raise LookupError(f"nothing says which commit has the rows of table {table.name}")
    return found


_REFERENCE = re.compile(r"(?:ref|see) (\w+)\.(\w+)")
_NAMED_AS_ID = re.compile(r"(?:.*_)?ids?")


def _column(column: catalog.Column) -> Column:
    return Column(column.name, column.type, ids_of(column))


def ids_of(column: catalog.Column) -> str | None:
    """Whose ids a column holds: trace, run, row (with the trace's in its upper bits), or none.

    `[id]` of the tables `trace` and `run` is that of a row, too; see `moved`. Raises LookupError
    for a column that is named as one of ids, whose comment does not say of what.
    """
    if column.unit == "id":
        return "row"
    found = _REFERENCE.fullmatch(column.unit)
    if found and found[2].endswith("id"):
        return found[1] if found[1] in ("trace", "run") else "row"
    if _NAMED_AS_ID.fullmatch(column.name) and column.unit not in ("source id", "text"):
        raise LookupError(
            f"nothing says what the ids of column {column.name} are: its unit is {column.unit!r}"
        )
    return None


#: Variables of the connection: lists with the new id of a trace or run at the place of the old.
TRACE_IDS, RUN_IDS = "lake_trace_ids", "lake_run_ids"


def selected(table: Table, *, without: str | None = None) -> str:
    """The columns of a table for SELECT, with the ids that they have in the lake."""
    return ", ".join(
        f'{moved(table.name, column)} AS "{column.name}"'
        for column in table.columns
        if column.name != without
    )


def moved(table: str, column: Column) -> str:
    """The value of a column with the ids of the lake, which two variables hold; 0: none there."""
    name = f'"{column.name}"'
    if column.ids is None:
        return name
    kind = table if column.name == "id" and table in ("trace", "run") else column.ids
    if kind in ("trace", "run"):
        return _new(name, TRACE_IDS if kind == "trace" else RUN_IDS)
    if column.type.endswith("[]"):
        return f"list_transform({name}, lambda x: {_row_id('x')})"
    if (table, column.name) == ("link", "id"):  # of a run: -(run_id << 32 | n) - 1
        between = f"-{_row_id(f'(-{name} - 1)', RUN_IDS)} - 1"
        return f"CASE WHEN {name} < 0 THEN {between} ELSE {_row_id(name)} END"
    return _row_id(name)


def _row_id(value: str, ids: str = TRACE_IDS) -> str:
    return f"(({_new(f'({value} >> 32)', ids)} << 32) | ({value} & 4294967295))"


def _new(value: str, ids: str) -> str:
    found = f"list_extract(getvariable('{ids}'), {value})"
    return f"coalesce({found}, CASE WHEN {value} IS NOT NULL THEN 0 END)"
