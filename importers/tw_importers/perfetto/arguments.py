"""Arguments of events as JSON: debug annotations by name, nested as they are recorded.

Format: protos/perfetto/trace/track_event/debug_annotation.proto.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import msgspec

from tw_importers.perfetto.messages import messages
from tw_importers.protobuf.declared import ONE

_KEPT_TEXTS = 1 << 14
_MOST_KNOWN, _LONGEST_KNOWN = 1 << 16, 256  # annotations that are remembered; bytes of one


def text_of(value: bytes) -> str:
    """A text of the trace; what is not UTF-8 is replaced."""
    return value.decode(errors="replace")


@lru_cache(_KEPT_TEXTS)
def json_text(value: bytes) -> str:
    """A text of the trace as a JSON string."""
    return msgspec.json.encode(text_of(value)).decode()


def json_double(value: float) -> str:
    """A number as JSON; a string where JSON has no such number."""
    return repr(value) if math.isfinite(value) else f'"{value}"'


class Arguments:
    """Encodes annotations of a sequence with its interned names and values.

    Each distinct one is decoded once, as long as few of them are remembered.
    """

    def __init__(self) -> None:
        self._keys: dict[int, str] = {}
        self._texts: dict[int, str] = {}
        self._known: dict[bytes, str] = {}  # members by the bytes of their annotations
        self._parse = messages().new("Annotation").FromString

    def clear(self) -> None:
        """Forgets what was interned."""
        self._keys.clear()
        self._texts.clear()
        self._known.clear()

    def intern(self, interned: Any) -> None:
        """Adds names and values, from a message of type Interned."""
        for known, added in ((self._keys, interned.keys), (self._texts, interned.texts)):
            for each in added:
                known[each.iid] = json_text(each.name)
                self._known.clear()

    def encoded(self, annotations: Any) -> str:
        """The JSON object of annotations, which are given encoded; it may repeat names.

        Raises DecodeError for bytes that are no annotation.
        """
        known = self._known
        members = [known.get(each) or self._decoded(each) for each in annotations]
        return f"{{{','.join(members)}}}"

    def _decoded(self, content: bytes) -> str:
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        found = self._member(self._parse(content))
        if len(content) <= _LONGEST_KNOWN:
            self._known[content] = found
        return found

    def _member(self, annotation: Any) -> str:
        return f"{self._key(annotation)}:{self._value(annotation)}"

    def _key(self, annotation: Any) -> str:
        iid = annotation.name_iid
        if iid:
            return self._keys.get(iid) or f'"name {iid}"'
        return json_text(annotation.name)

    def _value(self, annotation: Any) -> str:
        if annotation.entries:
            return f"{{{','.join(map(self._member, annotation.entries))}}}"
        if annotation.values:
            return f"[{','.join(map(self._value, annotation.values))}]"
        kind = annotation.WhichOneof(ONE)
        if kind == "text_iid":
            iid = annotation.text_iid
            return self._texts.get(iid) or f'"text {iid}"'
        if kind == "nested":
            return _nested(annotation.nested)
        if kind == "json":
            return _embedded(annotation.json)
        if kind is None:
            return f'{{"n_bytes":{len(annotation.proto)}}}' if annotation.proto else "null"
        return _scalar(getattr(annotation, kind))


def _scalar(value: bytes | bool | int | float) -> str:
    if isinstance(value, bytes):
        return json_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return json_double(value) if isinstance(value, float) else str(value)


def _nested(value: Any) -> str:
    if value.keys:
        pairs = zip(value.keys, value.values, strict=False)
        return f"{{{','.join([f'{json_text(key)}:{_nested(each)}' for key, each in pairs])}}}"
    if value.items:
        return f"[{','.join(map(_nested, value.items))}]"
    kind = value.WhichOneof(ONE)
    return "null" if kind is None else _scalar(getattr(value, kind))


def _embedded(text: bytes) -> str:
    """JSON that was recorded as text; a string if it is not valid."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
        return text.decode()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return json_text(text)
