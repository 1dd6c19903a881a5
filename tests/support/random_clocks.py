"""Random collectives of several ranks with clocks of their own, put straight into the tables.

Times are true times; the clock of rank r shows `true - offset[r]`, or runs at a speed of its own. A
collective of a group ends on all members soon after the last has come.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    import duckdb

MS = 1_000_000


@dataclass(frozen=True)
class Member:
    """What one rank recorded of one collective, in true time."""

    instance: int
    rank: int
    start: int
    end: int


@dataclass
class Job:
    """Collectives of a run; `lost` are (rank, instance) that were not recorded."""

    run_id: int
    n_ranks: int
    is_numbered: bool = True
    offsets: dict[int, int] = field(default_factory=dict)  # of rank: true time - clock at time 0
    drifts: dict[int, float] = field(default_factory=dict)  # of rank: true ns per ns, less 1
    members: list[Member] = field(default_factory=list)
    group_of: dict[int, tuple[int, ...]] = field(default_factory=dict)
    number_of: dict[int, int] = field(default_factory=dict)
    bytes_of: dict[int, int] = field(default_factory=dict)
    lost: set[tuple[int, int]] = field(default_factory=set)

    @property
    def recorded(self) -> list[Member]:
        return [m for m in self.members if (m.rank, m.instance) not in self.lost]

    def trace_id(self, rank: int) -> int:
        return self.run_id * 100 + rank

    def slice_id(self, member: Member) -> int:
        return (self.trace_id(member.rank) << 32) + member.instance

    def clock(self, rank: int, true_ns: int) -> int:
        """What the rank's clock shows."""
        return int((true_ns - self.offsets[rank]) / (1 + self.drifts.get(rank, 0)))

    def true_links(self) -> set[tuple[int, int]]:
        """(hub, other) of every collective recorded by two ranks or more."""
        found = set()
        for instance in self.group_of:
            there = [m for m in self.recorded if m.instance == instance]
            there.sort(key=lambda m: m.rank)
            found |= {(self.slice_id(there[0]), self.slice_id(m)) for m in there[1:]}
        return found


def job(
    seed: int,
    groups: Sequence[tuple[int, ...]],
    *,
    n_rounds: int = 12,
    is_numbered: bool = True,
    farthest_ns: int = 5_000 * MS,
) -> Job:
    """Rounds in which each group meets once or twice, with irregular pauses."""
    rng = random.Random(seed)
    made = Job(seed, 1 + max(max(group) for group in groups), is_numbered)
    made.offsets = {r: rng.randint(-farthest_ns, farthest_ns) for r in range(made.n_ranks)}
    now = dict.fromkeys(range(made.n_ranks), 10 * MS)
    for _ in range(n_rounds):
        for group in groups:
            for _ in range(rng.randint(1, 2)):
                _meet(made, rng, group, now)
    return made


def _meet(made: Job, rng: random.Random, group: tuple[int, ...], now: dict[int, int]) -> None:
    instance = len(made.group_of)
    made.number_of[instance] = sum(1 for other in made.group_of.values() if other == group)
    made.group_of[instance] = group
    made.bytes_of[instance] = rng.choice((4096, 65536))
    starts = {r: now[r] + rng.randint(10_000, 9 * MS) for r in group}
    end = max(starts.values()) + rng.randint(20_000, 2 * MS)
    for rank, start in starts.items():
        now[rank] = end + rng.randint(0, 15_000)
        made.members.append(Member(instance, rank, start, now[rank]))


def store(connection: duckdb.DuckDBPyConnection, made: Job) -> None:
    """Makes the run, its traces and their collectives."""
    connection.execute(
        "INSERT INTO run (id, name, kind, created_at) VALUES (?, ?, 'measured', '2024-01-01')",
        [made.run_id, f"run {made.run_id}"],
    )
    for rank in range(made.n_ranks):
        _store_trace(connection, made, rank)


def _store_trace(connection: duckdb.DuckDBPyConnection, made: Job, rank: int) -> None:
    mine = [m for m in made.recorded if m.rank == rank]
    base = min((made.clock(rank, m.start) for m in mine), default=0)
    trace_id = made.trace_id(rank)
    connection.execute(
        "INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, "
        "tw_version, imported_at, base_ns, source_base_ns, clock_id) "
        "VALUES (?, ?, ?, ?, 'kineto', 'kineto', 1, '0', '2024-01-01', ?, 0, ?)",
        [trace_id, made.run_id, f"rank {rank}", rank, base, trace_id << 32],
    )
    connection.execute(
        "INSERT INTO clock (id, trace_id, name) VALUES (?, ?, 'host')", [trace_id << 32, trace_id]
    )
    if mine:
        rows = pa.Table.from_pylist([_row(made, m, base) for m in mine])  # noqa: F841
        connection.execute("INSERT INTO collective BY NAME SELECT * FROM rows")


def _row(made: Job, m: Member, base: int) -> dict[str, object]:
    start, end = made.clock(m.rank, m.start), made.clock(m.rank, m.end)
    n_bytes = made.bytes_of[m.instance]
    return {
        "slice_id": made.slice_id(m), "trace_id": made.trace_id(m.rank), "track_id": 0,
        "ts": start - base, "dur": end - start, "name": "ncclDevKernel", "side": "device",
        "kind": "allreduce", "group_name": "1", "data_type": "Float",
        "group_ranks_json": str(list(made.group_of[m.instance])),
        "sequence_number": made.number_of[m.instance] if made.is_numbered else None,
        "n_input_elements": n_bytes // 4, "input_bytes": n_bytes,
    }  # fmt: skip
