"""Field classes of CTF 2 that no recording has: one event with each, encoded by hand."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import duckdb

from tests.conftest import Tw

UUID = list(range(16))


def unsigned(length: int, order: str = "little-endian", **more: Any) -> dict[str, Any]:
    return {"type": "fixed-length-unsigned-integer", "length": length, "byte-order": order,
            "alignment": more.pop("alignment", 8), **more}  # fmt: skip


def structure(*members: tuple[str, Any]) -> dict[str, Any]:
    classes = [{"name": name, "field-class": kind} for name, kind in members]
    return {"type": "structure", "member-classes": classes}


def at(*path: str | None, **more: str) -> dict[str, Any]:
    return {"path": list(path), **more}


VARINT = {"type": "variable-length-unsigned-integer"}
TEXT = {"type": "null-terminated-string"}
PAYLOAD = structure(
    ("u", VARINT),
    ("s", {"type": "variable-length-signed-integer", "mappings": {"low": [[-200, -1]]}}),
    ("yes", {"type": "fixed-length-boolean", "length": 8, "byte-order": "little-endian",
             "alignment": 8}),
    ("bits", {"type": "fixed-length-bit-map", "length": 8, "byte-order": "little-endian",
              "alignment": 8, "flags": {"a": [[0, 0]], "b": [[2, 2]], "c": [[1, 1]]}}),
    ("x", unsigned(3, "big-endian", alignment=1)),
    ("y", unsigned(13, "big-endian", alignment=1)),
    ("there", {"type": "optional", "field-class": TEXT,
               "selector-field-location": at("yes")}),
    ("absent", {"type": "optional", "field-class": TEXT, "selector-field-ranges": [[9, 9]],
                "selector-field-location": at("x")}),
    ("choice", {
        "type": "variant", "selector-field-location": at("u", origin="event-record-payload"),
        "options": [
            {"name": "small", "field-class": unsigned(8), "selector-field-ranges": [[0, 9]]},
            {"name": "large", "field-class": structure(("v", TEXT)),
             "selector-field-ranges": [[10, 500]]},
        ],
    }),
    ("names", {"type": "dynamic-length-array", "element-field-class": TEXT,
               "length-field-location": at("x")}),
    ("pairs", {"type": "static-length-array", "length": 2, "element-field-class":
               structure(("n", unsigned(8)), ("m", unsigned(16, "big-endian")))}),
    ("blob", {"type": "dynamic-length-blob", "length-field-location": at("x")}),
    ("text", {"type": "static-length-string", "length": 6}),
    ("wide", {"type": "null-terminated-string", "encoding": "utf-16le"}),
    ("half", {"type": "fixed-length-floating-point-number", "length": 16, "alignment": 64,
              "byte-order": "big-endian"}),
)  # fmt: skip
HEADER = structure(
    ("id", unsigned(8, roles=["event-record-class-id"])),
    ("t", unsigned(16, roles=["default-clock-timestamp"])),
)
FRAGMENTS = [
    {"type": "preamble", "version": 2, "uuid": UUID},
    {"type": "field-class-alias", "name": "name", "field-class": TEXT},
    {"type": "trace-class", "environment": {"hostname": "h"}, "packet-header-field-class":
     structure(("m", unsigned(32, roles=["packet-magic-number"])))},
    {"type": "clock-class", "id": "c", "name": "c", "frequency": 1_000_000,
     "offset-from-origin": {"seconds": 100, "cycles": 0}},
    {"type": "data-stream-class", "id": 0, "default-clock-class-id": "c",
     "event-record-header-field-class": HEADER,
     "packet-context-field-class": structure(
         ("begin", unsigned(64, roles=["default-clock-timestamp"])))},
    {"type": "event-record-class", "id": 5, "name": "p:e", "payload-field-class": PAYLOAD},
    {"type": "event-record-class", "id": 6, "name": "p:f",
     "payload-field-class": structure(("n", "name"))},
]  # fmt: skip


def event(base: int, large: int) -> bytes:
    """An event of class 5 that begins at an offset of its packet.

    Its payload is aligned as its most aligned field, `half`.
    """
    body = b"\5" + struct.pack("<H", 7)
    body += bytes(-(base + len(body)) % 8)
    body += bytes([large & 127 | 128, large >> 7]) if large > 127 else bytes([large])
    body += bytes([0xF3, 0x7E])  # -141 as LEB128: 0b1110011 and 0b1111110
    body += b"\1" + b"\5"
    body += struct.pack(">H", 2 << 13 | 0x1234)  # x = 2, y = 0x1234
    body += b"here\0" + (b"long\0" if large > 9 else b"\x2a")
    body += b"one\0two\0" + struct.pack("<B", 1) + struct.pack(">H", 2) + b"\3\0\4"
    body += b"\xab\xcd" + b"abc\0zz" + "é".encode("utf-16-le") + b"\0\0"
    body += bytes(-(base + len(body)) % 8)
    return body + struct.pack(">e", 1.5)


def written(folder: Path) -> list[tuple[int, str]]:
    """Writes a trace, and returns the microseconds and classes of its events."""
    folder.mkdir()
    text = "".join(f"\x1e{json.dumps(each)}\n" for each in FRAGMENTS)
    (folder / "metadata").write_text(text)
    packet = struct.pack("<IQ", 0xC1FC1FC1, 0x1FFFE)
    packet += event(len(packet), 300)
    packet += b"\6" + struct.pack("<H", 3) + b"last\0"
    packet += event(len(packet), 4)
    (folder / "stream").write_bytes(packet)
    # Low bits of the clock: 7 and 3 are less than the 16 bits before, so these wrap.
    return [(0x20007, "p:e"), (0x30003, "p:f"), (0x30007, "p:e")]


def test_every_field_class_is_decoded(tw: Tw, tmp_path: Path) -> None:
    expected = written(tmp_path / "trace")
    assert tw("import", "trace").code == 0
    with duckdb.connect("traces.duckdb", read_only=True) as db:
        rows = db.execute(
            "SELECT t.base_ns + s.ts, c.name, s.args_json FROM recorded_event AS e "
            "JOIN slice AS s ON s.id = e.slice_id JOIN trace AS t ON t.id = e.trace_id "
            "JOIN event_class AS c ON c.id = e.event_class_id ORDER BY e.id"
        ).fetchall()
    times = [(100 * 10**9 + us * 1000, name) for us, name in expected]
    assert [(ns, name) for ns, name, _ in rows] == times
    first = {
        "u": 300, "s": -141, "s.label": "low", "yes": True, "bits": 5, "bits.label": "a|b",
        "x": 2, "y": 0x1234, "there": "here", "absent": None, "choice": {"v": "long"},
        "names": ["one", "two"], "pairs": [{"n": 1, "m": 2}, {"n": 3, "m": 4}], "blob": "abcd",
        "text": "abc", "wide": "é", "half": 1.5,
    }  # fmt: skip
    assert json.loads(rows[0][2]) == first
    assert json.loads(rows[1][2]) == {"n": "last"}
    assert json.loads(rows[2][2]) == {**first, "u": 4, "choice": 42}
