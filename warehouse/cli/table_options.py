"""Options for tables on a terminal: columns, order, ids and exact values."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from warehouse.errors import UsageError
from warehouse.query import encoding

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.library.header import Column
    from warehouse.query.encoding import Rows
    from warehouse.query.terminal.table import View

Command = TypeVar("Command", bound=Callable[..., Any])
_ORDERS = {"asc": "ascending", "desc": "descending"}


@dataclass(frozen=True)
class TableOptions:
    """Which columns to show, in which order of rows."""

    is_raw: bool = False
    has_ids: bool = False
    columns: tuple[str, ...] = ()
    sort: str | None = None

    @property
    def selects(self) -> bool:
        """Whether columns or an order were chosen."""
        return bool(self.columns or self.sort)

    def view(self) -> View:
        """How to show the rows on the terminal."""
        from warehouse.cli.emit import terminal_view

        return terminal_view(has_ids=self.has_ids or bool(self.columns), columns=self.columns)

    def refuse_file(self, target: Path | None, max_rows: int | None = None) -> None:
        """Raises UsageError if columns, an order or rows are chosen for a file, which has all."""
        if target is not None and (self.selects or max_rows is not None):
            raise UsageError(
                "--columns, --sort and --rows apply to printed rows, not to files",
                hint="Write a statement: "
                'tw query "SELECT name, total_ns FROM kernel_summary() ORDER BY 2 LIMIT 9" -o FILE',
            )

    def applied(self, rows: Rows, about: dict[str, str]) -> Rows:
        """The rows with the chosen columns, in the chosen order; raises UsageError."""
        if not self.selects:
            return rows
        import pyarrow as pa

        from warehouse.query.result import QueryResult

        table = pa.Table.from_batches(list(rows.batches()), rows.schema)
        # By place: a statement may name several columns alike.
        places = {column.name: n for n, column in reversed(list(enumerate(rows.columns)))}
        for name in self.columns:
            _known(name, places)
        if self.sort:
            name, order = _order(self.sort, rows.columns, places)
            table = _sorted(table, places[name], name, order)
        chosen = [places[name] for name in self.columns] or list(range(len(rows.columns)))
        return QueryResult(table.select(chosen), tuple(rows.columns[n] for n in chosen), about)


def table(command: Command) -> Command:
    """Adds --columns, --sort, --ids and --raw; the command gets `shown`."""

    @functools.wraps(command)
    def with_options(
        *args: Any,
        is_raw: bool,
        has_ids: bool,
        columns: str | None,
        sort: str | None,
        **kwargs: Any,
    ) -> Any:
        names = tuple(name.strip() for name in (columns or "").split(",") if name.strip())
        return command(*args, shown=TableOptions(is_raw, has_ids, names, sort), **kwargs)

    wrapped: Any = with_options
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


#: The option of commands that print rows of few columns.
raw = click.option(
    "--raw",
    "is_raw",
    is_flag=True,
    help="On a terminal, print tables as in a pipe: all columns, numbers without units.",
)
_OPTIONS = (
    click.option("--columns", metavar="NAMES", help="Show these columns: name,total_ns."),
    click.option(
        "--sort",
        metavar="COLUMN",
        help="Sort the rows: numbers from largest, texts from A; COLUMN:asc, COLUMN:desc.",
    ),
    click.option("--ids", "has_ids", is_flag=True, help="On a terminal, show columns of ids, too."),
    raw,
)


def _known(name: str, places: Mapping[str, int]) -> None:
    if name not in places:
        names = sorted(places, key=lambda each: places[each])
        raise UsageError(f"the result has no column {name!r}", hint=f"Columns: {', '.join(names)}.")


def _order(sort: str, columns: Sequence[Column], places: Mapping[str, int]) -> tuple[str, str]:
    """The column to sort by, and the order as pyarrow names it."""
    name, _, order = sort.partition(":")
    _known(name, places)
    if order and order not in _ORDERS:
        raise UsageError(
            f"{order!r} is not an order of --sort", hint=f"Write {name}:asc or {name}:desc."
        )
    default = "desc" if encoding.is_number(columns[places[name]].type) else "asc"
    return name, _ORDERS[order or default]


def _sorted(table: pa.Table, place: int, name: str, order: str) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return table.take(pc.sort_indices(table.column(place), sort_keys=[("", order)]))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        raise UsageError(
            f"column {name!r} of type {table.column(place).type} has no order",
            hint="Sort by a number or a text.",
        ) from None
