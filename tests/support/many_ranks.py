"""A warehouse of one job on many ranks, written as rows, and what is true of it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import duckdb

from warehouse.store import database

KERNELS = ("gemm", "softmax", "layer_norm")
STEP_NS = 10_000
N_STEPS = 3


@dataclass(frozen=True)
class Work:
    """A kernel on the only device of its rank."""

    rank: int
    step: int
    name: str
    ts: int
    dur: int


def store(path: Path, n_ranks: int, seed: int) -> list[Work]:
    """Writes the job: each step of each rank runs the kernels one after the other."""
    rng = random.Random(seed)
    made = []
    for rank in range(n_ranks):
        for step in range(N_STEPS):
            ts = step * STEP_NS
            for name in KERNELS:
                dur = rng.randrange(100, 3_000)
                made.append(Work(rank, step, name, ts, dur))
                ts += dur
    database.create_empty(path)
    with duckdb.connect(str(path)) as connection:
        _insert(connection, n_ranks, made)
    return made


def _insert(connection: duckdb.DuckDBPyConnection, n_ranks: int, made: list[Work]) -> None:
    """Trace and device have the id rank + 1; steps have the ids of their slices."""
    connection.execute(
        "INSERT INTO run (id, name, kind, created_at) VALUES (1, 'job', 'measured', '2024-01-01')"
    )
    connection.execute(
        "INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,"
        " imported_at, base_ns, source_base_ns, start_ts, end_ts) "
        "SELECT r + 1, 1, 'rank' || r, r, 'kineto', 'kineto', 1, '0', '2024-01-01', 0, 0, 0, ? "
        "FROM range(?) AS t(r)",
        [N_STEPS * STEP_NS, n_ranks],
    )
    connection.execute(
        "INSERT INTO source_file (id, trace_id, path, role, n_bytes, n_content_bytes, sha256) "
        "SELECT r + 1, r + 1, 'rank' || r, 'trace', 1, 1, md5(r::VARCHAR) FROM range(?) AS t(r)",
        [n_ranks],
    )
    connection.execute(
        "INSERT INTO device (id, trace_id, kind, ordinal) "
        "SELECT r + 1, r + 1, 'gpu', r % 8 FROM range(?) AS t(r)",
        [n_ranks],
    )
    connection.execute(
        "INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) "
        "SELECT (r + 1) * 1000 + s, r + 1, 1, s * ?, ?, 's', s "
        "FROM range(?) AS t(r), range(?) AS u(s)",
        [STEP_NS, STEP_NS, n_ranks, N_STEPS],
    )
    connection.executemany(
        "INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, "
        "class) VALUES ($id, $rank + 1, 2, $rank + 1, 7, $ts, $dur, $name, 'kernel', 'compute')",
        [
            {"id": 10_000_000 + n, "rank": each.rank, "ts": each.ts, "dur": each.dur,
             "name": each.name}
            for n, each in enumerate(made)
        ],
    )  # fmt: skip
    connection.executemany(
        "INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, "
        "query, query_version) "
        "VALUES ($id, $rank + 1, 1, ($rank + 1) * 1000 + $step, 10000000 + $id, 'step', 'launch', "
        "1, 'default', 'q', 1)",
        [{"id": n, "rank": each.rank, "step": each.step} for n, each in enumerate(made)],
    )


def store_slower(path: Path) -> None:
    """Adds the run `slower`: the same job, whose kernels on rank N take N ns more."""
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "INSERT INTO run (id, name, kind, created_at) "
            "VALUES (2, 'slower', 'measured', '2024-01-02')"
        )
        for table, change in _SECOND_RUN.items():
            connection.execute(f"INSERT INTO {table} SELECT * REPLACE ({change}) FROM {table}")


_SECOND_RUN = {
    "trace": "id + 100 AS id, 2 AS run_id",
    "source_file": "id + 100 AS id, trace_id + 100 AS trace_id, md5(sha256) AS sha256",
    "device": "id + 100 AS id, trace_id + 100 AS trace_id",
    "step": "slice_id + 100000 AS slice_id, trace_id + 100 AS trace_id",
    "gpu_op": "slice_id + 1000000 AS slice_id, dur + trace_id - 1 AS dur, "
    "trace_id + 100 AS trace_id, device_id + 100 AS device_id",
    "link": "id + 1000000 AS id, trace_id + 100 AS trace_id, 2 AS run_id, "
    "from_id + 100000 AS from_id, to_id + 1000000 AS to_id",
}
