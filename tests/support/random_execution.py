"""Random programs as an execution trace and as a timeline of one rank, and what is true of them.

Operators nest in threads; some are in one of the two recordings only. Leaves launch device work,
now and then a memset; some work has lost its call; some calls wait for the device.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NAMES = ("aten::mm", "aten::add", "aten::copy_", "aten::relu", "nccl:all_reduce", "aten::view")
#: Early enough for doubles of microseconds to tell nanoseconds apart.
BASE_US = 1_000_000_000


@dataclass
class Op:
    """An operator; times in ns."""

    name: str
    thread: int
    start: int
    end: int
    parent: Op | None
    in_host: bool
    in_device: bool
    function_id: int = 0
    node_id: int = 0
    children: list[Op] = field(default_factory=list)

    @property
    def nearest(self) -> Op | None:
        """The innermost operator from here upwards that both recordings have."""
        if self.in_host and self.in_device:
            return self
        return self.parent.nearest if self.parent else None


@dataclass
class Work:
    """Device work, and the operator that launched it; None where the call is lost."""

    name: str
    category: str
    stream: int
    start: int
    dur: int
    correlation: int
    op: Op | None


@dataclass
class Program:
    """Both recordings, and what is true."""

    host: dict[str, Any]
    device: dict[str, Any]
    ops: list[Op]
    work: list[Work]

    def write(self, folder: Path) -> tuple[Path, Path]:
        folder.mkdir(parents=True, exist_ok=True)
        paths = folder / "host_et.json", folder / "kineto.json"
        for path, document in zip(paths, (self.host, self.device), strict=True):
            path.write_text(json.dumps(document))
        return paths


def make(seed: int, *, n_threads: int = 3, loss: float = 0.05, has_ids: bool = True) -> Program:
    """A random program; `loss` of its operators are missing in each recording."""
    chance = random.Random(seed)
    ops: list[Op] = []
    for thread in range(n_threads):
        at = chance.randrange(0, 3_000_000)
        for _ in range(chance.randrange(2, 6)):
            length = chance.randrange(50_000, 900_000)
            ops += _tree(chance, thread, at, at + length, None, loss)
            at += length + chance.choice([1_000, 40_000, 1_500_000])
    ops.sort(key=lambda op: op.start)
    for n, op in enumerate(ops):
        op.function_id, op.node_id = n + 1, n + 2 + n_threads
    events, work = _device_work(chance, ops)
    device = [*(_event(op, n, has_ids) for n, op in enumerate(ops) if op.in_device), *events]
    return Program(_host(ops, n_threads), {"schemaVersion": 1, "traceEvents": device}, ops, work)


def _tree(
    chance: random.Random, thread: int, start: int, end: int, parent: Op | None, loss: float
) -> list[Op]:
    in_host, in_device = chance.random() >= loss, chance.random() >= loss
    op = Op(chance.choice(NAMES), thread, start, end, parent, in_host, in_device)
    made = [op]
    at = start + chance.randrange(0, 3_000)
    while end - at > 20_000 and chance.random() < 0.8:
        length = chance.randrange(5_000, max(5_001, (end - at) // 2))
        children = _tree(chance, thread, at + 1, at + length, op, loss)
        op.children.append(children[0])
        made += children
        at += length + chance.randrange(1, 8_000)
    return made


def _event(op: Op, n: int, has_ids: bool) -> dict[str, Any]:
    args: dict[str, Any] = {"External id": op.node_id, "Ev Idx": n}
    if has_ids:
        args["Record function id"] = op.function_id
    category = "user_annotation" if op.name.startswith("nccl:") else "cpu_op"
    return _slice(op.name, category, 7, 70 + op.thread, op.start, op.end - op.start, args)


def _slice(
    name: str, category: str, pid: int, tid: int, start: int, dur: int, args: dict[str, Any]
) -> dict[str, Any]:
    return {
        "ph": "X", "name": name, "cat": category, "pid": pid, "tid": tid,
        "ts": round(BASE_US + start / 1000, 3), "dur": dur / 1000, "args": args,
    }  # fmt: skip


def _device_work(chance: random.Random, ops: list[Op]) -> tuple[list[dict[str, Any]], list[Work]]:
    """Work of a third of the leaves, in the order of the calls on each stream, and some waits."""
    events: list[dict[str, Any]] = []
    work: list[Work] = []
    free = {7: 0, 20: 0}
    for op in ops:
        if op.children or op.end - op.start < 3_000 or chance.random() > 0.5:
            continue
        call = op.start + chance.randrange(1, (op.end - op.start) // 3)
        correlation = 1000 + len(events)
        if chance.random() < 0.15 and work:
            end = max(call + 500, max(each.start for each in work) + 10)
            if end < op.end:
                events += _wait(op, call, end, correlation)
                continue
        stream = chance.choice([*free])
        start = max(call + 1_500, free[stream] + chance.randrange(0, 2_000))
        dur = chance.randrange(500, 90_000)
        free[stream] = start + dur
        is_set, is_lost = chance.random() < 0.1, chance.random() < 0.1
        category = "gpu_memset" if is_set else "kernel"
        each = Work(f"work {correlation}", category, stream, start, dur, correlation,
                    None if is_lost else op)  # fmt: skip
        work.append(each)
        events += _launched(each, call, is_lost)
    return events, work


def _launched(work: Work, call: int, is_lost: bool) -> list[dict[str, Any]]:
    args = {"correlation": work.correlation, "External id": work.op.node_id if work.op else 0}
    place = {"device": 0, "stream": work.stream}
    made = [
        _slice(work.name, work.category, 0, work.stream, work.start, work.dur, {**args, **place})
    ]
    if not is_lost and work.op:
        name = "cudaMemsetAsync" if work.category == "gpu_memset" else "cudaLaunchKernel"
        made.append(_slice(name, "cuda_runtime", 7, 70 + work.op.thread, call, 400, args))
    return made


def _wait(op: Op, start: int, end: int, correlation: int) -> list[dict[str, Any]]:
    args = {"correlation": correlation, "External id": op.node_id}
    place = {"device": 0, "stream": -1, "cuda_sync_kind": "Context Sync"}
    return [
        _slice(
            "cudaDeviceSynchronize", "cuda_runtime", 7, 70 + op.thread, start, end - start, args
        ),
        _slice("Context Sync", "cuda_sync", 0, -1, start, end - start, {**args, **place}),
    ]


def _host(ops: list[Op], n_threads: int) -> dict[str, Any]:
    """Nodes in the order in which operators end, then threads, then the process."""
    nodes = []
    for op in sorted(ops, key=lambda op: op.end):
        if op.in_host:
            above = op.parent
            while above and not above.in_host:
                above = above.parent
            parent = above.node_id if above else 2 + op.thread
            nodes.append(_node(op.node_id, op.name, parent, op.function_id, op.thread + 1))
    root = "[pytorch|profiler|execution_trace|"
    nodes += [_node(2 + n, f"{root}thread]", 1, 0, n + 1) for n in range(n_threads)]
    nodes.append(_node(1, f"{root}process]", 1, 0, 0))
    return {"schema": "1.1.1-chakra.0.0.4", "pid": 7, "time": "2026-11-20 00:00:00",
            "start_ts": 1, "finish_ts": 2, "nodes": nodes}  # fmt: skip


def _node(node_id: int, name: str, parent: int, function_id: int, thread: int) -> dict[str, Any]:
    nothing: dict[str, Any] = {"values": [], "shapes": [], "types": [], "strides": []}
    return {
        "id": node_id, "name": name, "ctrl_deps": parent, "inputs": nothing, "outputs": nothing,
        "attrs": [
            {"name": "rf_id", "type": "uint64", "value": function_id},
            {"name": "seq_id", "type": "int64", "value": -1},
            {"name": "tid", "type": "uint64", "value": thread},
            {"name": "op_schema", "type": "string", "value": ""},
        ],
    }  # fmt: skip
