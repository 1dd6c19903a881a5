"""The trace exports by name, as they are written the first time and by `tw verify` again.

Each takes an open session, where to write, and the options that stand in the file's origin; the
same traces and options give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from warehouse.export import manifest

if TYPE_CHECKING:
    from warehouse.query.session import Session

Export = Callable[["Session", Path, Mapping[str, Any]], Any]


def _perfetto(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from warehouse.export.perfetto.trace import export_perfetto

    return export_perfetto(opened.connection, path, **options)


def _chrome(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from warehouse.export.chrome import trace as chrome

    if options["is_folder"]:
        return chrome.export_chrome_folder(opened.connection, path)
    return [chrome.export_chrome(opened.connection, path)]


def _parquet(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from warehouse.export.parquet import export_parquet

    return export_parquet(opened.connection, path)


def _execution_trace(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from tw_importers.execution_trace.export import trace

    if options["is_folder"]:
        return trace.export_execution_trace_folder(opened.connection, path)
    return [trace.export_execution_trace(opened.connection, path)]


def _chakra_etplus(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from tw_importers.chakra_et.export.etplus import export_etplus

    return export_etplus(opened, path, **options)


def _chakra_et(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from tw_importers.chakra_et.export.et import Options, export_chakra_et

    chosen = Options(**{**options, "orders": tuple(options["orders"])})
    return export_chakra_et(opened, path, chosen)


def _dot(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from warehouse.export.dot import Wanted, export_dot

    return export_dot(opened, path, Wanted(**options))


def _tpu_registers(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from tw_importers.sophgo.export.registers import export_registers

    return export_registers(opened.connection, path)


def _tpu_summary(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    from tw_importers.sophgo.export.summary import export_summary

    return export_summary(opened, path)


EXPORTS: Final[Mapping[str, Export]] = {
    "perfetto": _perfetto,
    "chrome": _chrome,
    "parquet lake": _parquet,
    "execution-trace": _execution_trace,
    "chakra-etplus": _chakra_etplus,
    "chakra-et": _chakra_et,
    "dot": _dot,
    "tpu-registers": _tpu_registers,
    "tpu-summary": _tpu_summary,
}
#: What these write are single files, in a folder that may hold others.
LOOSE: Final = ("chakra-et",)


def export(
    opened: Session, format: str, path: Path, options: Mapping[str, Any] | None = None
) -> Any:
    """Writes the file or folder, and what it was made from beside or in it; returns what was
    written. Raises ExportError."""
    written = EXPORTS[format](opened, path, options or {})
    about = opened.provenance(opened.queries.find("traces"), {})
    window = {"window_ns": [opened.seen.from_ns, opened.seen.to_ns]}
    paths = [one.path for one in written] if format in LOOSE else [path]
    for each in paths:
        said = {**(options or {}), **window, "name": each.name, "is_single": each == path}
        made = manifest.of([about], format, options=said, sha256=manifest.sha256(each))
        manifest.put_beside(each, made)
    return written


def repeat(opened: Session, made: manifest.Origin, folder: Path) -> Path:
    """Writes a file anew into a folder, the session seeing what it saw; returns where it is."""
    options = dict(made.options)
    name = str(options.pop("name"))
    target = folder / name if options.pop("is_single") else folder
    del options["window_ns"]
    EXPORTS[made.format](opened, target, options)
    return folder / name
