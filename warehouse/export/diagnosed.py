"""A page or a workbook of a diagnosis: what costs most first, and all findings as rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.diagnose import text
from warehouse.export import manifest
from warehouse.export.key_figures import Findings, KeyFigures, scope_of
from warehouse.export.sections import FilledSection, Section

if TYPE_CHECKING:
    from warehouse.diagnose.diagnosis import Diagnosis
    from warehouse.query.session import Session

TITLE = "Diagnosis"


def write(session: Session, found: Diagnosis, path: Path, *, has_all: bool = False) -> None:
    """Writes a workbook if the path ends in .xlsx, else a page; raises ExportError.

    They begin with the findings that the text shows.
    """
    parts = [FilledSection(Section("diagnose", "Findings"), found.rows)]
    figures = KeyFigures((), {}, findings=_findings(session, found, has_all))
    if path.suffix.lower() == ".xlsx":
        from warehouse.export.workbook.workbook import export_xlsx

        export_xlsx(TITLE, parts, path, figures)
    else:
        from warehouse.export.page import data, page

        sections = [page.joined([data.section(each)]) for each in parts]
        origin = manifest.of([found.rows.meta], "html", [manifest.of_result(found.rows)]).to_json()
        page.write({**page.about(session, TITLE, sections, figures), "origin": origin}, path)


def _findings(session: Session, found: Diagnosis, has_all: bool) -> Findings:
    (run,) = session.seen.run_names
    return Findings(
        text.shown(found, has_all=has_all), text.headline(found, run), heading="Cost",
        scope=scope_of(session, run),
    )  # fmt: skip
