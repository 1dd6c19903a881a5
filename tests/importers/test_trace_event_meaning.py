"""Brackets, async groups, counters, instants and arrows mean what the Trace Event Format says."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tw_importers.trace_event.brackets import Mark, match_ends
from warehouse.ingest.pipeline import import_paths
from warehouse.store import database

ORACLE = Path(__file__).parent.parent / "data" / "kineto" / "gpu_handwritten"
Event = dict[str, Any]


def imported(path: Path, folder: Path) -> database.Reader:
    (outcome,) = import_paths([path], db=folder / "w.duckdb")
    assert outcome.error is None
    return database.Reader(folder / "w.duckdb")


def event(text: str, **more: Any) -> Event:
    """`B a 1/2 @5 +3` is a B named a on process 1, thread 2, at 5 us, of 3 us; `-` is no name."""
    phase, name, place, at, *length = text.split()
    pid, tid = place.split("/")
    made: Event = {"ph": phase, "pid": int(pid), "tid": int(tid), "ts": int(at[1:])}
    made |= {} if name == "-" else {"name": name}
    return {**made, **({"dur": int(length[0][1:])} if length else {}), **more}


def table(tmp_path: Path, events: list[Event], sql: str) -> list[tuple[Any, ...]]:
    (tmp_path / "t.json").write_text(json.dumps({"traceEvents": events}))
    with imported(tmp_path / "t.json", tmp_path) as reader:
        return list(reader.connection.execute(sql).fetchall())


SLICES = """
SELECT s.name, ts // 1000, CASE WHEN dur < 0 THEN dur ELSE dur // 1000 END, depth
FROM slice AS s JOIN track AS k ON k.id = s.track_id JOIN process AS p ON p.id = k.process_id
WHERE p.pid BETWEEN ? AND ?
ORDER BY ALL
"""


THREADS: Any = [
    # an end closes the last beginning that is open on its thread
    (["B a 1/1 @0", "B b 1/1 @2", "E - 1/1 @5", "E - 1/1 @9"], [("a", 0, 9, 0), ("b", 2, 3, 1)]),
    # threads and processes do not mix
    (["B a 1/1 @0", "B b 1/2 @1", "B c 2/1 @2", "E - 1/1 @3", "E - 1/2 @5", "E - 2/1 @8"],
     [("a", 0, 3, 0), ("b", 1, 4, 0), ("c", 2, 6, 0)]),
    # the order in the file does not matter, times do
    (["E - 1/1 @9", "B a 1/1 @0", "E - 1/1 @5", "B b 1/1 @2"], [("a", 0, 9, 0), ("b", 2, 3, 1)]),
    # an end too many is not used, and does not unsettle what follows
    (["B a 1/1 @0", "E - 1/1 @1", "E - 1/1 @2", "B b 1/1 @3", "E - 1/1 @4"],
     [("a", 0, 1, 0), ("b", 3, 1, 0)]),
    # what never ends reaches to the end of the trace
    (["B a 1/1 @0", "B b 1/1 @1", "E - 1/1 @4", "X c 1/1 @5 +2"],
     [("a", 0, -1, 0), ("b", 1, 3, 1), ("c", 5, 2, 1)]),
    # one ends where the next begins
    (["B a 1/1 @0", "E - 1/1 @5", "B b 1/1 @5", "E - 1/1 @7"], [("a", 0, 5, 0), ("b", 5, 2, 0)]),
    # the same where an end has the name of an outer begin: it closes all begins inside that one
    (["E a 1/1 @9", "E c 1/1 @12", "B b 1/1 @2", "B a 1/1 @0", "B c 1/1 @10"],
     [("a", 0, 9, 0), ("b", 2, 7, 1), ("c", 10, 2, 0)]),
    # instants are slices without length
    (["X a 1/1 @0 +4", "i b 1/1 @2", "I c 1/1 @4", "R d 1/1 @9"],
     [("a", 0, 4, 0), ("b", 2, 0, 1), ("c", 4, 0, 0), ("d", 9, 0, 0)]),
]  # fmt: skip

ASYNC: Any = [
    # one id nests
    ([("b a 1/1 @0", {"cat": "c", "id": 7}), ("b b 1/2 @1", {"cat": "c", "id": 7}),
      ("n m 1/1 @2", {"cat": "c", "id": 7}), ("e b 1/1 @3", {"cat": "c", "id": 7}),
      ("e a 1/9 @4", {"cat": "c", "id": 7})], [("a", 0, 4, 0), ("b", 1, 2, 1), ("m", 2, 0, 2)]),
    # ids, categories and processes do not mix
    ([("b a 1/1 @0", {"cat": "c", "id": 1}), ("b b 1/1 @1", {"cat": "c", "id": "0x1"}),
      ("b d 1/1 @2", {"cat": "k", "id": 1}), ("b f 2/1 @3", {"cat": "c", "id": 1}),
      ("e a 1/1 @4", {"cat": "c", "id": 1}), ("e b 1/1 @6", {"cat": "c", "id": "0x1"}),
      ("e d 1/1 @8", {"cat": "k", "id": 1}), ("e f 2/1 @9", {"cat": "c", "id": 1})],
     [("a", 0, 4, 0), ("b", 1, 5, 0), ("d", 2, 6, 0), ("f", 3, 6, 0)]),
    # a local id belongs to its process, a global one to all
    ([("b a 1/1 @0", {"cat": "c", "id2": {"local": "0x2"}}),
      ("b b 2/1 @1", {"cat": "c", "id2": {"local": "0x2"}}),
      ("b g 1/1 @2", {"cat": "c", "id2": {"global": "0x2"}}),
      ("e - 1/1 @3", {"cat": "c", "id2": {"local": "0x2"}}),
      ("e - 2/1 @5", {"cat": "c", "id2": {"local": "0x2"}}),
      ("e - 2/1 @8", {"cat": "c", "id2": {"global": "0x2"}})],
     [("a", 0, 3, 0), ("b", 1, 4, 0), ("g", 2, 6, 0)]),
    # the old forms are distinguished by name as well
    ([("S a 1/1 @0", {"cat": "c", "id": 3}), ("S b 1/1 @1", {"cat": "c", "id": 3}),
      ("T a 1/1 @2", {"cat": "c", "id": 3}), ("F a 1/1 @3", {"cat": "c", "id": 3}),
      ("F b 1/1 @5", {"cat": "c", "id": 3})],
     [("a", 0, 3, 0), ("a", 2, 0, 1), ("b", 1, 4, 0)]),
]  # fmt: skip

APART = 100  # processes of one case lie below the next case's


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[database.Reader]:
    """All cases in one trace, each with processes and async ids of its own."""
    texts: list[Any] = [[(text, {}) for text in events] for events, _ in THREADS]
    texts += [events for events, _ in ASYNC]
    made = [
        {**each, "pid": each["pid"] + APART * n}
        for n, events in enumerate(texts)
        for each in (event(text, **more) for text, more in events)
    ]
    folder = tmp_path_factory.mktemp("cases")
    (folder / "t.json").write_text(json.dumps({"traceEvents": made}))
    with imported(folder / "t.json", folder) as reader:
        yield reader


def slices_of(cases: database.Reader, n: int) -> list[tuple[Any, ...]]:
    return list(cases.connection.execute(SLICES, [APART * n, APART * (n + 1) - 1]).fetchall())


@pytest.mark.parametrize("n", range(len(THREADS)))
def test_slices_of_threads(cases: database.Reader, n: int) -> None:
    assert slices_of(cases, n) == THREADS[n][1]


@pytest.mark.parametrize("n", range(len(ASYNC)))
def test_async_slices(cases: database.Reader, n: int) -> None:
    assert slices_of(cases, len(THREADS) + n) == ASYNC[n][1]


def test_ends_without_beginnings_and_beginnings_without_ends_are_reported(tmp_path: Path) -> None:
    events = [event("E - 1/1 @1"), event("B a 1/1 @2"), event("e x 1/1 @3", cat="c", id=1)]

    reported = table(
        tmp_path, events,
        "SELECT detail, value::BIGINT FROM import_stat WHERE name = 'unused' "
        "UNION ALL SELECT kind, count FROM import_problem ORDER BY ALL",
    )  # fmt: skip

    assert reported == [("end without a beginning", 2), ("unfinished_slice", 1)]


def test_each_series_of_a_counter_is_a_track(tmp_path: Path) -> None:
    events = [
        event("C memory 1/1 @5", args={"used": 1.5, "free": 2}),
        event("C memory 1/2 @3", args={"used": 7}),
        event("C memory 2/1 @4", args={"used": 9}),
        event("C value 1/1 @3", args={"value": 1e300}),
        event("C odd 1/1 @3", args={"": 1, "*": 2, 'a.b"\\/~': 3, "text": "no"}),
        event("C none 1/1 @3"),
    ]

    rows = table(tmp_path, events, """
        SELECT k.name, p.pid, c.ts // 1000, c.value
        FROM counter AS c JOIN track AS k ON k.id = c.track_id JOIN process AS p
          ON p.id = k.process_id
        ORDER BY ALL
    """)  # fmt: skip

    assert rows == [
        ("memory free", 1, 2, 2), ("memory used", 1, 0, 7), ("memory used", 1, 2, 1.5),
        ("memory used", 2, 1, 9), ("odd", 1, 0, 1), ("odd *", 1, 0, 2),
        ('odd a.b"\\/~', 1, 0, 3), ("odd text", 1, 0, None), ("value", 1, 0, 1e300),
    ]  # fmt: skip


ARROWS = """
SELECT f.phase, f.ts // 1000, s.name
FROM flow_point AS f LEFT JOIN slice AS s ON s.id = f.slice_id
ORDER BY f.ts, f.phase, s.name NULLS LAST
"""


def test_arrows_bind_to_the_slice_around_them_and_ends_to_the_next(tmp_path: Path) -> None:
    arrow = {"cat": "f", "id": 1}
    events = [
        event("X outer 1/1 @0 +10"), event("X inner 1/1 @2 +3"), event("X next 1/1 @20 +5"),
        event("s f 1/1 @3", **arrow), event("t f 1/1 @7", **arrow), event("f f 1/1 @8", **arrow),
        event("f f 1/1 @9", bp="e", **arrow), event("s f 1/1 @15", **arrow),
        event("f f 1/1 @30", **arrow), event("s f 1/2 @3", **arrow),
    ]  # fmt: skip

    assert table(tmp_path, events, ARROWS) == [
        ("s", 3, "inner"), ("s", 3, None), ("t", 7, "outer"), ("f", 8, "next"), ("f", 9, "outer"),
        ("s", 15, None), ("f", 30, None),
    ]  # fmt: skip


@pytest.mark.parametrize("order", list(permutations(range(4)))[::11], ids=str)
def test_arrows_choose_between_slices_of_one_time_by_their_nesting(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    """Whatever the order in the file and the categories, which slices are stored by."""
    arrow = {"cat": "f", "id": 1}
    slices = [
        event("X around 1/1 @0 +10", cat="b"), event("X in 1/1 @4 +6", cat="a"),
        event("X outer 1/2 @20 +9", cat="a"), event("X inner 1/2 @20 +5", cat="b"),
    ]  # fmt: skip
    events = [
        *(slices[n] for n in order),
        event("s f 1/1 @10", **arrow), event("f f 1/2 @15", **arrow),
    ]  # fmt: skip

    assert table(tmp_path, events, ARROWS) == [("s", 10, "in"), ("f", 15, "outer")]


def test_the_last_of_several_instants_is_around_an_arrow(tmp_path: Path) -> None:
    arrow = {"cat": "f", "id": 1}
    events = [
        event("X first 1/1 @0 +0", cat="b"), event("X last 1/1 @0 +0", cat="a"),
        event("s f 1/1 @0", **arrow),
    ]  # fmt: skip

    assert table(tmp_path, events, ARROWS) == [("s", 0, "last")]


@pytest.fixture(scope="module")
def oracle() -> Any:
    return json.loads((ORACLE / "expected.json").read_text())


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with imported(ORACLE / "trace.json", tmp_path_factory.mktemp("oracle")) as opened:
        yield opened


FILE_TS = "s.ts + (SELECT base_ns - source_base_ns FROM trace)"


def rows(reader: database.Reader, sql: str) -> list[tuple[Any, ...]]:
    return list(reader.connection.execute(sql).fetchall())


def linked(reader: database.Reader, kind: str) -> list[tuple[Any, ...]]:
    return rows(
        reader,
        f"""
        SELECT a.name, {FILE_TS.replace("s.ts", "a.ts")}, b.name, {FILE_TS.replace("s.ts", "b.ts")}
        FROM link AS l JOIN slice AS a ON a.id = l.from_id JOIN slice AS b ON b.id = l.to_id
        WHERE l.kind = '{kind}' ORDER BY ALL
    """,
    )


def test_launches_cause_the_work_the_oracle_says(reader: database.Reader, oracle: Any) -> None:
    expected = [(r["launch"], r["launch_ts_ns"], r["op"], r["op_ts_ns"]) for r in oracle["links"]]

    assert linked(reader, "launch") == sorted(expected)


def test_launches_are_inside_the_operators_the_oracle_says(
    reader: database.Reader, oracle: Any
) -> None:
    found = {(launch, ts): op for op, _, launch, ts in linked(reader, "op_launch")}

    assert found == {
        (r["launch"], r["launch_ts_ns"]): r["cpu_op"]
        for r in oracle["launch_operators"]
        if r["cpu_op"] is not None
    }


def test_work_without_a_launch_is_what_the_oracle_says(
    reader: database.Reader, oracle: Any
) -> None:
    orphans = rows(
        reader,
        f"""
        SELECT s.name, {FILE_TS} FROM gpu_op AS g JOIN slice AS s ON s.id = g.slice_id
        WHERE g.kind <> 'sync' AND s.id NOT IN (SELECT to_id FROM link WHERE kind = 'launch')
        ORDER BY ALL
    """,
    )

    expected = oracle["orphans"]["ops_without_launch"]
    assert orphans == sorted((row["name"], row["ts_ns"]) for row in expected)


def test_slices_nest_as_the_oracle_says(reader: database.Reader, oracle: Any) -> None:
    found = rows(
        reader,
        f"""
        SELECT h.source_tid, {FILE_TS}, s.dur, s.name, s.depth, above.name
        FROM slice AS s
        JOIN track AS k ON k.id = s.track_id
        JOIN thread AS h ON h.id = k.thread_id
        LEFT JOIN slice AS above ON above.id = s.parent_id
        WHERE s.phase = 'X'
    """,
    )

    expected = [
        (json.dumps(track["tid"]), *(r[k] for k in ("ts_ns", "dur_ns", "name", "depth", "parent")))
        for track in oracle["nesting"] for r in track["slices"]
    ]  # fmt: skip
    assert sorted(map(str, found)) == sorted(map(str, expected))


def test_brackets_and_async_groups_are_what_the_oracle_says(
    reader: database.Reader, oracle: Any
) -> None:
    found = rows(
        reader,
        f"""
        SELECT s.name, {FILE_TS}, s.dur FROM slice AS s WHERE s.phase IN ('B', 'b') ORDER BY ALL
    """,
    )

    expected = [*oracle["begin_end"], *oracle["async"]]
    assert found == sorted((r["name"], r["ts_ns"], r["dur_ns"]) for r in expected)


def test_a_pair_has_the_arguments_of_both_its_ends(tmp_path: Path) -> None:
    events = [
        event("B a 1/1 @0", args={"x": 1, "y": 1}),
        event("E - 1/1 @5", args={"y": 2}),
        event("B b 1/1 @6"),
        event("E - 1/1 @7", args={"z": 3}),
    ]

    found = table(tmp_path, events, "SELECT name, args_json FROM slice ORDER BY name")

    assert [(name, json.loads(args)) for name, args in found] == [
        ("a", {"x": 1, "y": 2}),
        ("b", {"z": 3}),
    ]


def test_ends_that_close_nothing_are_found_without_a_search() -> None:
    """With a search of all open begins for each, these would take ten minutes."""
    n = 60_000
    begins = [Mark(seq, seq, True, "lost its end", "c") for seq in range(n)]
    ends = [Mark(seq, seq, False, "lost its begin", "c") for seq in range(n, 2 * n)]
    started = time.process_time()
    found = list(match_ends([*begins, *ends]))

    assert [end.seq for end in found if end.is_unmatched_end] == list(range(n, 2 * n))
    assert [end.seq for end in found if not end.is_unmatched_end] == list(range(n))
    assert time.process_time() - started < 30
