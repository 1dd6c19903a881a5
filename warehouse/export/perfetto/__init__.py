"""Perfetto traces (protobuf)."""

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
    from warehouse.export.names import only_named
    from warehouse.export.perfetto.trace import export_perfetto

    own = {
        name: value for name, value in options.items()
        if name not in ("names", "tracks", "parameters", "findings")
    }  # fmt: skip
    if options.get("tracks"):
        from warehouse.export.perfetto import query_tracks

        parameters = options.get("parameters", {})
        own["query_tracks"] = query_tracks.read(opened, options["tracks"], parameters)
    if options.get("findings"):
        from warehouse.export.perfetto import findings

        own["query_tracks"] = [*own.get("query_tracks", ()), findings.read(opened)]
    with only_named(opened, options.get("names", ())):
        return export_perfetto(opened.connection, path, **own)


EXPORTER = Exporter(_write)
