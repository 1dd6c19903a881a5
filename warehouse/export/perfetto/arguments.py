"""Encodes slice arguments as Perfetto debug annotations, in batches.

Values are integers (int64, or uint64 above), doubles, strings, booleans, nested lists and objects.
Values the format lacks become strings: `null`, empty lists and objects, integers beyond 64 bits.
Field numbers: protos/perfetto/trace/track_event/debug_annotation.proto.

Common kinds (short integers, doubles, strings without escapes) are encoded column-wise, others once
per distinct text with the protobuf classes.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from warehouse.export import wire
from warehouse.export.perfetto.interning import InternedStrings

_FIELD = b"\x22"  # TrackEvent.debug_annotations
_INT, _DOUBLE, _STRING, _OTHER = 0, 1, 2, 3
_SAFE_DIGITS = 18  # any integer of this many characters fits int64
_WORD_BITS = 64
_SHORT_TEXT, _KEPT_TEXTS = 256, 1 << 14  # characters; texts whose encoding is kept: up to 16 MB


def encode(keys: Any, values: Any, texts: Any, names: InternedStrings) -> wire.Column:
    """Encodes the debug_annotations fields of a batch, one row per slice.

    `keys` and `values`, JSON texts, are lists of equal lengths; null if there are no arguments or
    they are not an object: then `texts`, the text of the arguments, is encoded.
    """
    distinct = pc.cast(keys.values, pa.large_binary()).dictionary_encode()
    items = values.values.cast(pa.large_string())
    name_fields = names.fields(distinct.dictionary, b"\x08").take(distinct.indices)
    flat = wire.length_prefixed(_FIELD, wire.join(name_fields, _values(items)))
    offsets = keys.offsets.to_numpy().astype(np.int64)
    rows = wire.regroup(flat, offsets)
    irregular = pc.and_(pc.is_null(keys), pc.is_valid(texts))
    repeated = _with_repeated_keys(offsets, distinct.indices.to_numpy())
    if len(repeated):
        is_repeated = np.zeros(len(keys), bool)
        is_repeated[repeated] = True
        irregular = pc.or_(irregular, pa.array(is_repeated))
    if not pc.any(irregular).as_py():
        return rows
    # Duplicate keys, or arguments that are not an object: rare, so a loop is enough.
    replacements = [_irregular_arguments(text) for text in texts.filter(irregular).to_pylist()]
    return pc.replace_with_mask(rows, irregular, wire.literals(replacements))


def _with_repeated_keys(
    offsets: NDArray[np.int64], numbers: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Returns the rows in which a key occurs more than once; `numbers` identify the keys."""
    sizes = np.diff(offsets)
    keys = numbers[offsets[0] : offsets[-1]]
    if len(keys) and int(keys.max()) < _WORD_BITS:  # nearly always; a tenth of the time of sorting
        filled = np.flatnonzero(sizes)
        bits = np.left_shift(np.uint64(1), keys.astype(np.uint64))
        found = np.bitwise_or.reduceat(bits, offsets[:-1][filled] - offsets[0])
        return filled[np.bitwise_count(found) < sizes[filled]]
    pairs = np.repeat(np.arange(len(sizes)), sizes) << 32 | keys
    pairs.sort()
    return np.unique(pairs[1:][pairs[1:] == pairs[:-1]] >> 32)


def _values(items: Any) -> wire.Column:
    """Encodes the value fields of annotations, from JSON texts."""
    kinds = _kinds(items)
    encoded, places = [], []
    for kind, encoder in enumerate((_integers, _doubles, _strings, _others)):
        where = np.flatnonzero(kinds == kind)
        if len(where):
            chosen = items if len(where) == len(items) else items.take(pa.array(where))
            encoded.append(encoder(chosen))
            places.append(where)
    if len(encoded) <= 1:
        return encoded[0] if encoded else wire.literals([])
    order = np.empty(len(items), np.int64)
    order[np.concatenate(places)] = np.arange(len(items))
    return pa.concat_arrays(encoded).take(pa.array(order))


def _kinds(items: Any) -> NDArray[np.uint8]:
    offsets, data = wire.parts_of(items)
    kinds = np.full(len(items), _OTHER, np.uint8)
    if not len(items):
        return kinds
    text = np.frombuffer(data, np.uint8)
    first = text[offsets[:-1]]
    is_number = ((first >= 0x30) & (first <= 0x39)) | (first == 0x2D)
    is_fraction = _contain(offsets, (text == 0x2E) | ((text | 0x20) == 0x65))  # . e E
    is_short = np.diff(offsets) <= _SAFE_DIGITS
    kinds[is_number & is_fraction] = _DOUBLE
    kinds[is_number & ~is_fraction & is_short] = _INT
    kinds[(first == 0x22) & ~_contain(offsets, text == 0x5C)] = _STRING
    return kinds


def _contain(offsets: NDArray[np.int64], is_found: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which texts, none of them empty, contain one of the bytes found; a regular expression takes
    five times as long."""
    within = is_found[offsets[0] : offsets[-1]]
    return np.logical_or.reduceat(within, offsets[:-1] - offsets[0])


def _integers(items: Any) -> wire.Column:
    numbers = pc.cast(items, pa.int64()).to_numpy()
    return wire.join(b"\x20", wire.varints(numbers.view(np.uint64)))


def _doubles(items: Any) -> wire.Column:
    return wire.fixed64(pc.cast(items, pa.float64()).to_numpy(), tag=b"\x29")


def _strings(items: Any) -> wire.Column:
    bare = pc.binary_slice(pc.cast(items, pa.large_binary()), 1, -1)
    return wire.length_prefixed(b"\x32", bare)


def _others(items: Any) -> wire.Column:
    distinct = items.dictionary_encode()
    encoded = [
        _short(text) if len(text) <= _SHORT_TEXT else _encoded(text)
        for text in distinct.dictionary.to_pylist()
    ]
    return wire.literals(encoded).take(distinct.indices)


@lru_cache(maxsize=_KEPT_TEXTS)
def _short(text: str) -> bytes:
    return _encoded(text)


def _encoded(text: str) -> bytes:
    encoded: bytes = _message(json.loads(text)).SerializeToString()
    return encoded


def _irregular_arguments(text: str) -> bytes:
    pairs = json.loads(text, object_pairs_hook=_Pairs)
    fields = b""
    for key, value in pairs if isinstance(pairs, _Pairs) else [("args", pairs)]:
        message = _message(value)
        message.name = key
        body = message.SerializeToString()
        fields += _FIELD + wire.varint(len(body)) + body
    return fields


class _Pairs(list[tuple[str, Any]]):
    """A JSON object that may have duplicate keys."""


def _message(value: Any) -> Any:
    """Returns a DebugAnnotation without name."""
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import DebugAnnotation

    message = DebugAnnotation()
    if isinstance(value, bool):
        message.bool_value = value
    elif isinstance(value, int) and -(2**63) <= value < 2**64:
        if value < 2**63:
            message.int_value = value
        else:
            message.uint_value = value
    elif isinstance(value, float):
        message.double_value = value
    elif isinstance(value, str):
        message.string_value = value.encode("utf-8", "replace").decode()
    elif isinstance(value, (list, dict)) and value:
        _fill(message, value)
    else:
        message.string_value = json.dumps(value)
    return message


def _fill(message: Any, value: Any) -> None:
    is_object = isinstance(value, (dict, _Pairs))
    if not is_object:
        message.array_values.extend(_message(element) for element in value)
        return
    for key, element in value.items() if isinstance(value, dict) else value:
        entry = _message(element)
        entry.name = key
        message.dict_entries.append(entry)
