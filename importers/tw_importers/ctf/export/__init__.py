"""Exports of CTF traces: the CSV files of tensorflow-profiler, and CTF itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse.export.exporter import Exporter
from warehouse.export.sql import SqlFolder

if TYPE_CHECKING:
    from warehouse.query.session import Session

load = SqlFolder(Path(__file__).resolve().parent).load


def _write_csv(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from tw_importers.ctf.export.tables import export_tables

    return export_tables(opened.connection, path, options.get("graph"))


def _write_ctf(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from tw_importers.ctf.export.trace import export_trace

    return export_trace(opened.connection, path)


TENSORFLOW_CSV = Exporter(_write_csv)
CTF_EXPORT = Exporter(_write_ctf)
