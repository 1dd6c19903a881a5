"""The type tree of a CTF trace, which both kinds of metadata become.

Sizes and alignments are in bits, as in the metadata. Specifications: diamon.org/ctf, versions 1.8.3
and 2.0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from warehouse.errors import CorruptTrace

#: Bounds of untrusted metadata.
MAX_DEPTH = 32
MAX_LENGTH = 1 << 24  # elements of an array, bytes of a text
MAX_ALIGNMENT = 1 << 16

Ranges = tuple[tuple[int, int], ...]
#: Labels of an enumeration, each with an inclusive range of values.
Labels = tuple[tuple[str, int, int], ...]

MAGIC = "packet-magic-number"
UUID = "metadata-stream-uuid"
STREAM_CLASS = "data-stream-class-id"
STREAM = "data-stream-id"
PACKET_SIZE = "packet-total-length"
CONTENT_SIZE = "packet-content-length"
TIME = "default-clock-timestamp"
END_TIME = "packet-end-default-clock-timestamp"
DISCARDED = "discarded-event-record-counter-snapshot"
SEQUENCE = "packet-sequence-number"
EVENT_CLASS = "event-record-class-id"


@dataclass(frozen=True)
class Location:
    """Another field, which holds a length or selects an option.

    `origin` is a scope of the event; without one, the path is searched from the innermost structure
    outwards, and each leading None skips a structure.
    """

    path: tuple[str | None, ...]
    origin: str | None = None


@dataclass(frozen=True)
class Integer:
    """An integer, an enumeration, a boolean or an array of bits, of up to 64 bits."""

    size: int
    align: int
    is_signed: bool = False
    is_big: bool = False
    base: int = 10
    labels: Labels = ()
    roles: tuple[str, ...] = ()
    is_character: bool = False  # arrays of it are text
    is_boolean: bool = False
    flags: bool = False  # labels are of bits, and several may be set


@dataclass(frozen=True)
class Variable:
    """An integer of variable length (LEB128)."""

    is_signed: bool = False
    base: int = 10
    labels: Labels = ()
    roles: tuple[str, ...] = ()
    align: int = 8


@dataclass(frozen=True)
class Float:
    size: int
    align: int
    is_big: bool = False


@dataclass(frozen=True)
class String:
    """A text that ends at a null character of its encoding."""

    encoding: str = "utf-8"
    align: int = 8


@dataclass(frozen=True)
class Bytes:
    """A text or blob of a number of bytes; texts end at the first null."""

    length: int | Location
    is_text: bool = True
    encoding: str = "utf-8"
    roles: tuple[str, ...] = ()
    align: int = 8


@dataclass(frozen=True)
class Array:
    element: Type
    length: int | Location
    align: int = 1


@dataclass(frozen=True)
class Struct:
    members: tuple[tuple[str, Type], ...]
    align: int = 1

    def member(self, name: str) -> Type | None:
        return next((kind for each, kind in self.members if each == name), None)


@dataclass(frozen=True)
class Option:
    """An option of a variant: in CTF 2 it has ranges, in CTF 1.8 the selector's labels do."""

    name: str
    kind: Type
    ranges: Ranges | None = None
    label: str | None = None


@dataclass(frozen=True)
class Variant:
    selector: Location
    options: tuple[Option, ...]
    align: int = 1


@dataclass(frozen=True)
class Optional:
    """A field that is there if the selector is true, or in one of the ranges."""

    selector: Location
    kind: Type
    ranges: Ranges | None = None
    align: int = 1


Type: TypeAlias = (
    "Integer | Variable | Float | String | Bytes | Array | Struct | Variant | Optional"
)
NO_FIELDS = Struct(())


@dataclass(frozen=True)
class Clock:
    name: str
    frequency: int = 1_000_000_000
    offset_s: int = 0
    offset_cycles: int = 0
    uuid: str | None = None
    is_absolute: bool = True  # counts from the Unix epoch
    uncertainty_cycles: int | None = None
    description: str | None = None

    @property
    def offset_ns(self) -> int:
        return self.offset_s * 1_000_000_000 + self.ns(self.offset_cycles)

    def ns(self, cycles: int) -> int:
        return cycles * 1_000_000_000 // self.frequency


@dataclass(frozen=True)
class EventClass:
    id: int
    name: str
    payload: Struct = NO_FIELDS
    context: Struct = NO_FIELDS
    attributes: tuple[tuple[str, object], ...] = ()


@dataclass
class StreamClass:
    id: int
    header: Struct = NO_FIELDS
    context: Struct = NO_FIELDS
    packet_context: Struct = NO_FIELDS
    events: dict[int, EventClass] = field(default_factory=dict)
    clock: Clock | None = None


@dataclass
class Trace:
    version: str
    uuid: bytes | None = None
    packet_header: Struct = NO_FIELDS
    environment: dict[str, object] = field(default_factory=dict)
    clocks: dict[str, Clock] = field(default_factory=dict)
    streams: dict[int, StreamClass] = field(default_factory=dict)


def alignment(kind: Type) -> int:
    """The alignment of a field, which is at least that of what it holds."""
    if isinstance(kind, Struct):
        return max([kind.align, *(alignment(each) for _, each in kind.members)])
    if isinstance(kind, Array):
        return max(kind.align, alignment(kind.element))
    return kind.align  # variants and optionals are not aligned, their content is


def size(kind: Type) -> int | None:
    """The number of bits of a field that is equally long in all events, else None.

    The padding inside of a structure is only fixed if it begins at its own alignment, as it does.
    """
    if isinstance(kind, Integer | Float):
        return kind.size
    if isinstance(kind, Bytes) and isinstance(kind.length, int):
        return kind.length * 8
    if isinstance(kind, Array) and isinstance(kind.length, int):
        each = size(kind.element)
        if each is None or not kind.length:
            return 0 if not kind.length else None
        return _up(each, alignment(kind.element)) * (kind.length - 1) + each
    if isinstance(kind, Struct):
        total = 0
        for _, member in kind.members:
            each = size(member)
            if each is None:
                return None
            total = _up(total, alignment(member)) + each
        return total
    return None


def _up(position: int, align: int) -> int:
    return -(-position // align) * align


def least_size(kind: Type) -> int:
    """The fewest bits a field can have; refuses arrays of elements without content.

    Any number of those would fit into a packet.
    """
    if isinstance(kind, Struct):
        return sum(least_size(member) for _, member in kind.members)
    if isinstance(kind, Array):
        each = least_size(kind.element)
        if not each:
            raise CorruptTrace("the metadata has an array of elements without content")
        return each * kind.length if isinstance(kind.length, int) else 0
    if isinstance(kind, Variant):
        return min((least_size(option.kind) for option in kind.options), default=0)
    if isinstance(kind, Optional):
        least_size(kind.kind)
        return 0
    if isinstance(kind, Bytes):
        return kind.length * 8 if isinstance(kind.length, int) else 0
    return kind.size if isinstance(kind, Integer | Float) else 8
