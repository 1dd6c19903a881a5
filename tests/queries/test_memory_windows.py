"""Memory in time windows against lives and sums of random events in plain Python."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.randomtrace import LIBRARY
from tests.support.sharing import slow
from warehouse.query import execute, scope
from warehouse.query.selection import Selection
from warehouse.store import database

Row = dict[str, Any]
Window = tuple[int, int]
EVER = (-(1 << 62), 1 << 62)
KINDS = ("parameter", "gradient")
WINDOWS = (EVER, (0, 30), (17, 18), (33, 60))
CASES = [
    (0, (20, 41)),
    (1, (20, 41)),
    *(slow(seed, window) for seed in range(2, 30) for window in WINDOWS),
]


@dataclass(frozen=True)
class Event:
    number: int  # slice_id and order
    ts: int
    address: int | None
    bytes: int
    category: str | None
    stack: int | None


@dataclass(frozen=True)
class Life:
    first: Event  # the allocation, or a release without one
    end: Event | None
    outcome: str

    @property
    def start_ns(self) -> int | None:
        return None if self.outcome == "found" else self.first.ts

    def is_in(self, window: Window) -> bool:
        start = self.start_ns
        if start is not None and start >= window[0]:
            return start < window[1]
        return self.end is None or self.end.ts > window[0]


def made(seed: int) -> tuple[list[Event], list[tuple[int, int, int]]]:
    """Events of a device, and the blocks of its snapshot: address, bytes and stack."""
    choice = random.Random(f"memory {seed}")
    events, held, ts = [], {9000 + n: (10 + n, 1 + n) for n in range(3)}, 0
    for number in range(1, 41):
        ts += choice.choice((0, 1, 1, 3))
        address = choice.choice((None, *range(1, 9), 9000, 9001))
        size, stack = choice.randrange(1, 50), choice.choice((1, 2, 3))
        if choice.random() < 0.4:
            events.append(
                Event(number, ts, address, -held.pop(address or 0, (size, 0))[0], None, None)
            )
            continue
        category = choice.choice((None, *KINDS))
        events.append(Event(number, ts, address, size, category, stack))
        if address is not None:
            held[address] = (size, stack)
    return events, [(address, size, stack) for address, (size, stack) in held.items()]


def lives(events: list[Event]) -> list[Life]:
    found = []
    at: dict[int, list[Event]] = defaultdict(list)
    for event in events:
        if event.address is not None:
            at[event.address].append(event)
    for there in at.values():
        for before, event, after in zip([None, *there], there, [*there[1:], None], strict=False):
            if event.bytes > 0:
                outcome = "live" if not after else "released" if after.bytes < 0 else "reused"
                found.append(Life(event, after, outcome))
            elif before is None or before.bytes < 0:
                found.append(Life(event, event, "found"))
    return sorted(found, key=lambda life: life.first.number)


@contextmanager
def opened(path: Path, seed: int, window: Window) -> Iterator[duckdb.DuckDBPyConnection]:
    events, blocks = made(seed)
    database.create_empty(path)
    with duckdb.connect(str(path)) as connection:
        connection.execute("""
            INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2024-01-01');
            INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version,
              tw_version, imported_at, base_ns, source_base_ns)
            VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', '2024-01-01', 0, 0);
            INSERT INTO memory_segment (id, trace_id, device_kind, device_ordinal, address,
              reserved_bytes) VALUES (1, 1, 'cuda', 0, 0, 8192);
            INSERT INTO call_frame (call_stack_id, trace_id, depth, file, line, function)
            SELECT stack, 1, depth, 'a.py', CASE depth WHEN 0 THEN 5 * stack ELSE 99 END, 'f'
            FROM range(1, 4) AS a(stack), range(2) AS b(depth);
        """)
        connection.executemany(
            "INSERT INTO memory_event (slice_id, trace_id, track_id, ts, name, address, bytes, "
            "category, call_stack_id, device_kind, device_ordinal, source_order) "
            "VALUES (?, 1, 0, ?, 'm', ?, ?, ?, ?, 'cuda', 0, ?)",
            [(e.number, e.ts, e.address, e.bytes, e.category, e.stack, e.number) for e in events],
        )
        connection.executemany(
            "INSERT INTO memory_block (id, trace_id, memory_segment_id, address, bytes, "
            "requested_bytes, state, call_stack_id) "
            "VALUES (?, 1, 1, ?, ?, ?, 'active_allocated', ?)",
            [(n, address, size, size, stack) for n, (address, size, stack) in enumerate(blocks)],
        )
    with database.Reader(path) as reader:
        whole = scope.resolve(reader.connection, Selection(runs=("all",)))
        seen = replace(whole, from_ns=window[0], to_ns=window[1], covers_all=False)
        scope.apply(reader.connection, seen)
        yield reader.connection


def rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[Row]:
    found: list[Row] = execute.run(connection, query, library=LIBRARY).table().to_pylist()
    return found


def peak(events: list[Event], window: Window) -> tuple[Event, int] | None:
    """The first event of the window after which most is allocated, and how much that is."""
    best, total = None, 0
    for event in events:
        total += event.bytes
        if window[0] <= event.ts < window[1] and (best is None or total > best[1]):
            best = event, total
    return best


def by_line(events: list[Event], blocks: list[tuple[int, int, int]], top: Event) -> Counter[int]:
    """Bytes alive after an event by the innermost line of their stacks; 0 is unknown."""
    found: Counter[int] = Counter()
    live = set()
    for life in lives(events):
        if life.outcome == "live":
            live.add(life.first.address)
        if life.outcome != "found" and life.first.number > top.number:
            continue
        if life.end is None or life.end.number > top.number:
            stack = None if life.outcome == "found" else life.first.stack
            found[5 * (stack or 0)] += abs(life.first.bytes)
    for address, size, stack in blocks:
        if address not in live:
            found[5 * stack] += size
    return found


@pytest.mark.parametrize(("seed", "window"), CASES)
def test_a_window_has_the_lives_peak_and_lines_of_a_plain_walk(
    tmp_path: Path, seed: int, window: Window
) -> None:
    events, blocks = made(seed)
    top = peak(events, window)

    with opened(tmp_path / "w.duckdb", seed, window) as connection:
        assert [
            (r["event_number"], r["ts"], r["outcome"], r["release_ts"], r["bytes"])
            for r in rows(connection, "allocation")
        ] == [
            (
                life.first.number, life.start_ns, life.outcome,
                life.end.ts if life.end and life.outcome != "reused" else None,
                abs(life.first.bytes),
            )
            for life in lives(events) if life.is_in(window)
        ]  # fmt: skip
        assert [
            (r["slice_id"], r["peak_allocated_bytes"]) for r in rows(connection, "memory_peak")
        ] == ([(top[0].number, top[1])] if top else [])
        found = {r["line"] or 0: r["self_bytes"] for r in rows(connection, "memory_by_frame")}
        kinds = {
            r["category"]: r["allocated_bytes"] for r in rows(connection, "memory_peak_category")
        }

    expected = by_line(events, blocks, top[0]) if top else Counter()
    assert Counter({k: v for k, v in found.items() if v}) == expected
    if top:
        until = [e for e in events if e.number <= top[0].number]
        named = {
            k: sum(e.bytes for e in until if e.category == k) for k in ("parameter", "gradient")
        }
        assert kinds == named | {None: top[1] - sum(named.values())}
