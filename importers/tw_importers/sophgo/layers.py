"""The compiler's side files: which commands belong to which layer of the model."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from tw_importers.sophgo.defects import Defects
from warehouse.ingest.importer import Parts

LOCATIONS, MODEL = "tensor_location.json", "final.mlir"
_MODULE = re.compile(r"module\s+@(\w+)")
_ATTRIBUTE = re.compile(r'module\.(\w+)\s*=\s*(?:"([^"]*)"|(-?\d+))')
#: Errors of the code below for a document of another kind.
_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError)
_SCHEMA = pa.schema(
    [
        ("layer_n", pa.int64()), ("core", pa.int64()), ("subnet", pa.int64()),
        ("file_line", pa.int64()), ("name", pa.string()), ("operation", pa.string()),
        ("is_local", pa.bool_()), ("first_tiu_id", pa.int64()), ("last_tiu_id", pa.int64()),
        ("first_dma_id", pa.int64()), ("last_dma_id", pa.int64()), ("operands", pa.string()),
        ("results", pa.string()), ("buffers", pa.string()),
    ]
)  # fmt: skip


@dataclass
class Layers:
    """Layers in order, and properties of the whole model."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    model: dict[str, Any] | None = None

    def table(self) -> pa.Table:
        """A row for each layer, with `layer_n` from 0."""
        return pa.Table.from_pylist(self.rows, _SCHEMA)


def read_layers(parts: Parts, names: Sequence[str], defects: Defects) -> Layers:
    """Reads what side files there are; one alone is used as far as it goes."""
    found = Layers()
    if MODEL in names:
        found.model = _model(parts.read(MODEL).decode("utf-8", "replace"))
    if LOCATIONS in names:
        try:
            document = json.loads(parts.read(LOCATIONS))
            found.rows = [_layer(n, each) for n, each in enumerate(document)]
        except (
            ValueError,
            TypeError,
            KeyError,
            AttributeError,
            IndexError,
            OverflowError,
            RecursionError,
        ) as error:
            place = error.pos if isinstance(error, json.JSONDecodeError) else 0
            what = f"invalid list of layers ({type(error).__name__}); skipped"
            defects.warn("unreadable_layers", LOCATIONS, place, what)
            found.rows = []
    return found


def _model(text: str) -> dict[str, Any]:
    """The module's name and attributes, which stand in the first lines."""
    head = text[: 1 << 16]
    name = _MODULE.search(head)
    values = {
        key: text if text or not number else int(number)
        for key, text, number in _ATTRIBUTE.findall(head)
    }
    return {"name": name[1] if name else None, **values}


def _layer(n: int, layer: dict[str, Any]) -> dict[str, Any]:
    (tiu_before, dma_before), (tiu_after, dma_after) = (
        [int(number) for number in layer[f"tiu_dma_id({when})"]] for when in ("before", "after")
    )
    operation = str(layer["opcode"]).rpartition(".")[2]
    results = [result for result in layer.get("results") or [] if result]
    return {
        "layer_n": n,
        "core": int(layer.get("core_id", 0)),
        "subnet": int(layer.get("subnet_id", 0)),
        "file_line": int(layer["file-line"]) if "file-line" in layer else None,
        "name": str(results[0].get("name") or operation) if results else operation,
        "operation": operation,
        "is_local": bool(layer.get("is_local")),
        "first_tiu_id": tiu_before + 1,
        "last_tiu_id": tiu_after,
        "first_dma_id": dma_before + 1,
        "last_dma_id": dma_after,
        **{
            key: json.dumps(layer.get(key) or [], ensure_ascii=False)
            for key in ("operands", "results", "buffers")
        },
    }
