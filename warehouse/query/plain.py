"""Converts Arrow columns to the values that text encodings and Parquet can hold."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pyarrow as pa

#: What pyarrow raises for values that Python's classes cannot hold: dates after the year 9999,
#: nanoseconds, maps whose keys are lists.
_TOO_LARGE = (OverflowError, ValueError, TypeError)
_FEW = 1000  # values


def table(columns: Sequence[Any], names: Sequence[str]) -> pa.Table:
    """Returns a table of columns of plain types; nested values become JSON."""
    import pyarrow as pa

    return pa.Table.from_arrays([flat(column) for column in columns], list(names))


def flat(column: Any) -> pa.ChunkedArray:
    """Casts a column to a plain type: nested values become JSON, other unsupported ones text."""
    import pyarrow as pa

    kind = pa.types
    column = readable(column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column]))
    if kind.is_nested(column.type):
        import msgspec

        encode = msgspec.json.Encoder(decimal_format="number").encode
        return _texts(
            [None if value is None else encode(value).decode() for value in values(column)]
        )
    if kind.is_decimal(column.type) or kind.is_temporal(column.type) or kind.is_null(column.type):
        return column.cast(pa.string())
    return column


def readable(column: pa.ChunkedArray) -> pa.ChunkedArray:
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
    if kind.is_timestamp(column.type) or kind.is_time(column.type) or kind.is_date(column.type):
        return _few_timestamps(column) or column.cast(pa.string())
    return column


def _few_timestamps(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """A few timestamps as text, as a cast writes them, for which pyarrow loads all its functions;
    None for others."""
    import pyarrow as pa

    if column.type != pa.timestamp("us") or len(column) > _FEW:
        return None
    try:
        given = column.to_pylist()
    except _TOO_LARGE:
        return None
    return _texts([each and each.isoformat(" ", "microseconds") for each in given])


def values(column: pa.ChunkedArray, maps: Literal["lossy"] | None = "lossy") -> list[Any]:
    """Returns Python values that msgspec can encode; text for those without a Python class.

    Maps are dicts, or with `maps=None` lists of pairs.
    """
    try:
        found: list[Any] = column.to_pylist(maps_as_pydicts=maps)
    except _TOO_LARGE:
        return [value for chunk in column.chunks for value in _values(chunk)]
    return found


def rows(table: pa.Table) -> list[tuple[Any, ...]]:
    """Returns the rows as Python values; text for those without a Python class."""
    return list(zip(*(values(column, None) for column in table.columns), strict=True))


def is_columnar(kind: pa.DataType) -> bool:
    """Whether Parquet can hold a type: no intervals, unions, empty structs or extensions."""
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        return False
    if pa.types.is_interval(kind) or pa.types.is_union(kind):
        return False
    if pa.types.is_struct(kind) and not kind.num_fields:
        return False
    return all(is_columnar(kind.field(n).type) for n in range(kind.num_fields))


def _values(array: pa.Array) -> list[Any]:
    """Converts an array value by value, where its type as a whole cannot be converted."""
    import pyarrow as pa

    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return _values(array.storage)
    if pa.types.is_map(kind):
        keys, items = _values(array.keys), _values(array.items)
        pairs = [dict(zip(map(_key, keys[i:j]), items[i:j], strict=True)) for i, j in _ends(array)]
        return _masked(array, pairs)
    if pa.types.is_struct(kind):
        names = [kind.field(n).name for n in range(kind.num_fields)]
        fields = [_values(array.field(n)) for n in range(kind.num_fields)]
        rows = zip(*fields, strict=True) if fields else [()] * len(array)
        return _masked(array, [dict(zip(names, row, strict=True)) for row in rows])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        found = _values(array.values)
        return _masked(array, [found[i:j] for i, j in _ends(array)])
    if pa.types.is_union(kind):
        members = [_values(array.field(n)) for n in range(kind.num_fields)]
        places = {code: n for n, code in enumerate(kind.type_codes)}
        return [members[places[code]][row] for row, code in enumerate(array.type_codes.to_pylist())]
    if pa.types.is_interval(kind):
        return [None if value is None else _interval(value) for value in array.to_pylist()]
    if pa.types.is_temporal(kind):
        return list(array.cast(pa.string()).to_pylist())
    if pa.types.is_nested(kind):  # of fixed size
        return [None if not each.is_valid else _values(each.values) for each in array]
    return list(array.to_pylist())


def _ends(array: Any) -> list[tuple[int, int]]:
    offsets = array.offsets.to_pylist()
    return list(itertools.pairwise(offsets))


def _masked(array: pa.Array, found: list[Any]) -> list[Any]:
    """Returns None where the array is NULL."""
    return [
        value if each else None
        for value, each in zip(found, array.is_valid().to_pylist(), strict=True)
    ]


def _key(value: Any) -> Any:
    """Returns a key that JSON can hold."""
    import msgspec

    if isinstance(value, dict | list):
        return msgspec.json.Encoder(decimal_format="number").encode(value).decode()
    return value


def _texts(values: list[str | None]) -> pa.ChunkedArray:
    import pyarrow as pa

    return pa.chunked_array([values], pa.string())


def _interval(value: Any) -> str:
    months, days, nanoseconds = value
    return f"{months} months {days} days {nanoseconds} ns"
