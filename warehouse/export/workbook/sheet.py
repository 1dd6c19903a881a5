"""A worksheet that writes whole tables, with the cells that xlsxwriter writes one by one.

A workbook of many ranks has a million cells: xlsxwriter takes ten microseconds for each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from xlsxwriter.utility import xl_col_to_name
from xlsxwriter.worksheet import Worksheet

if TYPE_CHECKING:
    import pyarrow as pa

    TextOf = Callable[[Any], str]

EXACT_INTEGER = 1 << 53
_LONG = 1_000  # characters of a text that hardly repeats, and may be cut


class TableSheet(Worksheet):  # type: ignore[misc]
    """A worksheet of a workbook that is written row by row."""

    def write_table(self, table: pa.Table, first: int, text_of: TextOf) -> bool:
        """Writes the rows of a table of plain types, from row `first` on; whether they fit.

        Values that are no exact numbers are written as the text that `text_of` gives.
        """
        if not table.num_rows or not table.num_columns:
            return True
        end = first + table.num_rows
        if self._check_dimensions(end - 1, table.num_columns - 1):
            return False
        self._write_single_row(end)  # the row before
        columns = [
            self._cells(place, column.to_pylist(), first + 1, text_of)
            for place, column in enumerate(table.columns)
        ]
        self.fh.writelines(
            f'<row r="{number}">{cells}</row>'
            for number, cells in enumerate(map("".join, zip(*columns, strict=True)), first + 1)
            if cells
        )
        return True

    def _cells(self, place: int, values: Sequence[Any], first: int, text_of: TextOf) -> list[str]:
        """The cells of a column, empty without a value; `first` is the number of the first row."""
        known: dict[str, str] = {}  # a text that repeats is escaped once

        def content(value: Any) -> str:
            kind = value.__class__
            if kind is int and -EXACT_INTEGER <= value <= EXACT_INTEGER:
                return f"><v>{value}</v>"
            if kind is float and math.isfinite(value):
                return f"><v>{value:.16G}</v>"
            if kind is bool:
                return f' t="b"><v>{value:d}</v>'
            if kind is not str or len(value) > _LONG:
                return self._text(text_of(value))
            if value not in known:
                known[value] = self._text(text_of(value))
            return known[value]

        head = f'<c r="{xl_col_to_name(place)}'
        style = self._style_of(place) if any(value is not None for value in values) else ""
        return [
            "" if value is None else f'{head}{number}"{style}{content(value)}</c>'
            for number, value in enumerate(values, first)
        ]

    def _style_of(self, place: int) -> str:
        """The attribute of a cell that has the format of its column."""
        info = self.col_info.get(place)
        if info is None or info.column_format is None:
            return ""
        return f' s="{info.column_format._get_xf_index()}"'

    def _text(self, text: str) -> str:
        text = self._escape_control_characters(text)
        is_padded = text[:1].isspace() or text[-1:].isspace()
        space = ' xml:space="preserve"' if is_padded else ""
        return f' t="inlineStr"><is><t{space}>{self._escape_data(text)}</t></is>'
