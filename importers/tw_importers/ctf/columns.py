"""Columns of decoded fields, and their text as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tw_importers.ctf.tree import Labels

Ints = NDArray[np.int64]


@dataclass
class Scalars:
    """Numbers or texts, one a row."""

    values: Any  # a NumPy array of numbers, or an Arrow array of texts
    labels: Labels = ()
    is_boolean: bool = False
    has_flags: bool = False

    def __len__(self) -> int:
        return len(self.values)


@dataclass
class Members:
    """A structure: columns of equal length."""

    n: int
    names: Sequence[str]
    columns: Sequence[Column]

    def __len__(self) -> int:
        return self.n

    def member(self, name: str) -> Column | None:
        return next((c for n, c in zip(self.names, self.columns, strict=True) if n == name), None)


@dataclass
class Lists:
    """Elements of all rows; row n has those from offsets[n] on."""

    offsets: Ints
    elements: Column
    order: Ints | None = None  # positions of the elements in `elements`, where they differ

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass
class Choices:
    """Rows with different types: each part holds some rows; those in none are null."""

    n: int
    parts: Sequence[tuple[Ints, Column]]

    def __len__(self) -> int:
        return self.n


Column: TypeAlias = "Scalars | Members | Lists | Choices"


def as_json(column: Column) -> Any:
    """A text of JSON for each row, as an Arrow array of strings."""
    if isinstance(column, Scalars):
        return _scalars(column)
    if isinstance(column, Members):
        return _members(column)
    if isinstance(column, Lists):
        texts = as_json(column.elements)
        if column.order is not None:
            texts = texts.take(pa.array(column.order))
        lists = pa.ListArray.from_arrays(pa.array(column.offsets, pa.int32()), texts)
        return pc.binary_join_element_wise("[", pc.binary_join(lists, ","), "]", "")
    return _choices(column)


def _choices(column: Choices) -> Any:
    texts = [pa.array(["null"]), *(as_json(part) for _, part in column.parts)]
    order = np.zeros(column.n, np.int64)
    first = 1
    for rows, part in column.parts:
        order[rows] = np.arange(first, first + len(part))
        first += len(part)
    return pa.concat_arrays([_plain(each) for each in texts]).take(pa.array(order))


def _members(column: Members) -> Any:
    """Labels of enumerations follow their number, as `name.label`."""
    if not column.columns:
        return pa.repeat("{}", len(column))
    pieces: list[Any] = []
    for name, each in zip(column.names, column.columns, strict=True):
        pieces += [
            f"{',' if pieces else '{'}{json.dumps(name, ensure_ascii=False)}:",
            as_json(each),
        ]
        if isinstance(each, Scalars) and each.labels:
            pieces += [f",{json.dumps(f'{name}.label', ensure_ascii=False)}:", _labels(each)]
    return pc.binary_join_element_wise(*pieces, "}", "")


def _scalars(column: Scalars) -> Any:
    values = column.values
    if not isinstance(values, np.ndarray):
        return _texts(values)
    if column.is_boolean:
        return pc.if_else(pa.array(values != 0), "true", "false")
    if values.dtype.kind != "f":
        return pc.cast(pa.array(values), pa.string())
    # As doubles, in which all are exact; NumPy warns of signaling NaNs.
    with np.errstate(invalid="ignore"):
        texts = pc.cast(pa.array(values.astype(np.float64)), pa.string())
    is_finite = np.isfinite(values)
    if is_finite.all():
        return texts
    # JSON has no such numbers; their names are texts.
    return pc.if_else(pa.array(is_finite), texts, pc.binary_join_element_wise('"', texts, '"', ""))


def _texts(values: Any) -> Any:
    """Quoted texts; each distinct one is quoted once."""
    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    quoted = [json.dumps(text, ensure_ascii=False) for text in values.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(values.indices, pa.array(quoted, pa.string())).cast(
        pa.string()
    )


def _labels(column: Scalars) -> Any:
    """Labels of numbers as JSON; several as one text, separated by `|`; none is null."""
    distinct, places = np.unique(column.values, return_inverse=True)
    texts = []
    for value in distinct.tolist():
        if column.has_flags:
            found = [
                label
                for label, low, high in column.labels
                if any(value >> bit & 1 for bit in range(low, min(high, 63) + 1))
            ]
        else:
            found = [label for label, low, high in column.labels if low <= value <= high]
        texts.append(
            json.dumps("|".join(dict.fromkeys(found)), ensure_ascii=False) if found else "null"
        )
    return pa.array(texts, pa.string()).take(pa.array(places.reshape(-1)))


def _plain(texts: Any) -> Any:
    return texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
