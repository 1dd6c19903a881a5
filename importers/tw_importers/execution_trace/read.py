"""Streams the nodes of an execution trace into the scratch table `node_text`; types nothing.

Out: one row a node, seq and the verbatim JSON text of each part: id, name, parent, inputs, outputs,
attributes, and `extra` for keys beyond these. A node of the flat layout is put into the same
columns. `header` has the document without its nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from tw_importers.execution_trace import flat
from tw_importers.execution_trace.nested import KEYS, Node, nested, object_text
from tw_importers.trace_event.repair import Damage, Repairer
from tw_importers.trace_event.split import Splitter
from warehouse.ahead import ahead
from warehouse.ingest import batches
from warehouse.ingest.importer import ByteReader, Scratch, TraceFacts

_BATCHES_AHEAD = 3
_BATCH = pa.schema(
    [
        ("seq", pa.int64()),
        ("node_id", pa.string()),
        ("name", pa.string()),
        ("parent", pa.string()),
        ("inputs", pa.string()),
        ("outputs", pa.string()),
        ("attributes", pa.string()),
        ("extra", pa.string()),
        ("is_flat", pa.bool_()),
    ]
)
# Attributes are objects that begin with a name, too, but have no id behind it.
_NEXT_NODE = re.compile(
    rb'\}\s*,\s*(?=\{\s*"(?:id|name"\s*:\s*"(?:[^"\\]|\\.)*+"\s*,\s*"id)"\s*:)', re.DOTALL
)
_NODES = msgspec.json.Decoder(list[Node])
_HEADER = msgspec.json.Decoder(Node)


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Writes the nodes to scratch and returns the facts in the rest of the document.

    Raises CorruptTrace if there are no nodes, or if it is damaged and read strictly.
    """
    refuse = partial(Damage.refuse, records="nodes") if scratch.is_strict else None
    repairer = Repairer(refuse, _NEXT_NODE)
    splitter = Splitter(reader, repairer, _NODES.decode, b"nodes", may_be_bare=False)
    _stage(scratch, ahead(_batches(splitter), _BATCHES_AHEAD))
    header = _header(splitter.metadata, repairer)
    rest = {key: value for key, value in header.items() if key != "nodes"}
    scratch.connection.execute(
        "CREATE TABLE header AS SELECT $text AS text", {"text": object_text(rest).decode()}
    )
    return TraceFacts(
        format="execution_trace",
        format_version=_text(header.get("schema")),
        pid=_pid(header.get("pid")),
        metadata_json=splitter.metadata.decode() if header else None,
        problems=[damage.problem("nodes") for damage in repairer.problems.values()],
    )


def _stage(scratch: Scratch, given: Iterator[pa.RecordBatch]) -> None:
    batches.store(scratch, "node_text", _BATCH, given, row_group_size=16384)
    target = scratch.path("node_text").replace("'", "''")
    scratch.connection.execute(f"CREATE VIEW node_text AS FROM read_parquet('{target}')")


def _batches(splitter: Splitter[list[Node]]) -> Iterator[pa.RecordBatch]:
    """All nodes are read in the layout of the first; of others, all keys go to `extra`."""
    seq, is_flat = 0, False
    for nodes in splitter:
        if not seq:
            is_flat = flat.is_flat(nodes[0])
        yield _batch(nodes, seq, is_flat)
        seq += len(nodes)


def _batch(nodes: list[Node], first_seq: int, is_flat: bool) -> pa.RecordBatch:
    """The nodes as columns; where all have just the keys of the nested layout, a column a time."""
    n = len(nodes)
    columns: Sequence[Sequence[Any]]
    if not is_flat and set(map(tuple, nodes)) == {KEYS}:
        columns = [*([node[key] for node in nodes] for key in KEYS), ()]  # and no node has more
    else:
        columns = list(zip(*map(flat.row if is_flat else nested, nodes), strict=True))
    seq = pa.py_buffer(np.arange(first_seq, first_seq + n))
    return pa.RecordBatch.from_arrays(
        [
            pa.Array.from_buffers(pa.int64(), n, [None, seq]),
            *(_texts(column) if column else pa.nulls(n, pa.string()) for column in columns),
            pa.array([is_flat] * n, pa.bool_()),
        ],
        schema=_BATCH,
    )


def _texts(texts: Sequence[bytes | msgspec.Raw | None]) -> pa.Array:
    """A string column, copied once and without a Python string for any of its values."""
    n = len(texts)
    validity = None
    if None in texts:
        is_there = np.fromiter((text is not None for text in texts), np.bool_, n)
        validity = pa.py_buffer(np.packbits(is_there, bitorder="little"))
        texts = [b"" if text is None else text for text in texts]
    offsets = np.zeros(n + 1, np.int32)
    np.cumsum(list(map(len, map(memoryview, texts))), out=offsets[1:])  # type: ignore[arg-type]
    data = pa.py_buffer(b"".join(texts))  # type: ignore[arg-type]
    return pa.Array.from_buffers(pa.string(), n, [validity, pa.py_buffer(offsets), data])


def _header(text: bytes, repairer: Repairer) -> Node:
    """The document without its nodes; empty, with a problem, if that is not a JSON object."""
    try:
        text.decode()
        return _HEADER.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        repairer.report("metadata", 0, text)
        return {}


def _text(value: msgspec.Raw | None) -> str | None:
    """A string's content; the JSON text of anything else."""
    if value is None:
        return None
    try:
        return str(msgspec.json.decode(value))
    except (msgspec.DecodeError, RecursionError):
        return bytes(value).decode()


def _pid(value: msgspec.Raw | None) -> int | None:
    text = bytes(value or b"")
    return int(text) if text.isdigit() and len(text) < 19 else None
