"""Writes a small dPRO trial of MXNet by hand: two ranks, two operators, one group of gradients.

No recording was seen: the files follow dPRO's recorder and collector, with times in microseconds
that `STEP` lists, so that what follows from them can be counted by hand.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SYMBOL = """\
Symbol Outputs:
\toutput[0]=dense0_fwd(0)
Variable:data0
Variable:conv0_weight
Variable:conv0_running_mean
--------------------
Op:Convolution, Name=conv0_fwd
Inputs:
\targ[0]=data0(0) version=0
\targ[1]=conv0_weight(0) version=0
\targ[2]=conv0_running_mean(0) version=1
Attrs:
\tkernel=(3, 3)
Variable:dense0_weight
--------------------
Op:FullyConnected, Name=dense0_fwd
Inputs:
\targ[0]=conv0_fwd(0)
\targ[1]=dense0_weight(0) version=0
Attrs:
\tnum_hidden=10
"""
METADATA = {
    "outputs": ["data0", "conv0_weight", "conv0_fwd_output", "dense0_weight", "dense0_fwd_output"],
    "out_shapes": [[8, 3, 9, 9], [4, 3, 3, 3], [8, 4, 7, 7], [10, 196], [8, 10]],
    "gradient_name_list": [
        "conv0_weight;shape=(4, 3, 3, 3);dtype=float32",
        ["dense0_weight", "shape=(10, 196)", "dtype=float16"],
    ],
    "opt_aggregate_num": 0,
}
#: Operators of a step: name, start, duration. Those of dense0's backward pass are two.
STEP = [
    ("conv0_fwd", 0, 10), ("name=dense0_fwd;shape=1", 12, 20), ("log_softmax0", 32, 5),
    ("dense0_fwd_backward", 38, 8), ("dense0_fwd_backward", 47, 8), ("conv0_fwd_backward", 57, 30),
    ("dot", 130, 3), ("add_n", 134, 4), ("sgd_mom_update", 139, 5), ("sgd_mom_update", 145, 5),
]  # fmt: skip
_STAGES = [
    ("QUEUE", 90, 2), ("MEMCPY_IN_FUSION_BUFFER", 92, 3), ("NCCL_ALLREDUCE", 95, 24),
    ("MEMCPY_OUT_FUSION_BUFFER", 119, 2),
]  # fmt: skip
_TRANSFERS = [("SEND", 0, 95), ("RECV", 0, 101), ("SEND", 1, 107), ("RECV", 1, 113)]
STEPS = (100, 1100)  # where steps begin


def write(trial: Path) -> Path:
    """Returns the folder."""
    for rank in range(2):
        folder = trial / f"host{rank}" / "0"
        folder.mkdir(parents=True)
        (folder / "symbol_debug_str.txt").write_text(SYMBOL)
        files = {
            "metadata.json": METADATA, "temp.json": _operators(), "comm.json": _horovod(),
            "comm_detail.json": _nccl(), "nccl_rank_graph.json": _ring(rank),
        }  # fmt: skip
        for name, document in files.items():
            (folder / name).write_text(json.dumps(document))
    return trial


def _operators() -> dict[str, Any]:
    """As MXNet's profiler writes them: a process a device, a begin and an end for each."""
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": n, "args": {"name": name}}
        for n, name in enumerate(["cpu/0", "gpu/0"])
    ]
    for begin in STEPS:
        for name, start, dur in STEP:
            common = {"name": name, "cat": "operator", "pid": 1, "tid": 7}
            events.append(common | {"ph": "B", "ts": begin + start})
            events.append(common | {"ph": "E", "ts": begin + start + dur})
        events.append(
            {
                "name": "CopyGPU2CPU",
                "cat": "operator",
                "ph": "B",
                "ts": begin,
                "pid": 0,
                "tid": 1,
            }
        )
        common = {"name": "CopyGPU2CPU", "cat": "operator", "pid": 0, "tid": 1}
        events.append(common | {"ph": "B", "ts": begin})
        events.append(common | {"ph": "E", "ts": begin + 4})
    return {"traceEvents": events}


def _horovod() -> list[dict[str, Any]]:
    names = ["Sync", "horovod_allreduce.0", "horovod_allreduce.1"]
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": n, "args": {"name": name}}
        for n, name in enumerate(names)
    ]
    for begin in STEPS:
        for tensor in ("0", "1"):
            events.append({"ph": "B", "name": tensor, "pid": 0, "ts": begin + 87})
            events.append({"ph": "E", "pid": 0, "ts": begin + 90})
        for pid in (1, 2):
            for stage, start, dur in _STAGES:
                events.append({"ph": "B", "name": stage, "pid": pid, "ts": begin + start})
                events.append({"ph": "E", "pid": pid, "ts": begin + start + dur})
    return events


def _nccl() -> list[dict[str, Any]]:
    return [
        {
            "ph": "X", "cat": "Comm", "name": f"allreduce.0+1.{stage}", "pid": "NCCL", "tid": "0",
            "ts": begin + start, "dur": 6,
            "args": {"loopId": 0, "channelId": 0, "chunkId": ring_step, "sliceId": 0},
        }
        for begin in STEPS for stage, ring_step, start in _TRANSFERS
    ]  # fmt: skip


def _ring(rank: int) -> dict[str, Any]:
    other = 1 - rank
    edges = f"{other}[0] -> {rank}[0] [receive] via NET,{rank}[0] -> {other}[0] [send] via NET"
    return {"RealRing": {"0": edges}}
