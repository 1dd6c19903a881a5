"""Record `trace.json.gz` and what torch's own key_averages() says of it (see ../../README.md)."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils.checkpoint import checkpoint

STEPS = 2


class Attention(nn.Module):
    """A layer whose operators call each other, and whose forward is run again in backward."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attend = nn.MultiheadAttention(width, 2, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(x)
        return x + self.attend(x, x, x, need_weights=False)[0]


def step(model: nn.ModuleList, optimizer: torch.optim.Optimizer, x: Tensor) -> None:
    """Forward, backward and update, in nested ranges."""
    with record_function("forward"):
        for layer in model:
            with record_function("layer"):
                x = checkpoint(layer, x, use_reentrant=False)
        loss = x.square().mean()
    with record_function("backward"):
        optimizer.zero_grad()
        loss.backward()
    optimizer.step()


def averages(prof: Any, **options: bool) -> list[dict[str, Any]]:
    """Times are microseconds, as torch gives them."""
    return [
        {
            "key": each.key,
            "input_shapes": each.input_shapes,
            "count": each.count,
            "is_user_annotation": each.is_user_annotation,
            "self_cpu_time_total": each.self_cpu_time_total,
            "cpu_time_total": each.cpu_time_total,
        }
        for each in prof.key_averages(**options)
    ]


def main(folder: Path) -> None:
    """Writes the exact bytes torch exported, gzipped, and both tables of averages."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.ModuleList(Attention(8) for _ in range(2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    raw = folder / "trace.json"
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=1, warmup=1, active=STEPS, repeat=1),
        on_trace_ready=lambda prof: prof.export_chrome_trace(str(raw)),
        record_shapes=True,
    ) as prof:
        for _ in range(2 + STEPS):
            step(model, optimizer, torch.randn(4, 6, 8, requires_grad=True))
            prof.step()
    (folder / "trace.json.gz").write_bytes(gzip.compress(raw.read_bytes(), 9, mtime=0))
    raw.unlink()
    tables = {"by_name": averages(prof), "by_shape": averages(prof, group_by_input_shape=True)}
    text = json.dumps(tables, indent=None, separators=(",", ":"))
    (folder / "expected.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
