"""Rows of several tasks are put into the order of the query."""

from __future__ import annotations

import random

import duckdb
import pyarrow as pa
import pytest

from warehouse.arrow import rows_of
from warehouse.library import library
from warehouse.spark.order import ADDED, ordered
from warehouse.store import catalog

COLUMNS = ("trace_id", "name", "n")


@pytest.mark.parametrize(
    ("order", "key"),
    [
        ("trace_id, name DESC", lambda t, n, c, s: (t, [-ord(x) for x in n], t, n, c)),
        ("3 DESC, 1", lambda t, n, c, s: (-c, t, n)),
        ("v.secret, v.n % 2 DESC", lambda t, n, c, s: (s, -(c % 2), t, n, c)),
    ],
)  # fmt: skip
def test_rows_of_parts_are_in_the_order_of_all(order: str, key: object) -> None:
    rng = random.Random(5)
    rows = [(t, rng.choice("abcd"), n, rng.randrange(4)) for t in range(3) for n in range(8)]
    values = ", ".join(map(str, rows))
    text = (
        f"WITH v AS (SELECT * FROM (VALUES {values}) AS x(trace_id, name, n, secret)) "
        "SELECT trace_id, name, n -- , FROM\n FROM v ORDER BY "
    )
    statement = ordered(text + order, COLUMNS)

    with duckdb.connect() as connection:
        parts = [
            rows_of(
                connection,
                statement.sql.replace("FROM v ", f"FROM v WHERE trace_id = {trace_id} "),
            )
            for trace_id in (2, 0, 1)
        ]
    found = statement.sorted(pa.concat_tables(parts))

    assert callable(key)
    expected = [row[:3] for row in sorted(rows, key=lambda row: key(*row))]
    assert list(zip(*(column.to_pylist() for column in found.columns), strict=True)) == expected
    assert found.column_names == list(COLUMNS)


def test_only_the_clause_from_ends_the_columns() -> None:
    statement = ordered(
        "SELECT n IS DISTINCT FROM 2 AS n FROM v WHERE n IS NOT DISTINCT FROM 2 ORDER BY v.n", ["n"]
    )
    (term,) = statement.order
    assert f"AS n , v.n AS {term} FROM v WHERE n IS NOT DISTINCT FROM 2" in statement.sql


def test_nulls_are_where_the_query_has_them() -> None:
    statement = ordered("SELECT n FROM v ORDER BY n DESC NULLS FIRST", ["n"])
    found = statement.sorted(pa.table({"n": [1, None, 3]}))
    assert found.column("n").to_pylist() == [None, 3, 1]


def test_every_public_query_has_an_order_that_can_be_made() -> None:
    with catalog.empty() as connection:
        for query in library.load().newest.values():
            assert query.header is not None
            names = [column.name for column in query.header.columns]
            statement = ordered(query.on(connection).text, names)
            if query.layer not in ("lib", "link") and query.header.alias_of is None:
                assert statement.order, query.key
            # Each column that is added is one term of the order.
            n_added = sum(ADDED in term for term in statement.order)
            assert statement.sql.count(f'AS "{ADDED}') == n_added, query.key
