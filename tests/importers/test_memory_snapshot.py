"""Memory snapshots become events, segments, blocks and stacks that say what the allocator did."""

from __future__ import annotations

import gzip
import io
import pickle  # to write
import random
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import integration
from tests.support.snapshots import BASE_US, Snapshot, make
from tw_importers.memory_snapshot import sniff
from tw_importers.pickled.unpickle import Unpickler
from warehouse.ingest import pipeline
from warehouse.query import execute
from warehouse.store import database

Row = dict[str, Any]
Import = Callable[..., Path]


@pytest.fixture
def imported(tmp_path: Path) -> Import:
    def run(snapshot: Snapshot, protocol: int = 5) -> Path:
        path = tmp_path / f"s{protocol}.pickle"
        path.write_bytes(snapshot.pickled(protocol))
        (outcome,) = pipeline.import_paths([path], db=tmp_path / "w.duckdb")
        assert outcome.error is None
        return tmp_path / "w.duckdb"

    return run


def rows(path: Path, query: str, **parameters: object) -> list[Row]:
    with database.Reader(path) as reader:
        found: list[Row] = execute.run(reader.connection, query, parameters).table().to_pylist()
    return found


@pytest.mark.parametrize(("seed", "forget"), [integration(1, 0), (2, 13), integration(3, 40)])
def test_every_event_says_what_was_allocated_and_reserved_after_it(
    imported: Import, seed: int, forget: int
) -> None:
    """Also where the history has lost its oldest entries: its end is what the segments hold."""
    snapshot = make(seed, devices=2, forget=forget)

    found = rows(imported(snapshot), "SELECT * FROM memory_event ORDER BY slice_id")

    for device in (0, 1):
        mine = [row for row in found if row["device_ordinal"] == device]
        entries = snapshot.entries(device)
        assert [row["name"] for row in mine] == [entry["action"] for entry in entries]
        assert [row["total_allocated_bytes"] for row in mine] == snapshot.allocated[device]
        assert [row["total_reserved_bytes"] for row in mine] == snapshot.reserved[device]
        signs = {"alloc": 1, "free_requested": -1}
        assert [row["bytes"] for row in mine] == [
            signs[entry["action"]] * entry["size"] if entry["action"] in signs else None
            for entry in entries
        ]
        assert [row["address"] for row in mine] == [entry.get("addr") for entry in entries]


def test_times_are_those_of_the_history(imported: Import) -> None:
    snapshot = make(4)
    path = imported(snapshot)

    (trace,) = rows(path, "SELECT base_ns FROM trace")
    times = [row["ts"] for row in rows(path, "SELECT ts FROM memory_event ORDER BY slice_id")]

    first = min(snapshot.entries(0)[0]["time_us"], BASE_US + 2)
    assert trace["base_ns"] == first * 1000
    assert times == [(entry["time_us"] - first) * 1000 for entry in snapshot.entries(0)]


@pytest.mark.parametrize("protocol", [0, integration(2)])
def test_every_protocol_says_the_same(imported: Import, protocol: int) -> None:
    snapshot = make(5, n=20)
    path = imported(snapshot, protocol)

    assert [row["total_allocated_bytes"] for row in rows(path, "FROM memory_event")] == (
        snapshot.allocated[0]
    )
    assert len(rows(path, "FROM memory_segment")) == len(snapshot.document["segments"])


def test_segments_and_blocks_are_kept_whole(imported: Import) -> None:
    snapshot = make(6, devices=2)
    path = imported(snapshot)

    segments = rows(path, "SELECT * FROM memory_segment ORDER BY id")
    blocks = rows(path, "SELECT * FROM memory_block ORDER BY id")

    truth = snapshot.document["segments"]
    assert [
        (s["address"], s["reserved_bytes"], s["allocated_bytes"], s["active_bytes"],
         s["requested_bytes"], s["device_ordinal"], s["kind"], s["pool"], s["is_expandable"])
        for s in segments
    ] == [
        (s["address"], s["total_size"], s["allocated_size"], s["active_size"],
         s["requested_size"], s["device"], "large", "0.0", False)
        for s in truth
    ]  # fmt: skip
    assert [(b["address"], b["bytes"], b["requested_bytes"], b["state"]) for b in blocks] == [
        (b["address"], b["size"], b["requested_size"], b["state"])
        for s in truth for b in s["blocks"]
    ]  # fmt: skip


