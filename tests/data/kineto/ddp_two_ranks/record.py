"""Record `rank0.json.gz` and `rank1.json.gz`: gloo DDP on loopback (see ../../README.md)."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile, record_function, schedule

WORLD_SIZE = 2
STEPS = 3
WAIT = 1
WARMUP = 1
PORT = "29561"


def worker(rank: int, out_dir: str) -> None:
    """Train one rank and write exactly the bytes torch exported, gzipped."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=PORT, GLOO_SOCKET_IFNAME="lo")
    torch.manual_seed(rank)
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=WORLD_SIZE)
    model = DistributedDataParallel(
        nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4)),
        bucket_cap_mb=0.01,
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    raw = Path(out_dir, f"rank{rank}.json")
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=WAIT, warmup=WARMUP, active=STEPS, repeat=1),
        on_trace_ready=lambda prof: prof.export_chrome_trace(str(raw)),
        record_shapes=True,
    ) as prof:
        for _ in range(WAIT + WARMUP + STEPS):
            with record_function("forward"):
                loss = nn.functional.mse_loss(model(torch.randn(64, 16)), torch.randn(64, 4))
            with record_function("backward"):
                optimizer.zero_grad()
                loss.backward()
            with record_function("optimizer"):
                optimizer.step()
            prof.step()
    dist.destroy_process_group()
    packed = gzip.compress(raw.read_bytes(), compresslevel=9, mtime=0)
    raw.with_suffix(".json.gz").write_bytes(packed)
    raw.unlink()


if __name__ == "__main__":
    mp.spawn(worker, args=(sys.argv[1] if len(sys.argv) > 1 else ".",), nprocs=WORLD_SIZE)
