"""The Perfetto export: every slice with its times, on the right track, with all that belongs to it.

The written files are read back through the protobuf classes and put together as viewers do it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warehouse.errors import ExportError
from warehouse.export.perfetto import parts
from warehouse.export.perfetto import slices as readers
from warehouse.export.perfetto.trace import export_perfetto
from warehouse.store import database

T = 1 << 32
BASE = 1_000_000  # the trace's base_ns


def test_slices_come_out_with_their_begin_and_end(
    warehouse: Any, slices: Any, read: Any, tmp_path: Path
) -> None:
    connection = warehouse(
        slices((0, 0, 0, 100, "outer"), (1, 0, 10, 20, "inner", 1), (2, 1, 50, 7, "kernel"))
    )

    written = export_perfetto(connection, tmp_path / "x.pftrace")

    assert read(tmp_path / "x.pftrace").shown() == [
        ("main", "inner", BASE + 10, 20),
        ("main", "outer", BASE, 100),
        ("stream 7", "kernel", BASE + 50, 7),
    ]
    assert written.n_slices == 3


def test_slices_that_meet_do_not_swallow_one_another(
    warehouse: Any, slices: Any, read: Any, tmp_path: Path
) -> None:
    connection = warehouse(
        slices(
            (0, 0, 0, 10, "first"),
            (1, 0, 5, 5, "ends with first", 1),
            (2, 0, 10, 0, "point between", 1),
            (3, 0, 10, 10, "second"),
            (4, 0, 10, 4, "begins with second", 1),
            (5, 0, 20, 0, "point at the end"),
        )
    )

    export_perfetto(connection, tmp_path / "x.pftrace")

    assert {s.name: (s.dur, s.depth) for s in read(tmp_path / "x.pftrace").slices} == {
        "first": (10, 0),
        "ends with first": (5, 1),
        "second": (10, 0),
        "begins with second": (4, 1),
        "point between": (0, 2),
        "point at the end": (0, 0),
    }


def test_a_slice_of_no_length_is_no_instant(
    warehouse: Any, slices: Any, read: Any, tmp_path: Path
) -> None:
    connection = warehouse(slices((0, 0, 5, 0, "short"), (1, 0, 6, 0, "mark", 0, "i")))

    export_perfetto(connection, tmp_path / "x.pftrace")

    timeline = read(tmp_path / "x.pftrace")
    assert [s.name for s in timeline.slices] == ["short"]
    assert [s.name for s in timeline.instants] == ["mark"]


def test_overlapping_slices_go_on_lanes(
    warehouse: Any, slices: Any, read: Any, tmp_path: Path
) -> None:
    connection = warehouse(
        slices(
            (0, 1, 0, 10, "a"),
            (1, 1, 5, 10, "b"),
            (2, 1, 6, 20, "c"),
            (3, 1, 15, 5, "d"),
            (4, 0, 0, 10, "host a"),
            (5, 0, 5, 10, "host b"),
        )
    )

    written = export_perfetto(connection, tmp_path / "x.pftrace")

    timeline = read(tmp_path / "x.pftrace")
    assert timeline.shown() == [
        ("main", "host a", BASE, 10),
        ("main #2", "host b", BASE + 5, 10),
        ("stream 7", "a", BASE, 10),
        ("stream 7", "d", BASE + 15, 5),
        ("stream 7 #2", "b", BASE + 5, 10),
        ("stream 7 #3", "c", BASE + 6, 20),
    ]
    assert written.n_on_extra_lanes == 3


def test_lanes_lie_under_the_thread_or_beside_the_stream(
    warehouse: Any, slices: Any, read: Any, tmp_path: Path
) -> None:
    connection = warehouse(
        slices((0, 0, 0, 10, "a"), (1, 0, 5, 10, "b"), (2, 1, 0, 10, "c"), (3, 1, 5, 10, "d"))
    )

    export_perfetto(connection, tmp_path / "x.pftrace")

    timeline = read(tmp_path / "x.pftrace")
    tracks = {timeline.name_of(uuid): track for uuid, track in timeline.tracks.items()}
    assert tracks["main #2"].parent_uuid == tracks["main"].uuid
    assert tracks["stream 7 #2"].parent_uuid == tracks["stream 7"].parent_uuid


def test_an_unfinished_slice_has_no_end(
    warehouse: Any, slices: Any, read: Any, tmp_path: Path
) -> None:
    connection = warehouse(
        slices((0, 0, 0, 20, "whole"), (1, 0, 5, -1, "unfinished", 1), (2, 0, 6, 3, "after", 2))
    )

    written = export_perfetto(connection, tmp_path / "x.pftrace")

    assert read(tmp_path / "x.pftrace").shown() == [
        ("main", "after", BASE + 6, 3),
        ("main", "whole", BASE, 20),
        ("main #2", "unfinished", BASE + 5, -1),
    ]
    assert written.n_unfinished == 1


def test_a_slice_that_ends_before_it_begins_keeps_its_duration_as_an_argument(
    warehouse: Any, slices: Any, read: Any, tmp_path: Path
) -> None:
    connection = warehouse(
        slices((0, 0, 9, -4, "with", 0, "X", '{"k": 1}'), (1, 0, 9, -5, "without"))
    )

    written = export_perfetto(connection, tmp_path / "x.pftrace")

    shown = {s.name: (s.ts, s.dur, s.args) for s in read(tmp_path / "x.pftrace").slices}
    assert shown == {
        "with": (BASE + 9, 0, {"tw.dur_ns": -4, "k": 1}),
        "without": (BASE + 9, 0, {"tw.dur_ns": -5}),
    }
    assert written.n_negative == 2


#: Arguments as JSON, and what a viewer shows of them.
ARGUMENTS: list[tuple[str, dict[str, Any]]] = [
    ('{"a": 1, "b": -1, "c": 0}', {"a": 1, "b": -1, "c": 0}),
    ('{"big": 9007199254740993}', {"big": 9007199254740993}),
    ('{"most": 9223372036854775807}', {"most": 9223372036854775807}),
    ('{"least": -9223372036854775808}', {"least": -9223372036854775808}),
    ('{"unsigned": 18446744073709551615}', {"unsigned": 18446744073709551615}),
    ('{"x": 1.5, "y": 1e3, "z": -0.25}', {"x": 1.5, "y": 1000.0, "z": -0.25}),
    ('{"yes": true, "no": false, "none": null}', {"yes": True, "no": False, "none": "null"}),
    ('{"s": "text", "empty": ""}', {"s": "text", "empty": ""}),
    ('{"é": "日本", "q": "a\\"b\\\\c\\n"}', {"é": "日本", "q": 'a"b\\c\n'}),
    ('{"dims": [[1, 2], [3]]}', {"dims": [[1, 2], [3]]}),
    ('{"o": {"p": {"q": [1.5, "r"]}}}', {"o": {"p": {"q": [1.5, "r"]}}}),
    ('{"none": [], "nothing": {}}', {"none": "[]", "nothing": "{}"}),
    ("{}", {}),
    ("[1, 2]", {"args": [1, 2]}),
    ('"text"', {"args": "text"}),
]


def test_arguments_keep_their_type(warehouse: Any, slices: Any, read: Any, tmp_path: Path) -> None:
    with_arguments = [(n, 0, n, 1, f"x{n}", 0, "X", text) for n, (text, _) in enumerate(ARGUMENTS)]
    connection = warehouse(slices(*with_arguments, (99, 0, 99, 1, "after")))

    export_perfetto(connection, tmp_path / "x.pftrace")

    shown = {s.name: s.args for s in read(tmp_path / "x.pftrace").slices}
    expected = {f"x{n}": arguments for n, (_, arguments) in enumerate(ARGUMENTS)}
    assert shown == {**expected, "after": {}}


@pytest.mark.parametrize("n_other_keys", [0, 70])
def test_a_key_that_comes_twice_is_written_twice(
    n_other_keys: int, warehouse: Any, slices: Any, tmp_path: Path
) -> None:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

    others = "{" + ", ".join(f'"k{n}": {n}' for n in range(n_other_keys)) + "}"
    texts = [others, '{"a": 1, "a": 2}', "{}", '{"a": 3, "b": 4, "a": 5}', '{"a": 6, "b": 7}']
    connection = warehouse(slices(*((n, 0, n, 1, "x", 0, "X", t) for n, t in enumerate(texts))))

    export_perfetto(connection, tmp_path / "x.pftrace")

    packets = Trace.FromString((tmp_path / "x.pftrace").read_bytes()).packet
    values = [a.int_value for p in packets for a in p.track_event.debug_annotations]
    assert values == [*range(n_other_keys), 1, 2, 3, 4, 5, 6, 7]


def test_an_arrow_goes_from_cause_to_effect_whatever_the_clocks_say(
    warehouse: Any, slices: Any, read: Any, tmp_path: Path
) -> None:
    connection = warehouse(
        slices(
            (0, 1, 10, 5, "launch"),
            (1, 0, 20, 5, "kernel"),
            (2, 1, 30, 5, "sync call"),
            (3, 0, 28, 5, "sync"),
            (4, 1, 40, 5, "mark call"),
            (5, 0, 40, 0, "mark"),
            (6, 1, 60, 5, "late call"),
            (7, 0, 50, 5, "early"),
        ),
        f"""INSERT INTO link
        SELECT {T} + n, 1, 1, {T} + 2 * n, {T} + 2 * n + 1, 'launch', 'r', 1, 'default', 'q', 1
        FROM range(4) AS r(n)""",
        f"INSERT INTO link VALUES ({T + 9}, 1, 1, {T}, {T + 7}, 'x', 'r', 1, 'other set', 'q', 1)",
    )

    written = export_perfetto(connection, tmp_path / "x.pftrace")

    assert sorted(read(tmp_path / "x.pftrace").flows) == [
        ("early", "late call"),  # cannot be drawn the other way: reversed, and counted
        ("launch", "kernel"),
        ("mark call", "mark"),
        ("sync call", "sync"),
    ]
    assert (written.n_flows, written.n_reversed_flows) == (4, 1)


def test_counters_keep_their_values_and_unit(warehouse: Any, read: Any, tmp_path: Path) -> None:
    connection = warehouse(
        f"""INSERT INTO counter VALUES ({T}, 1, {T + 3}, 5, 1.5), ({T + 1}, 1, {T + 3}, 6, NULL),
        ({T + 2}, 1, {T + 3}, 7, -2)"""
    )

    written = export_perfetto(connection, tmp_path / "x.pftrace")

    timeline = read(tmp_path / "x.pftrace")
    assert timeline.counters == [("memory", BASE + 5, 1.5), ("memory", BASE + 7, -2.0)]
    assert [t.counter.unit_name for t in timeline.tracks.values() if t.name == "memory"] == ["byte"]
    assert (written.n_counter_values, written.n_null_values) == (2, 1)


def test_places_are_processes_threads_and_named_tracks(
    warehouse: Any, read: Any, tmp_path: Path
) -> None:
    connection = warehouse()

    export_perfetto(connection, tmp_path / "x.pftrace")

    timeline = read(tmp_path / "x.pftrace")
    tracks = {timeline.name_of(uuid): track for uuid, track in timeline.tracks.items()}
    assert (tracks["python"].process.pid, tracks["main"].thread.pid) == (4242, 4242)
    assert tracks["main"].thread.tid == 4242
    assert list(tracks["device"].process.process_labels) == ["GPU 0"]
    assert tracks["device"].process.pid > 0  # viewers take 0 for the idle task
    assert tracks["stream 7"].parent_uuid == tracks["device"].uuid
    assert tracks["request"].parent_uuid == tracks["python"].uuid


SECOND_RANK = f"""
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
                   imported_at, base_ns, source_base_ns)
