"""Intersections of intervals: SPAN_JOIN, and the macros of `intervals.intersect`, as SQL.

Two intervals meet from the later start to the earlier end. One without length meets those that it
begins with, or lies within before their end, as in trace_processor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Span:
    """A table of a span join: `columns` are those beside ts, dur and the partition."""

    table: str
    partition: str | None
    columns: tuple[str, ...]


def intersect(tables: Sequence[str], columns: Sequence[str]) -> str:
    """Returns a subquery of the times at which an interval of each table runs.

    Its columns are ts, dur, id_0, id_1, …, the ids of the intervals, and `columns`, in which they
    are equal.
    """
    names = [f"tw_{n}" for n in range(len(tables))]
    starts = [f"{name}.ts" for name in names]
    ends = [f"{name}.ts + {name}.dur" for name in names]
    shown = [
        f"{_outer('MAX', starts)} AS ts",
        f"{_outer('MIN', ends)} - {_outer('MAX', starts)} AS dur",
        *(f"{name}.id AS id_{n}" for n, name in enumerate(names)),
        *(f"{names[0]}.{column} AS {column}" for column in columns),
    ]
    joined = f"(SELECT * FROM {tables[0]}) AS {names[0]}"
    for n in range(1, len(names)):
        meets = [_meets(before, names[n]) for before in names[:n]]
        equal = [f"{names[0]}.{column} = {names[n]}.{column}" for column in columns]
        joined += (
            f" JOIN (SELECT * FROM {tables[n]}) AS {names[n]} ON {' AND '.join(meets + equal)}"
        )
    return f"(SELECT {', '.join(shown)} FROM {joined})"


def span_join(kind: str, first: Span, second: Span) -> str:
    """Returns a SELECT with the rows of SPAN_JOIN, SPAN_LEFT_JOIN or SPAN_OUTER_JOIN.

    The intervals of a partition of a table must not overlap each other, as in trace_processor.
    """
    partition = first.partition or second.partition
    tables = f"WITH tw_a AS ({_rows(first, second)}), tw_b AS ({_rows(second, first)})"
    same = "tw_a.tw_p = tw_b.tw_p AND " if partition else ""
    hits = (
        f"tw_hit AS (SELECT tw_a.tw_n AS tw_an, tw_b.tw_n AS tw_bn, MAX(tw_a.ts, tw_b.ts) AS ts, "
        "MIN(tw_a.ts + tw_a.dur, tw_b.ts + tw_b.dur) AS tw_end FROM tw_a JOIN tw_b "
        f"ON {same}{_meets('tw_a', 'tw_b')})"
    )
    shown = [f"a.tw_p AS {partition}"] if partition else []
    both = [*(f"a.{c} AS {c}" for c in first.columns), *(f"b.{c} AS {c}" for c in second.columns)]
    parts = [
        f"SELECT h.ts AS ts, h.tw_end - h.ts AS dur, {', '.join([*shown, *both])} FROM tw_hit AS h "
        "JOIN tw_a AS a ON a.tw_n = h.tw_an JOIN tw_b AS b ON b.tw_n = h.tw_bn"
    ]
    if kind != "SPAN_JOIN":
        alone = [f"a.{c}" for c in first.columns] + ["NULL"] * len(second.columns)
        parts.append(_uncovered("tw_a", "tw_an", [*shown, *alone]))
    if kind == "SPAN_OUTER_JOIN":
        alone = ["NULL"] * len(first.columns) + [f"a.{c}" for c in second.columns]
        parts.append(_uncovered("tw_b", "tw_bn", [*shown, *alone]))
    return f"{tables}, {hits} {' UNION ALL '.join(parts)}"


def _outer(function: str, values: Sequence[str]) -> str:
    return f"{function}({', '.join(values)})" if len(values) > 1 else values[0]


def _meets(a: str, b: str) -> str:
    return (
        f"({a}.ts < {b}.ts + {b}.dur OR {a}.ts = {b}.ts) "
        f"AND ({b}.ts < {a}.ts + {a}.dur OR {a}.ts = {b}.ts)"
    )


def _rows(table: Span, other: Span) -> str:
    """A table with numbered rows; without partition, once for each of the other table."""
    columns = ", ".join(["s.ts AS ts", "s.dur AS dur", *(f"s.{c} AS {c}" for c in table.columns)])
    source = f"{table.table} AS s"
    if table.partition:
        columns += f", s.{table.partition} AS tw_p"
        source += f" WHERE s.{table.partition} IS NOT NULL"
    elif other.partition:
        columns += ", p.tw_p AS tw_p"
        source += (
            f" CROSS JOIN (SELECT DISTINCT {other.partition} AS tw_p FROM {other.table} "
            f"WHERE {other.partition} IS NOT NULL) AS p"
        )
    return f"SELECT {columns}, ROW_NUMBER() OVER (ORDER BY s.ts) AS tw_n FROM {source}"


def _uncovered(table: str, number: str, columns: Sequence[str]) -> str:
    """The parts of a table's intervals at which none of the other runs."""
    listed = ", ".join(["g.ts AS ts", "g.tw_end - g.ts AS dur", *columns])
    return (
        f"SELECT {listed} FROM ("
        f"SELECT h.{number} AS tw_n, h.ts AS tw_end, "
        f"coalesce(MAX(h.tw_end) OVER (PARTITION BY h.{number} "
        "ORDER BY h.ts, h.tw_end ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), t.ts) AS ts, "
        "0 AS tw_alone "
        f"FROM tw_hit AS h JOIN {table} AS t ON t.tw_n = h.{number} "
        "UNION ALL "
        "SELECT t.tw_n, t.ts + t.dur, coalesce(e.tw_end, t.ts), e.tw_n IS NULL "
        f"FROM {table} AS t LEFT JOIN ("
        f"SELECT {number} AS tw_n, MAX(tw_end) AS tw_end FROM tw_hit GROUP BY {number}"
        f") AS e ON e.tw_n = t.tw_n"
        f") AS g JOIN {table} AS a ON a.tw_n = g.tw_n WHERE g.tw_end > g.ts OR g.tw_alone"
    )
