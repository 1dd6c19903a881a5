"""The rewritten SQL means what SQLite says it means: Python's own sqlite3 is asked the same."""

from __future__ import annotations

import math
import os
import sqlite3
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from warehouse.dialect import run
from warehouse.dialect.parse import parse_at
from warehouse.dialect.scope import Column
from warehouse.dialect.selects import Selects
from warehouse.dialect.sources import Names
from warehouse.dialect.values import Type

_COLUMNS = [
    Column("id", Type.INT, Type.INT),
    Column("i", Type.INT, Type.INT),
    Column("r", Type.REAL, Type.REAL),
    Column("s", Type.TEXT, Type.TEXT),
    Column("g", Type.INT, Type.INT),
]
_VIEWS = {"t": ("t", _COLUMNS), "u": ("u", _COLUMNS)}
Row = tuple[Any, ...]


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[sqlite3.Connection, duckdb.DuckDBPyConnection]]:
    """SQLite, and a DuckDB with the macros, each with two tables of the same columns."""
    theirs, ours = sqlite3.connect(":memory:"), duckdb.connect()
    for table in _VIEWS:
        theirs.execute(f"CREATE TABLE {table}(id INTEGER, i INTEGER, r REAL, s TEXT, g INTEGER)")
        ours.execute(f"CREATE TABLE {table}(id BIGINT, i BIGINT, r DOUBLE, s VARCHAR, g BIGINT)")
    run.install_macros(ours)
    yield theirs, ours
    theirs.close()
    ours.close()


def _fill(both: Any, rows: list[Row], table: str = "t") -> None:
    theirs, ours = both
    numbered = [(n, *row) for n, row in enumerate(rows)]
    for connection in both:
        connection.execute(f"DELETE FROM {table}")
    theirs.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?)", numbered)
    if numbered:
        ours.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?)", numbered)


def _ask(both: Any, sql: str) -> tuple[list[Row], list[Row]]:
    """Their answer and ours. A number too large for 64 bits is an error here: then no example."""
    theirs, ours = both
    expected = theirs.execute(sql).fetchall()
    columns, rewritten = Selects(sql, Names(dict(_VIEWS))).query(parse_at(sql, 0, len(sql)))
    try:
        found = ours.execute(rewritten).fetchall()
    except (duckdb.OutOfRangeException, duckdb.ConversionException):
        assume(False)
    plain = [
        tuple(_plain(v) if c.type is Type.ANY else v for v, c in zip(row, columns, strict=True))
        for row in found
    ]
    return [tuple(map(_rounded, r)) for r in expected], [tuple(map(_rounded, r)) for r in plain]


def _plain(value: Any) -> Any:
    if value is None or value["t"] is not None:
        return value and value["t"]
    return value["n"] if value["i"] is None else value["i"]


def _rounded(value: Any) -> Any:
    """Type and value; the last digits of a real depend on the order of operations."""
    if isinstance(value, float):
        if math.isnan(value):
            return ("NoneType", None)
        return ("float", float(f"{value:.12g}"))
    return (type(value).__name__, value)


_INTEGERS = st.one_of(st.integers(-12, 12), st.integers(-(10**6), 10**6))
_REALS = st.one_of(st.integers(-40, 40).map(lambda n: n / 4), st.floats(-1e6, 1e6, width=32))
_TEXTS = st.one_of(
    st.sampled_from(["", "12", " 12 ", "12abc", "-3.5", "1e3", ".5", "+7", "a", "A", "ab", "AB",
                     "é", "É", "a%b", "a_b", "[x]", "a*b", "a]b", "1e", "-", "0x1F", "aaa", "K",
                     "ß"]),
    st.text("abAB1.e+-%_*?[]^é ", max_size=6),
)  # fmt: skip
_ROWS = st.lists(
    st.tuples(
        st.none() | _INTEGERS, st.none() | _REALS, st.none() | _TEXTS, st.none() | st.integers(0, 2)
    ),
    min_size=1,
    max_size=6,
)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


