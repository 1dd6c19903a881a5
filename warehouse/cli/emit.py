"""Writes rows to stdout or a file, and prints their number to stderr; shared by all commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.files import STDOUT, whole_file
from warehouse.query import encoding

if TYPE_CHECKING:
    from warehouse.query.encoding import Rows
    from warehouse.query.result import QueryResult


def emit(
    rows: Rows,
    format: str,
    target: Path | None,
    *,
    max_rows: int = encoding.DEFAULT_ROWS,
    about: Mapping[str, str],
    is_csv_safe: bool = False,
) -> int:
    """Writes the rows (a table: at most `max_rows`) and returns how many were written.

    A manifest is written beside a file (`warehouse.export.manifest`).
    """
    if target is not None:
        from warehouse.export import manifest

        return manifest.write_rows(
            rows, format, target, about, max_rows=max_rows, is_csv_safe=is_csv_safe
        )
    with whole_file(STDOUT) as file:
        return encoding.write(
            rows, format, file, max_rows=max_rows, metadata=about, is_csv_safe=is_csv_safe
        )


def emit_text(text: str, target: Path | None, results: Sequence[QueryResult]) -> None:
    """Prints or writes a text made from these results."""
    if target is None:
        click.echo(text, nl=False)
        return
    from warehouse.export import manifest

    manifest.write_text(text, target, results)


def say_count(n_shown: int, n_rows: int, target: Path | None, *, quiet: bool) -> None:
    """Prints how many rows a table shows, if not all, or how many were written to a file."""
    if quiet:
        return
    if n_shown < n_rows:
        click.echo(f"({grouped(n_shown)} of {grouped(n_rows)} rows; --rows -1 for all)", err=True)
    elif target is not None:
        rows = "row" if n_rows == 1 else "rows"
        click.echo(f"{grouped(n_rows)} {rows} written to {target}", err=True)


def grouped(number: int) -> str:
    """Formats 1234567 as `1 234 567`."""
    return f"{number:,}".replace(",", " ")
