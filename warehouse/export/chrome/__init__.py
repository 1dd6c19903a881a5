"""Trace Event JSON, as Chrome and Perfetto read it."""

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
    from warehouse.export.chrome import together, trace
    from warehouse.export.names import only_named

    with only_named(opened, options.get("names", ())):
        if options["is_folder"]:
            return trace.export_chrome_folder(opened.connection, path)
        if len(opened.seen.run_ids) > 1:
            return [together.export_together(opened.connection, path)]
        return [trace.export_chrome(opened.connection, path)]


EXPORTER = Exporter(_write)
