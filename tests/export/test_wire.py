"""The wire format, column-wise: equal to the protobuf library's, number by number."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import DebugAnnotation

from warehouse.export import wire
from warehouse.export.perfetto.lanes import Lanes


def reference(value: int) -> bytes:
    """The varint the protobuf library writes, behind a tag of one byte."""
    return bytes(DebugAnnotation(uint_value=value).SerializeToString())[1:]


@settings(deadline=None)
@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 300)))
def test_varints_are_the_librarys(values: list[int]) -> None:
    column = wire.varints(np.array(values, np.uint64))

    assert column.to_pylist() == [reference(value) for value in values]
    assert [wire.varint(value) for value in values] == [reference(value) for value in values]


@pytest.mark.parametrize("bits", range(65))
def test_varints_change_length_where_they_should(bits: int) -> None:
    values = [min(2**64 - 1, max(0, 2**bits + step)) for step in (-1, 0, 1)]

    assert wire.varints(np.array(values, np.uint64)).to_pylist() == [reference(v) for v in values]


def test_negative_numbers_are_written_as_int64_fields_are() -> None:
    assert wire.varint(-1) == b"\xff" * 9 + b"\x01"


def test_joining_takes_null_for_nothing() -> None:
    column = wire.join(b"<", wire.literals([b"a", None]), b">")

    assert column.to_pylist() == [b"<a>", b"<>"]


def test_rows_are_regrouped_by_their_boundaries() -> None:
    column = wire.literals([b"a", b"bb", b"", b"c"])

    groups = wire.regroup(column, np.array([0, 2, 2, 4], np.int64))

    assert groups.to_pylist() == [b"abb", b"", b"c"]


def test_a_slice_takes_the_first_lane_it_nests_on() -> None:
    lanes = Lanes()

    placed = [lanes.place(*span) for span in [(0, 10), (2, 5), (4, 8), (5, 10), (6, 12), (12, 13)]]

    assert placed == [0, 0, 1, 0, 2, 0]


@pytest.mark.parametrize("is_flat", [False, True])
def test_slices_placed_together_take_the_lanes_they_take_one_by_one(is_flat: bool) -> None:
    random = Random(3)
    starts = sorted(random.randrange(60) for _ in range(200))
    ends = [start + random.randrange(12) for start in starts]
    single, together = Lanes(is_flat=is_flat), Lanes(is_flat=is_flat)

    expected = [single.place(*span) for span in zip(starts, ends, strict=True)]
    moved = [*together.place_all(starts[:90], ends[:90])]
    moved += [(90 + n, lane) for n, lane in together.place_all(starts[90:], ends[90:])]

    assert moved == [(n, lane) for n, lane in enumerate(expected) if lane]
