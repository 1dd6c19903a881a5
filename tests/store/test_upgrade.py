"""A warehouse of an earlier version is opened, upgraded and answers as that version did.

`tests/data/upgrade/record.py` wrote the warehouse and the results with that version.
"""

from __future__ import annotations

import json
import lzma
import math
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import warehouse
from tests.support.sharing import slow
from warehouse.api import Warehouse
from warehouse.store import database

FOLDER = Path(__file__).parents[1] / "data" / "upgrade"
RESULTS: dict[str, Any] = json.loads(lzma.decompress((FOLDER / "results.json.xz").read_bytes()))
#: Versions of queries whose rows are those of the results.
VERSIONS: dict[str, int] = json.loads((FOLDER / "versions.json").read_text())
#: One result of each backend and kind of query; the others are compared by `-m slow`.
BY_DEFAULT = {
    "all/compare_ops",
    "cnn/graph_op_work",
    "ddp/step_summary",
    "ddp/collective_instance",
    "gpu/launch_summary",
    "gpu/kernel_summary",
    "memory/memory_peak_category",
    "nsys/osrt_sum",
    "rocpd/utilization",
    "tpu/tpu_summary",
}


WORDING = ("meaning", "remedy", "examples")  # of queries called check_…


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("upgrade") / "traces.duckdb"
    path.write_bytes(lzma.decompress((FOLDER / "warehouse.duckdb.xz").read_bytes()))
    return path


@pytest.fixture(scope="module")
def upgraded(path: Path) -> Iterator[Warehouse]:
    database.upgrade_file(path)
    with warehouse.open(path) as opened:
        yield opened


def test_the_results_cover_the_representatives() -> None:
    assert set(RESULTS) >= BY_DEFAULT
    assert len(RESULTS) >= 150


def test_runs_and_tags_are_kept(upgraded: Warehouse) -> None:
    runs = [row["run"] for row in upgraded.runs()]
    assert runs == ["ddp", "gpu", "cnn", "memory", "nsys", "nvprof", "rocpd", "tpu"]
    rows = upgraded.scope(run="all").sql("SELECT name, run_id FROM tag")
    assert [tuple(row.values()) for row in rows] == [("baseline", 1)]


@pytest.mark.parametrize(
    "key",
    [key if key in BY_DEFAULT else slow(key, id=key) for key in RESULTS],
)
def test_a_query_answers_as_before(upgraded: Warehouse, key: str) -> None:
    run, name = key.split("/")
    expected = RESULTS[key]
    if run == "all":
        table = upgraded.query(name, a="ddp", b="gpu").arrow()
    else:
        table = upgraded.scope(run=run).query(name).arrow()
    if upgraded.queries()[name].key != f"{name}@{VERSIONS[name]}":
        return  # a later version may have other rows; this one is only run
    assert table.column_names == expected["columns"]
    actual = [[_plain(cell) for cell in row.values()] for row in table.to_pylist()]
    assert len(actual) == len(expected["rows"])
    # Sentences of findings are wording, which may change; numbers, names and order may not.
    kept = [n for n, column in enumerate(table.column_names) if column not in WORDING]
    now = [[row[n] for n in kept] for row in actual]
    then = [[row[n] for n in kept] for row in expected["rows"]]
    if upgraded.queries()[name].layer == "lib":  # a building block has no order of its own
        now, then = sorted(now, key=repr), sorted(then, key=repr)
    for row, before in zip(now, then, strict=True):
        assert _equal(row, before), (row, before)


def _plain(cell: Any) -> Any:
    """A value as JSON keeps it."""
    if isinstance(cell, dict):
        return {key: _plain(value) for key, value in cell.items()}
    if isinstance(cell, list):
        return [_plain(value) for value in cell]
    return str(cell) if isinstance(cell, date | datetime | Decimal) else cell


def _equal(now: Any, before: Any) -> bool:
    """Equal but for the last digits of fractions, which the order of a sum decides."""
    if isinstance(now, float) and isinstance(before, float):
        return math.isclose(now, before, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(now, list) and isinstance(before, list):
        return len(now) == len(before) and all(map(_equal, now, before))
    if isinstance(now, dict) and isinstance(before, dict):
        return now.keys() == before.keys() and all(_equal(now[key], before[key]) for key in now)
    return type(now) is type(before) and bool(now == before)
