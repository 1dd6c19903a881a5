"""Records the memory timeline of two training steps in both forms: `python record.py FOLDER`.

Writes timeline.raw.json.gz and timeline.json.gz, from one and the same run.
"""

import gzip
import sys
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile


def main(folder: Path) -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
    optimizer = torch.optim.Adam(model.parameters())
    with profile(
        activities=[ProfilerActivity.CPU], profile_memory=True, record_shapes=True, with_stack=True
    ) as recorded:
        for _ in range(2):
            optimizer.zero_grad()
            loss = model(torch.randn(16, 32)).square().mean()
            loss.backward()
            optimizer.step()
    for name in ("timeline.raw.json.gz", "timeline.json.gz"):
        path = folder / name
        recorded.export_memory_timeline(str(path), device="cpu")
        # the same bytes, packed without the time of day
        path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()), 9, mtime=0))


main(Path(sys.argv[1]))
