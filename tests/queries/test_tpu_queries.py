"""Queries about TPU captures say what a look at every nanosecond of random captures says."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import duckdb
import pytest

from tests.support import tpu_oracle
from tests.support.sharing import slow
from tests.support.tpu_captures import Capture, random_capture, statements
from warehouse.query import execute, scope
from warehouse.query.selection import Selection
from warehouse.store import database

N_CAPTURES = 12
Query = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def captures() -> list[Capture]:
    return [random_capture(seed, trace_id=seed + 1) for seed in range(N_CAPTURES)]


@pytest.fixture(scope="module")
def reader(
    tmp_path_factory: pytest.TempPathFactory, captures: list[Capture]
) -> Iterator[database.Reader]:
    path = tmp_path_factory.mktemp("tpu") / "w.duckdb"
    database.create_empty(path)
    with duckdb.connect(str(path)) as connection:
        connection.execute("\n".join(statements(captures)))
    with database.Reader(path) as opened:
        yield opened


@pytest.fixture(scope="module")
def query(reader: database.Reader) -> Query:
    """Rows of a query over all captures, by trace."""

    def rows(name: str, **parameters: Any) -> list[dict[str, Any]]:
        table = execute.run(reader.connection, name, parameters).table()
        found: list[dict[str, Any]] = table.to_pylist()
        return found

    return rows


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


FIGURES: list[tuple[str, dict[str, Any]]] = [
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
]


@pytest.mark.parametrize(("name", "parameters"), FIGURES)
def test_a_query_says_what_every_nanosecond_says(
    query: Query, captures: list[Capture], name: str, parameters: dict[str, Any]
) -> None:
    oracle_rows = expected(captures, getattr(tpu_oracle, name), **parameters)

    assert_same(query(f"tpu_{name}", **parameters), oracle_rows)


@pytest.mark.parametrize(
    "window", [(20, 41), *(slow(w) for w in ((0, 13), (7, 60), (33, 34), (12, 13)))], ids=str
)
def test_a_time_window_has_the_commands_that_run_in_it_whole(
    reader: database.Reader, captures: list[Capture], window: tuple[int, int]
) -> None:
    whole = scope.resolve(reader.connection, Selection(runs=("all",)))
    inside = [in_window(capture, *window) for capture in captures]
    some = [capture for capture in inside if capture.commands]
    seen = replace(whole, from_ns=window[0], to_ns=window[1], covers_all=False)
    scope.apply(reader.connection, seen)
    try:
        for name, parameters in FIGURES:
            found = execute.run(reader.connection, f"tpu_{name}", parameters).table().to_pylist()
            assert_same(found, expected(some, getattr(tpu_oracle, name), **parameters))
    finally:
        scope.apply(reader.connection, whole)


def in_window(capture: Capture, start: int, end: int) -> Capture:
    return replace(
        capture,
        commands=[
            each
            for each in capture.commands
            if each.ts < end and (each.ts >= start or each.ts + each.dur > start or each.dur == -1)
        ],
    )


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
