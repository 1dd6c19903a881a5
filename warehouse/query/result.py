"""Query results in memory, as returned by `warehouse.open(...).query(...)`.

pandas and polars are optional.
"""

from __future__ import annotations

import html
import io
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from warehouse.errors import UsageError
from warehouse.library.header import Column
from warehouse.query import plain
from warehouse.query.lineage import Entries

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN_ROWS = 40


class QueryResult:
    """All rows of a query: a sequence of dictionaries, shown as a table in notebooks.

    `columns` hold name, type, unit and description; `meta` holds the manifest entries: query and
    digest, parameters, runs, traces with SHA-256, schema and program version. `note` says why there
    are no rows, where that is known.
    """

    def __init__(
        self,
        table: pa.Table,
        columns: tuple[Column, ...],
        meta: Mapping[str, str],
        note: str = "",
    ) -> None:
        self._table = table
        self.columns = columns
        self.meta = meta if isinstance(meta, Entries) else dict(meta)
        self.note = note

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema."""
        return self._table.schema

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self._table.num_rows)

    def arrow(self) -> pa.Table:
        """Returns the rows as an Arrow table, without copying."""
        return self._table

    def arrow_reader(self) -> pa.RecordBatchReader:
        """Yields the rows as record batches."""
        return self.arrow().to_reader()

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows in pieces, in order."""
        yield from self.arrow().to_batches()

    def release(self) -> None:
        """Drops the rows, which take no more memory, also where the result is still referred to."""
        self._table = self._table.schema.empty_table()

    def df(self) -> Any:
        """Returns a pandas DataFrame; integers with NULLs stay integers (Int64)."""
        pandas = _optional("pandas")
        import pyarrow as pa

        exact = {pa.int64(): pandas.Int64Dtype(), pa.bool_(): pandas.BooleanDtype()}
        return self.arrow().to_pandas(types_mapper=exact.get)

    def pl(self) -> Any:
        """Returns a polars DataFrame."""
        return _optional("polars").from_arrow(self.arrow())

    def rows(self) -> list[tuple[Any, ...]]:
        """Returns the rows as tuples of Python values; text where Python has no such value."""
        return plain.rows(self.arrow())

    def one(self) -> dict[str, Any]:
        """Returns the only row; raises UsageError if there is not exactly one."""
        if self.n_rows != 1:
            raise UsageError(f"expected one row, not {self.n_rows}")
        return self[0]

    def __len__(self) -> int:
        return self.n_rows

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = self.schema.names
        return (dict(zip(names, row, strict=True)) for row in self.rows())

    def __getitem__(self, place: int) -> dict[str, Any]:
        if not -self.n_rows <= place < self.n_rows:
            raise IndexError(f"row {place} of {self.n_rows}")
        (row,) = plain.rows(self.arrow().slice(place % self.n_rows, 1))
        return dict(zip(self.schema.names, row, strict=True))

    def __repr__(self) -> str:
        from warehouse.query import encoding

        text = io.BytesIO()
        n_shown = encoding.write(self, "table", text, max_rows=_SHOWN_ROWS)
        more = f"({n_shown} of {self.n_rows} rows)\n" if n_shown < self.n_rows else ""
        note = f"{self.note}\n" if self.note else ""
        return text.getvalue().decode() + more + note

    def _rows_shown(self, n_shown: int) -> str:
        return html.escape(self.note) or f"{n_shown:,} of {self.n_rows:,} rows"

    def _repr_html_(self) -> str:
        """Renders the first rows for a notebook; values are escaped."""
        head = "".join(
            f'<th title="{html.escape(f"{column.unit or column.type}: {column.help}")}">'
            f"{html.escape(column.name)}</th>"
            for column in self.columns
        )
        shown = self.arrow().slice(0, _SHOWN_ROWS)
        cells = plain.rows(shown)
        body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in cells)
        query = html.escape(self.meta.get("query") or "statement")
        note = f"{query}: {self._rows_shown(shown.num_rows)}"
        return (
            f"<table><caption>{note}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )


def _cell(value: object) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<td style="text-align:right">{value:,}</td>'
    if isinstance(value, float):
        return f'<td style="text-align:right">{value:.6g}</td>'
    return f"<td>{html.escape(str(value))}</td>"


def _optional(package: str) -> Any:
    """Imports an optional package; raises UsageError if it is not installed."""
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError:
        raise UsageError(
            f"{package} is not installed", hint=f"pip install {package}, or use arrow() or rows()."
        ) from None
