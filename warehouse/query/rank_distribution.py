"""Summarizes rows by rank over the ranks: for terminals, pages and workbooks of jobs of many ranks.

A query with a row for each rank has 1,024 rows for 1,024 ranks, in which nobody finds the slow one.
`of_rows` returns the distribution instead: minimum, 10th percentile, median, 90th percentile and
maximum of the ranks, and the ranks farthest from the median, at most `N_OUTLIERS` on each side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from warehouse.library.header import Column
from warehouse.query.result import QueryResult
from warehouse.query.selection import LISTED_RANKS
from warehouse.query.stored import StoredRows

if TYPE_CHECKING:
    import duckdb

    from warehouse.library.library import Query
    from warehouse.query.session import Session

N_OUTLIERS = 5  # on each side
STATISTICS = {"min": 0.0, "p10": 0.1, "median": 0.5, "p90": 0.9, "max": 1.0}
#: Columns that name what a row is about, by the id or place in the grain that they stand for.
_NAMES_OF_IDS = {
    "device_id": ("device",),
    "to_trace_id": ("to_rank",),
    "track_id": ("stream", "thread", "counter"),
    "step_id": ("step",),
    "place": ("name",),  # of the things a rank has most of
}
_OF_THE_RANK = ("trace_id", "rank", "pair")  # in the grain, these are the rank
_PAIRED = ("rank_b", "rank_a")  # the rank of a pair of traces, in comparisons
_LOCAL = ("device", "device_ordinal", "has_work")  # no keys where each rank has one value only
#: Measures by which ranks are compared first.
_FIRST = ("total_ns", "busy_ns", "caused_wait_change_ns", "work_change_ns")
_POSITIONS = ("ts", "start_ns", "end_ns")  # in the grain: each row is an event
_NO_MEASURES = ("id", "source id", "address", "UTC")
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UBIGINT", "DOUBLE", "FLOAT")


@dataclass(frozen=True)
class RankDistribution:
    """The rows to show in place of rows by rank."""

    rows: QueryResult
    n_ranks: int
    measure: str | None  # whose statistics the columns hold; None: each row is one statistic

    @property
    def title(self) -> str:
        """What the rows are, without full stop."""
        of = f" of {self.measure}" if self.measure else ""
        return f"Distribution{of} over {self.n_ranks:,} ranks"


@dataclass(frozen=True)
class Layout:
    """The columns of rows by rank: what each row is about, and what it measures."""

    keys: tuple[str, ...]
    measures: tuple[Column, ...]

    @classmethod
    def of(cls, grain: Sequence[str], columns: Sequence[Column], name: str = "") -> Layout | None:
        """Returns the layout; None for rows that are not by rank, or are single events.

        `name` is the query's: a measure of that name is compared first.
        """
        by_name = {column.name: column for column in columns}
        is_by_rank = "rank" in by_name or ("pair" in grain and by_name.keys() >= set(_PAIRED))
        if not is_by_rank or not set(grain) & set(_OF_THE_RANK):
            return None
        keys: list[str] = ["run_id"] if "run_id" in by_name else []
        for each in grain:
            if each in keys or each in _OF_THE_RANK:
                continue
            found = _key(each, by_name)
            if found is None:
                return None
            keys += [key for key in found if key not in keys]
        measures = [each for each in columns if _is_measure(each, keys)]
        measures.sort(key=lambda each: _place(each, name))
        return cls(tuple(keys), tuple(measures)) if measures else None

    def with_values(self, connection: duckdb.DuckDBPyConnection) -> Layout:
        """Returns the layout with a measure first that has values in the table `result`."""
        counts = ", ".join(f'count("{each.name}")' for each in self.measures)
        (found,) = connection.execute(f"SELECT {counts} FROM result").fetchall()
        known = (each.name for each, n in zip(self.measures, found, strict=True) if n)
        return self.by(next(known, self.measures[0].name))

    def by(self, name: str) -> Layout:
        """Returns the layout with the named measure first, if there is one."""
        first = [each for each in self.measures if each.name == name]
        return replace(self, measures=(*first, *(e for e in self.measures if e.name != name)))


def _key(name: str, by_name: dict[str, Column]) -> list[str] | None:
    """Returns the columns that name what an id of the grain stands for; None if there is none."""
    shown = [each for each in _NAMES_OF_IDS.get(name, ()) if each in by_name]
    if shown:
        return shown
    is_event = (by_name[name].unit or "").startswith("ref ") or name in _POSITIONS
    return None if is_event else [name]


def _is_measure(column: Column, keys: Sequence[str]) -> bool:
    """Whether values of ranks can be compared: numbers, but neither ids nor positions in time."""
    unit = column.unit or ""
    is_position = column.name in ("ts", "n_ranks") or column.name.endswith(
        ("start_ns", "end_ns", "_rank", "_step", "pid", "tid")
    )
    return (
        column.type in _NUMBERS
        and column.name not in keys
        and column.name not in (*_LOCAL, *_OF_THE_RANK, *_PAIRED)
        and not is_position
        and unit not in _NO_MEASURES
        and not unit.startswith(("ref ", "see "))
    )


def _place(column: Column, name: str) -> int:
    """Returns the place of a measure: the query's own, then totals, then times, then others."""
    if column.name in (name, *_FIRST):
        return (name, *_FIRST).index(column.name)
    return 1 + len(_FIRST) + (column.unit != "ns")


