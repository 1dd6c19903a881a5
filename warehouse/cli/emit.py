"""Writes rows to stdout or a file, and prints their number to stderr; shared by all commands."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.files import STDOUT, whole_file
from warehouse.query import encoding

if TYPE_CHECKING:
    from warehouse.query.encoding import Rows
    from warehouse.query.result import QueryResult
    from warehouse.query.terminal.table import View


def is_for_terminal(format: str, target: Path | None) -> bool:
    """Whether rows are printed to be read."""
    return format == "table" and target is None and sys.stdout.isatty()


def terminal_view(*, has_ids: bool = False, columns: Sequence[str] = ()) -> View:
    """How to show rows on the terminal of stdout."""
    from warehouse.query.terminal.table import View

    return View(
        shutil.get_terminal_size().columns, has_ids, tuple(columns), "NO_COLOR" not in os.environ
    )


def emit(
    rows: Rows,
    format: str,
    target: Path | None,
    *,
    max_rows: int = encoding.DEFAULT_ROWS,
    about: Mapping[str, str],
    is_csv_safe: bool = False,
    view: View | None = None,
    is_raw: bool = False,
    quiet: bool = False,
    remedy: str = "--format csv has all columns",
) -> int:
    """Writes the rows (a table: at most `max_rows`) and returns how many were written.

    A table on a terminal is laid out for its width unless `is_raw`. A manifest is written beside
    a file (`warehouse.export.manifest`).
    """
    if is_for_terminal(format, target) and not is_raw:
        return _show(rows, view or terminal_view(), max_rows, "" if quiet else remedy)
    if target is not None:
        from warehouse.export import manifest

        return manifest.write_rows(
            rows, format, target, about, max_rows=max_rows, is_csv_safe=is_csv_safe
        )
    with whole_file(STDOUT) as file:
        return encoding.write(
            rows, format, file, max_rows=max_rows, metadata=about, is_csv_safe=is_csv_safe
        )


def _show(rows: Rows, view: View, max_rows: int, remedy: str) -> int:
    """Prints the rows as a table of the terminal's width, and with a remedy what did not fit."""
    from warehouse.query.terminal import table

    _, values = encoding.first_rows(rows, max_rows)
    layout = table.lay_out(rows.columns, values, view)
    with whole_file(STDOUT) as file:
        file.write(layout.text.encode())
    if layout.left_out and remedy and values:
        click.echo(layout.note(remedy, view.width), err=True)
    return len(values)


def emit_text(
    text: str,
    target: Path | None,
    results: Sequence[QueryResult],
    *,
    is_coloured: bool = False,
) -> None:
    """Prints or writes a text made from these results."""
    if target is None:
        click.echo(text, nl=False, color=is_coloured or None)
        return
    from warehouse.export import manifest

    manifest.write_text(text, target, results)


def say_count(n_shown: int, n_rows: int, target: Path | None, *, quiet: bool) -> None:
    """Prints how many rows a table shows, if not all, or how many were written to a file."""
    if quiet:
        return
    if n_shown < n_rows:
        click.echo(f"({n_shown:,} of {n_rows:,} rows; --rows -1 for all)", err=True)
    elif target is not None:
        rows = "row" if n_rows == 1 else "rows"
        click.echo(f"{n_rows:,} {rows} written to {target}", err=True)


def echo_sentence(text: str) -> None:
    """Prints a sentence to stderr, on a terminal in lines of whole words."""
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns
        text = textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
    click.echo(text, err=True)


def echo_lines(lines: Iterable[str]) -> None:
    """Prints lines, on a terminal in its width: the last column goes on below itself."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        lines = [part for line in lines for part in _in_width(line, width)]
    click.echo("\n".join(lines))


def _in_width(line: str, width: int) -> list[str]:
    before = len(line) - len(line.rpartition("  ")[2])
    indent = " " * (before if before <= width * 3 // 4 else 4)
    return textwrap.wrap(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    ) or [line]