def test_stacks_are_stored_once_and_found_again(imported: Import) -> None:
    snapshot = make(7)
    path = imported(snapshot)

    stacks: dict[int | None, list[tuple[str, int, str]]] = defaultdict(list)
    for row in rows(path, "SELECT * FROM call_frame ORDER BY call_stack_id, depth"):
        stacks[row["call_stack_id"]].append((row["file"], row["line"], row["function"]))
    events = rows(path, "SELECT * FROM memory_event ORDER BY slice_id")

    assert len(stacks) == len(set(map(tuple, stacks.values())))
    assert [stacks[row["call_stack_id"]] if row["call_stack_id"] else [] for row in events] == [
        [(f["filename"], f["line"], f["name"]) for f in entry["frames"]]
        for entry in snapshot.entries(0)
    ]


def test_fragmentation_is_that_of_the_blocks(imported: Import) -> None:
    """The sums are those of torch.cuda._memory_viz.segsum, which takes what awaits its release
    for free."""
    snapshot = make(8, devices=2)

    for row in rows(imported(snapshot), "memory_fragmentation"):
        mine = [s for s in snapshot.document["segments"] if s["device"] == row["device_ordinal"]]
        blocks = [block for segment in mine for block in segment["blocks"]]
        active = [block for block in blocks if block["state"] == "active_allocated"]
        free = [block["size"] for block in blocks if block["state"] == "inactive"]
        external = sum(b["size"] for b in blocks if b["state"] != "active_allocated")
        internal = sum(block["size"] - block["requested_size"] for block in active)
        assert row["reserved_bytes"] == sum(segment["total_size"] for segment in mine)
        assert row["requested_bytes"] == sum(block["requested_size"] for block in active)
        assert row["awaiting_bytes"] + row["free_bytes"] == external
        assert row["rounding_bytes"] == internal
        assert row["largest_free_bytes"] == max(free)
        assert row["fragmentation"] == pytest.approx(1 - max(free) / sum(free))


@pytest.mark.integration
@pytest.mark.parametrize(("seed", "forget"), [(9, 0), integration(10, 25), integration(11, 50)])
def test_lines_of_code_share_out_the_peak(imported: Import, seed: int, forget: int) -> None:
    """What is alive at the peak is found by playing the whole history, also what it has lost."""
    whole, lossy = make(seed), make(seed, forget=forget)
    path = imported(lossy)
    n_peak = forget + lossy.allocated[0].index(max(lossy.allocated[0]))
    alive: dict[int, Row] = {}
    for n, entry in enumerate(whole.entries(0)[: n_peak + 1]):
        if entry["action"] == "alloc":
            # A stack is known where the history has the allocation, or the snapshot the block.
            alive[entry["addr"]] = {**entry, "is_known": n >= forget or survives(whole, n)}
        elif entry["action"] == "free_requested":
            del alive[entry["addr"]]
    self_bytes: dict[tuple[str, int] | None, int] = defaultdict(int)
    total_bytes: dict[tuple[str, int] | None, int] = defaultdict(int)
    for entry in alive.values():
        frames = entry["frames"] if entry["is_known"] else []
        lines: list[tuple[str, int] | None]
        lines = [(f["filename"], f["line"]) for f in frames if f["filename"].endswith(".py")]
        self_bytes[lines[0] if lines else None] += entry["size"]
        for line in [*dict.fromkeys(lines)] or [None]:
            total_bytes[line] += entry["size"]

    found = rows(path, "memory_by_frame")

    line_of = {(row["file"], row["line"]) if row["file"] else None: row for row in found}
    assert {key: row["total_bytes"] for key, row in line_of.items()} == total_bytes
    assert {k: row["self_bytes"] for k, row in line_of.items() if row["self_bytes"]} == self_bytes
    assert sum(row["self_bytes"] for row in found) == max(lossy.allocated[0])


