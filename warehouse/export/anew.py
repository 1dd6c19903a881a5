"""The trace exports by name, as they are written the first time and by `tw verify` again.

Each takes an open session, where to write, and the options that stand in the file's origin; the
same traces and options give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from warehouse import origin

if TYPE_CHECKING:
    from warehouse.session import Session

Export = Callable[["Session", Path, Mapping[str, Any]], Any]


def _perfetto(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from warehouse.export.perfetto import export_perfetto

    return export_perfetto(opened.connection, path, **options)


def _chrome(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from warehouse.export import chrome

    if options["is_folder"]:
        return chrome.export_chrome_folder(opened.connection, path)
    return [chrome.export_chrome(opened.connection, path)]


def _parquet(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from warehouse.export.parquet import export_parquet

    return export_parquet(opened.connection, path)


EXPORTS: Final[Mapping[str, Export]] = {
    "perfetto": _perfetto,
    "chrome": _chrome,
    "parquet lake": _parquet,
}


def export(
    opened: Session, format: str, path: Path, options: Mapping[str, Any] | None = None
) -> Any:
    """Writes the file or folder, and what it was made from beside or in it; returns what was
    written. Raises ExportError."""
    options = dict(options or {})
    written = EXPORTS[format](opened, path, options)
    window = [opened.seen.from_ns, opened.seen.to_ns]
    options |= {"window_ns": window, "name": path.name}
    about = opened.provenance(opened.queries.find("traces"), {})
    made = origin.of([about], format, options=options, sha256=origin.sha256(path))
    origin.put_beside(path, made)
    return written
