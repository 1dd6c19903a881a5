"""Queries about TPU captures say what a look at every nanosecond of random captures says."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import pytest

from tests.support import tpu_oracle
from tests.support.tpu_captures import Capture, random_capture, statements
from warehouse.query import execute
from warehouse.store import database

N_CAPTURES = 12
Query = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def captures() -> list[Capture]:
    return [random_capture(seed, trace_id=seed + 1) for seed in range(N_CAPTURES)]


@pytest.fixture(scope="module")
def query(tmp_path_factory: pytest.TempPathFactory, captures: list[Capture]) -> Iterator[Query]:
    """Rows of a query over all captures, by trace."""
    path = tmp_path_factory.mktemp("tpu") / "w.duckdb"
    database.create_empty(path)
    with duckdb.connect(str(path)) as connection:
        connection.execute("\n".join(statements(captures)))
    with database.Reader(path) as reader:

        def rows(name: str, **parameters: Any) -> list[dict[str, Any]]:
            table = execute.run(reader.connection, name, parameters).table()
            found: list[dict[str, Any]] = table.to_pylist()
            return found

        yield rows


def expected(
    captures: list[Capture], oracle: Callable[..., list[dict[str, Any]]], **parameters: Any
) -> list[dict[str, Any]]:
    return [
        {"trace_id": capture.trace_id} | row
        for capture in captures
        for row in oracle(capture, **parameters)
    ]


def assert_same(found: list[dict[str, Any]], oracle_rows: list[dict[str, Any]]) -> None:
    rows = [{k: v for k, v in row.items() if k not in ("run_id", "rank")} for row in found]
    assert len(rows) == len(oracle_rows)
    for row, other in zip(rows, oracle_rows, strict=True):
        assert row.keys() == other.keys()
        differing = {k: (row[k], other[k]) for k in row if not _equal(row[k], other[k])}
        assert not differing, (differing, row)


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-6)
    return bool(a == b)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("engine_summary", {}),
        ("gap", {"top": 7}),
        ("utilization_over_time", {"bucket_ns": 16}),
        ("overlap", {}),
        ("device_overlap", {}),
        ("bandwidth", {}),
        ("bandwidth_over_time", {"bucket_ns": 16}),
        ("device_bandwidth_over_time", {"bucket_ns": 7}),
        ("link", {}),
        ("uarch_rate", {}),
        ("low_uarch_rate", {"below": 0.6, "top": 3}),
        ("stall", {}),
        ("sync_wait", {}),
        ("kernel_summary", {}),
        ("batch_summary", {}),
        ("op_summary", {}),
        ("function_summary", {}),
        ("core_imbalance", {}),
        ("top_commands", {"top": 5}),
        ("top_commands", {"top": 4, "with_sync": True}),
        ("summary", {}),
    ],
)
def test_a_query_says_what_every_nanosecond_says(
    query: Query, captures: list[Capture], name: str, parameters: dict[str, Any]
) -> None:
    oracle_rows = expected(captures, getattr(tpu_oracle, name), **parameters)

    assert_same(query(f"tpu_{name}", **parameters), oracle_rows)


@pytest.mark.parametrize("name", ["engine_step", "core_overlap", "work", "chip"])
def test_a_building_block_says_what_every_nanosecond_says(
    query: Query, captures: list[Capture], name: str
) -> None:
    assert_unordered(query(f"tpu_{name}"), expected(captures, getattr(tpu_oracle, name)))


def test_traffic_is_that_of_every_record(query: Query, captures: list[Capture]) -> None:
    assert_unordered(query("tpu_traffic"), expected(captures, tpu_oracle.all_traffic))


def assert_unordered(found: list[dict[str, Any]], oracle_rows: list[dict[str, Any]]) -> None:
    def key(row: dict[str, Any]) -> str:
        return str((row["trace_id"], row.get("slice_id"), row.get("core")))

    assert_same(sorted(found, key=key), sorted(oracle_rows, key=key))


def test_work_synchronisation_and_idle_time_fill_the_capture(query: Query) -> None:
    for row in query("tpu_engine_summary"):
        assert row["work_ns"] + row["sync_ns"] + row["idle_ns"] == row["span_ns"]


def test_buckets_add_up_to_the_whole(query: Query) -> None:
    place = ("trace_id", "engine", "core", "port")
    summed: dict[tuple[Any, ...], int] = {}
    for row in query("tpu_utilization_over_time", bucket_ns=9):
        key = tuple(row[name] for name in place)
        summed[key] = summed.get(key, 0) + row["work_ns"]

    for row in query("tpu_engine_summary"):
        assert summed.get(tuple(row[name] for name in place), 0) == row["work_ns"]