def of_session(opened: Session, query: Query) -> Layout | None:
    """Returns the layout of a query's rows; None if they are not by rank, or the ranks in scope are
    few enough to be listed."""
    ranks = {trace["rank"] for trace in opened.traces} - {None}
    if len(ranks) <= LISTED_RANKS or query.header is None:
        return None
    return Layout.of(query.header.grain, query.header.columns, query.header.name)


def of_rows(result: QueryResult, layout: Layout) -> RankDistribution | None:
    """Returns the distribution of the rows over their ranks; None if they are of few ranks.

    Where each rank has one row, a row for each statistic of all measures, then the whole rows of
    the outliers by the first measure. Else a row for each combination of keys, with the statistics
    of the first measure and the numbers of the outlying ranks.
    """
    with _reading(result) as connection:
        columns = _with_rank(connection, result.columns)
        layout = layout.with_values(connection)
        n_ranks = _count(connection, "SELECT count(DISTINCT rank) FROM result")
        if n_ranks <= LISTED_RANKS:
            return None
        keys = _needed_keys(connection, layout.keys)
        if keys:
            sql, columns = _by_key(columns, keys, layout.measures[0])
        else:
            sql, columns = _by_statistic(columns, layout.measures)
        table = connection.sql(sql).to_arrow_table()
    measure = layout.measures[0].name if keys else None
    return RankDistribution(QueryResult(table, columns, result.meta), n_ranks, measure)


@contextmanager
def _reading(result: QueryResult) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection with the rows as `given`."""
    if isinstance(result, StoredRows) and result.is_stored:
        with result.reading("given") as connection:
            yield connection
        return
    with _database().cursor() as connection:
        connection.register("given", result.arrow())
        yield connection


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """Returns a database in memory, which takes longer to create than most distributions."""
    import duckdb

    return duckdb.connect(config={"threads": 1})


def _with_rank(
    connection: duckdb.DuckDBPyConnection, columns: tuple[Column, ...]
) -> tuple[Column, ...]:
    """Creates the view `result`, with the column `rank`; that of a pair is the rank on side b."""
    if any(each.name == "rank" for each in columns):
        connection.execute("CREATE TEMP VIEW result AS SELECT * FROM given")
        return columns
    rank = Column("rank", "BIGINT", "count", "Rank on side b, else on side a")
    connection.execute(
        f"CREATE TEMP VIEW result AS SELECT *, coalesce({', '.join(_PAIRED)}) AS rank FROM given"
    )
    return (rank, *columns)


def _needed_keys(connection: duckdb.DuckDBPyConnection, keys: Sequence[str]) -> list[str]:
    """Drops the run if there is one, and the device if no rank has rows of two devices."""
    needed = list(keys)
    if "run_id" in needed and _count(connection, "SELECT count(DISTINCT run_id) FROM result") < 2:
        needed.remove("run_id")
    for key in [each for each in needed if each in _LOCAL]:
        most = f'SELECT count(DISTINCT "{key}") AS n FROM result GROUP BY rank'
        if _count(connection, f"SELECT coalesce(max(n), 0) FROM ({most})") < 2:
            needed.remove(key)
    return needed


def _count(connection: duckdb.DuckDBPyConnection, sql: str) -> int:
    ((number,),) = connection.execute(sql).fetchall()
    return int(number)


def _statistic(column: Column, share: float) -> str:
    """Returns SQL for a percentile, in the column's type."""
    kind = "DOUBLE" if column.type in ("DOUBLE", "FLOAT") else "BIGINT"
    return f'quantile_cont("{column.name}"::DOUBLE, {share})::{kind}'


