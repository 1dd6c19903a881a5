"""Arguments of events as JSON: debug annotations by name, nested as they are recorded.

Format: protos/perfetto/trace/track_event/debug_annotation.proto.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from tw_importers.protobuf.declared import ONE

_KEPT_TEXTS = 1 << 14


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


def object_of(
    annotations: Any, keys: Mapping[int, bytes], texts: Mapping[int, bytes]
) -> str | None:
    """The JSON object of annotations, which may repeat names; None without any.

    `keys` and `texts` are interned names and values.
    """
    if not annotations:
        return None
    members = [f"{_key(each, keys)}:{_value(each, keys, texts)}" for each in annotations]
    return f"{{{','.join(members)}}}"


def _key(annotation: Any, keys: Mapping[int, bytes]) -> str:
    if annotation.name_iid:
        return json_text(keys.get(annotation.name_iid, b"name %d" % annotation.name_iid))
    return json_text(annotation.name)


def _value(annotation: Any, keys: Mapping[int, bytes], texts: Mapping[int, bytes]) -> str:
    if annotation.entries:
        return object_of(annotation.entries, keys, texts) or "{}"
    if annotation.values:
        return f"[{','.join([_value(each, keys, texts) for each in annotation.values])}]"
    kind = annotation.WhichOneof(ONE)
    if kind == "text_iid":
        return json_text(texts.get(annotation.text_iid, b"text %d" % annotation.text_iid))
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
