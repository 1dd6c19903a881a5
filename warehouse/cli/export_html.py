"""`tw export html`: a page of a report or of queries, with the timeline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli.completion import query_names, run_names
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
from warehouse.files import file_stem, no_more_readable

if TYPE_CHECKING:
    from warehouse.export.page.page import PageSummary as Page
    from warehouse.query.selection import Selection
    from warehouse.query.session import Place

MAX_SLICES = 30_000  # drawn individually


@click.command(short_help="Write an HTML page with the timeline.")
@click.argument("queries", nargs=-1, shell_complete=query_names)
@lake
@database
@memory_limit
@formulas
@scope
@output_option("The file to write.  [default: RUN.html]")
@click.option(
    "--report",
    "name",
    metavar="NAME",
    help="Name of a report.  [default: by the format of the traces]",
)
@click.option(
    "--compare",
    nargs=2,
    metavar="A B",
    shell_complete=run_names,
    help="Show two runs, or traces as RUN/TRACE, side by side, and their differences.",
)
@click.option(
    "--slices",
    "max_slices",
    type=click.IntRange(min=1),
    default=MAX_SLICES,
    show_default=True,
    help="Maximum number of slices drawn individually; others are aggregated.",
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
def html(
    queries: tuple[str, ...],
    db: Path | None,
    wait_s: float,
    selection: Selection,
    output: Path | None,
    name: str | None,
    compare: tuple[str, str] | None,
    max_slices: int,
    parameters: tuple[str, ...],
    all_ranks: bool,
    query_path: tuple[Path, ...],
) -> None:
    """Write an HTML page: a report, or the named QUERIES, with the timeline.

    One self-contained file that needs no network: tables with units and descriptions, charts, and a
    zoomable timeline.

    \b
    Example:
      tw export html --run latest
      tw export html --rank 0 --from 1.2s --to 1.3s -o part.html
      tw export html --compare before after
    """
    place = warehouse_place(db, wait_s, query_path=query_path)
    given = (queries, pairs(parameters), name)
    write(place, selection, given, output, compare, max_slices, all_ranks=all_ranks)


def write(
    place: Place,
    selection: Selection,
    given: tuple[Sequence[str], Mapping[str, str], str | None],
    output: Path | None,
    compare: tuple[str, str] | None = None,
    max_slices: int = MAX_SLICES,
    *,
    all_ranks: bool,
    quiet: bool = False,
) -> None:
    """Writes a page and says what is in it. `given` are queries, their parameters, and the name of
    a report.
    """
    from warehouse.export import report
    from warehouse.export.page import page as pages
    from warehouse.query import session

    def write_in(place: Place) -> Page:
        if compare:
            values = pages.of_two(place, selection, compare, given, max_slices, all_ranks=all_ranks)
            for damage in filter(None, (side["damage"] for side in values["sides"])):
                say(f"WARNING: {damage}")
            path = output or Path("-".join(file_stem(each) for each in compare) + ".html")
        else:
            # A report runs its queries two at a time, but not the named queries.
            with session.opened(place if given[0] else place.for_report(), selection) as opened:
                announce(opened.seen, quiet=quiet)
                chosen = report.choose(opened, *given)
                values = pages.of_session(opened, chosen, max_slices, all_ranks=all_ranks)
                path = output or Path(f"{run_stem(opened.seen)}.html")
        with no_more_readable(place.path):
            return pages.write(values, path)

    written = in_report_limit(place, write_in)
    if not quiet:
        for line in _page_summary(written):
            say(line)


def _page_summary(written: Page) -> Iterator[str]:
    size = f"{written.n_bytes / 1e6:.1f} MB"
    yield f"Wrote {written.path}: {written.n_sections} sections, {size}."
    if written.n_rows_shown < written.n_rows:
        yield f"  {written.n_rows_shown:,} of {written.n_rows:,} rows are in its tables."
    if written.n_slices_shown < written.n_slices:
        yield (
            f"  {written.n_slices_shown:,} of {written.n_slices:,} slices are drawn individually; "
            "the others are aggregated."
        )
