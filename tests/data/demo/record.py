"""Record the `tw demo` traces: a two-rank DDP transformer encoder (see ../README.md)."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile, record_function, schedule

WORLD_SIZE = 2
STEPS = 3
WAIT = 1
WARMUP = 2
PORT = "29571"
VOCABULARY, WIDTH, HEADS, LAYERS = 512, 64, 4, 2
BATCH, LENGTH = 16, 48


class Encoder(nn.Module):
    """Token embedding, a transformer encoder and a linear head."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, dropout=0.0, batch_first=True)
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.encoder = nn.TransformerEncoder(layer, LAYERS)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens: Tensor) -> Tensor:
        out: Tensor = self.head(self.encoder(self.embed(tokens)))
        return out


def worker(rank: int, out_dir: str) -> None:
    """Train one rank and write exactly the bytes torch exported, gzipped."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=PORT, GLOO_SOCKET_IFNAME="lo")
    torch.manual_seed(rank)
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=WORLD_SIZE)
    model = DistributedDataParallel(Encoder(), bucket_cap_mb=0.25)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    raw = Path(out_dir, f"ddp_rank{rank}.json")
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=WAIT, warmup=WARMUP, active=STEPS, repeat=1),
        on_trace_ready=lambda prof: prof.export_chrome_trace(str(raw)),
        record_shapes=True,
    ) as prof:
        for _ in range(WAIT + WARMUP + STEPS):
            with record_function("data"):
                tokens = torch.randint(VOCABULARY, (BATCH, LENGTH))
            with record_function("forward"):
                logits = model(tokens)
                loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten())
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
