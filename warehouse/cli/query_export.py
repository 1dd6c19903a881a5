"""`tw query NAME -o FILE.xlsx|FILE.html`: a workbook or a page of one query."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from warehouse import files
from warehouse.cli import engine_options, memory_options, options
from warehouse.errors import UsageError

if TYPE_CHECKING:
    from warehouse.cli.table_options import TableOptions

Command = TypeVar("Command", bound=Callable[..., Any])
_SUFFIXES = (".xlsx", ".html", ".htm")
_NAME = re.compile(r"\w+(@\d+)?(\.sql)?")


def with_exports(command: Command) -> Command:
    """Lets a query be written as a workbook or page, by the suffix of the file."""

    @functools.wraps(command)
    def run(**given: Any) -> Any:
        target: Path | None = given["target"]
        if target is None or given["format"] or files.is_stdout(target):
            return command(**given)
        if target.suffix.lower() not in _SUFFIXES:
            return command(**given)
        return _write(**given)

    return run  # type: ignore[return-value]


def _write(
    *,
    target: Path,
    name: str | None,
    parameters: tuple[str, ...],
    dialect: str,
    all_ranks: bool,
    query_path: tuple[Path, ...],
    selection: Any,
    db: Path | None,
    wait_s: float,
    shown: TableOptions,
    timeout_s: float | None,
    max_rows: int | None,
    quiet: bool,
    **_: Any,
) -> None:
    from warehouse.cli.export_html import write as write_page
    from warehouse.cli.export_xlsx import write as write_workbook

    if engine_options.is_spark():
        raise UsageError(
            f"{target.name}: --engine spark cannot write workbooks and pages",
            hint="Write .csv or .parquet, or omit --engine.",
        )
    if name is None or not _NAME.fullmatch(name) or dialect != "duckdb":
        raise UsageError(
            f"{target.name}: workbooks and pages require a library query",
            hint="Write .csv or .parquet, or put the statement into a folder of queries (tw query "
            "--query-path).",
        )
    if timeout_s is not None:
        raise UsageError(
            "--timeout applies to rows, not to workbooks and pages", hint="Omit --timeout."
        )
    shown.refuse_file(target, max_rows)
    place = memory_options.place(db, wait_s, query_path=query_path)
    given = ([name.removesuffix(".sql")], options.pairs(parameters), None)
    if target.suffix.lower() == ".xlsx":
        write_workbook(place, selection, given, target, all_ranks=all_ranks, quiet=quiet)
    else:
        write_page(place, selection, given, target, all_ranks=all_ranks, quiet=quiet)
