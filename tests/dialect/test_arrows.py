"""`flow` of Perfetto's dialect, against a plain reading of recorded arrows, point by point."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

from tests.support.sharing import integration, slow
from warehouse.dialect import run
from warehouse.dialect.perfetto import translate
from warehouse.query import scope
from warehouse.query.selection import Selection
from warehouse.store import database

TRACE = 1 << 32


class Slice(NamedTuple):
    """A slice of the oracle; -1 as dur never ended."""

    id: int
    track: int
    ts: int
    dur: int
    depth: int


class Point(NamedTuple):
    """A point of an arrow: its phase is s, t or f."""

    id: int
    track: int
    ts: int
    phase: str
    key: tuple[str | None, str | None, str | None]
    slice_id: int | None


def slice_at(point: Point, slices: Sequence[Slice]) -> int | None:
    """The innermost of those that begin last before the point, if it lasts so long."""
    if point.slice_id is not None:
        return point.slice_id
    before = [s for s in slices if s.track == point.track and s.ts <= point.ts]
    if not before:
        return None
    latest = max(s.ts for s in before)
    found = max((s for s in before if s.ts == latest), key=lambda s: s.depth)
    return found.id if found.ts + max(found.dur, 0) >= point.ts else None


def arrows(points: Sequence[Point], slices: Sequence[Slice]) -> list[tuple[int, int, int]]:
    """Each end or waypoint, and the slices it leads from and to."""
    by_key: dict[Any, list[Point]] = defaultdict(list)
    for point in points:
        by_key[point.key].append(point)
    found = []
    for mine in by_key.values():
        last = None
        for point in sorted(mine, key=lambda p: (p.ts, p.phase == "f", p.id)):
            here = slice_at(point, slices)
            if point.phase != "s" and last is not None and here is not None:
                found.append((point.id, last, here))
            if point.phase != "f" and here is not None:
                last = here
    return sorted(found)


def random_recording(seed: int) -> tuple[list[Slice], list[Point]]:
    chance = random.Random(seed)
    slices = [
        # No two of one depth begin together on a track: which is innermost is never in doubt.
        Slice(TRACE + n, TRACE + n % 3, 10 * (n // 6), chance.choice((-1, 0, 4, 25)), n // 3 % 2)
        for n in range(60)
    ]
    points = []
    for n in range(60):
        key = (
            chance.choice(("ac2g", "fwdbwd", None)),
            chance.choice(("a", None)),
            chance.choice(("1", "2", "3", "4", "5", "6", "7", None)),
        )
        recorded = chance.choice(slices).id if chance.random() < 0.2 else None
        # Ends in the order of their numbers follow starts often enough.
        ts = chance.choice((10 * chance.randrange(10), chance.randrange(-3, 130)))
        phase = chance.choice("ssfffft" if seed % 2 else "sfff")
        points.append(Point(TRACE + n, TRACE + chance.randrange(3), ts, phase, key, recorded))
    return slices, points


def stored(path: Path, slices: Sequence[Slice], points: Sequence[Point]) -> database.Reader:
    database.create_empty(path)
    with duckdb.connect(str(path)) as writing:
        writing.execute(
            "INSERT INTO run (id, name, kind, created_at) "
            "VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');"
            "INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version,"
            " imported_at, base_ns, source_base_ns)"
            "VALUES (1, 1, 't', 'kineto', 'k', 1, '0', TIMESTAMP '2024-01-01', 0, 0)"
        )
        writing.executemany(
            "INSERT INTO slice (id, trace_id, track_id, ts, dur, depth, name) "
            "VALUES (?, 1, ?, ?, ?, ?, 's')",
            [list(each) for each in slices],
        )
        writing.executemany(
            "INSERT INTO flow_point (id, trace_id, track_id, ts, phase, category, name, flow_key, "
            "slice_id) VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?)",
            [[p.id, p.track, p.ts, p.phase, *p.key, p.slice_id] for p in points],
        )
    reader = database.Reader(path)
    scope.apply(reader.connection, scope.resolve(reader.connection, Selection()))
    run.install(reader.connection)
    return reader


@pytest.mark.parametrize("seed", [2, integration(3), *map(slow, range(4, 8))])
def test_arrows_lead_from_the_latest_start_to_each_end(tmp_path: Path, seed: int) -> None:
    """Of one start or several, with waypoints or none, at the beginning of slices or inside."""
    slices, points = random_recording(seed)
    expected = arrows(points, slices)
    assert expected

    with stored(tmp_path / "w.duckdb", slices, points) as reader:
        answer = run.answer(
            reader.connection, translate("SELECT id, slice_out, slice_in FROM flow ORDER BY id")
        )
        assert reader.connection.execute(answer).fetchall() == expected
