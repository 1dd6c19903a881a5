"""Trace Event JSON, as Chrome and Perfetto read it."""

from __future__ import annotations

from pathlib import Path

from warehouse.export.sql import SqlFolder

load = SqlFolder(Path(__file__).resolve().parent).load
