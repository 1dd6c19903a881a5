"""Writes query results as a text table, CSV, JSON or a columnar file.

Values are exact in every encoding but the table, which rounds floating-point numbers and shortens
long texts. Integers of any size are written in full; NULL is empty in CSV and null in JSON; NaN,
which JSON lacks, is null there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, runtime_checkable

from warehouse import files
from warehouse.errors import UsageError
from warehouse.query import plain

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


@runtime_checkable
class HasTuples(Protocol):
    """Rows that may be read without Arrow."""

    def tuples(self) -> Iterator[list[tuple[Any, ...]]] | None: ...


Writer = Callable[[Rows, BinaryIO, dict[str, str]], None]
FORMATS = ("table", "csv", "tsv", "json", "jsonl", "markdown", "parquet", "arrow")
BINARY = ("parquet", "arrow")
DELIMITERS = {"csv": ",", "tsv": "\t"}
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
_FORMULA = r"^[=+\-@\t\r\n]"  # how texts begin that spreadsheets take for formulas
# Characters that move the cursor, colour the terminal or reverse the reading order.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def format_of(path: Path | None, given: str | None, default: str | None = None) -> str:
    """Returns the encoding: the one given, else that of the file suffix, else the default."""
    if given:
        return given
    if path is None or files.is_stdout(path):
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
    is_csv_safe: bool = False,
) -> int:
    """Writes all rows (a table: at most `max_rows`; -1 for all) and returns how many it wrote.

    `metadata` is stored by encodings that support it. With `is_csv_safe`, CSV and TSV have an
    apostrophe before texts that spreadsheets would run as formulas. Reads the result to its end,
    so that `result.n_rows` is the total. Raises QueryError and QueryTimeout from the query.
    """
    if format == "table":
        return _write_table(result, target, max_rows)
    write_rows = _WRITERS[format]
    if is_csv_safe and format in DELIMITERS:
        write_rows = _write_csv(DELIMITERS[format], is_safe=True)
    write_rows(result, target, dict(metadata or {}))
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


def _write_csv(
    delimiter: str, *, is_safe: bool = False
) -> Callable[[Rows, BinaryIO, dict[str, str]], None]:
    def write_rows(result: Rows, target: BinaryIO, metadata: dict[str, str]) -> None:
        import pyarrow as pa
        from pyarrow import csv

        convert = _safe if is_safe else plain.table
        names = [_safe_text(name) if is_safe else name for name in _names(result)]
        empty = plain.table([pa.chunked_array([], kind) for kind in result.schema.types], names)
        options = csv.WriteOptions(delimiter=delimiter, quoting_style="needed")
        with csv.CSVWriter(target, empty.schema, write_options=options) as writer:
            for batch in result.batches():
                writer.write_table(convert(batch.columns, names))

    return write_rows


def _safe(columns: Sequence[Any], names: Sequence[str]) -> pa.Table:
    """Converts columns to plain types, with an apostrophe before what looks like a formula."""
    import pyarrow as pa
    from pyarrow import compute

    table = plain.table(columns, names)
    for n, column in enumerate(table.columns):
        is_number = pa.types.is_decimal(columns[n].type)  # written as text
        if not is_number and (
            pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        ):
            marked = compute.binary_join_element_wise(pa.scalar("'", column.type), column, "")
            is_formula = compute.match_substring_regex(column, _FORMULA)
            table = table.set_column(n, names[n], compute.if_else(is_formula, marked, column))
    return table


def _safe_text(text: str) -> str:
    return f"'{text}" if re.match(_FORMULA, text) else text


def _lines(result: Rows) -> Iterator[bytes]:
    """Each row as a JSON object."""
    import msgspec
    import pyarrow as pa

    encode = msgspec.json.Encoder(decimal_format="number").encode
    names = _names(result)
    for batch in result.batches():
        table = pa.Table.from_batches([batch])
        columns = [plain.values(plain.readable(column)) for column in table.columns]
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
    import pyarrow as pa
    from pyarrow import parquet

    types = [t if plain.is_columnar(t) else pa.string() for t in _column_types(result)]
    schema = _described(result, metadata, types)
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
            column if column.type == field.type else plain.flat(pa.chunked_array([column]))
            for column, field in zip(batch.columns, schema, strict=True)
        ]
        yield pa.Table.from_arrays(columns, schema=schema)


def first_rows(result: Rows, limit: int) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Returns names and the first rows as flat Python values; reads the rest only to count it."""
    rows: list[tuple[Any, ...]] = []
    lists = result.tuples() if isinstance(result, HasTuples) else None
    if lists is not None:
        for each in lists:
            rows += each if limit < 0 else each[: max(0, limit - len(rows))]
        return [column.name for column in result.columns], rows
    import pyarrow as pa

    names = _names(result)
    for batch in result.batches():
        n_kept = batch.num_rows if limit < 0 else max(0, limit - len(rows))
        if n_kept:
            kept = pa.Table.from_batches([batch.slice(0, n_kept)])
            table = plain.table(kept.columns, names)
            rows += zip(*(column.to_pylist() for column in table.columns), strict=True)
    return names, rows


def _write_table(result: Rows, target: BinaryIO, max_rows: int) -> int:
    names, rows = first_rows(result, max_rows)
    names = [printable(name) for name in names]
    cells = [[_shorten(printable(_cell(value))) for value in row] for row in rows]
    are_numbers = [is_number(column.type) for column in result.columns]
    widths = [
        max([len(name), *(len(row[index]) for row in cells)]) for index, name in enumerate(names)
    ]
    for line in ([*names], ["─" * width for width in widths], *cells):
        padded = [
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, are_numbers, strict=True)
        ]
        target.write(("  ".join(padded).rstrip() + "\n").encode())
    return len(rows)


def is_number(kind: str) -> bool:
    """Whether values of this type of DuckDB are numbers."""
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
    _, rows = first_rows(result, -1)
    dashes = ["---:" if is_number(column.type) else "---" for column in result.columns]
    for line in (_names(result), dashes, *([_exact(value) for value in row] for row in rows)):
        cells = [printable(cell).replace("\\", "\\\\").replace("|", "\\|") for cell in line]
        target.write(f"| {' | '.join(cells)} |\n".encode())


def _exact(value: Any) -> str:
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else _cell(value)


_WRITERS: dict[str, Writer] = {
    **{name: _write_csv(delimiter) for name, delimiter in DELIMITERS.items()},
    "json": _write_json,
    "jsonl": _write_jsonl,
    "markdown": _write_markdown,
    "parquet": _write_parquet,
    "arrow": _write_arrow,
}
