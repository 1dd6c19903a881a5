"""Clock offsets by messages fit all bounds, and none that do have a smaller objective.

Objectives are computed in plain Python from the transfers of random rings of hosts.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import duckdb
import pytest

from tests.support.sharing import slow
from warehouse.library import library
from warehouse.query import execute
from warehouse.store import database

LEAST_SQUARES, SPREAD, RING = 1, 2, 3


@dataclass(frozen=True)
class Transfer:
    """A send and its receive, each on the clock of its host."""

    sender: int
    receiver: int
    tensor: int
    start: int
    end: int
    to_start: int
    to_end: int


def transfers(seed: int, n_hosts: int) -> list[Transfer]:
    """Transfers around a ring; some receives begin long before their send."""
    r = random.Random(seed)
    ahead = [0, *(r.randrange(-5_000, 5_000) for _ in range(n_hosts - 1))]
    found, now = [], 1_000_000
    for tensor in range(3):
        lasts = r.randrange(100, 1_000)
        for host in range(n_hosts):
            for _ in range(4):
                start = now + r.randrange(100)
                end = start + lasts + r.randrange(50)
                waits = r.choice([0, 0, 0, r.randrange(2_000, 9_000)])
                to_end = end + r.randrange(1, 200)
                next_host = (host + 1) % n_hosts
                found.append(Transfer(
                    host, next_host, tensor, start + ahead[host], end + ahead[host],
                    start - waits + ahead[next_host], to_end + ahead[next_host],
                ))  # fmt: skip
                now += 20_000
    return found


def store(connection: duckdb.DuckDBPyConnection, made: Sequence[Transfer], n_hosts: int) -> None:
    connection.execute(
        "INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version, "
        "tw_version, imported_at, base_ns, source_base_ns) SELECT 1 + i, 1, 't' || i, i, "
        "'host' || i, 'dpro', 'dpro', 1, '0', TIMESTAMP '2026-01-01', 0, 0 FROM range(?) AS t(i)",
        [n_hosts],
    )
    connection.execute(
        "INSERT INTO communication_edge SELECT 1, 'ring', 0, i, (i + 1) % $n FROM range($n) t(i)",
        {"n": n_hosts},
    )
    rows, tensors = [], []
    for n, each in enumerate(made):
        for host, stage, start, end in (
            (each.sender, "SEND", each.start, each.end),
            (each.receiver, "RECV", each.to_start, each.to_end),
        ):
            slice_id = ((1 + host) << 32) + n
            rows.append([slice_id, 1 + host, start, end - start, stage, stage])
            tensors.append([slice_id, 1 + host, each.tensor])
    connection.executemany(
        "INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, stage, loop, "
        "channel, ring_step, part) VALUES (?, ?, 0, ?, ?, ?, 'host', ?, 0, 0, 0, 0)",
        rows,
    )
    connection.executemany(
        "INSERT INTO collective_tensor (slice_id, trace_id, ordinal, tensor_id) "
        "VALUES (?, ?, 0, ?)",
        tensors,
    )


def bounds(made: Sequence[Transfer]) -> dict[tuple[int, int], int]:
    """By sender and receiver: by how much their offsets may differ."""
    found: dict[tuple[int, int], int] = {}
    for each in made:
        pair, most = (each.sender, each.receiver), each.to_end - each.end
        found[pair] = min(found.get(pair, most), most)
    return found


def excess(made: Sequence[Transfer], offsets: Sequence[float]) -> float:
    """The time by which a receive ends before its send; negative if none does."""
    return max(offsets[a] - offsets[b] - most for (a, b), most in bounds(made).items())


def objective(kind: int, made: Sequence[Transfer], offsets: Sequence[float]) -> float:
    if kind == LEAST_SQUARES:
        middle = sum(offsets) / len(offsets)  # the common part of all offsets is free
        return sum((each - middle) ** 2 for each in offsets)
    if kind == RING:
        return sum((most - offsets[a] + offsets[b]) ** 2 for (a, b), most in bounds(made).items())
    of_tensor = defaultdict(list)
    for each in made:
        of_tensor[each.tensor].append(each)
    total = 0.0
    for group in of_tensor.values():
        long = 1.5 * median(each.to_end - each.to_start for each in group)
        times = [
            each.to_end + offsets[each.receiver] - each.start - offsets[each.sender]
            if each.to_end - each.to_start > long
            else each.to_end - each.to_start
            for each in group
        ]
        mean = sum(times) / len(times)
        total += sum((time - mean) ** 2 for time in times)
    return total


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    path: Path = tmp_path_factory.mktemp("clocks") / "w.duckdb"
    database.create_empty(path)
    with duckdb.connect(str(path)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("seed", "n_hosts"),
    [(1, 3), *(slow(seed, n) for seed in range(20) for n in (2, 3, 5, 8))],
)
def test_offsets_fit_all_messages_and_have_the_least_objective(
    connection: duckdb.DuckDBPyConnection, seed: int, n_hosts: int
) -> None:
    made, r, queries = transfers(seed, n_hosts), random.Random(seed), library.load()
    connection.execute("BEGIN")
    store(connection, made, n_hosts)
    found = {
        kind: [
            row[1]
            for row in execute.run(
                connection, "message_clock", {"run_id": 1, "objective": kind}, library=queries
            ).rows()
        ]
        for kind in (LEAST_SQUARES, SPREAD, RING)
    }
    connection.execute("ROLLBACK")

    for kind, offsets in found.items():
        assert offsets[0] == 0 and excess(made, offsets) <= 2, kind
        best = objective(kind, made, offsets)
        for _ in range(300):
            size = r.choice([3, 30, 300])
            other = [0, *(each + r.randint(-size, size) for each in offsets[1:])]
            if excess(made, other) <= 0:
                # offsets are whole numbers, and meet the bounds to 2 ns
                assert objective(kind, made, other) >= best * (1 - 1e-2) - 100, (kind, other)
