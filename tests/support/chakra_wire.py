"""Chakra's files written and read a second way: plain Python, byte by byte, no protobuf library.

Field numbers: mlcommons/chakra, schema/protobuf/et_def.proto.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

#: Kinds of AttributeProto's oneof -> (field number, how a value is written).
KINDS = {
    "double": (3, "d"), "float": (5, "f"), "int32": (7, "int"), "int64": (9, "int"),
    "uint32": (11, "int"), "uint64": (13, "int"), "sint32": (15, "zigzag"),
    "sint64": (17, "zigzag"), "fixed32": (19, "I"), "fixed64": (21, "Q"), "sfixed32": (23, "i"),
    "sfixed64": (25, "q"), "bool": (27, "int"), "string": (29, "text"), "bytes": (31, "bytes"),
}  # fmt: skip
KIND_OF = {number: kind for kind, (number, _) in KINDS.items()}
NODE_TYPES = ["INVALID", "METADATA", "MEM_LOAD", "MEM_STORE", "COMP", "COMM_SEND", "COMM_RECV",
              "COMM_COLL"]  # fmt: skip
IO = tuple[str, str, str]


@dataclass
class Attr:
    """An attribute: `kind` as in KINDS, or with `_list` behind it; None: no value."""

    name: str
    kind: str | None
    value: Any
    doc: str = ""


@dataclass
class Node:
    """A node; inputs and outputs are the texts of values, shapes and types."""

    id: int
    name: str = ""
    type: int = 4
    ctrl: list[int] = field(default_factory=list)
    data: list[int] = field(default_factory=list)
    start: int = 0
    dur: int = 0
    inputs: IO | None = None
    outputs: IO | None = None
    attrs: list[Attr] = field(default_factory=list)
    unknown: bytes = b""

    def attr(self, name: str) -> Any:
        """The value of an attribute; None where it has none."""
        return next((each.value for each in self.attrs if each.name == name), None)


@dataclass
class Graph:
    """What a file holds."""

    version: str = ""
    attrs: list[Attr] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def of_length(number: int, body: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(body)) + body


def _scalar(how: str, value: Any) -> tuple[int, bytes]:
    """Wire type and bytes."""
    if how == "int":
        return 0, varint(int(value))
    if how == "zigzag":
        return 0, varint(value << 1 ^ value >> 63)
    if how in ("text", "bytes"):
        body = value.encode() if how == "text" else value
        return 2, varint(len(body)) + body
    return {"f": 5, "I": 5, "i": 5}.get(how, 1), struct.pack(f"<{how}", value)


def attr(each: Attr, *, packed: bool = True) -> bytes:
    out = of_length(1, each.name.encode()) if each.name else b""
    out += of_length(2, each.doc.encode()) if each.doc else b""
    if each.kind is None:
        return out
    number, how = KINDS[each.kind.removesuffix("_list")]
    if not each.kind.endswith("_list"):
        wire, body = _scalar(how, each.value)
        return out + varint(number << 3 | wire) + body
    return out + of_length(number + 1, _repeated(1, how, each.value, packed))


def _repeated(number: int, how: str, values: list[Any], packed: bool) -> bytes:
    written = [_scalar(how, value) for value in values]
    if packed and how not in ("text", "bytes"):
        return of_length(number, b"".join(body for _, body in written)) if written else b""
    return b"".join(varint(number << 3 | wire) + body for wire, body in written)


def _io(number: int, texts: IO | None) -> bytes:
    if texts is None:
        return b""
    body = b"".join(of_length(n, t.encode()) for n, t in enumerate(texts, 1) if t)
    return of_length(number, body)


def node(each: Node, *, packed: bool = True) -> bytes:
    numbers = [(1, each.id), (3, each.type), (6, each.start), (7, each.dur)]
    parts = {number: varint(number << 3) + varint(value) for number, value in numbers if value}
    parts[2] = of_length(2, each.name.encode()) if each.name else b""
    parts[4] = _repeated(4, "int", each.ctrl, packed)
    parts[5] = _repeated(5, "int", each.data, packed)
    parts[8], parts[9] = _io(8, each.inputs), _io(9, each.outputs)
    parts[10] = b"".join(of_length(10, attr(a, packed=packed)) for a in each.attrs)
    return b"".join(parts[number] for number in sorted(parts)) + each.unknown


def metadata(graph: Graph) -> bytes:
    version = of_length(1, graph.version.encode()) if graph.version else b""
    return version + b"".join(of_length(2, attr(each)) for each in graph.attrs)


def encode(graph: Graph, *, packed: bool = True) -> bytes:
    """The file."""
    messages = [metadata(graph), *(node(each, packed=packed) for each in graph.nodes)]
    return b"".join(varint(len(message)) + message for message in messages)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data: bytes) -> Iterator[tuple[int, int, Any]]:
    """(number, wire type, value) of each field of a message."""
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value: Any
            value, at = _read_varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(wire)
            if size is None:
                assert wire == 2
                size, at = _read_varint(data, at)
            value, at = data[at : at + size], at + size
        yield number, wire, value


def _value(how: str, value: Any) -> Any:
    if how == "int":
        return value - (1 << 64) if value >> 63 else value
    if how == "zigzag":
        return value >> 1 ^ -(value & 1)
    if how == "text":
        return value.decode()
    return value if how == "bytes" else struct.unpack(f"<{how}", value)[0]


def _values(how: str, data: bytes) -> list[Any]:
    found: list[Any] = []
    for _, wire, value in fields(data):
        if wire != 2 or how in ("text", "bytes"):
            found.append(_value(how, value))
            continue
        at = 0
        while at < len(value):
            if how in ("int", "zigzag"):
                each, at = _read_varint(value, at)
            else:
                size = struct.calcsize(f"<{how}")
                each, at = value[at : at + size], at + size
            found.append(_value(how, each))
    return found


def read_attr(data: bytes) -> Attr:
    found = Attr("", None, None)
    for number, _, value in fields(data):
        if number == 1:
            found.name = value.decode()
        elif number == 2:
            found.doc = value.decode()
        elif number in KIND_OF:
            found.kind = KIND_OF[number]
            found.value = _value(KINDS[found.kind][1], value)
        else:
            found.kind = f"{KIND_OF[number - 1]}_list"
            found.value = _values(KINDS[KIND_OF[number - 1]][1], value)
        if found.kind and found.kind.startswith("uint64"):
            unsigned = (1 << 64) - 1
            is_list = isinstance(found.value, list)
            found.value = [v & unsigned for v in found.value] if is_list else found.value & unsigned
        if found.kind and found.kind.startswith("bool"):
            is_list = isinstance(found.value, list)
            found.value = list(map(bool, found.value)) if is_list else bool(found.value)
    return found


def _read_io(data: bytes) -> IO:
    texts = {number: value.decode() for number, _, value in fields(data)}
    return texts.get(1, ""), texts.get(2, ""), texts.get(3, "")


def read_node(data: bytes) -> Node:
    found = Node(0, type=0)
    plain = {1: "id", 3: "type", 6: "start", 7: "dur"}
    for number, wire, value in fields(data):
        if number in plain:
            setattr(found, plain[number], value)
        elif number == 2:
            found.name = value.decode()
        elif number in (4, 5):
            deps = _values("int", of_length(1, value)) if wire == 2 else [value]
            (found.ctrl if number == 4 else found.data).extend(deps)
        elif number == 8:
            found.inputs = _read_io(value)
        elif number == 9:
            found.outputs = _read_io(value)
        elif number == 10:
            found.attrs.append(read_attr(value))
    return found


def messages(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        size, at = _read_varint(data, at)
        assert at + size <= len(data)
        yield data[at : at + size]
        at += size


def decode(data: bytes) -> Graph:
    """What a file holds."""
    first, *rest = messages(data)
    graph = Graph(nodes=[read_node(each) for each in rest])
    for number, _, value in fields(first):
        if number == 1:
            graph.version = value.decode()
        else:
            graph.attrs.append(read_attr(value))
    return graph


_EDGES = {"int": [0, 1, -1, (1 << 31) - 1, -(1 << 31)], "zigzag": [0, -1, 1, -(1 << 31)]}


def random_value(rng: random.Random, kind: str) -> Any:
    """A value of a kind of attribute."""
    if kind in ("string", "bytes"):
        text = "".join(rng.choice("ab\"'\\[],é\n0") for _ in range(rng.randrange(6)))
        return text if kind == "string" else bytes(rng.randrange(256) for _ in range(3))
    if kind == "bool":
        return rng.random() < 0.5
    if kind == "float":
        return struct.unpack("<f", struct.pack("<f", rng.choice([0.0, -0.0, 0.1, 1e30])))[0]
    if kind == "double":
        return rng.choice([0.0, -0.0, 0.1, 1e300, 5e-324, rng.random()])
    bits = int(kind[-2:])
    is_signed = kind.startswith(("int", "sint", "sfixed"))
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    return rng.choice([0, low, high, rng.randint(low, high)])


def random_attr(rng: random.Random) -> Attr:
    kind = rng.choice(sorted(KINDS))
    doc = rng.choice(["", "", "what it is"])
    name = rng.choice(["rf_id", "tid", "comm_size", "x", "involved_dim", ""])
    if rng.random() < 0.4:
        values = [random_value(rng, kind) for _ in range(rng.randrange(4))]
        return Attr(name, f"{kind}_list", values, doc)
    return (
        Attr(name, kind, random_value(rng, kind), doc)
        if rng.random() < 0.9
        else Attr(name, None, None, doc)
    )


def random_io(rng: random.Random) -> IO | None:
    texts = ["", "[]", "[[1, 2, 0, 4, 4, 'cuda:0'], True, None, '<None>', 1e-05]", "not a list",
             "['it''s', \"it's\"]", "[1,2]", "[('a', 'b')]", "['True', \"a, None, 'b'\"]",
             "[inf, nan]", "['\\\\', 'é', '\\n']", "['[{\"pg_name\": \"0\"}]']"]  # fmt: skip
    if rng.random() < 0.2:
        return None
    return rng.choice(texts), rng.choice(texts), rng.choice(texts)


def random_graph(rng: random.Random, n_nodes: int = 12) -> Graph:
    """Any graph a file can say: cyclic, dangling, with every kind of attribute."""
    ids = rng.sample([*range(3 * n_nodes), (1 << 64) - 1, 1 << 63], n_nodes)
    return Graph(
        rng.choice(["", "1.0.0"]),
        [Attr("schema", "string", "1.1.1-chakra.0.0.4"), random_attr(rng)],
        [
            Node(
                each,
                rng.choice(["aten::mm", "é", "x y", ""]) or "z",
                rng.randrange(9),
                [rng.choice([*ids, 999]) for _ in range(rng.randrange(3))],
                [rng.choice([*ids, 998]) for _ in range(rng.randrange(4))],
                rng.choice([0, 0, 7, (1 << 64) - 1]),
                rng.choice([0, 5, 1 << 62]),
                random_io(rng),
                random_io(rng),
                [random_attr(rng) for _ in range(rng.randrange(5))],
                rng.choice([b"", b"", b"\x58\x05", b"\x62\x03abc", b"\x69" + bytes(8)]),
            )
            for each in ids
        ],
    )
