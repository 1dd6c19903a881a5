"""Perfetto traces, against trace_processor, what tw writes itself, and a walk over the packets."""

from __future__ import annotations

import json
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TracePacket, TrackEvent

from tests.conftest import Tw
from tests.support.random_perfetto import random_trace
from tests.support.sharing import GPU, WarehouseCache, integration, slow
from tw_importers.perfetto.certainty import sniff

DATA = Path(__file__).parents[1] / "data" / "perfetto"
SEEDS = (2, integration(6), *(slow(seed) for seed in range(16) if seed not in (2, 6)))
WHOLE = random_trace(1)  # also a seed of the fuzz tests
Imported = Callable[..., duckdb.DuckDBPyConnection]


@pytest.fixture
def imported(tw: Tw, tmp_path: Path) -> Iterator[Imported]:
    """Imports the bytes of a trace and opens the warehouse."""
    opened = []

    def run(content: bytes, *options: str) -> duckdb.DuckDBPyConnection:
        (tmp_path / "t.pftrace").write_bytes(content)
        result = tw("import", "t.pftrace", "--db", "w.duckdb", *options)
        assert "Traceback" not in result.err
        opened.append(duckdb.connect("w.duckdb", read_only=True))
        return opened[0]

    yield run
    for connection in opened:
        connection.close()


def trace(*packets: dict[str, Any]) -> bytes:
    """A trace of packets on sequence 1, given by their fields."""
    made = [TracePacket(**{"trusted_packet_sequence_id": 1, **each}) for each in packets]
    return bytes(Trace(packet=made).SerializeToString())


def event(ns: int, type: int, name: str | None = None, **fields: Any) -> dict[str, Any]:
    """A packet with an event on track 1."""
    named = {} if name is None else {"name": name}
    return {"timestamp": ns, "track_event": {"type": type, "track_uuid": 1, **named, **fields}}


BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
SLICE = (event(10, BEGIN, "a"), event(30, END))


