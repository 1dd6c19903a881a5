"""Compares a recommended size of gradient buckets with others, on a job of two processes.

    python benchmarks/optimize_ddp.py [--rounds 12] [--batch 32] [--gbps 1] [--tw PROGRAM]

Requires torch. Records a DistributedDataParallel job with buckets of 3 MB over an emulated link (a
reduction by gloo, then a wait as long as its bytes take), searches a better size with `tw optimize
buckets`, and runs the recorded size, the recommended one, 25 MB and 1 MB in turn. The lower
quartile of the recommended one should be within 2 % of the best. If even the recorded size varies
by more than 30 % (median by minimum), the machine is noisy, and there is no verdict.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from paired import say

RECORDED_MB = 3.0
OTHERS_MB = (25.0, 1.0)
STEPS_IN_TURN = 4
N_RECORDED = 8
_MIB = 1 << 20
_WIDTH, _DEPTH = 768, 8
_LIMIT = 0.02
_NOISY = 1.3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--gbps", type=float, default=1.0)
    parser.add_argument("--tw", default=None, help="program to search with  [default: this one]")
    parser.add_argument("--rank", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--sizes", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rank is not None:
        work(options)
        return
    with tempfile.TemporaryDirectory(prefix="tw-optimize-ddp-") as name:
        folder = Path(name)
        run_ranks(options, folder, [RECORDED_MB], rounds=0)
        recommended = search([options.tw] if options.tw else [sys.executable, "-m", "warehouse"],
                             folder)  # fmt: skip
        sizes = list(dict.fromkeys([RECORDED_MB, recommended, *OTHERS_MB]))
        run_ranks(options, folder, sizes, rounds=options.rounds)
        times = json.loads((folder / "times.json").read_text())
    judge(dict(zip(sizes, times, strict=True)), recommended)


def run_ranks(
    options: argparse.Namespace, folder: Path, sizes: list[float], *, rounds: int
) -> None:
    """Runs both processes: records the first size, or with rounds times all of them."""
    command = [
        sys.executable, __file__, "--folder", str(folder), "--batch", str(options.batch),
        "--gbps", str(options.gbps), "--rounds", str(rounds), "--sizes", json.dumps(sizes),
    ]  # fmt: skip
    (folder / "store").unlink(missing_ok=True)
    ranks = [subprocess.Popen([*command, "--rank", str(rank)]) for rank in (0, 1)]
    codes = [rank.wait() for rank in ranks]
    if any(codes):
        sys.exit("a process of the job failed")


def search(program: list[str], folder: Path) -> float:
    """The recommended size in MB; the recorded one if no other is."""
    db = ["--db", str(folder / "w.duckdb")]
    traces = [str(folder / f"rank{rank}.json") for rank in (0, 1)]
    subprocess.run([*program, "import", *traces, *db, "-q"], check=True)
    command = [*program, "optimize", "buckets", *db, "-o", str(folder / "out"), "--format", "json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    for row in json.loads(done.stdout):
        change = f"{row['change']:+.1%}" if row["edits"] else "as recorded"
        say(f"{row['search']:9} {row['predicted_ns'] / 1e6:8.1f} ms predicted, {change}"
            f" {row['edits'] or ''}")  # fmt: skip
    say(done.stderr.rstrip())
    edits = json.loads((folder / "out" / "strategy.json").read_text())["edits"]
    return int(edits[0]["arguments"]["bytes"]) / _MIB if edits else RECORDED_MB


def judge(times: dict[float, list[float]], recommended: float) -> None:
    """Prints lower quartiles, and whether that of the recommended size is near the best."""
    quartile = {size: quantiles(each, n=4)[0] for size, each in times.items()}
    for size, each in times.items():
        names = {"recorded": RECORDED_MB, "recommended": recommended}
        labels = ", ".join(name for name, named in names.items() if named == size)
        say(f"{size:8.2f} MB {quartile[size]:8.1f} ms, median {median(each):.1f} {labels}")
    spread = median(times[RECORDED_MB]) / min(times[RECORDED_MB])
    behind = quartile[recommended] / min(quartile.values()) - 1
    if spread > _NOISY:
        say(f"noisy: median of the recorded size by its minimum is {spread:.2f}")
    else:
        verdict = "met" if behind <= _LIMIT else "missed"
        say(f"recommended is {behind:.1%} behind the best (at most {_LIMIT:.0%}): {verdict}")


def work(options: argparse.Namespace) -> None:
    """One process of the job."""
    import torch
    from torch import distributed

    torch.set_num_threads(1)
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[options.rank % len(cores)]})
    distributed.init_process_group(
        "gloo", init_method=f"file://{options.folder}/store", rank=options.rank, world_size=2
    )
    jobs = [Job(size, options) for size in json.loads(options.sizes)]
    for job in jobs:
        for _ in range(5):
            job.step()
    if options.rounds:
        times = timed(jobs, options.rounds)
        if options.rank == 0:
            (options.folder / "times.json").write_text(json.dumps(times))
    else:
        record(jobs[0], options.folder / f"rank{options.rank}.json")
    distributed.barrier()
    distributed.destroy_process_group()


class Job:
    """A model with buckets of one size, whose gradients pass over an emulated link."""

    def __init__(self, size_mb: float, options: argparse.Namespace) -> None:
        import torch
        from torch import nn
        from torch.nn.parallel import DistributedDataParallel

        torch.manual_seed(0)
        layers = [layer for _ in range(_DEPTH) for layer in (nn.Linear(_WIDTH, _WIDTH), nn.ReLU())]
        self.net = DistributedDataParallel(
            nn.Sequential(*layers, nn.Linear(_WIDTH, 10)), bucket_cap_mb=size_mb
        )
        # torch accepts no annotations but its own
        self.net.register_comm_hook(None, lambda _, bucket: self.reduce(bucket))
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=1e-3, momentum=0.9)
        self.inputs = torch.randn(options.batch, _WIDTH)
        self.labels = torch.randint(0, 10, (options.batch,))
        self.loss = nn.CrossEntropyLoss()
        self.bytes_per_s = options.gbps * 1e9 / 8
        self.link = threading.Lock()

    def reduce(self, bucket: Any) -> Any:
        """Reduces a bucket, and holds the link as long as its bytes take."""
        from torch import distributed

        buffer = bucket.buffer()
        seconds = buffer.numel() * buffer.element_size() / self.bytes_per_s

        def transferred(future: Any) -> Any:
            with self.link:
                time.sleep(seconds)
            return future.value()[0].div_(2)

        return distributed.all_reduce(buffer, async_op=True).get_future().then(transferred)

    def step(self) -> float:
        """Trains one step; returns its time in ms."""
        from torch.profiler import record_function

        began = time.perf_counter()
        with record_function("forward"):
            loss = self.loss(self.net(self.inputs), self.labels)
        with record_function("backward"):
            loss.backward()
        with record_function("optimizer"):
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
        return (time.perf_counter() - began) * 1e3


def timed(jobs: list[Job], rounds: int) -> list[list[float]]:
    """Times of the steps of each job, all under the same load of the machine."""
    from torch import distributed

    times: list[list[float]] = [[] for _ in jobs]
    for _ in range(rounds):
        for job, found in zip(jobs, times, strict=True):
            distributed.barrier()
            found += [job.step() for _ in range(STEPS_IN_TURN)]
    return times


def record(job: Job, path: Path) -> None:
    """Records steps of a job as a trace."""
    from torch import distributed
    from torch.profiler import ProfilerActivity, profile, record_function

    distributed.barrier()
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiled:
        for number in range(N_RECORDED):
            with record_function(f"ProfilerStep#{number}"):
                job.step()
    profiled.export_chrome_trace(str(path))


if __name__ == "__main__":
    main()
