"""Records six kinds of parallel training, each by four processes (gloo, PyTorch 2.13).

Kept are all ranks of pipeline and experts, and rank 0 of the others.
"""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed import _functional_collectives as functional
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.pipelining import PipelineStage, Schedule1F1B
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile, record_function

WORLD = 4
WIDTH = 8
Step = Callable[[], None]


def model() -> nn.Sequential:
    return nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))


def trained(module: nn.Module) -> Step:
    inputs = torch.randn(4, WIDTH)
    return lambda: module(inputs).sum().backward()


def data_and_tensor(_rank: int) -> Step:
    """Two replicas (dp) of a model, each on two ranks (tp)."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    plan = {"0": ColwiseParallel(), "2": RowwiseParallel()}
    shared = parallelize_module(model(), mesh["tp"], plan)
    params = list(shared.parameters())
    inputs = torch.randn(4, WIDTH)
    group = mesh.get_group("dp")

    def step() -> None:
        shared(inputs).sum().backward()
        for parameter in params:
            if parameter.grad is not None:
                dist.all_reduce(parameter.grad.to_local(), group=group)

    return step


def replicas(_rank: int) -> Step:
    return trained(DistributedDataParallel(model()))


def sharded(_rank: int) -> Step:
    module = model()
    mesh = init_device_mesh("cpu", (WORLD,))
    fully_shard(module[0], mesh=mesh)
    fully_shard(module[2], mesh=mesh)
    fully_shard(module, mesh=mesh)
    return trained(module)


def hybrid(_rank: int) -> Step:
    """Shards on two ranks, two replicas of them; names of the groups say neither."""
    module = model()
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replica", "part"))
    fully_shard(module[0], mesh=mesh)
    fully_shard(module, mesh=mesh)
    return trained(module)


def pipeline(rank: int) -> Step:
    stage = PipelineStage(nn.Linear(WIDTH, WIDTH), rank, WORLD, torch.device("cpu"))
    schedule = Schedule1F1B(stage, n_microbatches=4, loss_fn=lambda out, _: out.sum())
    inputs = torch.randn(8, WIDTH)

    def step() -> None:
        if rank == 0:
            schedule.step(inputs)
        elif rank == WORLD - 1:
            schedule.step(target=inputs)
        else:
            schedule.step()

    return step


def experts(rank: int) -> Step:
    """Each rank sends 1, 2, 3, 4 rows to the experts of ranks 0 to 3, and gets them back."""
    expert = nn.Linear(WIDTH, WIDTH)
    sent = [1, 2, 3, 4]
    received = [rank + 1] * WORLD
    rows = torch.randn(sum(sent), WIDTH, requires_grad=True)

    def step() -> None:
        here = functional.all_to_all_single_autograd(rows, received, sent, dist.group.WORLD)
        functional.all_to_all_single_autograd(
            expert(here), sent, received, dist.group.WORLD
        ).sum().backward()

    return step


PROGRAMS = {f.__name__: f for f in (data_and_tensor, replicas, sharded, hybrid, pipeline, experts)}


def run(rank: int, names: list[str], store: str, out: str) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=WORLD)
    for name in names:
        step = PROGRAMS[name](rank)
        step()
        dist.barrier()
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as recorded:
            for number in range(2):
                with record_function(f"ProfilerStep#{number}"):
                    step()
        path = Path(out) / name / f"rank{rank}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        recorded.export_chrome_trace(str(path))
        with open(f"{path}.gz", "wb") as file:
            file.write(gzip.compress(path.read_bytes(), 9, mtime=0))
        path.unlink()
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[2:] or PROGRAMS:
            mp.spawn(run, ([name], os.path.join(folder, name), sys.argv[1]), nprocs=WORLD)
