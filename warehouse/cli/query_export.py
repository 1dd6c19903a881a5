"""`tw query NAME -o FILE.xlsx|FILE.html`: a workbook or a page of one query."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from warehouse import files
from warehouse.cli import memory_options, options
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
    **_: Any,
) -> None:
    from warehouse.cli import export_html, export_xlsx

    if name is None or not _NAME.fullmatch(name) or dialect != "duckdb":
        raise UsageError(
            f"{target.name}: workbooks and pages are written of queries of the library",
            hint="Write .csv or .parquet, or put the statement into a folder of queries (tw query "
            "--query-path).",
        )
    shown.refuse_file(target)
    place = memory_options.place(db, wait_s, query_path=query_path)
    values, queries = options.pairs(parameters), [name.removesuffix(".sql")]
    if target.suffix.lower() == ".xlsx":
        export_xlsx.write(place, selection, queries, values, None, target, all_ranks=all_ranks)
    else:
        export_html.write(place, selection, (queries, values, None), target, all_ranks=all_ranks)
