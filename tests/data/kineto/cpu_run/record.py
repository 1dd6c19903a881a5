"""Record `trace.json.gz`: a small CPU training loop under torch.profiler (see ../../README.md)."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule

STEPS = 3
WAIT = 1
WARMUP = 1


class Block(nn.Module):
    """A residual two-layer block, so that module stacks nest."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = x + self.down(torch.relu(self.up(self.norm(x))))
        return out


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, x: Tensor, y: Tensor) -> None:
    """Run forward, backward and the optimizer under three user annotations."""
    with record_function("## forward ##"):
        loss = nn.functional.mse_loss(model(x), y)
    with record_function("## backward ##"):
        optimizer.zero_grad()
        loss.backward()
    with record_function("## optimizer ##"):
        optimizer.step()


def main(out: Path) -> None:
    """Record STEPS active steps and write exactly the bytes torch exported, gzipped."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(8, 16), Block(16), Block(16), nn.Linear(16, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    raw = out.with_name("trace.json")
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=WAIT, warmup=WARMUP, active=STEPS, repeat=1),
        on_trace_ready=lambda prof: prof.export_chrome_trace(str(raw)),
        record_shapes=True,
        profile_memory=True,
        with_stack=True,
        with_modules=True,
    ) as prof:
        for _ in range(WAIT + WARMUP + STEPS):
            train_step(model, optimizer, torch.randn(32, 8), torch.randn(32, 4))
            prof.step()
    out.write_bytes(gzip.compress(raw.read_bytes(), compresslevel=9, mtime=0))
    raw.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "trace.json.gz"))
