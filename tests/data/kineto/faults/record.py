"""Records programs with a fault, and without it: a slow loader, a slow rank of two, a shape that a
compiled model has not seen, and gradients in small buckets.

    python record.py FOLDER

Writes loader_with.json.gz, loader_without.json.gz, compile_with.json.gz, compile_without.json.gz,
and ranks_with/, ranks_without/, buckets_with/ and buckets_without/ with a file for each rank.
The faults are pauses, or take much longer than the rest, so the load of the machine
changes little of what they cost.
"""

from __future__ import annotations

import gzip
import itertools
import os
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.profiler import ProfilerActivity, profile
from torch.utils.data import DataLoader, Dataset

STEPS = 6


class Noise(Dataset):
    """Batches of 64, of which the first item takes `pause_s`."""

    def __init__(self, pause_s: float) -> None:
        self.pause_s = pause_s

    def __len__(self) -> int:
        return 64 * STEPS

    def __getitem__(self, index: int) -> torch.Tensor:
        if index % 64 == 0:
            time.sleep(self.pause_s)
        return torch.randn(256)


def load(pause_s: float, path: Path) -> None:
    torch.set_num_threads(1)
    model = torch.nn.Sequential(
        torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def epoch() -> None:
        for batch in DataLoader(Noise(pause_s), batch_size=64):
            optimizer.zero_grad()
            model(batch).square().mean().backward()
            optimizer.step()

    epoch()
    with profile(activities=[ProfilerActivity.CPU]) as recorded:
        epoch()
    write(recorded, path)


def compiled(other_size: int, path: Path) -> None:
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    torch._dynamo.reset()
    run = torch.compile(model, dynamic=False, backend="aot_eager")

    def step(size: int) -> None:
        run(torch.randn(size, 64)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    step(8)
    with profile(activities=[ProfilerActivity.CPU]) as recorded:
        for n in range(STEPS):
            step(other_size if n == 3 else 8)
    write(recorded, path)


def train(rank: int, pause_s: float, sizes: list[int], cap_mb: float | None, folder: Path) -> None:
    """Layers of these sizes on one of two ranks; shapes are recorded where buckets are limited."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29631")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=2)
    torch.manual_seed(0)
    layers = [torch.nn.Linear(*each) for each in itertools.pairwise(sizes)]
    model = torch.nn.parallel.DistributedDataParallel(
        torch.nn.Sequential(*layers), bucket_cap_mb=cap_mb
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batch = torch.randn(32, sizes[0])

    def step() -> None:
        optimizer.zero_grad()
        if rank == 1:
            time.sleep(pause_s)
        model(batch).square().mean().backward()
        optimizer.step()

    for _ in range(3):
        step()
    dist.barrier()
    has_shapes = cap_mb is not None
    with profile(activities=[ProfilerActivity.CPU], record_shapes=has_shapes) as recorded:
        for _ in range(STEPS):
            step()
    write(recorded, folder / f"rank{rank}.json.gz")
    dist.destroy_process_group()


def write(recorded: profile, path: Path) -> None:
    plain = path.with_suffix("")
    recorded.export_chrome_trace(str(plain))
    path.write_bytes(gzip.compress(plain.read_bytes(), 9, mtime=0))
    plain.unlink()


if __name__ == "__main__":
    target = Path(sys.argv[1])
    for name, pause in (("with", 0.02), ("without", 0.0)):
        load(pause, target / f"loader_{name}.json.gz")
        compiled(9 if pause else 8, target / f"compile_{name}.json.gz")
        (target / f"ranks_{name}").mkdir(exist_ok=True)
        mp.spawn(train, (pause, [128] * 5, None, target / f"ranks_{name}"), nprocs=2)
        (target / f"buckets_{name}").mkdir(exist_ok=True)
        cap = 0.001 if pause else 25.0
        layers = [16, 512, 64, 128, 16]
        mp.spawn(train, (0.0, layers, cap, target / f"buckets_{name}"), nprocs=2)
