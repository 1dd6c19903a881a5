"""Writes the file of one due time; the warehouse is opened read-only meanwhile."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.errors import ExportError, LockedDatabase, ScopeError, TwError
from warehouse.export import manifest
from warehouse.files import is_stream
from warehouse.query import session
from warehouse.schedule.definition import BOOKS, TEXT, Definition, path_of
from warehouse.schedule.records import RunResult

if TYPE_CHECKING:
    from warehouse.query.session import Place, Session


def produce(place: Place, definition: Definition, due: datetime) -> RunResult:
    """Writes the file atomically; a failure is part of the result.

    Raises only LockedDatabase: then nothing was attempted, and the time is still due.
    """
    try:
        with session.opened(place, definition.selection) as opened:
            if not opened.seen.trace_ids:
                return RunResult("skipped", error="the scope is empty")
            path = path_of(definition, due, _run_name(opened), place.path.resolve().parent)
            _make_folder(path.parent)
            n_rows = _write(opened, definition, path)
        if is_stream(path):
            return RunResult("ok", n_rows, output=str(path))
        return RunResult("ok", n_rows, path.stat().st_size, manifest.sha256(path), str(path))
    except ScopeError as error:
        return RunResult("skipped", error=error.message)
    except LockedDatabase:
        raise
    except TwError as error:
        hint = f" {error.hint}" if error.hint else ""
        return RunResult("failed", error=f"{error.message}.{hint}")
    except Exception as error:  # noqa: BLE001 - unattended: else every tick would try it again
        return RunResult("failed", error=f"{type(error).__name__}: {error}")


def _run_name(opened: Session) -> str:
    names = opened.seen.run_names
    return names[0] if len(names) == 1 else "runs"


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExportError(f"the folder {path} cannot be created: {error.strerror}") from None


def _write(opened: Session, definition: Definition, path: Path) -> int:
    """Returns the number of rows in the file."""
    if definition.diagnoses:
        return _write_diagnosis(opened, definition, path)
    if definition.trend is not None:
        return _write_trend(opened, definition, path)
    if definition.format in BOOKS:
        return _write_book(opened, definition, path)
    query = opened.queries.find(str(definition.query))
    with opened.run(query, definition.parameters) as result:
        about = opened.manifest(query, result.parameters)
        return manifest.write_rows(
            result, definition.format, path, about, is_csv_safe=definition.is_csv_safe
        )


def _write_diagnosis(opened: Session, definition: Definition, path: Path) -> int:
    from warehouse.diagnose import diagnosis, text

    found = diagnosis.diagnose(opened)
    if definition.format in BOOKS:
        from warehouse.export import diagnosed

        diagnosed.write(opened, found, path)
        return found.rows.n_rows
    if definition.format != TEXT:
        return manifest.write_rows(
            found.rows, definition.format, path, found.rows.meta,
            is_csv_safe=definition.is_csv_safe,
        )  # fmt: skip
    lines = text.lines(found, _run_name(opened), text.WIDTH)
    manifest.write_text("\n".join([*lines, ""]), path, [found.rows])
    return found.rows.n_rows


def _write_trend(opened: Session, definition: Definition, path: Path) -> int:
    from warehouse.trend.trend import Figure, trend

    figure = Figure(
        str(definition.query), str(definition.trend), definition.parameters, definition.only,
        definition.aggregate,
    )  # fmt: skip
    found = trend(opened, figure, by=definition.by, where=definition.where, level=definition.level)
    if definition.format in BOOKS:
        from warehouse.export import trended

        trended.write(opened, found, path)
        return found.rows.n_rows
    return manifest.write_rows(
        found.rows, definition.format, path, found.rows.meta, is_csv_safe=definition.is_csv_safe
    )


def _write_book(opened: Session, definition: Definition, path: Path) -> int:
    from warehouse.export import report
    from warehouse.export.key_figures import KeyFigures
    from warehouse.export.page import page, timeline
    from warehouse.export.workbook import workbook

    queries = [definition.query] if definition.query else []
    chosen = report.choose(opened, queries, definition.parameters, definition.report)
    if definition.format == "xlsx":
        figures = KeyFigures.of(opened, chosen)
        parts = report.fill(opened, chosen)
        return workbook.export_xlsx(chosen.title, parts, path, figures).n_rows
    values = page.of_session(opened, chosen, timeline.MAX_SLICES)
    return page.write(values, path).n_rows