def _by_statistic(
    columns: Sequence[Column], measures: Sequence[Column]
) -> tuple[str, tuple[Column, ...]]:
    """Returns SQL and columns of a row for each statistic, then the rows of the outliers."""
    (rank,) = (each for each in columns if each.name == "rank")
    shown = [each for each in columns if each in measures]
    statistics = [
        f"SELECT {place} AS place, 0 AS n, '{name}' AS over_ranks, NULL::BIGINT AS rank, "
        + ", ".join(f'{_statistic(each, share)} AS "{each.name}"' for each in shown)
        + " FROM result"
        for place, (name, share) in enumerate(STATISTICS.items())
    ]
    outliers = [_outliers(shown, measures[0].name, is_highest) for is_highest in (False, True)]
    names = ", ".join(f'"{each.name}"' for each in shown)
    text = " UNION ALL ".join(statistics + outliers)
    over = Column("over_ranks", "VARCHAR", "text", "Statistic of all ranks, or outliers")
    return (
        f"SELECT over_ranks, rank, {names} FROM ({text}) ORDER BY place, n",
        (over, rank, *shown),
    )


def _outliers(shown: Sequence[Column], measure: str, is_highest: bool) -> str:
    """Returns SQL of the rows farthest from the median on one side."""
    name, order, sign = ("highest", "DESC", ">") if is_highest else ("lowest", "ASC", "<")
    values = ", ".join(f'"{each.name}"' for each in shown)
    number = f'row_number() OVER (ORDER BY "{measure}" {order}, rank)'
    return f"""
      SELECT {len(STATISTICS) + is_highest}, {number}, '{name} {measure}', rank, {values}
      FROM result
      WHERE "{measure}" {sign} (SELECT median("{measure}"::DOUBLE) FROM result)
      QUALIFY {number} <= {N_OUTLIERS}"""


def _by_key(
    columns: Sequence[Column], keys: Sequence[str], measure: Column
) -> tuple[str, tuple[Column, ...]]:
    """Returns SQL and columns of a row for each combination of keys."""
    grouped = ", ".join(f'"{key}"' for key in keys)
    values = ", ".join(
        f"{_statistic(measure, share)} AS {name}" for name, share in STATISTICS.items()
    )
    name = f'"{measure.name}"'
    own = [each for each in columns if each.name in keys]
    names = ("run_id", "to_rank")
    is_named = all(each.type in ("VARCHAR", "BOOLEAN") or each.name in names for each in own)
    order = f"median DESC, {grouped}" if is_named else grouped
    text = f"""
    WITH ranked AS (
      SELECT *, median({name}::DOUBLE) OVER (PARTITION BY {grouped}) AS middle FROM result
    )
    SELECT
      {grouped},
      count(DISTINCT rank) AS n_ranks,
      {values},
      array_to_string(
        (list(rank ORDER BY {name}, rank) FILTER ({name} < middle))[1:{N_OUTLIERS}], ' '
      ) AS lowest_ranks,
      array_to_string(
        (list(rank ORDER BY {name} DESC, rank) FILTER ({name} > middle))[1:{N_OUTLIERS}], ' '
      ) AS highest_ranks
    FROM ranked
    GROUP BY {grouped}
    ORDER BY {order}"""
    kind = "DOUBLE" if measure.type in ("DOUBLE", "FLOAT") else "BIGINT"
    statistics = [
        replace(measure, name=each, type=kind, help=f"{each} of {measure.name} over the ranks")
        for each in STATISTICS
    ]
    return text, (
        *own,
        Column("n_ranks", "BIGINT", "count", "Number of ranks with such rows"),
        *statistics,
        Column("lowest_ranks", "VARCHAR", "text", f"Ranks with the lowest {measure.name}"),
        Column("highest_ranks", "VARCHAR", "text", f"Ranks with the highest {measure.name}"),
    )
