"""Queries of scale `sql` give the same rows in Spark SQL as in DuckDB, over rows made at random."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.engines import difference, record
from warehouse.dialect.errors import UnsupportedSql
from warehouse.dialect.spark import translated
from warehouse.errors import UsageError
from warehouse.lake.tables import Column, Table
from warehouse.library import library, structure
from warehouse.library.arguments import arguments
from warehouse.library.library import Query
from warehouse.spark import cluster, statement
from warehouse.spark.statement import Files, TableViews
from warehouse.store import catalog

QUERIES = library.load()
TRANSLATED = {
    name: query
    for name, query in QUERIES.newest.items()
    if query.header and query.header.scale == "sql"
}
#: Values of the parameters, some of which need care in a text of SQL.
VALUES: dict[str, list[dict[str, Any]]] = {
    "model_show": [{"model": "a"}, {"model": "it's\\n"}],
    "model_prediction": [
        {
            "model": "a",
            "features": '{"a": 0.25, "b": 1e3, "failed": 7, "it\'s\\\\n": "2.5", "linked": 1}',
        },
        {"model": "a", "features": '{"b": -1, "a": 0.25, "linked": "nan"}'},
    ],
    "check_stale_link": [
        {},
        {"linkers": ["x@2 contract=ab", "it's\\n@3"], "run_linkers": ["a@1"]},
    ],
}
TEXTS = ("a", "b", "constant", "failed", "it's\\n", "linked")
KEYS = {  # of the schema, beside `id`
    "cost_model": ("name",),
    "cost_model_group": ("model_id", "model_group"),
    "cost_model_term": ("model_id", "model_group", "feature"),
}
LINKERS = ("a@1", "x@1 contract=ab", "x@2 contract=ab", "x@2 contract=cd", "it's\\n@3")


def value(column: str, kind: str, rng: random.Random) -> object:
    """A value of a column, one of few, so that rows meet in joins and groups."""
    if column == "detail":
        return rng.choice(LINKERS)
    if column == "name":
        return rng.choice(("linked", "run_linked", "x", "a", "a", "a"))
    if column == "model_group":
        return rng.choice(("a", "b"))
    if column == "content_hash":
        return rng.choice(("ab", "cd"))
    if column.endswith("id") or column == "version":
        return rng.randrange(1, 4)
    if rng.random() < 0.2:
        return None
    if kind == "BIGINT[]":
        return [rng.randrange(9) for _ in range(rng.randrange(4))]
    if kind == "DOUBLE":
        return rng.choice((0.0, 0.5, 3.25, 1e12, -2.0))
    if kind == "TIMESTAMP":
        return f"2026-01-0{rng.randrange(1, 9)} 10:00:00.123456"
    if kind == "BOOLEAN":
        return rng.random() < 0.5
    return rng.choice(TEXTS) if kind == "VARCHAR" else rng.randrange(4)


def filled(tables: tuple[str, ...], seed: int, folder: Path) -> tuple[Any, TableViews]:
    """Tables with rows, in DuckDB and as files for Spark."""
    connection, rng = duckdb.connect(), random.Random(seed)
    files = {}
    for name in tables:
        columns = catalog.stored_columns()[name]
        listed = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
        connection.execute(f'CREATE TABLE "{name}" ({listed})')
        marks = ", ".join("?" * len(columns))
        rows: dict[object, list[object]] = {}
        for n in range(1, 13):
            row = {c: n if c == "id" else value(c, kind, rng) for c, kind in columns.items()}
            rows.setdefault(tuple(row[c] for c in KEYS.get(name, ())) or n, [*row.values()])
        connection.executemany(f'INSERT INTO "{name}" VALUES ({marks})', [*rows.values()])
        path = folder / f"{name} {seed}.parquet"
        connection.execute(f"COPY \"{name}\" TO '{path}' (FORMAT parquet)")
        table = Table(name, tuple(Column(column, kind, None) for column, kind in columns.items()))
        files[f"files of {name}"] = Files(table, (str(path),), None)
    views = {name: f"SELECT * FROM `files of {name}`" for name in tables}
    return connection, TableViews(files, views)


@pytest.fixture(scope="module")
def spark() -> Iterator[cluster.Cluster]:
    for name, there in (("pyspark", find_spec("pyspark")), ("java", shutil.which("java"))):
        if there is None:
            pytest.skip(f"{name} is not installed")
    with cluster.started("local[2]") as found:
        yield found


@pytest.mark.spark
@pytest.mark.parametrize("name", TRANSLATED)
def test_rows_are_those_of_duckdb(name: str, spark: cluster.Cluster, tmp_path: Path) -> None:
    n_rows, query = 0, TRANSLATED[name]
    for seed, given in enumerate(VALUES.get(name, [{}]) * 2):
        values = arguments(query, given)
        translation, order = statement.translate(query, values)
        connection, views = filled(translation.tables, seed, tmp_path)
        expected = connection.sql(order.sql, params=values).to_arrow_table()
        found = spark.sql(translation.sql, views)
        assert (
            difference(order.sorted(expected), statement.typed(query, order.sorted(found))) is None
        )
        n_rows += expected.num_rows
    assert n_rows > 0
    record(str(query.key), n_rows, is_equal=True, data="random")


def test_queries_of_scale_sql_are_translated() -> None:
    assert len(TRANSLATED) >= 6
    for query in TRANSLATED.values():
        assert structure.problems(query, QUERIES) == []
        assert set(statement.translate(query)[0].tables) <= catalog.stored_columns().keys()


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT t.id FROM trace AS t ASOF JOIN slice AS s ON s.id <= t.id", "method of Join"),
        ("SELECT quantile_cont(dur, 0.5) FROM slice", "PercentileCont"),
        ("SELECT list(name ORDER BY id) FROM slice", "ArrayAgg"),
        ("SELECT name FROM slice LIMIT 3", "limit of Select"),
        ("SELECT DISTINCT name FROM slice", "distinct of Select"),
        ("SELECT id FROM slice UNION SELECT id FROM trace", "distinct of Union"),
        ("WITH RECURSIVE a AS (SELECT 1 AS n) SELECT n FROM a", "recursive of With"),
        ("SELECT epoch_ns(imported_at) FROM trace", "epoch_ns"),
        ("SELECT 1.5 AS x", "the number 1.5"),
        ("SELECT (coefficient * 2)::BIGINT FROM cost_model_term", "may have decimals"),
        ("WITH a AS (SELECT coefficient AS id FROM cost_model_term) SELECT id::BIGINT FROM a",
         "may have decimals"),
        ("SELECT id::HUGEINT FROM slice", "INT128"),
        ("SELECT len(name) FROM slice", "not a stored list"),
        ("SELECT key FROM args", "args is not a stored table"),
        ("SELECT id FROM device_busy()", "the call of device_busy"),
        ("WITH trace AS (SELECT * FROM trace) SELECT id FROM trace", "and a name in WITH"),
        ("SELECT max(id, 2) FROM slice", "count of Max"),
        ("SELECT id FROM slice ORDER BY", "does not parse"),
    ],
)  # fmt: skip
def test_what_may_differ_is_not_translated(sql: str, message: str) -> None:
    with pytest.raises(UnsupportedSql) as error:
        translated(sql, catalog.stored_columns())
    assert message in str(error.value)


def test_a_query_of_scale_sql_that_is_not_translated_is_a_problem() -> None:
    text = """/* ---
name = "newest"
version = 1
title = "Newest slice"
help = "Newest."
grain = ["slice_id"]
scale = "sql"
columns = ["slice_id"]

[column]
slice_id = { type = "BIGINT", unit = "ref slice.id", help = "Slice" }

[changes]
1 = "first version"
--- */
SELECT id AS slice_id FROM slice ORDER BY id LIMIT 1
"""
    (problem,) = structure.problems(Query(text, layer="quality"), QUERIES)
    assert problem.startswith("is not translated into Spark's SQL: ")
    assert "limit of Select" in problem


def test_texts_of_parameters_are_quoted() -> None:
    text = translated("SELECT $a::VARCHAR AS a", {}, {"a": "it's \\ `x`"}).sql
    assert text == r"SELECT CAST('it\'s \\ `x`' AS STRING) AS `a`"


def test_lakes_that_spark_sql_does_not_read_are_named() -> None:
    statement.check("/mnt/my lake/traces")
    for lake, reason in (("s3://bucket/lake", "object storage"), ("/mnt/a[1]", "the character [")):
        with pytest.raises(UsageError, match="Spark SQL cannot read") as error:
            statement.check(lake)
        assert reason in str(error.value)
