"""`tw verify`: checks exported files against their source traces."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli import memory_options, options
from warehouse.errors import ExitCode
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.export.verify import Verification


@click.command()
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True),
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the findings as JSON, one line per file."
)
@click.option(
    "--query-path", "query_path", type=click.Path(path_type=Path, file_okay=False), multiple=True,
    help="Folder of your own queries; repeatable.",
)  # fmt: skip
@memory_options.formulas
@options.database
def verify(
    files: tuple[Path, ...],
    as_json: bool,
    query_path: tuple[Path, ...],
    db: Path | None,
    wait_s: float,
) -> None:
    """Check that an exported file still matches its source traces.

    FILE was written by `tw`: a workbook, a page, rows in any format, or a trace. Its manifest,
    embedded or in FILE.origin.json beside it, names the queries, parameters and traces it was made
    from; tw regenerates the contents and compares digests. Traces are found by the SHA-256 of their
    files, also after a re-import. The exit code is 1 unless everything matches.

    \b
    Example:
      tw verify reports/nightly-2026-11-20.xlsx
      tw verify reports/*.xlsx
    """
    from warehouse.export import verify

    place = memory_options.place(db, wait_s, query_path=query_path)
    all_stand = True
    for file in files:
        found = verify.verify(place, file)
        lines = [json.dumps(_json(file, found))] if as_json else _lines(file, found)
        click.echo("\n".join(lines))
        all_stand &= found.stands
    if not all_stand:
        sys.exit(ExitCode.FAILURE)


def _json(file: Path, found: Verification) -> dict[str, object]:
    return {
        "file": str(file),
        "stands": found.stands,
        "findings": [vars(each) for each in found.findings],
        "origin": json.loads(found.manifest.to_json()),
    }


def _lines(file: Path, found: Verification) -> list[str]:
    from warehouse.library import describe

    made = found.manifest
    traces = counted(len(made.traces), "trace")
    lines = [
        f"{file}: {made.format} of {', '.join(made.runs)} ({traces}), "
        f"written {made.written_at} by tw {made.tw_version}",
    ]
    rows = [[each.part, each.state, each.reason or ""] for each in found.findings]
    lines += [line.rstrip() for line in describe.indented(rows)]
    return [*lines, "Match." if found.stands else "Mismatch."]
