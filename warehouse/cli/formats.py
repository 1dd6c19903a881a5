"""`tw formats`: installed importers, and errors of those that cannot be loaded."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from warehouse import plugin_source
from warehouse.cli.emit import echo_lines
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

    Each line has the name for --format, the package, and what the importer reads; titles are read
    from the source of installed packages, without importing them. `tw import` skips importers that
    cannot be loaded; --check reports why, and then exits with 1.

    \b
    Example:
      tw formats
      tw formats disc
      tw formats --check
    """
    from warehouse.ingest import formats as installed

    found = installed.formats()
    if name is not None:
        importer = installed.by_name(name)
        place = next(each for each in found if each.name == name)
        click.echo("\n".join(_described(importer, place)))
        return
    states = [_state(each) if check else None for each in found]
    lines = [_line(each, state) for each, state in zip(found, states, strict=True)]
    widths = [max(len(line[n]) for line in lines) for n in range(2)] if lines else []
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=False)]
        echo_lines(["  ".join([*cells, *line[2:]]).rstrip()])
    if any(state not in (None, "ok") for state in states):
        sys.exit(ExitCode.FAILURE)


def _line(each: Format, state: str | None) -> list[str]:
    """Name, package, state if it was checked, and title; the module where no title is found."""
    title = plugin_source.keyword(each.entry_point, "title") or each.value
    return [each.name, each.distribution, *([] if state is None else [state]), title]


def _state(each: Format) -> str:
    try:
        each.load()
    except TwError as error:
        return f"broken: {error.message}"
    return "ok"


def _described(importer: Importer, place: Format) -> list[str]:
    import inspect

    from warehouse.ingest.importer import FileImporter

    lines = [f"{importer.name}: {importer.title}", f"Version: {importer.version}",
             f"Package: {place.distribution} ({place.value})"]  # fmt: skip
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
