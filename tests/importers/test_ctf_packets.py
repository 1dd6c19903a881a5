"""Packets of CTF 1.8 that no recording has: of big-endian machines, and without a duration."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import duckdb
import pytest

from tests.conftest import Tw

UUID = "11111111-2222-3333-4444-555555555555"
#: LTTng declares the types before the block with the byte order.
METADATA = """/* CTF 1.8 */
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
trace {
  major = 1; minor = 8; uuid = "11111111-2222-3333-4444-555555555555"; byte_order = ORDER;
  packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; };
};
clock { name = "monotonic"; freq = 1000000000; offset = 5000; };
typealias integer { size = 64; align = 8; map = clock.monotonic.value; } := uint64_clock_t;
stream {
  id = 0;
  packet.context := struct {
    uint64_clock_t timestamp_begin; uint64_clock_t timestamp_end; uint64_t content_size;
    uint64_t packet_size; uint64_t packet_seq_num; uint64_t events_discarded; uint32_t cpu_id;
  };
  event.header := struct { uint16_t id; uint64_clock_t timestamp; };
};
event { name = "p:e"; id = 258; stream_id = 0; fields := struct { uint32_t _n; string _s; }; };
"""


def packet(order: str, begin: int, end: int, number: int, lost: int, *events: bytes) -> bytes:
    mark = ">" if order == "be" else "<"
    content = b"".join(events)
    n_bits = (4 + 16 + 4 + 6 * 8 + 4 + len(content)) * 8
    head = struct.pack(f"{mark}I", 0xC1FC1FC1) + bytes.fromhex(UUID.replace("-", ""))
    head += struct.pack(f"{mark}I6QI", 0, begin, end, n_bits, n_bits, number, lost, 3)
    return head + content


def write(folder: Path, order: str, *packets: bytes) -> None:
    folder.mkdir()
    (folder / "metadata").write_text(METADATA.replace("ORDER", order))
    (folder / "channel_3").write_bytes(b"".join(packets))


@pytest.mark.parametrize("order", ["le", "be"])
def test_types_before_the_byte_order_of_the_trace_have_it(
    order: str, tw: Tw, tmp_path: Path
) -> None:
    mark = ">" if order == "be" else "<"
    event = struct.pack(f"{mark}HQI", 258, 1002, 0x01020304) + b"x\0"
    write(tmp_path / "trace", order, packet(order, 1000, 2000, 0, 0, event))

    assert tw("import", "trace").code == 0
    with duckdb.connect("traces.duckdb", read_only=True) as db:
        rows = db.execute(
            "SELECT t.base_ns + s.ts, e.cpu, s.args_json FROM recorded_event AS e "
            "JOIN slice AS s ON s.id = e.slice_id JOIN trace AS t ON t.id = e.trace_id"
        ).fetchall()
    assert [(ns, cpu, json.loads(text)) for ns, cpu, text in rows] == [
        (6002, 3, {"n": 0x01020304, "s": "x"})
    ]


def test_windows_of_lost_events_that_begin_at_one_time_are_counted_once(
    tw: Tw, tmp_path: Path
) -> None:
    event = struct.pack("<HQI", 258, 1002, 7) + b"\0"
    write(
        tmp_path / "trace",
        "le",
        packet("le", 1000, 1500, 0, 0, event),
        packet("le", 1500, 1500, 1, 3),
        packet("le", 1500, 1500, 2, 6),
        packet("le", 1500, 1900, 3, 26),
    )

    tw("import", "trace")
    with duckdb.connect("traces.duckdb", read_only=True) as db:
        slices = db.execute(
            "SELECT id, ts, dur, name FROM slice WHERE category = 'lost_events' ORDER BY dur, id"
        ).fetchall()
        lost = db.execute(
            "SELECT n_events, to_ts - from_ts, slice_id FROM event_loss ORDER BY 2, 3"
        ).fetchall()
    at = slices[0][1]
    assert [row[1:] for row in slices] == [
        (at, 0, "3 lost events"), (at, 0, "3 lost events"), (at, 400, "20 lost events"),
    ]  # fmt: skip
    assert lost == [(3, 0, slices[0][0]), (3, 0, slices[1][0]), (20, 400, slices[2][0])]
