"""Writes a small dPRO trial of TensorFlow, Horovod and NCCL by hand: two ranks, two tensors.

Times are microseconds that `STEP` lists, so that what follows from them can be counted by hand.
Step 1 repeats step 0 later, but communicates both tensors as one group; rank 1 began a step 2.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

#: Operators of a step: name, start, end. clip/c has no event; bn/AssignMovingAvg and net/e begin
#: before net/a has ended.
STEP = [
    ("IteratorGetNext", 1000, 1004), ("hvd_input_barrier/op", 1010, 1020), ("net/a", 1030, 1100),
    ("bn/AssignMovingAvg", 1090, 1095), ("net/e", 1098, 1110), ("gradients/b", 1120, 1200),
    ("gradients/d", 1200, 1300), ("Adam/update_1", 1500, 1510), ("Adam/update_0", 1600, 1620),
]  # fmt: skip
_REDUCE = "Allreduce/HorovodAllreduce."
#: The last edge ends the list of its source in the file, not behind its other edges.
EDGES = [
    ("IteratorGetNext", "hvd_input_barrier/op"), ("hvd_input_barrier/op", "net/a"),
    ("net/a", "bn/AssignMovingAvg"), ("bn/AssignMovingAvg", "net/e"), ("net/e", "gradients/b"),
    ("gradients/b", "clip/c"), ("clip/c", f"{_REDUCE}0_0"), ("gradients/d", f"{_REDUCE}1_0"),
    (f"{_REDUCE}0_0", "Adam/update_0"), (f"{_REDUCE}1_0", "Adam/update_1"),
    ("gradients/b", "gradients/d"),
]  # fmt: skip
PERIOD = 10000
OFFSET = 500  # of the clock of host1


def write(trial: Path, model: str) -> Path:
    """Writes the folders of both ranks and the graph."""
    for rank in (0, 1):
        folder = trial / f"host{rank}" / "0"
        folder.mkdir(parents=True)
        late = OFFSET * rank
        with gzip.open(folder / "trace.json.gz", "wt") as file:
            json.dump({"traceEvents": _operators(rank, late)}, file)
        (folder / "comm.json").write_text(json.dumps(_stages(late)))
        (folder / "comm_detail.json").write_text(json.dumps({"traceEvents": _transfers(late)}))
        other = 1 - rank
        ring = f"{other}[0] -> {rank}[0] [receive] via NET,{rank}[0] -> {other}[0] [send] via NET"
        (folder / "nccl_rank_graph.json").write_text(json.dumps({"RealRing": {"0": ring}}))
        (folder / "metadata.json").write_text("{}")
        names = {"gradient_name_list": ["w0", "w1"], "model_name": model}
        (folder / "gradient_name_list.json").write_text(json.dumps(names))
    (trial / "graphdef_dag.gml").write_text(_gml())
    return trial


def _gml() -> str:
    nodes = {name: n for n, name in enumerate(dict.fromkeys(n for edge in EDGES for n in edge))}
    lines = [f'node [ id {n} label "{name}" ]' for name, n in nodes.items()]
    lines += [f"edge [ source {nodes[a]} target {nodes[b]} ]" for a, b in EDGES]
    return "\n".join(["graph [", "directed 1", *lines, "]", ""])


def _operators(rank: int, late: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"ph": "M", "pid": 3, "name": "process_name", "args": {"name": "/device:GPU:0"}},
        {"ph": "M", "pid": 3, "tid": 1, "name": "thread_name", "args": {"name": "TensorFlow Ops"}},
    ]
    for step in (0, 1, 2) if rank else (0, 1):
        for name, start, end in STEP[:3] if step == 2 else STEP:
            found.append({
                "ph": "X", "pid": 3, "tid": 1, "name": "Op", "ts": start + step * PERIOD + late,
                "dur": end - start, "args": {"long_name": f"{name}:Op", "group_id": step},
            })  # fmt: skip
    return found


#: Of a group that begins at 0: stages of Horovod, sends and receives of the two steps of a ring.
_STAGES = [
    ("Sync", 0, 20), ("QUEUE", 20, 30), ("MEMCPY_IN_FUSION_BUFFER", 30, 40),
    ("NCCL_ALLREDUCE", 40, 80), ("MEMCPY_OUT_FUSION_BUFFER", 80, 90),
]  # fmt: skip
_RING = [("SEND", 0, 40, 50), ("RECV", 0, 40, 60), ("SEND", 1, 60, 70), ("RECV", 1, 60, 80)]
GROUPS = [((0,), 1310), ((1,), 1400), ((0, 1), 1310 + PERIOD)]


def _stages(late: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": 9, "args": {"name": "Sync"}}
    ]
    for tensor in (0, 1):
        process = {"name": f"horovod_allreduce.{tensor}_0"}
        found.append({"ph": "M", "name": "process_name", "pid": tensor, "args": process})
    for tensors, start in GROUPS:
        for stage, begin, end in _STAGES:
            for tensor in tensors:
                of_sync = stage == "Sync"
                found += _bracket(
                    str(tensor) if of_sync else stage, 9 if of_sync else tensor,
                    start + begin + late, start + end + late,
                )  # fmt: skip
    # ends with the last operator of rank 0, so after the last that counts
    last = STEP[-1][2] + PERIOD + late
    return [*found, *(_bracket("QUEUE", 0, last - 10, last) if late == 0 else [])]


def _bracket(name: str, pid: int, start: int, end: int) -> list[dict[str, Any]]:
    begin = {"ph": "B", "name": name, "ts": start, "pid": pid}
    return [begin, {"ph": "E", "ts": end, "pid": pid}]


def _transfers(late: int) -> list[dict[str, Any]]:
    # the first is from before the first operator
    rows = [("0", "SEND", 0, 990, 995)]
    for tensors, start in GROUPS:
        name = "+".join(map(str, tensors))
        rows += [(name, stage, step, start + a, start + b) for stage, step, a, b in _RING]
    return [
        {
            "ph": "X", "cat": "Comm", "name": f"Comm.{name}.{stage}", "pid": "rank", "tid": "0",
            "ts": start + late, "dur": end - start,
            "args": {"loopId": 0, "channelId": 0, "chunkId": step, "sliceId": 0},
        }
        for name, stage, step, start, end in rows
    ]  # fmt: skip
