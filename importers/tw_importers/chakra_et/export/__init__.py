"""Chakra execution traces: ET+ JSON and protobuf."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse.export.exporter import Exporter
from warehouse.export.sql import SqlFolder

if TYPE_CHECKING:
    from warehouse.query.session import Session

load = SqlFolder(Path(__file__).resolve().parent).load


def _write_etplus(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from tw_importers.chakra_et.export.etplus import export_etplus

    return export_etplus(opened, path, **options)


def _write_et(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from tw_importers.chakra_et.export.et import Options, export_chakra_et

    chosen = Options(**{**options, "orders": tuple(options["orders"])})
    return export_chakra_et(opened, path, chosen)


ET = Exporter(_write_et, writes_single_files=True)
ETPLUS = Exporter(_write_etplus)
