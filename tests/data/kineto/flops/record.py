"""Records operators whose FLOPs PyTorch counts, too: `python record.py FOLDER`.

Writes trace.json.gz, and expected.json: what torch.utils.flop_counter says of the same calls.
"""

import gzip
import json
import sys
from pathlib import Path

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode, sdpa_backward_flop_count, sdpa_flop_count


def products() -> None:
    made = torch.baddbmm(
        torch.bmm(torch.randn(3, 4, 5), torch.randn(3, 5, 6)),
        torch.randn(3, 4, 7),
        torch.randn(3, 7, 6),
    )
    loss = nn.Linear(6, 9, bias=False)(made).sum() + nn.Linear(6, 9)(made).sum()
    loss = loss + torch.mm(torch.randn(5, 9), torch.randn(9, 2)).sum()
    loss = loss + torch.addmm(torch.randn(2), torch.randn(5, 9), torch.randn(9, 2)).sum()
    loss.backward()


def convolutions() -> None:
    images = torch.randn(4, 6, 8, 8, requires_grad=True)
    layers = [
        nn.Conv2d(6, 12, 3, stride=2, padding=1),
        nn.Conv2d(12, 12, 3, dilation=2, padding=2),
        nn.ConvTranspose2d(12, 5, 4, stride=2, padding=1, output_padding=1),
    ]
    for layer in layers:
        images = torch.relu(layer(images))
    loss = images.sum() + nn.Conv1d(3, 4, 5)(torch.randn(2, 3, 20)).sum()
    loss = loss + nn.Conv3d(2, 3, (1, 2, 3), stride=(1, 2, 1))(torch.randn(2, 2, 4, 6, 7)).sum()
    loss.backward()


def grouped_forward() -> None:
    """Forward alone: the counter counts the backward of groups once for each of them."""
    with torch.no_grad():
        nn.Conv2d(12, 12, 3, groups=3)(torch.randn(2, 12, 6, 6))


def attention() -> None:
    shapes = [(2, 4, 10, 16), (2, 4, 13, 16), (2, 4, 13, 16)]
    made = nn.functional.scaled_dot_product_attention(
        *(torch.randn(shape, requires_grad=True) for shape in shapes)
    )
    made.sum().backward()


def counted() -> dict[str, int]:
    """By kind. The CPU's attention is not in the counter's registry; its formulas are."""
    flops = {}
    for work in (products, convolutions, grouped_forward):
        with FlopCounterMode(display=False) as counter:
            work()
        flops[work.__name__] = counter.get_total_flops()
    query, key = (2, 4, 10, 16), (2, 4, 13, 16)
    flops["attention"] = sdpa_flop_count(query, key, key)
    flops["attention"] += sdpa_backward_flop_count(query, query, key, key)
    return flops


def main(folder: Path) -> None:
    torch.manual_seed(0)
    expected = counted()
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as recorded:
        for work in (products, convolutions, grouped_forward, attention):
            with torch.profiler.record_function(work.__name__):
                work()
    path = folder / "trace.json"
    recorded.export_chrome_trace(str(path))
    (folder / "trace.json.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    path.unlink()
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


main(Path(sys.argv[1]))
