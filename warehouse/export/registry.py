"""Exporters by name: writes exports with their manifests, and regenerates them for `tw verify`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse import arrow, files, plugins
from warehouse.errors import UsageError
from warehouse.export import manifest
from warehouse.export.exporter import EXPORTS, Exporter

if TYPE_CHECKING:
    from warehouse.query.session import Session

#: Names that manifests of tw 0.1 use for today's exporters.
_RENAMED = {"parquet lake": "parquet"}


def exporter(name: str) -> Exporter:
    """Returns the exporter of a name; raises UsageError when no installed package has one."""
    found = plugins.load(EXPORTS, _RENAMED.get(name, name), Exporter)
    if found is None:
        raise UsageError(
            f"exporter {name!r} not found",
            hint="Install the package that wrote the file; `tw export --help` lists exporters.",
        )
    return found


def is_registered(name: str) -> bool:
    """Whether an installed package has an exporter of this name."""
    return _RENAMED.get(name, name) in plugins.names(EXPORTS)


def export(opened: Session, name: str, path: Path, options: Mapping[str, Any] | None = None) -> Any:
    """Writes an export and its manifest; returns what the exporter returns.

    The manifest lies beside a file and inside a folder; a stream has none. Raises ExportError.
    """
    arrow.leave_pandas_unloaded()
    chosen = exporter(name)
    written = chosen.write(opened, path, options or {})
    about = opened.manifest(opened.queries.find("traces"), {})
    window = {"window_ns": [opened.seen.from_ns, opened.seen.to_ns]}
    known = _checksums(written)
    for each in known if chosen.writes_single_files else [path]:
        if files.is_stream(each):
            continue
        kept = {**(options or {}), **window, "name": each.name, "is_single": each == path}
        sha256 = known.get(each) or manifest.sha256(each)
        manifest.put_beside(each, manifest.of([about], name, options=kept, sha256=sha256))
    return written


def _checksums(written: Any) -> dict[Path, str | None]:
    """The files that an exporter returned, each with its SHA-256 if that is known."""
    found = written if isinstance(written, list | tuple) else [written]
    return {each.path: getattr(each, "sha256", None) for each in found if hasattr(each, "path")}


def regenerate(opened: Session, made: manifest.Manifest, folder: Path) -> Path:
    """Writes an export again, from its manifest, into a folder; returns its path.

    The session must have the scope that the manifest names.
    """
    options = dict(made.options)
    name = str(options.pop("name"))
    target = folder / name if options.pop("is_single") else folder
    del options["window_ns"]
    exporter(made.format).write(opened, target, options)
    return folder / name
