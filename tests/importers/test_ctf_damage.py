"""CTF traces that are damaged end in one sentence, or in rows and a counted problem."""

from __future__ import annotations

import re
import struct
import tarfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from tests.conftest import Tw
from tests.support.sharing import integration

DATA = Path(__file__).parents[1] / "data" / "ctf"
STREAM = "kernelchannel_0"
HEADER = 4 + 16 + 4 + 8  # bytes of a packet's header
CONTENT = HEADER + 16  # offset of content_size
FIRST = HEADER + 52  # offset of the first event
Change = Callable[[bytearray], None]


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """40 events of two classes, with compact headers, in one packet of one page."""
    with tarfile.open(DATA / "compact_kernel" / "trace.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "trace"


def changed(trace: Path, change: Change, name: str = STREAM) -> None:
    content = bytearray((trace / name).read_bytes())
    change(content)
    (trace / name).write_bytes(content)


def put(offset: int, value: bytes) -> Change:
    def change(content: bytearray) -> None:
        content[offset : offset + len(value)] = value

    return change


DAMAGE = [
    (put(0, b"\0"), "a packet has no valid magic", 0),
    (put(4, b"\0"), "a packet has the UUID of another trace", 0),
    (put(HEADER - 12, b"\7"), "a packet belongs to stream 7", 0),
    (put(CONTENT, struct.pack("<Q", 1 << 40)), "bits of content", 0),
    (put(FIRST, b"\4"), "an event has the id 4", FIRST),
    (put(CONTENT, struct.pack("<Q", FIRST * 8 + 8)), "an event extends beyond its packet", FIRST),
]


@pytest.mark.parametrize(
    ("change", "what", "offset"), [*DAMAGE[:2], *(integration(*each) for each in DAMAGE[2:])]
)
def test_a_damaged_packet_is_refused_with_file_and_offset(
    trace: Path, tw: Tw, change: Change, what: str, offset: int
) -> None:
    changed(trace, change)
    result = tw("import", trace)
    (error,) = result.errors
    assert result.code == 1
    assert what in error and STREAM in error and f"at byte {offset}" in error


def test_a_cut_last_packet_keeps_whole_events(trace: Path, tw: Tw) -> None:
    stream = trace / STREAM
    whole = stream.read_bytes()
    (n_content,) = struct.unpack_from("<Q", whole, CONTENT)
    stream.write_bytes(whole[: n_content // 8 - 3])
    assert tw("import", trace).code == 6
    with duckdb.connect("traces.duckdb", read_only=True) as db:
        assert db.execute("SELECT count(*) FROM recorded_event").fetchall() == [(39,)]
        problems = "SELECT kind, severity, count FROM import_problem"
        assert db.execute(problems).fetchall() == [("cut_packet", "error", 1)]
    result = tw("import", "--strict", "--db", "strict.duckdb", trace)
    assert result.code == 1
    assert "ends inside of its last packet" in result.errors[0]


def test_a_packet_without_events_and_an_empty_stream_are_read(trace: Path, tw: Tw) -> None:
    stream = trace / STREAM
    empty = bytearray(stream.read_bytes())
    empty[CONTENT : CONTENT + 8] = struct.pack("<Q", FIRST * 8)
    unfinished = bytearray(empty)
    unfinished[CONTENT : CONTENT + 8] = bytes(8)
    stream.write_bytes(empty + unfinished + stream.read_bytes())
    (trace / "kernelchannel_1").write_bytes(b"")
    assert tw("import", trace).code == 0
    with duckdb.connect("traces.duckdb", read_only=True) as db:
        assert db.execute("SELECT count(*) FROM recorded_event").fetchall() == [(40,)]


METADATA = [
    ("size = 27", "size = 65", "an integer of 1 to 64 bits"),
    ("uint32_t _len", "nothing _len", "a declared type"),
    ("struct packet_context {", "struct packet_context ;", "a declared structure"),
    ("stream_id = 0;", "stream_id = 9;", "belongs to stream 9"),
    ("align(8)", "align(9)", "a power of two"),
    ("string _name", "string _name[99999999]", "at most"),
    ("string _name", "struct { } _name[9]", "elements without content"),
]


@pytest.mark.parametrize(
    ("before", "after", "what"), [METADATA[0], *(integration(*each) for each in METADATA[1:])]
)
def test_invalid_metadata_is_refused_with_the_offset(
    trace: Path, tw: Tw, before: str, after: str, what: str
) -> None:
    text = (trace / "metadata").read_text()
    integer = "integer { size = 32; align = 8; signed = 0; encoding = none; base = 10; } _len"
    text = text.replace(integer, "uint32_t _len")
    assert before in text
    (trace / "metadata").write_text(text.replace(before, after, 1))
    result = tw("import", trace)
    assert result.code == 1
    assert what in result.errors[0] and "metadata" in result.errors[0]


def test_a_trace_without_a_clock_keeps_its_cycles(trace: Path, tw: Tw) -> None:
    text = (trace / "metadata").read_text()
    text = re.sub(r"clock \{.*?\};|map = [a-z.]+;", "", text)
    (trace / "metadata").write_text(text)
    assert tw("import", trace).code == 0
    (first,) = struct.unpack_from("<Q", (trace / STREAM).read_bytes(), HEADER)
    with duckdb.connect("traces.duckdb", read_only=True) as db:
        (base, offset, method) = db.execute(
            "SELECT base_ns, c.offset_ns, c.method FROM trace AS t "
            "JOIN clock AS c ON c.trace_id = t.id AND c.name = 'cycles'"
        ).fetchall()[0]
        assert (base, offset, method) == (first + 1000, None, None)
        kinds = "SELECT kind FROM import_problem"
        assert db.execute(kinds).fetchall() == [("no_clock",)]


def test_a_folder_whose_metadata_is_not_ctf_is_no_capture(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "metadata").write_text("name: something")
    (tmp_path / "folder" / "t.json").write_text('[{"ph": "X", "ts": 1, "dur": 1, "name": "a"}]')
    assert tw("import", "folder").code == 0
    with duckdb.connect("traces.duckdb", read_only=True) as db:
        assert db.execute("SELECT format FROM trace").fetchall() == [("chrome",)]
