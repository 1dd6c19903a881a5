"""Kinds of events: every row keeps its phase, category, place and binding."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from tw_importers.trace_event import kinds
from tw_importers.trace_event.kinds import COLUMNS, ROW_SCHEMA, Kinds, by_kind


def random_events(rng: random.Random, n_rows: int) -> tuple[list[tuple[str | None, ...]], pa.Table]:
    """Returns the texts that make the kind of each event, and the events."""
    choices = [[None, *(f"{name}{n}" for n in range(rng.randint(0, 4)))] for name in COLUMNS]
    texts = [tuple(map(rng.choice, choices)) for _ in range(n_rows)]
    columns = {name: pa.array(range(n_rows), pa.int64()) for name in ("seq", "ts_ns", "dur_ns")}
    columns |= {name: pa.nulls(n_rows, pa.string()) for name in ("id", "args", "text")}
    columns["name"] = pa.array(["n"] * n_rows).dictionary_encode()
    for name, column in zip(COLUMNS, zip(*texts, strict=True), strict=True):
        columns[name] = pa.array(column, pa.string()).dictionary_encode()
    return texts, pa.table(columns)


@pytest.mark.parametrize("max_slots", [1, 1 << 18])
def test_rows_and_kinds_join_to_the_texts_of_the_events(
    max_slots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "_MAX_SLOTS", max_slots)
    rng = random.Random(max_slots)
    all_kinds = Kinds()
    expected, found = [], []
    for n_rows in (1, 500, 300):
        texts, events = random_events(rng, n_rows)
        rows = all_kinds.rows(events)
        assert rows.schema == ROW_SCHEMA
        assert rows.column("seq").to_pylist() == list(range(n_rows))
        expected += texts
        found += rows.column("kind").to_pylist()
    columns = all_kinds.table().to_pydict()
    of_kind = dict(
        zip(columns["kind"], zip(*(columns[c] for c in COLUMNS), strict=True), strict=True)
    )
    assert [of_kind[kind] for kind in found] == expected
    assert len(of_kind) == len(set(expected))


@pytest.mark.parametrize("n_kinds", [1, 7, 1 << 17])
def test_rows_are_ordered_by_kind_and_those_of_a_kind_keep_their_order(n_kinds: int) -> None:
    rng = random.Random(n_kinds)
    kind = [rng.randrange(n_kinds) for _ in range(1000)]
    rows = pa.table({"kind": pa.array(kind, pa.int32()), "seq": range(1000)})

    ordered = by_kind(rows)

    expected = sorted((of_kind, seq) for seq, of_kind in enumerate(kind))
    found = zip(*(ordered.column(name).to_pylist() for name in ("kind", "seq")), strict=True)
    assert list(found) == expected
