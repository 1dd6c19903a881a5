"""Exports of TPU captures: the text files of bigTpuProfile."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse.export.exporter import Exporter
from warehouse.export.sql import SqlFolder

if TYPE_CHECKING:
    from warehouse.query.session import Session

load = SqlFolder(Path(__file__).resolve().parent).load


def _write_registers(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from tw_importers.sophgo.export.registers import export_registers

    return export_registers(opened.connection, path)


def _write_summary(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from tw_importers.sophgo.export.summary import export_summary

    return export_summary(opened, path)


REGISTERS = Exporter(_write_registers)
SUMMARY = Exporter(_write_summary)
