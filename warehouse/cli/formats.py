"""`tw formats`: installed importers, and errors of those that cannot be loaded."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from warehouse.errors import ExitCode, TwError

if TYPE_CHECKING:
    from collections.abc import Callable

    from warehouse.ingest.formats import Format
    from warehouse.ingest.importer import Importer


@click.command()
@click.argument("name", required=False)
@click.option("--check", is_flag=True, help="Load each importer and report failures.")
def formats(name: str | None, check: bool) -> None:
    """List the importers, or describe one.

    The list is read from the entry points of installed packages, without importing them. `tw
    import` skips importers that cannot be loaded; --check reports why, and then exits with 1.

    \b
    Example:
      tw formats
      tw formats chrome
      tw formats --check
    """
    from warehouse.ingest import formats as installed

    if name is not None:
        click.echo("\n".join(_described(installed.by_name(name))))
        return
    found = installed.formats()
    lines = [_line(each, _state(each) if check else None) for each in found]
    widths = [max(len(line[n]) for line in lines) for n in range(3)] if lines else []
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=False)]
        click.echo("  ".join([*cells, *line[3:]]).rstrip())
    if any(len(line) > 3 and line[3] != "ok" for line in lines):
        sys.exit(ExitCode.FAILURE)


def _line(each: Format, state: str | None) -> list[str]:
    return [each.name, each.distribution, each.value, *([] if state is None else [state])]


def _state(each: Format) -> str:
    try:
        each.load()
    except TwError as error:
        return f"broken: {error.message}"
    return "ok"


def _described(importer: Importer) -> list[str]:
    import inspect

    from warehouse.ingest.importer import FileImporter

    lines = [f"{importer.name}: {importer.title}", f"Version: {importer.version}"]
    if importer.captures:
        sees: Callable[..., object] = importer.captures.find
    else:
        assert isinstance(importer, FileImporter)
        sees = importer.sniff
    rule = inspect.getdoc(sees)
    if rule:
        lines.append(f"Recognised: {rule.splitlines()[0]}")
    options = [f"  {name}: {meaning}" for name, meaning in importer.options.items()]
    return [*lines, "Options (--option NAME=VALUE):", *options] if options else lines
