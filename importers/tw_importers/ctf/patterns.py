"""Patterns of bytes that find where events begin, compiled from the classes of a stream.

An event of a class is its header, whose id is constant, some fixed bytes, and texts, which end at a
null. What has no such form (sequences, variants, bits) gets no pattern. Patterns consist of numbers
only; no name of the metadata is in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tw_importers.ctf.scalar import option_ranges
from tw_importers.ctf.tree import (
    EVENT_CLASS,
    Array,
    Bytes,
    EventClass,
    Float,
    Integer,
    StreamClass,
    String,
    Struct,
    Type,
    Variant,
    alignment,
    size,
)

_MAX_FIXED = 1 << 20  # bytes in one piece of a pattern
_MAX_HEADERS = 64  # combinations of options


@dataclass(frozen=True)
class _Item:
    """A number in a header: its name, and the values that the chosen options allow."""

    kind: Integer
    name: str
    ranges: tuple[tuple[int, int], ...] | None = None

    @property
    def is_id(self) -> bool:
        return EVENT_CLASS in self.kind.roles


def pieces(stream: StreamClass, event: EventClass) -> bytes | None:
    """The pattern of the events of a class; None where there is none."""
    body = _body([stream.context, event.context, event.payload])
    forms = _forms(stream.header, ())
    if body is None or forms is None:
        return None
    if not stream.header.members:  # all events have id 0, and none is without content
        return (body or None) if event.id == 0 else None
    headers = []
    for form in forms:
        header = _header(form, event.id)
        if header is None:
            return None
        headers += [header] if header else []
    if not headers:
        return None
    return b"(?:" + b"|".join(headers) + b")" + body


def _body(kinds: Sequence[Type]) -> bytes | None:
    """Fixed bytes and texts; None if there is anything else."""
    parts: list[int | None] = []  # numbers of bytes, None for a text
    if not all(_flatten(kind, parts) for kind in kinds):
        return None
    pattern, n_fixed = b"", 0
    for part in [*parts, None]:
        if part is not None:
            n_fixed += part
            continue
        if n_fixed > _MAX_FIXED:
            return None
        pattern += b".{%d}" % n_fixed if n_fixed else b""
        pattern += rb"[^\0]*+\0"
        n_fixed = 0
    return pattern.removesuffix(rb"[^\0]*+\0")


def _flatten(kind: Type, parts: list[int | None]) -> bool:
    if alignment(kind) > 8:
        return False
    if isinstance(kind, String) and kind.encoding == "utf-8":
        parts.append(None)
        return True
    if isinstance(kind, Struct):
        return all(_flatten(member, parts) for _, member in kind.members)
    if isinstance(kind, Integer | Float | Bytes | Array):
        n_bits = size(kind)
        is_on_bytes = alignment(kind) == 8 or isinstance(kind, Array)
        if n_bits is None or n_bits % 8 or (not is_on_bytes and n_bits):
            return False
        if isinstance(kind, Array) and not _is_on_bytes(kind.element):
            return False
        parts.append(n_bits // 8)
        return True
    return False


def _is_on_bytes(kind: Type) -> bool:
    """Whether elements of an array begin and end at bytes; align = 1 behind bytes does."""
    if isinstance(kind, Array):
        return _is_on_bytes(kind.element)
    if isinstance(kind, Struct):
        return all(_is_on_bytes(member) for _, member in kind.members)
    n_bits = size(kind)
    return n_bits is not None and n_bits % 8 == 0


def _forms(kind: Struct, before: tuple[_Item, ...]) -> list[tuple[_Item, ...]] | None:
    """All sequences of numbers that a header may be, one for each choice of options."""
    if alignment(kind) > 8:
        return None
    forms = [before]
    for name, member in kind.members:
        grown: list[tuple[_Item, ...]] = []
        for form in forms:
            if isinstance(member, Integer):
                grown.append((*form, _Item(member, name)))
            elif isinstance(member, Struct):
                grown += _forms(member, form) or []
            elif isinstance(member, Variant):
                grown += list(_branches(member, form))
            else:
                return None
        if not grown or len(grown) > _MAX_HEADERS:
            return None
        forms = grown
    return forms


def _branches(kind: Variant, form: tuple[_Item, ...]) -> Iterator[tuple[_Item, ...]]:
    name = kind.selector.path[-1]
    places = [n for n, item in enumerate(form) if item.name == name]
    if not places:
        return
    place = places[-1]
    for option in kind.options:
        labels = form[place].kind.labels
        ranges = tuple(option_ranges(option.ranges, option.label, labels))
        narrowed = replace(form[place], ranges=ranges)
        grown = (*form[:place], narrowed, *form[place + 1 :])
        if isinstance(option.kind, Struct):
            yield from _forms(option.kind, grown) or []
        elif isinstance(option.kind, Integer):
            yield (*grown, _Item(option.kind, option.name))


def _header(form: tuple[_Item, ...], number: int) -> bytes | None:
    """The pattern of one form of the header for an id; b'' if it cannot have that id."""
    place = max((n for n, item in enumerate(form) if item.is_id), default=None)
    if place is None and number != 0:
        return b""
    bits: list[tuple[int | None, int, bool]] = []  # value or None, bits, byte order
    used = 0
    for n, item in enumerate(form):
        padding = -used % item.kind.align
        if padding:
            bits.append((None, padding, item.kind.is_big))
        value = number if n == place else None
        if item.ranges is not None:
            if value is None:
                if len(item.ranges) != 1 or item.ranges[0][0] != item.ranges[0][1]:
                    return None
                value = item.ranges[0][0]
            elif not any(low <= value <= high for low, high in item.ranges):
                return b""
        if value is not None and not 0 <= value < 1 << item.kind.size:
            return b""
        bits.append((value, item.kind.size, item.kind.is_big))
        used += padding + item.kind.size
    return _rendered(bits)


def _rendered(bits: list[tuple[int | None, int, bool]]) -> bytes | None:
    """Bytes of numbers; the first of those that share bytes may be constant."""
    pattern, place = b"", 0
    while place < len(bits):
        value, n_bits, is_big = bits[place]
        place += 1
        if n_bits % 8 == 0:
            content = None if value is None else value.to_bytes(
                n_bits // 8, "big" if is_big else "little"
            )  # fmt: skip
            pattern += b".{%d}" % (n_bits // 8) if content is None else re.escape(content)
            continue
        total = n_bits
        while total % 8 and place < len(bits):
            if bits[place][0] is not None:
                return None
            total += bits[place][1]
            place += 1
        if total % 8 or n_bits > 8:
            return None
        pattern += _partial(value, n_bits, is_big) + b".{%d}" % (total // 8 - 1)
    return pattern


def _partial(value: int | None, n_bits: int, is_big: bool) -> bytes:
    """A byte whose first bits are a value: the highest ones in big-endian order."""
    if value is None:
        return b"."
    free = range(1 << (8 - n_bits))
    found = [value << (8 - n_bits) | low if is_big else low << n_bits | value for low in free]
    return b"[" + b"".join(b"\\x%02x" % byte for byte in found) + b"]"
