"""`tw diagnose`: what makes a run slow, and what each repair would save."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse import config
from warehouse.cli import options, table_options
from warehouse.cli.emit import emit, emit_text, say_count
from warehouse.cli.scope_options import announce, scope
from warehouse.errors import ExitCode
from warehouse.query import encoding
from warehouse.query.selection import Selection, options_of

if TYPE_CHECKING:
    from warehouse.diagnose.diagnosis import Diagnosis
    from warehouse.query.session import Session

_DOCUMENT = "workbook or page"


@click.command()
@click.option("--step", type=int, metavar="N", help="Price the findings for one step.")
@click.option("--all", "has_all", is_flag=True, help="Show findings below 2 % of the time, too.")
@click.option(
    "--fail-if",
    "condition",
    metavar="SQL",
    help="Exit with 1 if this SQL condition is true for any finding: \"severity = 'high'\".",
)
@click.option(
    "--format",
    "format",
    type=click.Choice(("text", *encoding.FORMATS)),
    help="Output format.  [default: by the suffix of -o, where .xlsx writes a workbook and .html a "
    "page; else text]",
)
@options.output
@options.csv_safe
@table_options.raw
@click.option("-q", "--quiet", is_flag=True, help="Print only errors to stderr.")
@scope
@options.database
def diagnose(
    step: int | None,
    has_all: bool,
    condition: str | None,
    format: str | None,
    target: Path | None,
    is_csv_safe: bool,
    is_raw: bool,
    quiet: bool,
    selection: Selection,
    db: Path | None,
    wait_s: float,
) -> None:
    """Find what makes a run slow, and what each repair would save.

    Findings are the rows of the queries finding_... (`tw queries list --group diagnose`), also your
    own in query_path, those that cost most first. The cost is what a replay of the run without them
    saves, or "estimated" from recorded times where no replay tells. What the recording cannot show
    is listed as not judged, with what is missing.

    \b
    Example:
      tw diagnose
      tw diagnose -o slow.html
      tw diagnose --run slow --fail-if "finding = 'data_loading' AND cost_share > 0.05"
    """
    from warehouse.diagnose import diagnosis
    from warehouse.query import alarm, session

    chosen_format = format or _format(target)
    place = session.Place.of(db, wait_s=wait_s)
    with session.opened(place, selection) as opened:
        announce(opened.seen, quiet=quiet)
        found = diagnosis.diagnose(opened, step)
        if chosen_format == _DOCUMENT and target is not None:
            _write_document(opened, found, target, has_all, quiet)
        run = ", ".join(opened.seen.run_names)
    failing = []
    if condition is not None:
        failing = alarm.matching(found.rows, condition, ("finding", "subject"))
    if chosen_format == "text":
        _print_text(found, run, options_of(selection), target, has_all)
    elif chosen_format != _DOCUMENT:
        options.refuse_binary_on_terminal(chosen_format, target)
        n_shown = emit(
            found.rows, chosen_format, target, about=found.rows.meta, is_csv_safe=is_csv_safe,
            is_raw=is_raw, quiet=quiet,
        )  # fmt: skip
        say_count(n_shown, found.rows.n_rows, target, quiet=quiet)
    if failing:
        click.echo(f"FAIL: {condition}: {'; '.join(failing)}", err=True)
        sys.exit(ExitCode.FAILURE)


def _format(target: Path | None) -> str:
    if target is None or target.suffix.lower() == ".txt":
        return "text"
    if options.is_document(target, None):
        return _DOCUMENT
    return encoding.format_of(target, None, config.load().format)


def _write_document(
    opened: Session, found: Diagnosis, target: Path, has_all: bool, quiet: bool
) -> None:
    from warehouse.export import diagnosed

    diagnosed.write(opened, found, target, has_all=has_all)
    say_count(found.rows.n_rows, found.rows.n_rows, target, quiet=quiet)


def _print_text(found: Diagnosis, run: str, scope: str, target: Path | None, has_all: bool) -> None:
    from warehouse.diagnose import text

    width, is_coloured = text.WIDTH, False
    if target is None and sys.stdout.isatty():
        width, is_coloured = shutil.get_terminal_size().columns, "NO_COLOR" not in os.environ
    shown = text.lines(found, run, width, scope=scope, has_all=has_all, is_coloured=is_coloured)
    emit_text("\n".join([*shown, ""]), target, [found.rows], is_coloured=is_coloured)
