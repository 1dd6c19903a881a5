"""Simulates pipelines of stages by schedule, and writes each rank's trace in Kineto's format.

A rank executes its passes in the order of its schedule. Each pass begins with a receive, which
blocks, and ends with a send on a stream of its own. The simulator keeps when each rank computed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Interval = tuple[int, int]
Pass = tuple[str, int]  # F or B, microbatch
#: Duration of a pass of a stage.
Durations = Callable[[int, Pass], int]
STEP_NS = 10_000_000


def gpipe(stage: int, n_stages: int, n_microbatches: int) -> list[Pass]:
    del stage, n_stages
    return [("F", m) for m in range(n_microbatches)] + [("B", m) for m in range(n_microbatches)]


def one_forward_one_backward(stage: int, n_stages: int, n_microbatches: int) -> list[Pass]:
    ahead = min(n_stages - 1 - stage, n_microbatches)
    passes = [("F", m) for m in range(ahead)]
    for m in range(n_microbatches):
        if m + ahead < n_microbatches:
            passes.append(("F", m + ahead))
        passes.append(("B", m))
    return passes


@dataclass
class Rank:
    """What a rank runs in one step: kernels, by stream, and where it sends."""

    work: list[Interval] = field(default_factory=list)
    receives: list[tuple[int, int, int]] = field(default_factory=list)  # start, end, peer
    sends: list[tuple[int, int, int]] = field(default_factory=list)
    sums: list[Interval] = field(default_factory=list)  # all_reduce of all stages


def simulate(
    order: Callable[[int, int, int], list[Pass]], n_stages: int, n_microbatches: int,
    lasts: Durations, transfer_ns: int, update_ns: int,
) -> list[Rank]:  # fmt: skip
    """Runs one step; at its end all ranks reduce a number together, and update."""
    ranks = [Rank() for _ in range(n_stages)]
    left = [order(stage, n_stages, n_microbatches) for stage in range(n_stages)]
    free = [0] * n_stages
    arrived: dict[tuple[int, Pass], int] = {}
    while any(left):
        for stage, passes in enumerate(left):
            while passes and _run(ranks, stage, passes[0], free, arrived, lasts, transfer_ns):
                passes.pop(0)
    together = max(free) + 1_000
    for stage, rank in enumerate(ranks):
        rank.sums.append((free[stage] + 100, together))
        if update_ns:
            rank.work.append((together, together + update_ns))
    return ranks


def _run(
    ranks: Sequence[Rank], stage: int, step: Pass, free: list[int],
    arrived: dict[tuple[int, Pass], int], lasts: Durations, transfer_ns: int,
) -> bool:  # fmt: skip
    """Runs a pass of a stage, if its input has been sent."""
    kind, _ = step
    forward = kind == "F"
    source, target = (stage - 1, stage + 1) if forward else (stage + 1, stage - 1)
    begin = free[stage]
    if 0 <= source < len(ranks):
        if (stage, step) not in arrived:
            return False
        begin = max(begin, arrived[stage, step])
        if begin > free[stage]:
            ranks[stage].receives.append((free[stage], begin, source))
    end = begin + lasts(stage, step)
    ranks[stage].work.append((begin, end))
    free[stage] = end
    if 0 <= target < len(ranks):
        ranks[stage].sends.append((end, end + transfer_ns, target))
        arrived[target, step] = end + transfer_ns
    return True


def write(
    folder: Path, steps: Sequence[Sequence[Rank]], shifts: Sequence[int], is_split: random.Random
) -> list[Path]:
    """Writes a file for each rank; its clock is late by its shift. Work is split into kernels."""
    paths = []
    for stage, shift in enumerate(shifts):
        events: list[dict[str, Any]] = []
        for number, ranks in enumerate(steps):
            _write_step(events, number, ranks[stage], shift, is_split)
        path = folder / f"rank{stage}.json"
        path.write_text(json.dumps(_document(stage, len(shifts), events)))
        paths.append(path)
    return paths


def _document(stage: int, n_stages: int, events: list[dict[str, Any]]) -> dict[str, Any]:
    members = list(range(n_stages))
    groups = [("0", "default_pg"), ("1", "mesh_pp")]
    config = [
        {"pg_name": name, "pg_desc": text, "pg_size": n_stages, "ranks": members}
        for name, text in groups
    ]
    described = {
        "rank": stage, "world_size": n_stages, "backend": "nccl", "pg_config": config,
    }  # fmt: skip
    return {"schemaVersion": 1, "distributedInfo": described, "traceEvents": events}


def _write_step(
    events: list[dict[str, Any]], number: int, rank: Rank, shift: int, is_split: random.Random
) -> None:
    begin = number * STEP_NS + shift
    events.append(
        {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 1,
         "tid": 1, "ts": begin / 1e3, "dur": (STEP_NS - 1_000) / 1e3, "args": {}}
    )  # fmt: skip
    todo: list[tuple[int, int, int, str, dict[str, Any]]] = [
        (a, b, 7, "gemm", {}) for a, b in _pieces(rank.work, is_split)
    ]
    todo += [
        (a, b, stream, "ncclDevKernel_SendRecv()", _PIPE | {"Collective name": name, role: peer})
        for transfers, stream, name, role in (
            (rank.receives, 7, "recv", "Src Rank"), (rank.sends, 20, "send", "Dst Rank"),
        )
        for a, b, peer in transfers
    ]  # fmt: skip
    todo += [
        (a, b, 21, "ncclDevKernel_AllReduce_Sum_f32_RING_LL()", _ALL | {"Seq": number})
        for a, b in rank.sums
    ]
    for index, (a, b, stream, name, more) in enumerate(sorted(todo, key=lambda each: each[:3])):
        mark = number * 10_000 + index + 1
        place = {"ph": "X", "pid": 1, "tid": 1, "cat": "cuda_runtime", "name": "cudaLaunchKernel"}
        events.append(
            place | {"ts": (begin + 10 * index) / 1e3, "dur": 0.005, "args": {"correlation": mark}}
        )
        events.append(
            {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream,
             "ts": (begin + a) / 1e3, "dur": (b - a) / 1e3,
             "args": {"device": 0, "stream": stream, "correlation": mark} | more}
        )  # fmt: skip


_PIPE = {
    "Process Group Name": "1", "Process Group Description": "mesh_pp", "dtype": "Float",
    "In msg nelems": 8, "Out msg nelems": 8,
}  # fmt: skip
_ALL = {
    "Process Group Name": "0", "Process Group Description": "default_pg", "dtype": "Float",
    "In msg nelems": 1, "Out msg nelems": 1, "Collective name": "allreduce",
}  # fmt: skip


def _pieces(work: Sequence[Interval], is_split: random.Random) -> list[Interval]:
    """Each pass as one kernel, or two without a gap, or two that overlap."""
    found = []
    for begin, end in work:
        middle = is_split.randint(begin + 1, end - 1)
        overlap = is_split.choice([0, (end - middle) // 2])
        found += is_split.choice([[(begin, end)], [(begin, middle + overlap), (middle, end)]])
    return found
