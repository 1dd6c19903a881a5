"""`ddp.py`: the recommended size of buckets, for DistributedDataParallel of PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.errors import UsageError
from warehouse.optimize.strategy import FILE, Strategy, StrategyFiles
from warehouse.replay.what_if import WhatIf

if TYPE_CHECKING:
    from warehouse.query.session import Session

DDP = "ddp.py"
_MIB = 1 << 20
_HEADER = '"""Gradient buckets that `tw optimize` recommends, for DistributedDataParallel."""\n'
_TEXT = (
    _HEADER
    + """
# in MiB; a bucket closes with the first gradient that reaches {n_bytes:,} bytes
BUCKET_CAP_MB = {cap!r}


def wrap(module, **options):
    \"\"\"Returns the module with its gradients reduced in these buckets.\"\"\"
    from torch.nn.parallel import DistributedDataParallel

    return DistributedDataParallel(module, bucket_cap_mb=BUCKET_CAP_MB, **options)
"""
)


def text_of(n_bytes: int) -> str:
    """The program for a size in bytes."""
    cap = n_bytes / _MIB
    return _TEXT.format(n_bytes=n_bytes, cap=int(cap) if cap == int(cap) else cap)


def _texts(session: Session, strategy: Strategy) -> Mapping[str, str]:
    """The program for a recommended size of buckets; nothing for other changes."""
    sizes = [each.arguments["bytes"] for each in strategy.edits if each.name == "buckets"]
    return {DDP: text_of(int(sizes[0]))} if len(sizes) == 1 else {}


def _edits(session: Session, path: Path, text: str) -> list[WhatIf] | None:
    """None, for files of others; a program is not read."""
    if text.startswith(_HEADER):
        raise UsageError(
            f"{path} is a program, which is not read", hint=f"Name the {FILE} beside it."
        )
    return None


FILES = StrategyFiles(_texts, _edits)