_LEAVES = st.one_of(
    st.sampled_from(["i", "r", "s", "g", "id", "NULL"]),
    st.integers(0, 20).map(str),
    st.integers(0, 40).map(lambda n: repr(n / 4)),
    _TEXTS.map(_quoted),
)
_BINARY = st.sampled_from(
    ["+", "-", "*", "/", "%", "||", "=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT", "AND", "OR"]
)


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(inner, _BINARY, inner).map(lambda x: f"({x[0]} {x[1]} {x[2]})"),
        st.tuples(inner, st.sampled_from(["=", "<", "+", "||"]), inner)
        .map(" ".join)
        .map(lambda x: f"({x})"),
        inner.map(lambda x: f"(NOT {x})"),
        inner.map(lambda x: f"(- {x})"),
        inner.map(lambda x: f"({x} IS NULL)"),
        st.tuples(inner, st.sampled_from(["INTEGER", "REAL", "TEXT", "NUMERIC"])).map(
            lambda x: f"CAST({x[0]} AS {x[1]})"
        ),
        st.tuples(inner, _TEXTS).map(lambda x: f"({x[0]} LIKE {_quoted(x[1])})"),
        st.tuples(inner, _TEXTS).map(lambda x: f"({x[0]} GLOB {_quoted(x[1])})"),
        st.tuples(inner, inner, inner).map(lambda x: f"iif({x[0]}, {x[1]}, {x[2]})"),
        st.tuples(inner, inner, inner).map(lambda x: f"({x[0]} BETWEEN {x[1]} AND {x[2]})"),
        st.tuples(inner, inner, inner).map(lambda x: f"({x[0]} IN ({x[1]}, {x[2]}))"),
        st.tuples(inner, inner, inner).map(
            lambda x: f"CASE {x[0]} WHEN {x[1]} THEN 1 ELSE {x[2]} END"
        ),
        pair.map(lambda x: f"ifnull({x[0]}, {x[1]})"),
        pair.map(lambda x: f"nullif({x[0]}, {x[1]})"),
        pair.map(lambda x: f"max({x[0]}, {x[1]})"),
        pair.map(lambda x: f"min({x[0]}, {x[1]})"),
        pair.map(lambda x: f"instr({x[0]}, {x[1]})"),
        st.tuples(inner, st.integers(-4, 4)).map(lambda x: f"substr({x[0]}, {x[1]})"),
        st.tuples(inner, st.integers(-4, 4), st.integers(-4, 4)).map(
            lambda x: f"substr({x[0]}, {x[1]}, {x[2]})"
        ),
        st.tuples(inner, inner, inner).map(lambda x: f"replace({x[0]}, {x[1]}, {x[2]})"),
        st.tuples(
            st.sampled_from(["abs", "length", "lower", "upper", "trim", "typeof"]), inner
        ).map(lambda x: f"{x[0]}({x[1]})"),
    )


