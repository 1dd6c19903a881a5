"""Writes query results as a text table, CSV, JSON or a columnar file.

Values are exact in every encoding but the table, which rounds floating-point numbers and shortens
long texts. Integers of any size are written in full; NULL is empty in CSV and null in JSON; NaN,
which JSON lacks, is null there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from warehouse.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.library.header import Column


class Rows(Protocol):
    """Rows to write: read as they are written (`execute.Result`), or in memory (`QueryResult`)."""

    @property
    def columns(self) -> tuple[Column, ...]: ...
    @property
    def schema(self) -> pa.Schema: ...
    @property
    def n_rows(self) -> int: ...
    def batches(self) -> Iterator[pa.RecordBatch]: ...


FORMATS = ("table", "csv", "tsv", "json", "jsonl", "markdown", "parquet", "arrow")
BINARY = ("parquet", "arrow")
DEFAULT_ROWS = 40
_SUFFIXES = {
    ".arrow": "arrow",
    ".csv": "csv",
    ".feather": "arrow",
    ".json": "json",
    ".jsonl": "jsonl",
    ".md": "markdown",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".tsv": "tsv",
    ".txt": "table",
}
_CELL_WIDTH = 80
# Characters that move the cursor, colour the terminal or reverse the reading order.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def format_of(path: Path | None, given: str | None, default: str | None = None) -> str:
    """Returns the encoding: the one given, else that of the file suffix, else the default."""
    if given:
        return given
    if path is None:
        return default or "table"
    name = _SUFFIXES.get(path.suffix.lower())
    if name is None:
        raise UsageError(
            f"cannot infer the format from {path.name!r}",
            hint=f"Add --format, one of {', '.join(FORMATS)}.",
        )
    return name


def write(
    result: Rows,
    format: str,
    target: BinaryIO,
    *,
    max_rows: int = DEFAULT_ROWS,
    metadata: Mapping[str, str] | None = None,
) -> int:
    """Writes all rows (a table: at most `max_rows`; -1 for all) and returns how many it wrote.

    `metadata` is stored by encodings that support it. Reads the result to its end,
    so that `result.n_rows` is the total. Raises QueryError and QueryTimeout from the query.
    """
    if format == "table":
        return _write_table(result, target, max_rows)
    _WRITERS[format](result, target, dict(metadata or {}))
    return result.n_rows


def _names(result: Rows) -> list[str]:
    """Returns the column names, with repeated ones made unique."""
    names: list[str] = []
    for name in result.schema.names:
        unique, number = name, 1
        while unique in names:
            unique, number = f"{name}_{number}", number + 1
        names.append(unique)
    return names


def _write_csv(delimiter: str) -> Callable[[Rows, BinaryIO, dict[str, str]], None]:
    def write_rows(result: Rows, target: BinaryIO, metadata: dict[str, str]) -> None:
        import pyarrow as pa
        from pyarrow import csv

        names = _names(result)
        empty = _flat(result.schema.empty_table(), names)
        options = csv.WriteOptions(delimiter=delimiter, quoting_style="needed")
        with csv.CSVWriter(target, empty.schema, write_options=options) as writer:
            for batch in result.batches():
                writer.write_table(_flat(pa.Table.from_batches([batch]), names))

    return write_rows


def _flat(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """Converts columns to types that CSV can hold; nested values become JSON."""
    import pyarrow as pa

    return pa.Table.from_arrays([_flat_column(column) for column in table.columns], list(names))


def flat(table: pa.Table) -> pa.Table:
    """Converts columns to plain types: nested values become JSON, other unsupported ones text."""
    return _flat(table, table.column_names)


def _flat_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    kind = pa.types
    column = _readable(column)
    if kind.is_nested(column.type):
        import msgspec

        encode = msgspec.json.Encoder(decimal_format="number").encode
        values = column.to_pylist(maps_as_pydicts="lossy")
        return _texts([None if value is None else encode(value).decode() for value in values])
    if kind.is_decimal(column.type) or kind.is_temporal(column.type) or kind.is_null(column.type):
        return column.cast(pa.string())
    return column


def _readable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Casts a column without a Python counterpart to text."""
    import pyarrow as pa

    kind = pa.types
    if kind.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    if isinstance(column.type, pa.BaseExtensionType):
        column = pa.chunked_array(
            [chunk.storage for chunk in column.chunks], column.type.storage_type
        )
    if kind.is_binary(column.type) or kind.is_large_binary(column.type):
        return _texts([None if value is None else value.hex() for value in column.to_pylist()])
    if kind.is_interval(column.type):
        return _texts([None if value is None else _interval(value) for value in column.to_pylist()])
    if kind.is_timestamp(column.type) or kind.is_time(column.type):
        return column.cast(pa.string())
    return column


def _texts(values: list[str | None]) -> pa.ChunkedArray:
    import pyarrow as pa

    return pa.chunked_array([values], pa.string())


def _interval(value: Any) -> str:
    months, days, nanoseconds = value
    return f"{months} months {days} days {nanoseconds} ns"


def _lines(result: Rows) -> Iterator[bytes]:
    """Each row as a JSON object."""
    import msgspec
    import pyarrow as pa

    encode = msgspec.json.Encoder(decimal_format="number").encode
    names = _names(result)
    for batch in result.batches():
        table = pa.Table.from_batches([batch])
        columns = [_readable(column).to_pylist(maps_as_pydicts="lossy") for column in table.columns]
        for row in zip(*columns, strict=True):
            yield encode(dict(zip(names, row, strict=True)))


