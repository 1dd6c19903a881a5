"""Perfetto exports in parts: memory does not grow with the trace, and nobody sees the parts."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from warehouse.export.perfetto import parts, trace
from warehouse.export.perfetto.slices import SliceReader
from warehouse.export.perfetto.trace import export_perfetto

T = 1 << 32


@pytest.fixture
def crossed(warehouse: Any, slices: Any) -> Any:
    """Two tracks of slices that overlap, meet, never end or last no time, with flows."""
    chance = random.Random(25)
    rows = [
        (n, chance.randrange(2), chance.randrange(40), chance.choice([0, 0, 1, 5, 9, 30, -1, -4]),
         f"s{n}", chance.randrange(2), chance.choice("Xi"), f'{{"n": {n}, "k{n % 3}": "v"}}')
        for n in range(80)
    ]  # fmt: skip
    arrows = ", ".join(
        f"({T + n}, 1, 1, {T + chance.randrange(80)}, {T + chance.randrange(80)}, 'launch', 'r', 1,"
        " 'default', 'q', 1)"
        for n in range(60)
    )
    return warehouse(slices(*rows), f"INSERT INTO link VALUES {arrows}")


@pytest.mark.parametrize(
    "part_rows",
    [
        7,
        pytest.param(1, marks=pytest.mark.slow),
        pytest.param(40, marks=pytest.mark.slow),
    ],
)
def test_a_file_is_the_same_however_it_was_divided(
    crossed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part_rows: int
) -> None:
    whole = export_perfetto(crossed, tmp_path / "whole.pftrace")
    monkeypatch.setattr(parts, "PART_ROWS", part_rows)

    divided = export_perfetto(crossed, tmp_path / "divided.pftrace")

    assert len(parts.divide(crossed, "slice")) > 1
    assert divided == whole and whole.n_on_extra_lanes and whole.n_flows
    assert (tmp_path / "divided.pftrace").read_bytes() == (tmp_path / "whole.pftrace").read_bytes()


def test_parts_cover_every_slice_once(crossed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PART_ROWS", 9)
    stored = [n for (n,) in crossed.execute("SELECT id FROM slice ORDER BY id").fetchall()]

    found = [
        n
        for part in parts.divide(crossed, "slice")
        for (n,) in crossed.execute(
            f"SELECT id FROM slice AS s WHERE {part.condition('s')}"
        ).fetchall()
    ]

    assert sorted(found) == stored


def test_names_are_forgotten_when_they_are_many(
    crossed: Any, read: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export_perfetto(crossed, tmp_path / "all.pftrace")
    monkeypatch.setattr(trace, "_MAX_INTERNED_BYTES", 100)
    monkeypatch.setattr(trace, "SliceReader", _small_batches(SliceReader))

    export_perfetto(crossed, tmp_path / "few.pftrace")

    assert read(tmp_path / "few.pftrace") == read(tmp_path / "all.pftrace")
    assert _n_sequences(tmp_path / "few.pftrace") > _n_sequences(tmp_path / "all.pftrace") == 1


def _small_batches(reader: Any) -> Any:
    class InSmallBatches(reader):  # type: ignore[misc]
        def pieces(self) -> Any:
            for piece, _ in super().pieces():
                for row in range(0, piece.num_rows, 5):
                    yield piece.slice(row, 5), True

    return InSmallBatches


def _n_sequences(path: Path) -> int:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

    return len({p.trusted_packet_sequence_id for p in Trace.FromString(path.read_bytes()).packet})
