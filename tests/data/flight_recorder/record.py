"""Records dumps of three gloo ranks: `python record.py complete|missing FOLDER`, with torch 2.13.

In `missing` rank 1 returns before the last all_reduce, for which the others wait.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import torch
import torch._C._distributed_c10d as c10d
import torch.distributed as dist
import torch.multiprocessing as mp

RANKS = 3


def train(rank: int, mode: str) -> None:
    tensor = torch.ones(4, 3)
    for _ in range(3):
        dist.all_reduce(tensor)
    pair = dist.new_group([0, 1], group_desc="pair")
    if rank < 2:
        dist.broadcast(tensor, 0, group=pair)
    dist.barrier()
    if mode == "missing" and rank == 1:
        time.sleep(3)
        return
    dist.all_reduce(tensor)


def main(rank: int, mode: str, folder: str) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29731")
    dist.init_process_group("gloo", rank=rank, world_size=RANKS)
    thread = threading.Thread(target=train, args=(rank, mode), daemon=True)
    thread.start()
    thread.join(6)
    Path(folder, f"nccl_trace_rank_{rank}").write_bytes(c10d._dump_fr_trace(True, True, False))
    Path(folder, f"trace_{rank}.json").write_text(c10d._dump_fr_trace_json(True, False))
    os._exit(0)


if __name__ == "__main__":
    mp.spawn(main, args=tuple(sys.argv[1:3]), nprocs=RANKS)