VALUES (2, 1, 'rank1', 1, 'made', 'made', 1, '0', '2026-01-01', 2000000, 0);
INSERT INTO process (id, trace_id, pid, name) VALUES ({2 * T}, 2, 4242, 'python');
INSERT INTO thread (id, trace_id, process_id, tid, name) VALUES ({2 * T}, 2, {2 * T}, 4242, 'main');
INSERT INTO track (id, trace_id, kind, name, process_id, thread_id)
VALUES ({2 * T}, 2, 'thread', 'main', {2 * T}, {2 * T});
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth)
VALUES ({2 * T}, 2, {2 * T}, 0, 10, 'there', 0);
"""


def test_ranks_in_one_file_are_told_apart(
    warehouse: Any, slices: Any, read: Any, tmp_path: Path
) -> None:
    connection = warehouse(slices((0, 0, 0, 10, "here")), SECOND_RANK)

    written = export_perfetto(connection, tmp_path / "x.pftrace")

    timeline = read(tmp_path / "x.pftrace")
    processes = [t.process for t in timeline.tracks.values() if t.HasField("process")]
    assert [p.process_name for p in processes] == [
        "rank 0: python",
        "rank 0: device",
        "rank 1: python",
    ]
    assert len({p.pid for p in processes}) == 3
    assert written.unaligned_traces == ("demo/rank0", "demo/rank1")


def test_known_clock_offsets_align_the_ranks(
    warehouse: Any, slices: Any, read: Any, tmp_path: Path
) -> None:
    connection = warehouse(
        slices((0, 0, 0, 10, "here")),
        SECOND_RANK,
        f"""INSERT INTO clock (id, trace_id, name, offset_ns)
        VALUES ({T}, 1, 'c', 0), ({2 * T}, 2, 'c', -1000000)""",
        "UPDATE trace SET clock_id = id << 32",
    )

    written = export_perfetto(connection, tmp_path / "x.pftrace")

    starts = {s.name: s.ts for s in read(tmp_path / "x.pftrace").slices}
    assert starts == {"here": BASE, "there": BASE}
    assert written.unaligned_traces == ()


def test_a_clock_that_drifts_is_right_at_the_middle_of_its_trace(
    warehouse: Any, slices: Any, read: Any, tmp_path: Path
) -> None:
    connection = warehouse(
        slices((0, 0, 0, 1000, "outer"), (1, 0, 600, 400, "inner", 1)),
        f"INSERT INTO clock (id, trace_id, name, offset_ns, drift) VALUES ({T}, 1, 'c', 7, 0.1)",
        "UPDATE trace SET clock_id = id << 32, end_ts = 1000",
    )

    export_perfetto(connection, tmp_path / "x.pftrace")

    starts = {s.name: s.ts for s in read(tmp_path / "x.pftrace").slices}
    assert starts == {"outer": BASE + 57, "inner": BASE + 657}
    (aligned,) = connection.execute(
        "SELECT list(aligned_ts_ns ORDER BY slice_id) FROM aligned_slice"
    ).fetchall()
    assert aligned == ([BASE + 7, BASE + 667],)


def test_times_below_zero_move_the_whole_file(
    warehouse: Any, slices: Any, read: Any, tmp_path: Path
) -> None:
    connection = warehouse(slices((0, 0, -1_000_005, 1, "early"), (1, 0, 0, 1, "late")))

    written = export_perfetto(connection, tmp_path / "x.pftrace")

    assert [s.ts for s in read(tmp_path / "x.pftrace").slices] == [0, 1_000_005]
    assert written.moved_ns == 5


def test_arguments_and_arrows_can_be_left_out(
    warehouse: Any, slices: Any, read: Any, tmp_path: Path
) -> None:
    connection = warehouse(
        slices((0, 0, 0, 1, "a", 0, "X", '{"k": 1}'), (1, 0, 1, 1, "b")),
        f"INSERT INTO link VALUES ({T}, 1, 1, {T}, {T + 1}, 'x', 'r', 1, 'default', 'q', 1)",
    )

    export_perfetto(connection, tmp_path / "x.pftrace", with_args=False, with_flows=False)

    timeline = read(tmp_path / "x.pftrace")
    assert (timeline.flows, [s.args for s in timeline.slices]) == ([], [{}, {}])


def test_the_bytes_are_those_of_the_protobuf_classes(
    warehouse: Any, slices: Any, tmp_path: Path
) -> None:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

    args = json.dumps({"i": -1, "d": 0.5, "s": "é" * 200, "n": {"l": [1, {"x": []}]}, "z": None})
    connection = warehouse(
        slices((0, 0, 0, 10, "a", 0, "X", args), (1, 0, 1, 2, "b", 1), (2, 1, 3, 0, "c", 0, "i")),
        f"INSERT INTO link VALUES ({T}, 1, 1, {T}, {T + 2}, 'x', 'r', 1, 'default', 'q', 1)",
        f"INSERT INTO counter VALUES ({T}, 1, {T + 3}, 5, 1.5)",
    )

    export_perfetto(connection, tmp_path / "x.pftrace")

    content = (tmp_path / "x.pftrace").read_bytes()
    assert Trace.FromString(content).SerializeToString() == content


@pytest.mark.integration
def test_the_same_rows_give_the_same_bytes(warehouse: Any, slices: Any, tmp_path: Path) -> None:
    rows = slices(*((n, n % 2, n // 2, n % 5, f"s{n % 3}") for n in range(50)))

    export_perfetto(warehouse(rows), tmp_path / "one.pftrace")
    export_perfetto(warehouse(rows), tmp_path / "two.pftrace")

    assert (tmp_path / "one.pftrace").read_bytes() == (tmp_path / "two.pftrace").read_bytes()


def test_nothing_to_export_is_an_error_and_leaves_no_file(warehouse: Any, tmp_path: Path) -> None:
    connection = warehouse(places="SELECT 1")
    (tmp_path / "x.pftrace").write_bytes(b"older")

    with pytest.raises(ExportError, match="nothing to export"):
        export_perfetto(connection, tmp_path / "x.pftrace")

    assert (tmp_path / "x.pftrace").read_bytes() == b"older"
    assert [each.name for each in tmp_path.glob("*.part")] == []


ROWS = st.lists(
    st.tuples(
        st.integers(0, 1),  # track
        st.integers(0, 12),  # ts
        st.sampled_from([-5, -1, 0, 0, 1, 2, 3, 7]),  # dur
        st.sampled_from(["X", "X", "i"]),
    ),
    max_size=25,
)


Rows = list[tuple[int, int, int, str]]
Check = Callable[[Rows, int], None]


@pytest.fixture
def check_lanes(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    empty_timeline: str,
    slices: Any,
    read: Any,
) -> Check:
    """Exports rows and compares what is shown, in batches of a size."""

    def check(rows: Rows, batch_rows: int) -> None:
        folder = tmp_path_factory.mktemp("lanes")
        database.create_empty(folder / "w.duckdb")
        connection = duckdb.connect(str(folder / "w.duckdb"))
        connection.execute(empty_timeline)
        inserted = [(n, *row[:3], f"s{n}", 0, row[3]) for n, row in enumerate(rows)]
        if inserted:
            connection.execute(slices(*inserted))
        # Depths as an importer states them, in a way that is too slow for it.
        connection.execute("""
            UPDATE slice SET depth = (
              SELECT count(*) FROM slice AS o
              WHERE o.track_id = slice.track_id AND o.id <> slice.id AND o.dur > 0
                AND o.ts <= slice.ts AND o.ts + o.dur >= slice.ts + greatest(slice.dur, 0)
                AND (o.ts, -o.dur, o.id) < (slice.ts, -slice.dur, slice.id)
            )
        """)
        monkeypatch.setattr(parts, "PART_ROWS", batch_rows)
        monkeypatch.setattr(readers, "_SIZES", ((batch_rows, True),))

        export_perfetto(connection, folder / "x.pftrace")

        timeline = read(folder / "x.pftrace")
        shown = sorted((s.name, s.ts, s.dur) for s in [*timeline.slices, *timeline.instants])
        assert shown == sorted(
            (f"s{n}", BASE + ts, dur if dur >= -1 else 0) for n, (_, ts, dur, _) in enumerate(rows)
        )
        connection.close()

    return check


RANDOM = {"rows": ROWS, "batch_rows": st.sampled_from([1, 3, 1000])}
UNCHECKED = [HealthCheck.function_scoped_fixture]


@pytest.mark.integration
@settings(max_examples=5, deadline=None, suppress_health_check=UNCHECKED)
@given(**RANDOM)
def test_no_slice_is_lost_or_changed_however_they_lie(
    check_lanes: Check, rows: Rows, batch_rows: int
) -> None:
    check_lanes(rows, batch_rows)


@pytest.mark.slow
@settings(max_examples=300, deadline=None, suppress_health_check=UNCHECKED)
@given(**RANDOM)
def test_of_very_many_slices_none_is_lost(check_lanes: Check, rows: Rows, batch_rows: int) -> None:
    check_lanes(rows, batch_rows)
