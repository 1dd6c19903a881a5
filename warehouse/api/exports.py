"""Exports of `Warehouse`: one method for each command of `tw export`, and `verify`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warehouse.export.chrome.trace import WrittenTrace
    from warehouse.export.dot import Drawing
    from warehouse.export.page.page import PageSummary
    from warehouse.export.parquet import WrittenTable
    from warehouse.export.perfetto.trace import PerfettoSummary
    from warehouse.export.verify import Verification
    from warehouse.export.workbook.workbook import WorkbookSummary
    from warehouse.query.selection import Selection
    from warehouse.query.session import Place, Session

PathLike = str | os.PathLike[str]


class Exports:
    """Writes files from the scope, each with its manifest. All methods raise ExportError."""

    _place: Place
    _selection: Selection

    def _session(self) -> AbstractContextManager[Session]:
        raise NotImplementedError

    def export(self, exporter: str, path: PathLike, **options: Any) -> Any:
        """Writes an export by the name of its exporter, also one of a plug-in.

        Options are those stored in the manifest; returns the summary of the exporter.
        """
        from warehouse.export import registry

        with self._session() as opened:
            return registry.export(opened, exporter, Path(path), options)

    def export_perfetto(
        self,
        path: PathLike,
        *,
        no_args: bool = False,
        no_flows: bool = False,
        interned: bool | None = None,
    ) -> PerfettoSummary:
        """Writes a trace for ui.perfetto.dev and trace_processor."""
        summary: PerfettoSummary = self.export(
            "perfetto",
            path,
            with_args=not no_args,
            with_flows=not no_flows,
            with_interning=interned,
        )
        return summary

    def export_chrome(self, path: PathLike, *, is_folder: bool = False) -> list[WrittenTrace]:
        """Writes Trace Event JSON: one file, or a folder with a file per trace."""
        files: list[WrittenTrace] = self.export("chrome", path, is_folder=is_folder)
        return files

    def export_parquet(self, path: PathLike) -> list[WrittenTable]:
        """Writes all tables as Parquet files, partitioned by trace, to a new folder."""
        tables: list[WrittenTable] = self.export("parquet", path)
        return tables

    def export_dot(
        self,
        path: PathLike,
        *,
        root: str | None = None,
        depth: int = 3,
        direction: str = "down",
        nodes: int = 150,
        kind: str | None = None,
    ) -> Drawing:
        """Draws part of an execution graph as DOT, SVG, PNG or PDF."""
        drawing: Drawing = self.export(
            "dot", path, root=root, depth=depth, direction=direction, max_nodes=nodes, kind=kind
        )
        return drawing

    def export_xlsx(
        self,
        path: PathLike,
        *queries: str,
        report: str | None = None,
        all_ranks: bool = False,
        **parameters: Any,
    ) -> WorkbookSummary:
        """Writes a workbook of a report, or of queries with their parameters.

        Rows of many ranks are shown as a distribution, unless `all_ranks`.
        """
        from warehouse.export import report as reports
        from warehouse.export.key_figures import KeyFigures
        from warehouse.export.workbook.workbook import export_xlsx

        with self._session() as opened:
            chosen = reports.choose(opened, queries, parameters, report)
            figures = KeyFigures.of(opened, chosen)
            parts = reports.fill(opened, chosen, "workbook", all_ranks=all_ranks)
            return export_xlsx(chosen.title, parts, Path(path), figures)

    def export_html(
        self,
        path: PathLike,
        *queries: str,
        report: str | None = None,
        compare: tuple[str, str] | None = None,
        slices: int = 30_000,
        all_ranks: bool = False,
        **parameters: Any,
    ) -> PageSummary:
        """Writes a page of a report, or of queries; `compare` shows two runs side by side.

        Rows of many ranks are shown as a distribution, unless `all_ranks`.
        """
        from warehouse.export import report as reports
        from warehouse.export.page import page
        from warehouse.files import no_more_readable

        given = (queries, parameters, report)
        if compare is not None:
            values = page.of_two(
                self._place, self._selection, compare, given, slices, all_ranks=all_ranks
            )
        else:
            with self._session() as opened:
                chosen = reports.choose(opened, *given)
                values = page.of_session(opened, chosen, slices, all_ranks=all_ranks)
        with no_more_readable(self._place.path):
            return page.write(values, Path(path))

    def verify(self, *paths: PathLike) -> Iterator[Verification]:
        """Checks that exported files still match their source traces; yields a result per file.

        Raises UsageError for a file without manifest.
        """
        from warehouse.export.verify import verify

        for path in paths:
            yield verify(self._place, Path(path))
