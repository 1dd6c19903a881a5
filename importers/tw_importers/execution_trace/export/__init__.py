"""PyTorch execution traces, as imported."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse.export.exporter import Exporter
from warehouse.export.sql import SqlFolder

if TYPE_CHECKING:
    from warehouse.query.session import Session

load = SqlFolder(Path(__file__).resolve().parent).load


def _write(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from tw_importers.execution_trace.export import trace

    if options["is_folder"]:
        return trace.export_execution_trace_folder(opened.connection, path)
    return [trace.export_execution_trace(opened.connection, path)]


EXPORTER = Exporter(_write)
