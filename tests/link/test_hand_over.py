"""Hand-overs of random threads against a search through all pauses, in plain Python.

Times lie around multiples of a unit that is about as long as the query's four milliseconds, or a
fraction of it, so that pauses lie within them, between them, and end at their borders.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import duckdb
import pytest

from tests.support.databases import attached
from tests.support.sharing import slow
from warehouse.library import library
from warehouse.query import execute

N_TOGETHER = 25
UNITS = (1 << 19, 1 << 20, 1 << 21, (1 << 22) - 3, 1 << 22)
KINDS = ("annotation", "cpu_op", "launch")


@dataclass(frozen=True)
class Piece:
    """A slice of a thread; `dur` is -1 for an operator without end."""

    kind: str
    track_id: int
    ts: int
    dur: int
    side: str = "host"
    id: int = 0

    @property
    def end(self) -> int:
        return self.ts + self.dur

    def contains(self, other: Piece) -> bool:
        """Whether it may be the parent of a slice that follows it."""
        end = 1 << 62 if self.dur < 0 else self.end
        other_end = 1 << 62 if other.dur < 0 else other.end
        return self.dur != 0 and end >= other_end and (other.dur != 0 or end > other.ts)


@dataclass(frozen=True)
class Program:
    """Slices of two or three threads, and pairs of a forward and a backward operator."""

    pieces: list[Piece]
    pairs: list[tuple[Piece, Piece]]

    def partners(self, track_id: int) -> set[int]:
        tracks = [{a.track_id, b.track_id} for a, b in self.pairs]
        return set().union(*(each for each in tracks if track_id in each)) - {track_id}

    def activity(self, track_id: int) -> list[Piece]:
        """Operators and calls that last."""
        return [
            p for p in self.pieces
            if p.track_id == track_id and p.kind != "annotation" and p.dur > 0
        ]  # fmt: skip

    def running(self, track_id: int) -> list[Piece]:
        """Activity, and annotations beside that of the thread and its partners."""
        tracks = {track_id} | self.partners(track_id)
        others = [p for track in tracks for p in self.activity(track)]
        annotations = [
            a for a in self.pieces
            if a.track_id == track_id and a.kind == "annotation" and a.side == "host" and a.dur > 0
            and not any(p.ts < a.end and p.end > a.ts for p in others)
        ]  # fmt: skip
        return self.activity(track_id) + annotations

    def pauses(self, track_id: int) -> list[tuple[int | None, int]]:
        """When a thread stopped, None before its first slice, and when it went on."""
        found: list[tuple[int | None, int]] = []
        pieces = self.running(track_id)
        for start in sorted({p.ts for p in pieces}):
            before = max((p.end for p in pieces if p.ts < start), default=None)
            if before is None or before < start:
                found.append((before, start))
        return found

    def hand_overs(self) -> set[tuple[int, int]]:
        """(slice with which a thread stopped, first slice of the one that continues)."""
        found = set()
        for track in {p.track_id for p in self.pieces}:
            for before, after in self.pauses(track):
                handed = [
                    (stop, partner) for partner in self.partners(track)
                    if (stop := self._last_stop(partner, after)) is not None
                    and (before is None or stop > before)
                ]  # fmt: skip
                if handed:
                    stop, partner = max(handed)
                    last = min(
                        (p.ts, p.id) for p in self.running(partner) if p.end == stop
                    )[1]  # fmt: skip
                    first = min(p.id for p in self.running(track) if p.ts == after)
                    found.add((last, first))
        return found

    def _last_stop(self, track_id: int, until: int) -> int | None:
        stops = [before for before, _ in self.pauses(track_id) if before is not None]
        stops += [max((p.end for p in self.running(track_id)), default=until + 1)]
        return max((stop for stop in stops if stop <= until), default=None)


def program(seed: int) -> Program:
    r = random.Random(seed)
    unit, n_units, n_tracks = r.choice(UNITS), r.choice([12, 30, 60]), r.choice([2, 2, 3])
    takes_turns = r.random() < 0.6
    pieces = []
    for _ in range(r.randint(6, 40)):
        track, at = r.randrange(n_tracks), r.randrange(n_units)
        if takes_turns:
            at = at // n_tracks // 2 * n_tracks * 2 + track * 2 + at % 2
        ts = at * unit + r.choice([0, 0, 0, r.randrange(unit)])
        dur = r.choice([0, 1, 1, 2, 3, r.randint(1, 8)]) * unit
        dur += r.choice([0, 0, 0, r.randrange(unit)]) if dur else 0
        kind = r.choices(KINDS, [2, 6, 3])[0]
        side = r.choice(["host", "host", "host", "device"])
        pieces.append(Piece(kind, track, ts, dur, side))
    if r.random() < 0.05:
        pieces.append(Piece("cpu_op", 0, unit, -1))
    pieces.append(Piece("launch", 0, 2 * unit, unit))
    pieces += [Piece("cpu_op", track, track * unit, unit) for track in range(2)]
    if r.random() < 0.8:  # ids as imports give them: operators are one range
        pieces.sort(key=lambda p: (p.kind, p.track_id, p.ts, -p.dur))
    pieces = [replace(p, id=100 + n) for n, p in enumerate(pieces)]
    operators = [p for p in pieces if p.kind == "cpu_op"]
    pairs = [(a, b) for a, b in (r.sample(operators, 2) for _ in range(r.randint(1, 4)))]
    return Program(pieces, pairs)


def parents(pieces: list[Piece]) -> dict[int, int]:
    """The nearest earlier slice of the track that contains a slice."""
    found: dict[int, int] = {}
    ends = {p.id: 1 << 62 if p.dur < 0 else p.dur for p in pieces}
    before: list[Piece] = []
    for piece in sorted(pieces, key=lambda p: (p.ts, -ends[p.id], p.id)):
        around = [p for p in before if p.track_id == piece.track_id and p.contains(piece)]
        if around:
            found[piece.id] = around[-1].id
        before.append(piece)
    return found


def store(connection: duckdb.DuckDBPyConnection, made: Program) -> None:
    parent_of = parents(made.pieces)
    for table in ("slice", *KINDS, "link"):
        connection.execute(f"DELETE FROM {table}")
    for p in made.pieces:
        times = [1, p.track_id, p.ts, p.dur]
        connection.execute(
            "INSERT INTO slice VALUES (?, ?, ?, ?, ?, ?)", [p.id, *times, parent_of.get(p.id)]
        )
        more = [p.side] if p.kind == "annotation" else []
        marks = ", ".join("?" * (5 + len(more)))
        connection.execute(f"INSERT INTO {p.kind} VALUES ({marks})", [p.id, *times, *more])
    for a, b in made.pairs:
        connection.execute(
            "INSERT INTO link VALUES (1, ?, ?, 'forward_backward', 'default')", [a.id, b.id]
        )


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    times = "trace_id BIGINT, track_id BIGINT, ts BIGINT, dur BIGINT"
    with attached() as opened:
        opened.execute(f"CREATE TABLE slice (id BIGINT, {times}, parent_id BIGINT)")
        opened.execute(f"CREATE TABLE cpu_op (slice_id BIGINT, {times})")
        opened.execute(f"CREATE TABLE launch (slice_id BIGINT, {times})")
        opened.execute(f"CREATE TABLE annotation (slice_id BIGINT, {times}, side VARCHAR)")
        opened.execute(
            "CREATE TABLE link (trace_id BIGINT, from_id BIGINT, to_id BIGINT, kind VARCHAR, "
            "link_set VARCHAR)"
        )
        yield opened


@pytest.mark.parametrize(
    "seeds",
    [
        range(N_TOGETHER),
        *(slow(range(n, n + N_TOGETHER), id=f"{n}") for n in range(1000, 2000, N_TOGETHER)),
    ],
)
def test_threads_hand_over_where_one_stops_in_a_pause_of_the_other(
    connection: duckdb.DuckDBPyConnection, seeds: range
) -> None:
    n_found = 0
    for seed in seeds:
        made = program(seed)
        store(connection, made)
        rows = execute.run(
            connection, "link_hand_over", {"trace_id": 1}, library=library.load()
        ).rows()
        assert {(row[0], row[1]) for row in rows} == made.hand_overs(), seed
        n_found += len(rows)
    assert n_found
