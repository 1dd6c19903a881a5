"""PyTorch execution traces."""

from __future__ import annotations

from pathlib import Path

from warehouse.export.sql import SqlFolder

load = SqlFolder(Path(__file__).resolve().parent).load
