"""Few rows have the digest that DuckDB finds for them among many."""

from __future__ import annotations

import hashlib
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse.library.header import Column
from warehouse.query import digest

KINDS: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
    (pa.float64(), st.floats() | st.integers(-(10**15), 10**15).map(lambda n: n / 1000)),
    (pa.float32(), st.floats(width=32)),
    (pa.int64(), st.integers(-(1 << 63), (1 << 63) - 1)),
    (pa.uint8(), st.integers(0, 255)),
    (pa.bool_(), st.booleans()),
    (pa.string(), st.text(st.characters(exclude_categories=["Cs"]), max_size=5)),
    (pa.list_(pa.int64()), st.lists(st.integers(0, 9), max_size=3)),
    (pa.timestamp("us"), st.datetimes()),
]
UNITS = (None, "ns", "id", "ref trace")


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Column], pa.Table]:
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=4))
    n_rows = draw(st.integers(0, 5))
    arrays = [
        pa.array(draw(st.lists(st.none() | values, min_size=n_rows, max_size=n_rows)), kind)
        for kind, values in kinds
    ]
    columns = [
        Column(f"name {n}", "VARCHAR", draw(st.sampled_from(UNITS)), "") for n in range(len(kinds))
    ]
    return columns, pa.table(arrays, [f"name {n}" for n in range(len(kinds))])


def digested(columns: list[Column], *tables: pa.Table) -> str:
    with digest.Digest(columns) as made:
        for table in tables:
            made.add(table)
        return made.hex


@settings(max_examples=60, deadline=None)
@given(tables())
def test_few_rows_have_the_digest_of_duckdb(drawn: tuple[list[Column], pa.Table]) -> None:
    columns, rows = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(digest, "_FEW", -1)
        expected = digested(columns, rows)

    assert digested(columns, rows) == expected
    assert digested(columns, rows[2:], rows[:2]) == expected


def test_a_digest_is_the_sum_of_the_md5_of_rows() -> None:
    columns = [Column(n, "VARCHAR", u, "") for n, u in (("a", None), ("b", "id"), ("c", "ns"))]
    rows = pa.table({"a": ["x", None], "b": [1, 2], "c": [0.1 + 0.2, -0.0]})

    hashes = [hashlib.md5(text).digest() for text in (b"x\x1f0.3", b"\x1a\x1f-0")]
    halves = [sum(int.from_bytes(h[k : k + 8], "little") for h in hashes) for k in (0, 8)]
    assert digested(columns, rows) == "".join(f"{half % (1 << 64):016x}" for half in halves)


def test_rows_of_ids_alone_are_counted() -> None:
    empty = int.from_bytes(hashlib.md5(b"").digest()[:8], "little")

    found = digested([Column("id", "BIGINT", "id", "")], pa.table({"id": [5, 6, 7]}))

    assert found[:16] == f"{3 * empty % (1 << 64):016x}"
