"""Records 16 small models whose FLOPs PyTorch counts, too: `python record_models.py FOLDER`.

Writes models.json.gz, and models_expected.json: what FlopCounterMode counts in the same calls,
forward and backward. It has no entry for attention on CPUs, which its own formula counts here.
"""

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils.flop_counter import FlopCounterMode, sdpa_backward_flop_count, sdpa_flop_count


def attention_flops(query, key, value, *_, **__):  # type: ignore[no-untyped-def]
    return sdpa_flop_count(query.shape, key.shape, value.shape)


def attention_backward_flops(grad, query, key, value, *_, **__):  # type: ignore[no-untyped-def]
    return sdpa_backward_flop_count(grad.shape, query.shape, key.shape, value.shape)


attention_flops._get_raw = True  # type: ignore[attr-defined]
attention_backward_flops._get_raw = True  # type: ignore[attr-defined]
ON_CPU = {
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: attention_flops,
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward: attention_backward_flops,
}


def given(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, requires_grad=True)


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(8, 8, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(8)
        self.second = nn.Conv2d(8, 8, 3, padding=1, bias=False)
        self.down = nn.Conv2d(8, 16, 1, stride=2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(torch.relu(x + self.second(torch.relu(self.norm(self.first(x))))))


class Vision(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 32, 8, stride=8)
        self.layer = nn.TransformerEncoderLayer(
            32, 2, 64, batch_first=True, dropout=0.0, norm_first=True
        )
        self.head = nn.Linear(32, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.layer(self.patches(x).flatten(2).transpose(1, 2)).mean(1))


def products() -> torch.Tensor:
    a, b, bias = given(3, 8, 16), given(3, 16, 12), given(8, 12)
    made = torch.bmm(a, b).sum() + torch.baddbmm(given(3, 8, 12), a, b).sum()
    made = made + torch.addmm(bias, a[0], b[0]).sum() + torch.mm(a[1], b[1]).sum()
    return made + torch.einsum("bij,bjk->bik", a, b).sum()


def by_math() -> torch.Tensor:
    with sdpa_kernel(SDPBackend.MATH):
        return F.scaled_dot_product_attention(
            given(2, 4, 32, 16), given(2, 4, 32, 16), given(2, 4, 32, 24)
        )


def mixed_precision(model: nn.Module) -> torch.Tensor:
    with torch.autocast("cpu", torch.bfloat16):
        return model(given(8, 64)).float()


def models() -> dict[str, Callable[[], torch.Tensor]]:
    mlp = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 32))
    cnn = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10),
    )  # fmt: skip
    residual, vision = Residual(), Vision()
    encoder = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, dropout=0.0)
    multihead = nn.MultiheadAttention(32, 4, batch_first=True)
    gru = nn.GRU(16, 32)
    bag, head = nn.EmbeddingBag(100, 32), nn.Linear(32, 8)
    transposed = nn.Sequential(
        nn.ConvTranspose2d(8, 16, 3, stride=2), nn.ReLU(), nn.ConvTranspose2d(16, 4, 4)
    )
    volumes = nn.Conv3d(2, 4, 3)
    signals = nn.Conv1d(4, 8, 5, stride=2, dilation=2)
    narrow = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 16))
    sdpa = F.scaled_dot_product_attention
    return {
        "mlp": lambda: mlp(torch.randn(16, 64)),
        "cnn": lambda: cnn(torch.randn(4, 3, 32, 32)),
        "residual": lambda: residual(given(2, 8, 16, 16)),
        "encoder": lambda: encoder(given(2, 32, 64)),
        "vision": lambda: vision(torch.randn(2, 3, 32, 32)),
        "multihead": lambda: multihead(given(2, 10, 32), *[torch.randn(2, 14, 32)] * 2)[0],
        "causal": lambda: sdpa(*[given(2, 4, 32, 16) for _ in range(3)], is_causal=True),
        "masked": lambda: sdpa(
            given(2, 4, 24, 16), given(2, 4, 40, 16), given(2, 4, 40, 16),
            attn_mask=torch.zeros(24, 40),
        ),
        "grouped_queries": lambda: sdpa(
            given(2, 8, 32, 16), given(2, 2, 32, 16), given(2, 2, 32, 16), enable_gqa=True
        ),
        "by_math": by_math,
        "gru": lambda: gru(torch.randn(5, 4, 16))[0],
        "embedding_bag": lambda: head(bag(torch.randint(0, 100, (16, 5)))),
        "transposed": lambda: transposed(given(2, 8, 10, 10)),
        "signals_and_volumes": lambda: (
            signals(given(3, 4, 33)).sum() + volumes(given(1, 2, 8, 8, 8)).sum()
        ),
        "products": products,
        "mixed_precision": lambda: mixed_precision(narrow),
    }  # fmt: skip


def main(folder: Path) -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    recorded = models()
    expected = {}
    for name, run in recorded.items():
        with FlopCounterMode(display=False, custom_mapping=ON_CPU) as counter:
            run().sum().backward()
        expected[name] = counter.get_total_flops()
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
        for name, run in recorded.items():
            with record_function(name):
                run().sum().backward()
    trace = folder / "models.json"
    profiler.export_chrome_trace(str(trace))
    packed = gzip.compress(trace.read_bytes(), 9, mtime=0)
    (folder / "models.json.gz").write_bytes(packed)
    trace.unlink()
    (folder / "models_expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