def flat(prefix: str, value: Any) -> Iterator[tuple[str, str]]:
    """The keys that trace_processor gives the values of an argument, and its texts of them."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from flat(f"{prefix}.{key}", each)
    elif isinstance(value, list):
        for n, each in enumerate(value):
            yield from flat(f"{prefix}[{n}]", each)
    else:
        yield prefix, str(int(value) if isinstance(value, bool) else value)


class TestTraceProcessor:
    """Random traces with all that is read; make_perfetto_golden.py asked for the rows."""

    @pytest.mark.parametrize("seed", SEEDS)
    def test_rows_are_equal(self, seed: int, imported: Imported) -> None:
        with zipfile.ZipFile(DATA / "random.zip") as file:
            golden = json.loads(file.read(f"{seed}.json"))
            connection = imported(file.read(f"{seed}.pftrace"))
        (first,) = connection.execute("SELECT min(ts) FROM slice").fetchall()[0]

        slices = connection.execute(
            "SELECT s.ts - $first, s.dur, s.name, s.category, s.depth, p.ts - $first, h.tid "
            "FROM slice AS s LEFT JOIN slice AS p ON p.id = s.parent_id "
            "JOIN track AS t ON t.id = s.track_id LEFT JOIN thread AS h ON h.id = t.thread_id",
            {"first": first},
        )
        assert Counter(map(texts, slices.fetchall())) == Counter(map(tuple, golden["slice"]))

        counters = connection.execute(
            "SELECT c.ts - $first, c.value, t.name "
            "FROM counter AS c JOIN track AS t ON t.id = c.track_id",
            {"first": first},
        ).fetchall()
        assert Counter(counters) == Counter(
            (int(ts), float(value), name) for ts, value, name in golden["counter"]
        )

        flows = connection.execute(
            "SELECT o.ts - $first, i.ts - $first FROM link AS l "
            "JOIN slice AS o ON o.id = l.from_id JOIN slice AS i ON i.id = l.to_id "
            "WHERE l.kind = 'flow'",
            {"first": first},
        )
        assert Counter(map(texts, flows.fetchall())) == Counter(map(tuple, golden["flow"]))

        arguments = connection.execute(
            "SELECT ts - $first, args_json FROM slice WHERE args_json IS NOT NULL", {"first": first}
        )
        assert Counter(
            (str(ts), *leaf) for ts, text in arguments.fetchall()
            for leaf in flat("debug", json.loads(text))
        ) == Counter(map(tuple, golden["argument"]))  # fmt: skip


def texts(row: tuple[Any, ...]) -> tuple[str | None, ...]:
    return tuple(None if each is None else str(each) for each in row)


class TestWrittenByTw:
    def test_an_export_is_read_back(
        self, tw: Tw, imported_files: WarehouseCache, imported: Imported, tmp_path: Path
    ) -> None:
        source = imported_files.copy(tmp_path / "source.duckdb", GPU)
        assert not tw("export", "perfetto", "--db", source, "-o", "t.pftrace").code
        connection = imported(Path("t.pftrace").read_bytes())
        connection.execute(f"ATTACH '{source}' AS source (READ_ONLY)")
        sql = """
            SELECT
              ts - (SELECT min(ts) FROM {0}slice),
              CASE WHEN dur < -1 THEN 0 ELSE dur END, -- ends before it begins
              category, name, args_json::JSON::VARCHAR
            FROM {0}slice ORDER BY ALL
        """
        read = connection.execute(sql.format("")).fetchall()
        written = connection.execute(sql.format("source.")).fetchall()
        assert read
        assert [row[:4] for row in read] == [row[:4] for row in written]
        for (*_, text), (*_, original) in zip(read, written, strict=True):
            arguments = json.loads(text or "{}")
            arguments.pop("tw.dur_ns", None)  # what the format cannot express: a negative duration
            assert Counter(flat("", arguments)) == Counter(flat("", json.loads(original or "{}")))


class TestRealFiles:
    @pytest.mark.integration
    @pytest.mark.parametrize(
        "case", ["aks_m2_8core/out37", "aks_m1_trace_tail/out37", "v030_aks_m2_8core/out30"]
    )
    def test_slices_are_those_of_the_packets(
        self, case: str, data_dir: Path, imported: Imported
    ) -> None:
        content = (data_dir / "bigtpu" / case / "perfetto.pftrace").read_bytes()
        connection = imported(content)
        (base,) = connection.execute("SELECT base_ns FROM trace").fetchall()[0]
        found = connection.execute("SELECT ts + ?, dur, name FROM slice", [base]).fetchall()
        assert Counter(found) == walked(content)


def walked(content: bytes) -> Counter[tuple[int, int, str]]:
    """Slices by the packets in the order of time: an end closes the last begin of its track."""
    names: dict[int, str] = {}
    stacks: dict[int, list[tuple[int, str]]] = defaultdict(list)
    found = Counter[tuple[int, int, str]]()
    packets = Trace.FromString(content).packet
    for packet in packets:
        names |= {each.iid: each.name for each in packet.interned_data.event_names}
    for packet in sorted(packets, key=lambda each: each.timestamp):
        each = packet.track_event
        stack = stacks[each.track_uuid]
        name = names.get(each.name_iid, each.name)
        if each.type == BEGIN:
            stack.append((packet.timestamp, name))
        elif each.type == END:
            start, opened = stack.pop()
            found[(start, packet.timestamp - start, opened)] += 1
        elif each.type == INSTANT:
            found[(packet.timestamp, 0, name)] += 1
    return found


class TestMeaning:
    def test_names_of_threads_and_processes(self, imported: Imported) -> None:
        thread = {"uuid": 1, "thread": {"pid": 7, "tid": 8, "thread_name": "loader"}}
        process = {"uuid": 2, "process": {"pid": 7, "process_name": "train.py"}}
        connection = imported(
            trace({"track_descriptor": thread}, {"track_descriptor": process}, *SLICE)
        )
        assert connection.execute(
            "SELECT t.kind, t.name, h.tid, p.pid, p.name FROM track AS t "
            "JOIN thread AS h ON h.id = t.thread_id JOIN process AS p ON p.id = t.process_id"
        ).fetchall() == [("thread", "loader", 8, 7, "train.py")]

    def test_units_of_counters(self, imported: Imported) -> None:
        counter = {"uuid": 1, "name": "memory", "counter": {"unit": 3, "unit_multiplier": 1024}}
        connection = imported(
            trace({"track_descriptor": counter}, event(5, COUNTER, counter_value=2))
        )
        assert connection.execute(
            "SELECT t.kind, t.name, t.unit, c.value FROM counter AS c JOIN track AS t "
            "ON t.id = c.track_id"
        ).fetchall() == [("counter", "memory", "bytes", 2048.0)]

    def test_a_flow_into_the_end_of_a_slice(self, imported: Imported) -> None:
        """trace_processor turns it around, to go from the slice that begins first."""
        kernel = event(20, BEGIN, "kernel", flow_ids=[3])
        kernel["track_event"]["track_uuid"] = 2
        connection = imported(
            trace(event(10, BEGIN, "sync"), kernel, event(40, END, terminating_flow_ids=[3]))
        )
        assert connection.execute(
            "SELECT o.name, i.name FROM link AS l JOIN slice AS o ON o.id = l.from_id "
            "JOIN slice AS i ON i.id = l.to_id"
        ).fetchall() == [("kernel", "sync")]

    def test_times_since_the_epoch(self, imported: Imported) -> None:
        clocks = [{"clock_id": 6, "timestamp": 100}, {"clock_id": 1, "timestamp": 1_700_000_000}]
        connection = imported(trace({"clock_snapshot": {"clocks": clocks}}, *SLICE))
        assert connection.execute("SELECT base_ns FROM trace").fetchall() == [(1_699_999_910,)]

    def test_a_snapshot_beside_defaults_relates_differences_of_time(
        self, imported: Imported
    ) -> None:
        """As Chrome writes them: of a clock in us, each the difference to the last packet."""
        clocks = [
            {"clock_id": 3, "timestamp": 1_000_000_500},
            {"clock_id": 64, "timestamp": 1_000_000, "is_incremental": True,
             "unit_multiplier_ns": 1000},
        ]  # fmt: skip
        connection = imported(
            trace(
                {
                    "timestamp": 9,  # of a snapshot it does not count
                    "clock_snapshot": {"clocks": clocks, "primary_trace_clock": 3},
                    "trace_packet_defaults": {"timestamp_clock_id": 64},
                },
                {**event(1_000_000_500, INSTANT, "i"), "timestamp_clock_id": 3},
                {**event(1, INSTANT, "lost"), "sequence_flags": 2},
                event(4, BEGIN, "a"),
                {"timestamp": 7, "track_descriptor": {"uuid": 1, "name": "t"}},
                event(3, END),
            )
        )
        assert connection.execute("SELECT name, ts, dur FROM slice ORDER BY ts").fetchall() == [
            ("i", 0, 0),
            ("a", 5_000, 10_000),
        ]


class TestLosses:
    @pytest.mark.parametrize(
        ("packets", "kind", "reason"),
        [
            (
                [{**SLICE[0], "sequence_flags": 2}],
                "events_without_state",
                "events without the interned texts they need",
            ),
            (
                [{**SLICE[0], "timestamp_clock_id": 3}],
                "events_without_clock",
                "events of clocks that no snapshot relates to the trace's",
            ),
            ([{"cpu_info": {}}], None, "packets of cpu_info"),
            integration([event(50, END)], None, "end without a beginning"),
            integration([event(50, 0, "?")], None, "events without a type"),
        ],
    )
    def test_what_is_not_read_is_counted(
        self, packets: Any, kind: str | None, reason: str, imported: Imported
    ) -> None:
        connection = imported(trace(*SLICE, *packets))
        unused = connection.execute(
            "SELECT detail, value FROM import_stat WHERE name = 'unused'"
        ).fetchall()
        assert unused == [(reason, 1)]
        problems = connection.execute("SELECT kind, severity FROM import_problem").fetchall()
        assert problems == ([(kind, "error")] if kind else [])

    def test_fields_of_extensions_are_named(self, imported: Imported) -> None:
        event_bytes = TrackEvent(type=BEGIN, track_uuid=1, name="b").SerializeToString()
        event_bytes += b"\xc2\xee\x04\x00"  # field 9960, empty
        packet = TracePacket(timestamp=40).SerializeToString()
        packet += b"\x5a" + bytes([len(event_bytes)]) + event_bytes
        content = b"\x0a" + bytes([len(packet)]) + packet
        connection = imported(content)
        assert connection.execute("SELECT kind, meaning FROM import_problem").fetchall() == [
            ("unread_fields", "fields of events that are not read: field 9960"),
            ("unfinished_slice", "slices without an end; their dur is -1"),
        ]


class TestBadFiles:
    @pytest.mark.slow
    def test_cut_at_every_byte(self) -> None:
        cut_everywhere(WHOLE)

    def test_cut_inside_a_packet(self, tw: Tw, imported: Imported, tmp_path: Path) -> None:
        content = trace(*SLICE)
        (tmp_path / "t.pftrace").write_bytes(content[:-3])
        result = tw("import", "t.pftrace", "--db", "none.duckdb")
        assert result.code == 1
        (sentence,) = result.errors
        assert "10 bytes, 7 are left, at byte 16" in sentence
        assert "--lenient imports the packets before" in result.err
        assert not Path("none.duckdb").exists()

        connection = imported(content[:-3], "--lenient")
        assert connection.execute("SELECT name, dur FROM slice").fetchall() == [("a", -1)]
        kinds = connection.execute("SELECT kind, severity FROM import_problem").fetchall()
        assert ("damaged", "error") in kinds

    def test_packets_compressed_with_zstd(self, tw: Tw, tmp_path: Path) -> None:
        packet = TracePacket(compressed_packets=b"\x28\xb5\x2f\xfd\x00").SerializeToString()
        content = b"\x0a" + bytes([len(packet)]) + packet
        (tmp_path / "t.pftrace").write_bytes(trace(*SLICE) + content)
        result = tw("import", "t.pftrace", "--db", "none.duckdb")
        assert result.code == 1
        (sentence,) = result.errors
        assert f"compressed with zstd, not deflate, at byte {len(trace(*SLICE))}" in sentence

    @pytest.mark.parametrize("content", [b"", b"hello", b"\x0a\x05", b"\x0a\x02\xff\xff"])
    def test_no_trace(self, content: bytes, tw: Tw, tmp_path: Path) -> None:
        (tmp_path / "t.pftrace").write_bytes(content)
        result = tw("import", "t.pftrace", "--db", "none.duckdb")
        assert result.code == 1
        assert len(result.errors) == 1
        assert "Traceback" not in result.err


def cut_everywhere(content: bytes) -> None:
    """Reads each beginning of a trace: it has fewer rows, or is refused with the offset."""
    from tw_importers.perfetto.packets import packets
    from warehouse.errors import CorruptTrace

    ends = set()
    for n in range(len(content)):
        try:
            with memoryview(content[:n]) as data:
                n_packets = sum(1 for _ in packets(data))
            ends.add(n_packets)
        except CorruptTrace as error:
            assert error.offset is not None and error.offset <= n
    assert ends == set(range(len(Trace.FromString(content).packet)))


class TestCertainty:
    def test_of_traces(self) -> None:
        assert sniff(WHOLE[:65536], "x") == 90
        assert sniff(trace(*SLICE), "x.pftrace") == 90

    @pytest.mark.parametrize("content", [b"", b"{}", b"\x0a\x03abc", b"\x08\x01"])
    def test_of_others(self, content: bytes) -> None:
        assert sniff(content, "x") == 0
