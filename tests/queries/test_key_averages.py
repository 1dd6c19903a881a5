"""The summaries of operators and annotations against what torch itself says of the same recording.

`tests/data/kineto/key_averages` holds a recording and what `key_averages()` answered in the process
it was made in. torch joins a call with its only child if that has the same name; so where an
operator lies in itself, torch counts fewer calls; its total is ours, which has inner calls once.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from warehouse.ingest import pipeline
from warehouse.query import execute
from warehouse.store import database

Row = dict[str, Any]
FOLDER = Path(__file__).parents[1] / "data" / "kineto" / "key_averages"
TABLES: dict[str, list[Row]] = json.loads(
    gzip.decompress((FOLDER / "expected.json.gz").read_bytes())
)


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Row]]:
    """The rows of our summaries of the recording."""
    path = tmp_path_factory.mktemp("key_averages") / "w.duckdb"
    pipeline.import_paths([FOLDER / "trace.json.gz"], db=path)
    with database.Reader(path) as reader:
        return {
            name: execute.run(reader.connection, name).table().to_pylist()
            for name in ("op_summary", "op_summary_by_shape", "annotation_summary")
        }


def nanoseconds(microseconds: float) -> int:
    return round(microseconds * 1000)


def operators(table: str) -> list[Row]:
    return [row for row in TABLES[table] if not row["is_user_annotation"]]


@pytest.mark.integration
def test_host_times_of_operators_are_those_torch_gives(ours: dict[str, list[Row]]) -> None:
    theirs = {
        row["key"]: (nanoseconds(row["self_cpu_time_total"]), nanoseconds(row["cpu_time_total"]))
        for row in operators("by_name")
    }

    assert len(theirs) > 50
    assert {row["name"]: (row["self_ns"], row["total_ns"]) for row in ours["op_summary"]} == theirs


def test_calls_of_operators_are_counted_as_torch_does(ours: dict[str, list[Row]]) -> None:
    theirs = {row["key"]: row["count"] for row in operators("by_name")}
    recursive = {row["name"] for row in ours["op_summary"] if is_recursive(row)}

    assert {row["name"]: row["n_calls"] for row in ours["op_summary"]
            if row["name"] not in recursive} == {
        name: count for name, count in theirs.items() if name not in recursive
    }  # fmt: skip
    # torch joins these: each calls itself once, and nothing else.
    assert recursive == {"aten::div", "aten::div_", "aten::mean", "aten::mul"}
    assert all(row["n_calls"] > theirs[row["name"]] for row in ours["op_summary"]
               if row["name"] in recursive)  # fmt: skip


def is_recursive(row: Row) -> bool:
    return bool(round(row["mean_ns"] * row["n_calls"]) != row["total_ns"])


def test_times_by_shape_are_those_torch_gives(ours: dict[str, list[Row]]) -> None:
    """torch knows no types: ours are added up over them."""
    recursive = {row["name"] for row in ours["op_summary"] if is_recursive(row)}

    assert added(
        (row["name"], json.loads(row["input_dims_json"] or "[]"), row["n_calls"], row["self_ns"],
         row["total_ns"])
        for row in ours["op_summary_by_shape"] if row["name"] not in recursive
    ) == added(
        (row["key"], row["input_shapes"], row["count"], nanoseconds(row["self_cpu_time_total"]),
         nanoseconds(row["cpu_time_total"]))
        for row in operators("by_shape") if row["key"] not in recursive
    )  # fmt: skip


def added(rows: Iterable[tuple[str, object, int, int, int]]) -> dict[tuple[str, str], list[int]]:
    sums: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for name, shapes, *figures in rows:
        key = name, json.dumps(shapes)
        sums[key] = [old + new for old, new in zip(sums[key], figures, strict=True)]
    return sums


def test_annotations_are_counted_and_timed_as_torch_does(ours: dict[str, list[Row]]) -> None:
    """torch's own time of a range is without operators; ours is without ranges only."""
    assert {
        row["name"].replace("#*", "*"): (row["n_calls"], row["total_ns"])
        for row in ours["annotation_summary"]
    } == {
        row["key"]: (row["count"], nanoseconds(row["cpu_time_total"]))
        for row in TABLES["by_name"] if row["is_user_annotation"]
    }  # fmt: skip