def _write_jsonl(result: Rows, target: BinaryIO, metadata: dict[str, str]) -> None:
    for line in _lines(result):
        target.write(line + b"\n")


def _write_json(result: Rows, target: BinaryIO, metadata: dict[str, str]) -> None:
    before = b"[\n"
    for line in _lines(result):
        target.write(before + line)
        before = b",\n"
    target.write(b"\n]\n" if before == b",\n" else b"[]\n")


def _write_parquet(result: Rows, target: BinaryIO, metadata: dict[str, str]) -> None:
    from pyarrow import parquet

    schema = _described(result, metadata, _column_types(result))
    with parquet.ParquetWriter(target, schema, compression="zstd") as writer:
        for table in _tables(result, schema):
            writer.write_table(table)


def _write_arrow(result: Rows, target: BinaryIO, metadata: dict[str, str]) -> None:
    from pyarrow import ipc

    schema = _described(result, metadata, _column_types(result))
    with ipc.new_file(target, schema) as writer:
        for table in _tables(result, schema):
            writer.write_table(table)


def _column_types(result: Rows) -> list[pa.DataType]:
    """Casts columns of types that columnar files lack: intervals, and DuckDB's own."""
    import pyarrow as pa

    return [
        pa.string() if pa.types.is_interval(t) or isinstance(t, pa.BaseExtensionType) else t
        for t in result.schema.types
    ]


def _described(result: Rows, metadata: dict[str, str], types: Sequence[pa.DataType]) -> pa.Schema:
    """Returns a schema with unit and description of each column, and the metadata of the result."""
    import pyarrow as pa

    fields = []
    for name, kind, column in zip(_names(result), types, result.columns, strict=True):
        about = {"unit": column.unit or "", "description": column.help}
        about = {key: value for key, value in about.items() if value}
        fields.append(pa.field(name, kind, metadata=about or None))
    return pa.schema(fields, metadata={f"tw.{key}": text for key, text in metadata.items()})


def _tables(result: Rows, schema: pa.Schema) -> Iterator[pa.Table]:
    import pyarrow as pa

    for batch in result.batches():
        columns = [
            column if column.type == field.type else _readable(pa.chunked_array([column]))
            for column, field in zip(batch.columns, schema, strict=True)
        ]
        yield pa.Table.from_arrays(columns, schema=schema)


def _rows(result: Rows, limit: int) -> list[tuple[Any, ...]]:
    """Returns the first rows as flat Python values; reads the rest only to count it."""
    import pyarrow as pa

    rows: list[tuple[Any, ...]] = []
    names = _names(result)
    for batch in result.batches():
        n_kept = batch.num_rows if limit < 0 else max(0, limit - len(rows))
        if n_kept:
            table = _flat(pa.Table.from_batches([batch.slice(0, n_kept)]), names)
            rows += zip(*(column.to_pylist() for column in table.columns), strict=True)
    return rows


def _write_table(result: Rows, target: BinaryIO, max_rows: int) -> int:
    rows = _rows(result, max_rows)
    names = [printable(name) for name in _names(result)]
    cells = [[_shorten(printable(_cell(value))) for value in row] for row in rows]
    is_number = [_is_number(column.type) for column in result.columns]
    widths = [
        max([len(name), *(len(row[index]) for row in cells)]) for index, name in enumerate(names)
    ]
    for line in ([*names], ["─" * width for width in widths], *cells):
        padded = [
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, is_number, strict=True)
        ]
        target.write(("  ".join(padded).rstrip() + "\n").encode())
    return len(rows)


def _is_number(kind: str) -> bool:
    return (
        kind in ("DOUBLE", "FLOAT", "VARINT", "BIGNUM")
        or kind.startswith("DECIMAL")
        or ("INT" in kind and kind.isalpha() and kind != "INTERVAL")
    )


def _cell(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def printable(text: str) -> str:
    """Removes control characters that a terminal would interpret."""
    return _CONTROL.sub(
        lambda match: match.group().encode("unicode_escape", "surrogatepass").decode(), text
    )


def _shorten(text: str) -> str:
    """Shortens in the middle: kernel names and paths differ at both ends."""
    if len(text) <= _CELL_WIDTH:
        return text
    tail = _CELL_WIDTH // 3
    return f"{text[: _CELL_WIDTH - tail - 1]}…{text[-tail:]}"


def _write_markdown(result: Rows, target: BinaryIO, metadata: dict[str, str]) -> None:
    rows = _rows(result, -1)
    dashes = ["---:" if _is_number(column.type) else "---" for column in result.columns]
    for line in (_names(result), dashes, *([_exact(value) for value in row] for row in rows)):
        cells = [printable(cell).replace("\\", "\\\\").replace("|", "\\|") for cell in line]
        target.write(f"| {' | '.join(cells)} |\n".encode())


def _exact(value: Any) -> str:
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else _cell(value)


_WRITERS: dict[str, Callable[[Rows, BinaryIO, dict[str, str]], None]] = {
    "csv": _write_csv(","),
    "tsv": _write_csv("\t"),
    "json": _write_json,
    "jsonl": _write_jsonl,
    "markdown": _write_markdown,
    "parquet": _write_parquet,
    "arrow": _write_arrow,
}