_EXPRESSIONS = st.recursive(_LEAVES, _grown, max_leaves=5)
#: Each example is a statement that DuckDB plans again; TW_EXAMPLES=2000 looks harder.
_quick = settings(
    max_examples=int(os.environ.get("TW_EXAMPLES", "15")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@_quick
@given(rows=_ROWS, expression=_EXPRESSIONS)
@example(rows=[(7, 2.0, "12abc", 1)], expression="i / 2 + s")
@example(rows=[(None, 7.0, "7", 1)], expression="r = s")
@example(rows=[(-7, -7.5, "A", 1)], expression="i / 2 || i % 4 || r % 2")
@example(rows=[(0, 0.0, "0", 1)], expression="-(-min(i, 0.0))")
@example(rows=[(0, 2.5, "0", 1)], expression="replace(i, '', i) + replace(r, s, 1)")
@example(rows=[(0, 2.0, "0", 1)], expression="min(i, r, 0.0) || max(i, r, 2) || max(0.0, i)")
def test_an_expression_has_sqlites_value_and_type(
    both: Any, rows: list[Row], expression: str
) -> None:
    _fill(both, rows)

    expected, found = _ask(both, f"SELECT {expression} FROM t ORDER BY id")

    assert found == expected


@_quick
@given(rows=_ROWS, condition=_EXPRESSIONS)
def test_a_condition_keeps_the_rows_that_sqlite_keeps(
    both: Any, rows: list[Row], condition: str
) -> None:
    _fill(both, rows)

    expected, found = _ask(both, f"SELECT id FROM t WHERE {condition} ORDER BY id")

    assert found == expected


@_quick
@given(rows=_ROWS, expression=_EXPRESSIONS, direction=st.sampled_from(["ASC", "DESC"]))
def test_rows_are_ordered_as_sqlite_orders_them(
    both: Any, rows: list[Row], expression: str, direction: str
) -> None:
    _fill(both, rows)
    assume(not expression.replace(".", "").isdigit())  # a number is a column's place

    expected, found = _ask(both, f"SELECT id FROM t ORDER BY {expression} {direction}, id")

    assert found == expected


_AGGREGATES = ["count(*)", "count(i)", "sum(i)", "sum(r)", "total(i)", "avg(i)", "avg(s)", "min(s)",
               "max(r)", "sum(s)", "sum(i > 2)", "count(DISTINCT s)", "max(i) FILTER (WHERE g = 1)",
               "min(i) || max(i)", "sum(iif(g = 1, i, r))", "max(iif(g = 1, i, s))"]  # fmt: skip


@_quick
@given(
    rows=_ROWS,
    chosen=st.lists(st.sampled_from(_AGGREGATES), min_size=1, max_size=3),
    having=st.sampled_from(["", "HAVING count(*) > 1", "HAVING sum(i) > 0", "HAVING g"]),
)
def test_groups_have_sqlites_sums(
    both: Any, rows: list[Row], chosen: list[str], having: str
) -> None:
    _fill(both, rows)

    expected, found = _ask(
        both, f"SELECT g, {', '.join(chosen)} FROM t GROUP BY g {having} ORDER BY g"
    )

    assert found == expected


@_quick
@given(
    rows=_ROWS, which=st.sampled_from(["min", "max"]), of=st.sampled_from(["i", "r", "s", "i / 3"])
)
def test_a_bare_column_comes_from_the_row_of_the_extreme(
    both: Any, rows: list[Row], which: str, of: str
) -> None:
    _fill(both, rows)
    sql = f"SELECT g, id, s, {which}({of}) FROM t WHERE {of} IS NOT NULL GROUP BY g ORDER BY g"

    expected, found = _ask(both, sql)

    assert found == expected


@_quick
@given(rows=_ROWS)
def test_a_bare_column_without_an_extreme_comes_from_the_first_row(
    both: Any, rows: list[Row]
) -> None:
    _fill(both, rows)

    expected, found = _ask(both, "SELECT g, id, i FROM t GROUP BY g ORDER BY g")

    assert found == expected


@_quick
@given(rows=_ROWS, more=_ROWS, kind=st.sampled_from(["JOIN", "LEFT JOIN", "CROSS JOIN", ","]))
def test_joins_have_sqlites_rows(both: Any, rows: list[Row], more: list[Row], kind: str) -> None:
    _fill(both, rows)
    _fill(both, more, "u")
    condition = "ON t.i = u.s OR t.s = u.g" if "JOIN" in kind and "CROSS" not in kind else ""

    expected, found = _ask(
        both, f"SELECT t.id, u.id FROM t {kind} u {condition} ORDER BY t.id, u.id"
    )

    assert found == expected


@_quick
@given(
    rows=_ROWS, more=_ROWS, member=st.sampled_from(["i", "s", "r"]), of=st.sampled_from(["i", "s"])
)
def test_membership_in_a_select_converts_as_sqlite_does(
    both: Any, rows: list[Row], more: list[Row], member: str, of: str
) -> None:
    _fill(both, rows)
    _fill(both, more, "u")

    expected, found = _ask(both, f"SELECT id, {member} IN (SELECT {of} FROM u) FROM t ORDER BY id")

    assert found == expected


_STATEMENTS = [
    "SELECT DISTINCT g FROM t ORDER BY g DESC",
    "SELECT g AS k, count(*) AS n FROM t GROUP BY k ORDER BY n DESC, k",
    "SELECT g, count(*) FROM t GROUP BY 1 ORDER BY 2, 1",
    "SELECT id FROM t ORDER BY s LIMIT 1, 3",
    "SELECT id FROM t ORDER BY id LIMIT -1 OFFSET 2",
    "SELECT count(*) AS n FROM t HAVING n > 2",
    "SELECT i FROM t UNION SELECT g FROM t ORDER BY 1",
    "SELECT i FROM t UNION ALL SELECT s FROM t ORDER BY 1",
    "SELECT i FROM t EXCEPT SELECT g FROM t ORDER BY 1",
    "SELECT i FROM t INTERSECT SELECT g FROM t ORDER BY i",
    'SELECT "i", "no column" FROM t ORDER BY id',
    "SELECT [i], `s` FROM t ORDER BY id",
    "SELECT id, i AS x FROM t WHERE x > 0 ORDER BY x, id",
    "SELECT id, sum(i) OVER (PARTITION BY g ORDER BY id) FROM t ORDER BY id",
    "SELECT id, row_number() OVER (ORDER BY s, id), rank() OVER (ORDER BY g) FROM t ORDER BY id",
    "SELECT id, lag(i, 1, 'none') OVER (ORDER BY id) FROM t ORDER BY id",
    "SELECT id, first_value(s) OVER (PARTITION BY g ORDER BY i, id) FROM t ORDER BY id",
    "SELECT id, sum(i) OVER w, max(i) OVER w FROM t "
    "WINDOW w AS (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) ORDER BY id",
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 5) "
    "SELECT x, x / 2 FROM n ORDER BY x",
    "SELECT id, (SELECT max(b.i) FROM t b WHERE b.g = a.g) FROM t a ORDER BY id",
    "SELECT id FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.g = a.g AND b.id <> a.id) "
    "ORDER BY id",
    "SELECT * FROM (SELECT id, i + 0.5 AS h FROM t) WHERE h > 1 ORDER BY h, id",
    "SELECT a.id, b.id FROM t a JOIN t b USING (g) ORDER BY 1, 2",
    "SELECT g, group_concat(id, '+') FROM (SELECT * FROM t WHERE id < 1) GROUP BY g",
    "SELECT printf('%d|%5d|%-5d|%05d|%.2f|%s|%x|%%', i, i, i, g, r, s, g) FROM t ORDER BY id",
    "SELECT format('%5s|%-5s|%.2s|%g|%e', s, s, s, r, r) FROM t ORDER BY id",
    "SELECT round(r), round(r, 1), round(i), sign(i), quote(s), quote(i), char(65, 66) FROM t "
    "ORDER BY id",
    "SELECT coalesce(i, r, s), typeof(coalesce(i, r, s)) FROM t ORDER BY id",
    "SELECT id, i == g, i <> g, i IS DISTINCT FROM g, i ISNULL, i NOTNULL FROM t ORDER BY id",
    "SELECT 7 / 2, -7 / 2, 7 / -2, -7 % 3, 7 % 0, 7 / 0, 7.5 % 2, 7 / 2.0, '7' / 2, '7.5' * 2",
    "SELECT '10' < 9, '10' < '9', 'a' = 'A', 1 = '1', 1.0 = 1, NULL = NULL, NULL IS NULL",
    "SELECT 5 & 3, 5 | 3, 1 << 4, 256 >> 4, ~5, 1 + 2 * 3 || 4, 1 | 2 & 3, 2 || 3 * 2",
    "SELECT NOT 1 = 2, NOT NULL, 1 = 2 IS NULL, 1 < 2 = 1, 3 > 2 > 1, 1 BETWEEN 0 AND 2 = 1",
    "SELECT 9223372036854775807, -9223372036854775808, 9223372036854775808, 0x10, 1e3, .5",
    "SELECT CAST('9223372036854775808' AS INTEGER), CAST(1e30 AS INTEGER), CAST(-2.9 AS INTEGER)",
    "SELECT CAST(1e20 AS TEXT), CAST(0.1 + 0.2 AS TEXT), 2.0 || '', "
    "1e-5 || '', 1e15 || '', 1e14 || ''",
    "SELECT trim('  a '), ltrim('xxa', 'x'), rtrim('axx', 'x'), trim('xax', 'x'), 'a' LIKE NULL",
    "SELECT 'a_c' LIKE 'a!_c' ESCAPE '!', 'abc' LIKE 'a!_c' ESCAPE '!', 'abc' NOT LIKE 'A%'",
    "SELECT '[a' GLOB '[[]a', 'b' GLOB '[^a]', 'b' GLOB '[a-c]', '-' GLOB '[a-]', ']' GLOB '[]]', "
    "'a' GLOB '[', 'abc' NOT GLOB 'a*', '*' GLOB '[*]', 'a\nb' GLOB 'a?b', 'axxb' GLOB 'a*b*'",
    "SELECT substr('hello', 0), substr('hello', 0, 2), substr('hello', -3, 2), "
    "substr('hello', 3, -2), substr('hello', 10), substr('hello', -10, 7), substr(12345, 2, 2), "
    "substr('hello', 2, NULL)",
    "VALUES (1, 'a'), (2, NULL)",
    "SELECT CASE WHEN 'a' THEN 1 WHEN '1a' THEN 2 END, iif('0', 1, 2), iif(NULL, 1, 2), NOT 'x'",
    "SELECT max(1, 2.5, NULL), max(1, 'a'), min(2, 1.5), max('a', 'B'), min(1)",
    "SELECT instr('abcabc', 'c'), instr(12321, 2), instr('a', ''), length(12.5), length(NULL)",
]  # fmt: skip
_SAMPLE: list[Row] = [
    (3, 1.5, "b", 1), (None, 2.0, "A", 1), (5, None, None, 0), (-7, -0.25, "10", None),
    (3, 1e6, "9a", 0), (0, 0.0, "", 2),
]  # fmt: skip


@pytest.mark.parametrize("sql", _STATEMENTS)
def test_a_statement_has_sqlites_rows(both: Any, sql: str) -> None:
    _fill(both, _SAMPLE)

    expected, found = _ask(both, sql)

    assert found == expected