def survives(snapshot: Snapshot, n: int) -> bool:
    """Whether what entry n allocated is still there in the end."""
    entries = snapshot.entries(0)
    return not any(
        entry["action"] == "free_requested" and entry["addr"] == entries[n]["addr"]
        for entry in entries[n + 1 :]
    )


def test_lifetimes_are_those_of_the_history(imported: Import) -> None:
    snapshot = make(12)

    found = rows(imported(snapshot), "allocation")

    starts: dict[int, Row] = {}
    truth = []
    for entry in snapshot.entries(0):
        if entry["action"] == "alloc":
            starts[entry["addr"]] = entry
        elif entry["action"] == "free_requested":
            start = starts.pop(entry["addr"])
            truth.append((start["size"], (entry["time_us"] - start["time_us"]) * 1000))
    assert sorted((r["bytes"], r["lifetime_ns"]) for r in found if r["outcome"] == "released") == (
        sorted(truth)
    )
    assert sorted(r["bytes"] for r in found if r["outcome"] == "live") == sorted(
        entry["size"] for entry in starts.values()
    )


def test_a_history_without_requests_counts_what_was_completed(imported: Import) -> None:
    snapshot = make(13)
    entries = [e for e in snapshot.entries(0) if e["action"] != "free_requested"]
    snapshot.document["device_traces"][0] = entries

    found = rows(imported(snapshot), "FROM memory_event WHERE name = 'free_completed'")

    sizes = [e["size"] for e in entries if e["action"] == "free_completed"]
    assert [row["bytes"] for row in found] == [-size for size in sizes]


def test_a_snapshot_without_times_keeps_its_order(imported: Import) -> None:
    snapshot = make(14, n=10)
    for entry in snapshot.entries(0):
        del entry["time_us"]
    snapshot.document.pop("external_annotations")
    path = imported(snapshot)

    assert [row["name"] for row in rows(path, "FROM memory_event ORDER BY ts")] == [
        entry["action"] for entry in snapshot.entries(0)
    ]
    assert [row["kind"] for row in rows(path, "FROM import_problem")] == ["no_times"]


def test_old_snapshots_have_their_sizes_and_stacks_in_a_history_of_the_block(
    imported: Import,
) -> None:
    frames = [{"filename": "a.py", "line": 3, "name": "f"}]
    block = {"size": 512, "state": "active_allocated",
             "history": [{"addr": 64, "real_size": 300, "frames": frames}]}  # fmt: skip
    segment = {"address": 64, "total_size": 512, "stream": 0, "segment_type": "small",
               "allocated_size": 512, "active_size": 512, "blocks": [block]}  # fmt: skip
    path = imported(Snapshot({"segments": [segment], "device_traces": []}))

    (found,) = rows(path, "FROM memory_block")
    (frame,) = rows(path, "FROM call_frame")

    assert (found["address"], found["requested_bytes"]) == (64, 300)
    assert (frame["file"], found["call_stack_id"]) == ("a.py", frame["call_stack_id"])


def test_the_list_of_segments_alone_is_a_snapshot_too(tmp_path: Path) -> None:
    snapshot = make(15)
    path = tmp_path / "segments.pickle.gz"
    path.write_bytes(gzip.compress(pickle.dumps(snapshot.document["segments"])))

    pipeline.import_paths([path], db=tmp_path / "w.duckdb")

    assert rows(tmp_path / "w.duckdb", "FROM memory_event") == []
    (row,) = rows(tmp_path / "w.duckdb", "memory_fragmentation")
    assert row["n_segments"] == len(snapshot.document["segments"])


