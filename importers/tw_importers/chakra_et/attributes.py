"""Attributes of a Chakra message as JSON: {"name": ..., "type": ..., "value": ...}.

`type` is the kind of the value without its `_val`: int64, string, bool_list, ... What JSON has no
form for is written as protobuf's own JSON does: bytes as base64, NaN and infinities as texts.
"""

from __future__ import annotations

import base64
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from tw_importers.chakra_et.messages import message, not_declared

_MOST_KEPT = 1 << 17  # decoded attributes that are remembered
#: Attributes that have a column, and what type its values are.
COLUMNS: dict[str, type] = {
    "rf_id": int, "seq_id": int, "tid": int, "op_schema": str, "is_cpu_op": bool, "stream": int,
}  # fmt: skip
_INT64 = range(-(1 << 63), 1 << 63)


class Attribute(NamedTuple):
    """One attribute: as JSON, and whether its value fits the column it has."""

    json: str
    name: str
    has_column: bool
    value: Any


@dataclass
class Attributes:
    """Decodes attributes, equal bytes once. `n_invalid` counts strings with invalid UTF-8."""

    n_invalid: int = 0
    n_unknown: int = 0
    _decoded_attributes: dict[bytes, Attribute] = field(default_factory=dict)

    def of(self, encoded: bytes) -> Attribute:
        """Raises DecodeError if the bytes are not an attribute."""
        found = self._decoded_attributes.get(encoded)
        if found is None:
            if len(self._decoded_attributes) >= _MOST_KEPT:
                self._decoded_attributes.clear()
            found = self._decoded_attributes[encoded] = self._decoded(encoded)
        return found

    def text(self, encoded: bytes) -> str:
        """The text; invalid UTF-8 becomes U+FFFD, and is counted."""
        try:
            return encoded.decode()
        except UnicodeDecodeError:
            self.n_invalid += 1
            return encoded.decode("utf-8", "replace")

    def _decoded(self, encoded: bytes) -> Attribute:
        parsed = message("AttributeProto").FromString(encoded)
        self.n_unknown += len(not_declared(parsed))
        name, kind = self.text(parsed.name), parsed.WhichOneof("value")
        members: dict[str, Any] = {"name": name}
        if parsed.doc_string:
            members["doc_string"] = self.text(parsed.doc_string)
        value = None
        if kind is not None:
            value = self._value(getattr(parsed, kind), kind)
            members |= {"type": kind, "value": value}
        has_column = type(value) is COLUMNS.get(name) and (
            type(value) is not int or value in _INT64
        )
        return Attribute(msgspec.json.encode(members).decode(), name, has_column, value)

    def _value(self, value: Any, kind: str) -> Any:
        if kind.endswith("_list"):
            of_kind = kind.removesuffix("_list")
            return [self._value(each, of_kind) for each in value.values]
        if kind == "string":
            return self.text(value)
        if kind == "bytes":
            return base64.b64encode(value).decode()
        if isinstance(value, float) and not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return value
