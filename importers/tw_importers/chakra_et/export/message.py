"""Encodes Chakra's protobuf stream from columns: a length-prefixed message per row.

Node: id 1, name 2, type 3, ctrl_deps 4, data_deps 5, start_time_micros 6, duration_micros 7, inputs
8, outputs 9, attr 10 (mlcommons/chakra, schema/protobuf/et_def.proto). Zeros and empty texts are
omitted, as by protobuf's writer, so the bytes equal those of Chakra's tools.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tw_importers.chakra_et.export.text import Texts
from warehouse.export import wire

INPUTS, OUTPUTS = b"\x42", b"\x4a"


def metadata(version: str, attributes: list[bytes]) -> bytes:
    """Encodes the first message of a file with its length; `attributes` are messages."""
    body = b"\x0a" + _with_length(version.encode()) if version else b""
    body += b"".join(b"\x12" + _with_length(each) for each in attributes)
    return _with_length(body)


def framed(
    nodes: pa.RecordBatch, attributes: wire.Column, texts: Texts, others: wire.Column | None = None
) -> memoryview:
    """Encodes the messages of a batch of nodes.

    `nodes` has the columns node_id, name, type (a number), ctrl_deps, data_deps (lists),
    start_micros, duration_micros, inputs_json and outputs_json; `others` are fields behind all.
    """
    body = wire.join(
        _numbers(b"\x08", nodes["node_id"]),
        _names(nodes["name"]),
        _numbers(b"\x18", nodes["type"]),
        _packed(b"\x22", nodes["ctrl_deps"]),
        _packed(b"\x2a", nodes["data_deps"]),
        _numbers(b"\x30", nodes["start_micros"]),
        _numbers(b"\x38", nodes["duration_micros"]),
        texts.io_fields(INPUTS, nodes["inputs_json"]),
        texts.io_fields(OUTPUTS, nodes["outputs_json"]),
        attributes,
        *([] if others is None else [others]),
    )
    return wire.contents(wire.length_prefixed(b"", body))


def _with_length(data: bytes) -> bytes:
    return wire.varint(len(data)) + data


def _numbers(tag: bytes, values: pa.Array) -> wire.Column:
    """Encodes a field per number, empty for zero and null."""
    words = values.cast(pa.uint64()).fill_null(0).to_numpy(zero_copy_only=False)
    return pc.if_else(pa.array(words == 0), None, wire.join(tag, wire.varints(words)))


def _names(values: pa.Array) -> wire.Column:
    distinct = values.dictionary_encode()
    texts = [
        b"\x12" + _with_length(each.encode()) if each else None
        for each in distinct.dictionary.to_pylist()
    ]
    return wire.literals(texts).take(distinct.indices)


def _packed(tag: bytes, lists: Any) -> wire.Column:
    """Encodes a packed field per list of numbers, empty for empty lists and null."""
    filled = pc.if_else(lists.is_valid(), lists, pa.scalar([], lists.type))
    words = filled.flatten().cast(pa.uint64()).to_numpy(zero_copy_only=False)
    boundaries = np.zeros(len(filled) + 1, np.int64)
    np.cumsum(pc.list_value_length(filled).to_numpy(zero_copy_only=False), out=boundaries[1:])
    values = wire.regroup(wire.varints(words), boundaries)
    is_empty = pa.array(boundaries[1:] == boundaries[:-1])
    return pc.if_else(is_empty, None, wire.length_prefixed(tag, values))
