"""Every public query gives the same rows over a lake as over the warehouse synced to it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import warehouse
from tests.conftest import Tw
from tests.support.sharing import GPU, WarehouseCache
from warehouse.lake import claims
from warehouse.lake.layout import Lake
from warehouse.lake.sync import sync
from warehouse.library import library
from warehouse.library.library import Query
from warehouse.query import session
from warehouse.query.digest import is_id
from warehouse.query.selection import Selection, select

PUBLIC = [q for q in library.load().newest.values() if q.layer not in ("lib", "link")]

#: The recordings of all kinds that the lake was tried with, below the folder of recordings.
RECORDINGS = (
    "kineto/two_ranks", "kineto/a100_nccl", "kineto/triton", "kineto/memory_timeline",
    "kineto/diff_pair", "chakra/own_gpu_cnn", "bigtpu/aks_m0_1core/input",
    "gpu/nsys_real_a100_cloverleaf", "gpu/nvprof_replay/replay_v9.nvvp",
)  # fmt: skip

#: What parameters without a default are given, and others without which there are no rows; texts in
#: `$...` are looked up in the warehouse.
REQUIRED: Mapping[str, Mapping[str, Any]] = {
    "gpu_gaps": {"min_ns": 50},
    "tf_operation_latency": {"skip_sessions": "1"},
    "python_stack": {"slice_id": "$deepest"},
    "slice_ancestors": {"slice_id": "$deepest"},
    "slice_children": {"slice_id": "$parent"},
    "device_prediction": {"model": "none", "flops_per_s": 1e12, "bytes_per_s": 1e12},
    "model_prediction": {"model": "none", "features": "{}"},
    "model_show": {"model": "none"},
    "what_if_accumulate": {"batches": 2},
    "what_if_batch": {"ratio": 2.0},
    "what_if_buckets": {"bytes": 1_000_000},
    "what_if_buckets_edge": {"bytes": 1_000_000},
    "what_if_fuse": {"clusters": ""},
    "what_if_fuse_edge": {"clusters": ""},
    "what_if_groups": {"groups": "0"},
    "what_if_insert": {"ns": 10.0},
    "what_if_partitions": {"sizes": "65536"},
    "what_if_recompute": {"parts": "0-1@1"},
    "what_if_skip": {"within": "aten::*"},
    "what_if_world_size": {"ranks": 4},
}
LOOKED_UP = {
    "$deepest": "SELECT id FROM slice ORDER BY depth DESC, id LIMIT 1",
    "$parent": "SELECT parent_id FROM slice WHERE parent_id IS NOT NULL ORDER BY id LIMIT 1",
}


class Both:
    """A warehouse and a lake of it. `numbers` are the ids of traces and runs by those there."""

    def __init__(self, db: Path, lake: Path) -> None:
        self.places = session.Place.of(db), session.Place.of(None, lake=lake)

    def differing(self, selection: Selection, queries: list[Query]) -> Iterator[str]:
        """Says which queries differ, and how."""
        with (
            session.opened(self.places[0], selection) as stored,
            session.opened(self.places[1], selection) as in_lake,
        ):
            for query in queries:
                tables = [shown(each, query) for each in (stored, in_lake)]
                if tables[0] == tables[1]:
                    continue
                expected, found = map(rows, tables)
                if expected != found:
                    yield f"{query.key}: {difference(expected, found)}"


def shown(opened: session.Session, query: Query) -> pa.Table | warehouse.TwError:
    """The rows of a query without ids, or its error."""
    assert query.header is not None
    values = dict(REQUIRED.get(query.header.name, {}))
    if query.layer == "compare":
        names = [row[0] for row in opened.connection.execute(
            "SELECT name FROM run ORDER BY id").fetchall()]  # fmt: skip
        values |= {"a": names[0], "b": names[-1]}
    for name, text in values.items():
        if text in LOOKED_UP:
            ((values[name],),) = opened.connection.execute(LOOKED_UP[text]).fetchall()
    known = {parameter.name for parameter in query.parameters}
    try:
        table = opened.run(query, {k: v for k, v in values.items() if k in known}).table()
    except warehouse.TwError as error:
        return error
    return table.select([column.name for column in query.header.columns if not is_id(column)])


def rows(table: pa.Table | warehouse.TwError) -> tuple[list[str], Counter[tuple[object, ...]]]:
    """Columns and rows in any order, without ids in texts; numbers to 12 digits."""
    if isinstance(table, warehouse.TwError):
        return [type(table).__name__], Counter([(str(table),)])
    lists = [map(_plain, column.to_pylist()) for column in table.columns]
    return table.column_names, Counter(zip(*lists, strict=True))


def _plain(value: object) -> object:
    if isinstance(value, float):
        return "nan" if math.isnan(value) else f"{value:.12g}"
    if isinstance(value, str):
        return re.sub(r"\bslice \d+ at", "slice at", value)  # examples name ids
    return str(value) if isinstance(value, list | dict) else value


def difference(expected: Any, found: Any) -> str:
    if expected[0] != found[0]:
        return f"{found} in place of {expected}"[:400]
    missing, added = expected[1] - found[1], found[1] - expected[1]
    return f"lacks {list(missing)[:2]}, adds {list(added)[:2]}"


def occupy(lake: Path, n_traces: int, n_runs: int) -> None:
    """Takes the first ids, so that those of the lake are others than the warehouse's."""
    opened = Lake.open_or_create(lake)
    for kind, n in (("trace", n_traces), ("run", n_runs)):
        for number in range(n):
            claims.claim(opened, kind, f"{number:032x}")


def test_queries_of_a_trace_are_equal_under_other_ids(
    imported_files: WarehouseCache, tmp_path: Path
) -> None:
    db, lake = imported_files(GPU), tmp_path / "lake"
    occupy(lake, 6, 4)
    sync(db, lake)
    names = ("kernel_summary", "op_summary", "utilization")
    some = [query for query in PUBLIC if query.header and query.header.name in names]
    assert len(some) == 3

    with warehouse.open(lake=lake) as opened:
        ids = opened.sql("SELECT DISTINCT trace_id, id >> 32 AS n FROM slice").arrow()
        assert ids.to_pylist() == [{"trace_id": 7, "n": 7}]
    assert list(Both(db, lake).differing(Selection(), some)) == []


@pytest.mark.slow
@pytest.mark.parametrize("n_before", [0, 5])
def test_all_public_queries_are_equal(
    tw: Tw, tmp_path: Path, data_dir: Path, n_before: int
) -> None:
    db, lake = tmp_path / "w.duckdb", tmp_path / "lake"
    paths = [data_dir / each for each in RECORDINGS]
    assert tw("import", "-q", "--allow-damage", "--db", db, *paths).code == 0
    occupy(lake, n_before, n_before)
    sync(db, lake)
    both = Both(db, lake)
    assert len(PUBLIC) > 180

    found: list[str] = []
    for selection in (select(run="all"), select(run="two_ranks", start="1s", end="1500ms")):
        found += both.differing(selection, PUBLIC)

    assert found == []
