"""The options --memory-limit and --formulas of commands that query or export, and the warehouse
opened with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from warehouse import config
from warehouse.cli import options
from warehouse.errors import UsageError

if TYPE_CHECKING:
    from warehouse.query.session import Place

Command = TypeVar("Command", bound=Callable[..., Any])
Written = TypeVar("Written")

_KEY = "warehouse.memory_limit"
_FORMULAS = "warehouse.formulas"
_DEFAULT_WAIT_S = 10.0  # as `store.database` has it, whose import loads DuckDB
#: Exports of large warehouses run under a limit by default: what they write is large, what they
#: need at once is not. Each thread of DuckDB holds buffers of its own. Small ones fit without, and
#: are exported a fifth faster.
EXPORT_MEMORY_LIMIT = "300MB"
UNLIMITED_BYTES = 32 << 20  # size of a warehouse file that needs no limit
EXPORT_THREADS = 4
#: The same for reports, whose queries join and sort whole tables; they take a third longer.
REPORT_MEMORY_LIMIT = "500MB"


def memory_limit(command: Command) -> Command:
    """Adds --memory-limit, which `place` applies."""
    return click.option(
        "--memory-limit",
        metavar="SIZE",
        callback=_keep,
        expose_value=False,
        help="Memory limit of the database, such as 700MB; more is written to a temporary folder "
        "beside the warehouse.  [default: `memory_limit` in tw.toml, else DuckDB's default, for "
        f"exports from warehouses over 32 MiB {EXPORT_MEMORY_LIMIT}, for pages and workbooks "
        f"{REPORT_MEMORY_LIMIT}]",
    )(command)


def formulas(command: Command) -> Command:
    """Adds --formulas, which `place` applies."""
    return click.option(
        "--formulas",
        type=click.Path(path_type=Path, dir_okay=False),
        multiple=True,
        callback=_keep_formulas,
        expose_value=False,
        help="File of formulas that count operations and bytes of your own operators, beside those "
        "of tw.toml; repeatable.",
    )(command)


def place(
    db: Path | None,
    wait_s: float = _DEFAULT_WAIT_S,
    *,
    query_path: tuple[Path, ...] = (),
    is_export: bool = False,
) -> Place:
    """Returns the given or configured warehouse or lake, with the limits of the command."""
    from warehouse.query import session

    chosen = session.Place.of(
        db,
        lake=options.chosen_lake(),
        wait_s=wait_s,
        query_path=query_path,
        memory_limit=click.get_current_context().meta.get(_KEY),
        formulas=click.get_current_context().meta.get(_FORMULAS, ()),
    )
    if is_export and chosen.memory_limit is None and _exceeds(chosen.path, UNLIMITED_BYTES):
        return chosen.limited(EXPORT_MEMORY_LIMIT, EXPORT_THREADS)
    return chosen


def in_report_limit(chosen: Place, write: Callable[[Place], Written]) -> Written:
    """Writes a report under its default limit, and without one where that is not enough."""
    from warehouse.errors import OutOfMemory

    if chosen.memory_limit is not None or not _exceeds(chosen.path, UNLIMITED_BYTES):
        return write(chosen)
    try:
        return write(chosen.limited(REPORT_MEMORY_LIMIT, EXPORT_THREADS))
    except OutOfMemory:
        click.echo(
            f"{REPORT_MEMORY_LIMIT} of memory are not enough: starting again without a limit.",
            err=True,
        )
        return write(chosen)


def _exceeds(path: Path, n_bytes: int) -> bool:
    return path.is_file() and path.stat().st_size > n_bytes


def _keep(context: click.Context, _: click.Parameter, text: str | None) -> None:
    if text is not None and not config.is_memory_size(text):
        raise UsageError(
            f"--memory-limit {text} is not a size", hint="Write it as 700MB, 2GB or 1GiB."
        )
    if text is not None:
        context.meta[_KEY] = text


def _keep_formulas(context: click.Context, _: click.Parameter, paths: tuple[Path, ...]) -> None:
    context.meta[_FORMULAS] = paths
