"""`tw export xlsx`: a workbook of a report or of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli.completion import query_names
from warehouse.cli.export_options import (
    all_ranks_option,
    output_option,
    query_path_option,
    run_stem,
    say,
)
from warehouse.cli.memory_options import formulas, in_report_limit, memory_limit
from warehouse.cli.memory_options import place as warehouse_place
from warehouse.cli.options import database, lake, pairs
from warehouse.cli.scope_options import announce, scope
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.export.workbook.workbook import WorkbookSummary
    from warehouse.query.selection import Selection
    from warehouse.query.session import Place


@click.command(short_help="Write an Excel workbook.")
@click.argument("queries", nargs=-1, shell_complete=query_names)
@lake
@database
@memory_limit
@formulas
@scope
@output_option("The file to write.  [default: RUN.xlsx]")
@click.option(
    "--report",
    "name",
    metavar="NAME",
    help="Name of a report.  [default: by the format of the traces]",
)
@click.option(
    "-p",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="Parameter of the QUERIES; repeatable.",
)
@all_ranks_option
@query_path_option
def xlsx(
    queries: tuple[str, ...],
    db: Path | None,
    wait_s: float,
    selection: Selection,
    output: Path | None,
    name: str | None,
    parameters: tuple[str, ...],
    all_ranks: bool,
    query_path: tuple[Path, ...],
) -> None:
    """Write an Excel workbook: a report, or the named QUERIES.

    One sheet per query that has rows, with units, filters and data bars; an overview with charts;
    descriptions of all columns, and the manifest.

    \b
    Example:
      tw export xlsx --run latest
      tw export xlsx utilization top_kernels -o devices.xlsx
    """
    place = warehouse_place(db, wait_s, query_path=query_path)
    given = (queries, pairs(parameters), name)
    write(place, selection, given, output, all_ranks=all_ranks)


def write(
    place: Place,
    selection: Selection,
    given: tuple[Sequence[str], Mapping[str, str], str | None],
    output: Path | None,
    *,
    all_ranks: bool,
    quiet: bool = False,
) -> None:
    """Writes a workbook and says what is in it. `given` are queries, their parameters, and the name
    of a report.
    """
    from warehouse.export import report
    from warehouse.export.key_figures import KeyFigures
    from warehouse.query import session

    def write_in(place: Place) -> WorkbookSummary:
        # A report runs its queries two at a time, but not the named queries.
        with session.opened(place if given[0] else place.for_report(), selection) as opened:
            announce(opened.seen, quiet=quiet)
            chosen = report.choose(opened, *given)
            path = output or Path(f"{run_stem(opened.seen)}.xlsx")
            figures = KeyFigures.without_findings(opened, chosen)
            parts = report.fill_ahead(
                opened, chosen, "workbook", all_ranks=all_ranks, before=[figures.find]
            )
            with closing(parts):
                # While the first queries run.
                from warehouse.export.workbook.workbook import export_xlsx

                return export_xlsx(chosen.title, parts, path, figures)

    written = in_report_limit(place, write_in)
    if quiet:
        return
    say(
        f"Wrote {written.path}: {counted(written.n_rows, 'row')} on "
        f"{counted(len(written.sheets), 'sheet')}."
    )
    for count, noun, plural, what in (
        (
            written.n_without_rows,
            "section",
            None,
            "without rows: on the overview, with the reason.",
        ),
        (written.n_split, "query", "queries", "over the row limit of a sheet: split over several."),
        (written.n_cut_texts, "text", None, "over the length limit of a cell: truncated."),
        (written.n_integers_as_text, "integer", None, "beyond 2^53: written as text."),
    ):
        if count:
            say(f"  {counted(count, noun, plural)} {what}")
