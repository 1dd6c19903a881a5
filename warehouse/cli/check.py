"""`tw check`: data-quality findings with severity, meaning and remedy."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warehouse.cli import options, table_options
from warehouse.cli.completion import run_names
from warehouse.errors import ExitCode, UsageError
from warehouse.query import encoding
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.query.result import QueryResult
    from warehouse.query.selection import Selection

REPORT = "report"
_WIDTH, _LEAST_WIDTH = 100, 40  # columns
Row = dict[str, Any]


@click.command()
@click.argument("runs", nargs=-1, metavar="[RUN]...", shell_complete=run_names)
@click.option(
    "--run", "more_runs", multiple=True, metavar="RUN", shell_complete=run_names,
    help="Another way to write RUN; repeatable.",
)  # fmt: skip
@click.option(
    "--check", "names", multiple=True, metavar="NAME", help="Run only this check; repeatable."
)
@click.option("--strict", is_flag=True, help="Fail on warnings too.")
@click.option(
    "--file", "is_file", is_flag=True, help="Read the whole warehouse file and report damage."
)
@click.option(
    "--format",
    "format",
    type=click.Choice([REPORT, *encoding.FORMATS]),
    help="Output format.  [default: by the suffix of -o, else report]",
)
@options.output
@options.csv_safe
@table_options.raw
@click.option("-q", "--quiet", is_flag=True, help="Print only errors to stderr.")
@options.lake
@options.database
def check(
    runs: tuple[str, ...],
    more_runs: tuple[str, ...],
    names: tuple[str, ...],
    strict: bool,
    is_file: bool,
    format: str | None,
    target: Path | None,
    is_csv_safe: bool,
    is_raw: bool,
    quiet: bool,
    db: Path | None,
    wait_s: float,
) -> None:
    """Check data quality.

    RUN is NAME, ID, latest, all, tag:NAME or since:7d; by default the only run, else the last
    imported. Each finding states its effect on results and a remedy. Errors make results wrong,
    warnings may, notes are informational.

    The exit code is 1 if there are errors (with --strict, also warnings), else 0. Each check is a
    query named check_NAME (`tw queries list`); your own queries with such a name and the same
    columns are run too.

    With --file, tw reads every stored value instead and lists the damaged tables; the exit code is
    then 3. `tw backup` reads its copy in the same way.

    \b
    Example:
      tw check
      tw check all --strict
      tw check --file
      tw check baseline --format json -o findings.json
    """
    from warehouse.query.selection import Selection

    runs += more_runs
    if is_file:
        if runs or names or strict or format or target or is_raw or is_csv_safe:
            raise UsageError("--file cannot be combined with other options of checks")
        if (lake := options.chosen_lake()) is not None:
            raise UsageError("--file is for warehouses", hint=f"Run `tw lake check {lake}`.")
        _check_file(db, wait_s, quiet=quiet)
        return
    chosen_format = format or (encoding.format_of(target, None) if target else REPORT)
    options.refuse_binary_on_terminal(chosen_format, target)
    found, n_checks = _run_checks(db, wait_s, Selection(runs=runs), names, quiet=quiet)
    _write(found, chosen_format, target, is_csv_safe, is_raw)
    counts = Counter(row["severity"] for row in found)
    if not quiet:
        click.echo(f"{counted(n_checks, 'check')}: {_tally(counts)}.", err=True)
    if counts["error"] or (strict and counts["warning"]):
        click.get_current_context().exit(ExitCode.FAILURE)


def _check_file(db: Path | None, wait_s: float, *, quiet: bool) -> None:
    """Prints damaged tables; raises InvalidDatabase if there are any."""
    from warehouse import config
    from warehouse.library.describe import size
    from warehouse.store import integrity

    path = config.database_path(db)
    found = integrity.check(path, wait_s=wait_s)
    for each in found.broken:
        click.echo(f"{each.name} {each.reason}")
    if found.broken:
        raise found.broken[0].of(path)
    if not quiet:
        n_rows = sum(each.n_rows for each in found.tables)
        tables = f"{counted(len(found.tables), 'table')} with {counted(n_rows, 'row')}"
        click.echo(f"{path}: no damage in {tables}, {size(found.n_bytes)}.", err=True)


def _run_checks(
    db: Path | None, wait_s: float, selection: Selection, names: tuple[str, ...], *, quiet: bool
) -> tuple[QueryResult, int]:
    from warehouse.cli.scope_options import announce
    from warehouse.query import quality, session
    from warehouse.query.result import QueryResult

    with session.opened(
        session.Place.of(db, lake=options.chosen_lake(), wait_s=wait_s), selection
    ) as opened:
        announce(opened.seen, quiet=quiet)
        query = quality.combined(opened.queries, names)
        result = opened.run(query)
        table = result.table()
        about = opened.manifest(query, {})
        return QueryResult(table, result.columns, about), len(query.pins)


def _write(
    found: QueryResult, format: str, target: Path | None, is_csv_safe: bool, is_raw: bool
) -> None:
    from warehouse.cli.emit import emit, emit_text

    if format == REPORT:
        emit_text(report(list(found)), target, [found])
    else:
        emit(
            found, format, target, max_rows=-1, about=found.meta, is_csv_safe=is_csv_safe,
            is_raw=is_raw,
        )  # fmt: skip


def report(rows: list[Row]) -> str:
    """Formats the findings by run, most severe first."""
    lines: list[str] = []
    by_run = sorted(rows, key=lambda row: row["run_id"])  # stable: keeps the order within a run
    for _, group in groupby(by_run, key=lambda row: row["run_id"]):
        findings = list(group)
        lines += [*([""] if lines else []), f"Run {encoding.printable(findings[0]['run'])}"]
        for row in findings:
            lines += _finding(row)
    return "".join(f"{line}\n" for line in lines)


def _finding(row: Row) -> list[str]:
    where = "" if row["trace"] is None else f" in trace {encoding.printable(row['trace'])}"
    if row["rank"] is not None:
        where += f", rank {row['rank']}"
    count = f"{row['n_found']:,}"
    if row["n_looked_at"] is not None:
        count += f" of {row['n_looked_at']:,}"
    lines = [f"  {row['severity'].upper():<8} {row['check_name']}{where}: {count}"]
    lines += _paragraph("", row["meaning"])
    for example in (row["examples"] or "").split("; ") if row["examples"] else []:
        lines += _paragraph("Seen: ", example)
    return lines + _paragraph("Remedy: ", row["remedy"])


def _paragraph(label: str, text: str) -> list[str]:
    first = " " * 11 + label
    width = _WIDTH
    if sys.stdout.isatty():
        width = min(_WIDTH, max(_LEAST_WIDTH, shutil.get_terminal_size().columns))
    return textwrap.wrap(
        encoding.printable(text), width, initial_indent=first, subsequent_indent=" " * len(first)
    )


def _tally(counts: Counter[str]) -> str:
    from warehouse.query.quality import SEVERITIES

    parts = [f"{counts[s]} {s}{'s' * (counts[s] != 1)}" for s in SEVERITIES if counts[s]]
    return ", ".join(parts) or "no findings"