def test_what_has_no_column_is_kept(imported: Import) -> None:
    snapshot = make(16, n=5)
    snapshot.document["segments"][0]["new_key"] = [1, {"a": "b"}]
    snapshot.entries(0)[0]["user_metadata"] = "epoch 3"
    path = imported(snapshot)

    assert rows(path, "SELECT extra_json FROM memory_segment LIMIT 1") == [
        {"extra_json": '{"new_key":[1,{"a":"b"}]}'}
    ]
    (first,) = rows(path, "SELECT args_json FROM slice ORDER BY id LIMIT 1")
    assert '"user_metadata":"epoch 3"' in first["args_json"]
    (trace,) = rows(path, "SELECT metadata_json FROM trace")
    assert '"max_split_size":-1' in trace["metadata_json"]
    names = rows(path, "SELECT name FROM slice WHERE category = 'memory_annotation'")
    assert [row["name"] for row in names] == ["ProfilerStep#1"] * 2


def test_a_list_of_lists_of_lists_does_not_explode(imported: Import) -> None:
    snapshot = make(17, n=3)
    bomb: Any = ["x"] * 100
    for _ in range(40):
        bomb = [bomb] * 100
    snapshot.document["segments"][0]["bomb"] = bomb

    (row,) = rows(imported(snapshot), "SELECT length(extra_json) AS n FROM memory_segment LIMIT 1")

    assert row["n"] < 100_000


def test_entries_are_let_go_of_as_they_come() -> None:
    entries = [{"action": "alloc", "addr": n, "size": 1, "frames": []} for n in range(5000)]
    data = pickle.dumps({"segments": [], "device_traces": [entries]})
    most = 0

    def take(target: list[Any], items: list[Any]) -> bool:
        nonlocal most
        if type(items[0]) is not dict:
            return False
        for item in items:
            unpickler.forget(item)
        most = max(most, sum(type(value) is dict for value in unpickler._memo.values()))
        return True

    unpickler = Unpickler(io.BytesIO(data), take)
    unpickler.load()

    assert most < 10


def test_sniffing_is_sure_of_snapshots_alone() -> None:
    snapshot = make(1, n=3)
    for protocol in range(6):
        assert sniff(snapshot.pickled(protocol)[: 64 << 10], "x") >= 70
    assert sniff(pickle.dumps({"weights": [1.0]}), "x.pickle") == 0
    assert sniff(b'{"traceEvents": [{"name": "segments", "ph": "X"}]}', "x.json") == 0
    assert sniff(b"", "dump_snapshot.pickle") == 0


def attempt(path: Path, db: Path) -> str | None:
    (outcome,) = pipeline.import_paths([path], db=db)
    return None if outcome.error is None else outcome.error.message


def test_a_snapshot_that_would_run_code_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    class Caller:
        def __reduce__(self) -> Any:
            return (print, ("owned",))

    path = tmp_path / "evil.pickle"
    path.write_bytes(pickle.dumps({"segments": [], "device_traces": [[]], "settings": Caller()}))

    message = attempt(path, tmp_path / "w.duckdb")

    assert message is not None
    assert "evil.pickle: the pickle would import or call code (STACK_GLOBAL at byte" in message
    assert not list(tmp_path.glob("w.duckdb*/*"))


@pytest.mark.slow
def test_a_snapshot_cut_or_flipped_anywhere_is_read_or_refused(tmp_path: Path) -> None:
    data = make(18, n=12).pickled()
    for seed in range(6):
        choice, damaged = random.Random(seed), bytearray(data)
        if seed % 2:
            damaged = damaged[: choice.randrange(100, len(data))]
        else:
            damaged[choice.randrange(len(data))] ^= 1 << choice.randrange(8)
        path = tmp_path / f"{seed}.pickle"
        path.write_bytes(damaged)
        message = attempt(path, tmp_path / "w.duckdb")
        if seed % 2:
            assert message is not None and "the pickle ends at byte" in message
