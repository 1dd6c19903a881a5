"""Horovod's timeline: stages of collectives by tensor, whole, cut off, and as dPRO has them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.gpu_profiles import imported, outcome
from warehouse.errors import TraceError
from warehouse.ingest import formats
from warehouse.ingest.importer import FileImporter, Scratch
from warehouse.ingest.streams import TraceStream

#: In the words of Horovod's writer: tensors are processes, ends have no names, ranks are ticks.
LINES = [
    '{"name": "process_name", "ph": "M", "pid": 0,'
    ' "args": {"start_time_since_epoch_in_micros":1700000000000000}}',
    '{"name": "process_sort_index", "ph": "M", "pid": 0, "args": {"sort_index": 0}}',
    '{"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "grad/dense:0"}}',
    '{"name": "process_sort_index", "ph": "M", "pid": 1, "args": {"sort_index": 1}}',
    '{"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 100, "pid": 1}',
    '{"ph": "X", "name": "0", "ts": 102, "pid": 1, "dur": 0}',
    '{"ph": "X", "name": "1", "ts": 190, "pid": 1, "dur": 0}',
    '{"ph": "E", "ts": 200, "pid": 1}',
    '{"ph": "i", "name": "CYCLE_START", "ts": 200, "s": "g"}',
    '{"ph": "B", "name": "ALLREDUCE", "ts": 201, "pid": 1}',
    '{"ph": "B", "name": "QUEUE", "ts": 202, "pid": 1}',
    '{"ph": "E", "ts": 210, "pid": 1}',
    '{"ph": "B", "name": "MEMCPY_IN_FUSION_BUFFER", "ts": 210, "pid": 1}',
    '{"ph": "E", "ts": 215, "pid": 1}',
    '{"ph": "B", "name": "NCCL_ALLREDUCE", "ts": 215, "pid": 1}',
    '{"ph": "E", "ts": 260, "pid": 1}',
    '{"ph": "E", "ts": 261, "pid": 1, "args": {"dtype": "float32", "shape": "[3, 5]"}}',
    '{"name": "process_name", "ph": "M", "pid": 2, "args": {"name": "sizes"}}',
    '{"ph": "B", "name": "NEGOTIATE_ALLGATHER", "ts": 300, "pid": 2}',
    '{"ph": "E", "ts": 310, "pid": 2}',
    '{"ph": "B", "name": "ALLGATHER", "ts": 311, "pid": 2}',
    '{"ph": "B", "name": "MPI_ALLGATHER", "ts": 312, "pid": 2}',
    '{"ph": "E", "ts": 320, "pid": 2}',
    '{"ph": "E", "ts": 321, "pid": 2, "args": {"dtype": "int64", "shape": "[]"}}',
]
#: A running program leaves the array open, with a comma at the end.
WHOLE = "[\n" + "".join(line + ",\n" for line in LINES)
#: A column of `collective` for each stage of the file.
EXPECTED = [
    ("NEGOTIATE_ALLREDUCE", "allreduce", "grad/dense:0", "float32", 60, 0, 100_000),
    ("ALLREDUCE", "allreduce", "grad/dense:0", "float32", 60, 101_000, 60_000),
    ("QUEUE", "allreduce", "grad/dense:0", "float32", 60, 102_000, 8_000),
    ("MEMCPY_IN_FUSION_BUFFER", "allreduce", "grad/dense:0", "float32", 60, 110_000, 5_000),
    ("NCCL_ALLREDUCE", "allreduce", "grad/dense:0", "float32", 60, 115_000, 45_000),
    ("NEGOTIATE_ALLGATHER", "all_gather", "sizes", "int64", 8, 200_000, 10_000),
    ("ALLGATHER", "all_gather", "sizes", "int64", 8, 211_000, 10_000),
    ("MPI_ALLGATHER", "all_gather", "sizes", "int64", 8, 212_000, 8_000),
]
COLUMNS = "stage, kind, group_name, data_type, input_bytes, ts, dur"


def rows(folder: Path, text: str, sql: str) -> list[Any]:
    """Imports a timeline of a new warehouse, and queries it."""
    file, db = folder / "timeline.json", folder / "w.duckdb"
    file.write_text(text)
    found = outcome(file, db)
    assert found.status == "imported", found.error
    with duckdb.connect(str(db), read_only=True) as connection:
        assert connection.execute("SELECT format FROM trace").fetchall() == [("horovod",)]
        return connection.execute(sql).fetchall()


def test_each_stage_is_a_collective_with_its_tensor_and_size(tmp_path: Path) -> None:
    sql = f"SELECT {COLUMNS}, (SELECT base_ns FROM trace) FROM collective"
    base = 1_700_000_000_000_000_000 + 100_000
    expected = sorted((*row, base) for row in EXPECTED)
    assert sorted(rows(tmp_path, WHOLE, sql)) == expected
    with duckdb.connect(str(tmp_path / "w.duckdb"), read_only=True) as connection:
        tensors = connection.execute(
            "SELECT DISTINCT name, bytes FROM collective_tensor"
        ).fetchall()
    assert sorted(tensors) == [("grad/dense:0", 60), ("sizes", 8)]


@pytest.mark.integration
def test_a_timeline_cut_in_the_middle_has_what_came_before(tmp_path: Path) -> None:
    text = WHOLE[: WHOLE.index('"NCCL_ALLREDUCE"')]
    found = rows(tmp_path, text, f"SELECT {COLUMNS} FROM collective ORDER BY ts, dur")
    assert [(row[0], row[6]) for row in found] == [
        ("NEGOTIATE_ALLREDUCE", 100_000),
        ("ALLREDUCE", -1),
        ("QUEUE", 8_000),
        ("MEMCPY_IN_FUSION_BUFFER", 5_000),
    ]
    assert {row[1] for row in found} == {"allreduce"}


def events_of(text: str) -> tuple[list[dict[str, Any]], bool]:
    """The events of an array that is not closed, and whether it ends inside one."""
    found: list[dict[str, Any]] = []
    decoder, at = json.JSONDecoder(), 1
    while at := next((n for n in range(at, len(text)) if text[n] not in ",\n"), 0):
        try:
            event, at = decoder.raw_decode(text, at)
        except ValueError:
            return found, True
        found.append(event)
    return found, False


def stages_of(events: list[dict[str, Any]]) -> list[tuple[str, str, int, int]]:
    """Stage, tensor, start and duration in ns; -1 without an end."""
    first = min((event["ts"] for event in events if "ts" in event), default=0)
    names = {event["pid"]: event["args"].get("name") for event in events if event["ph"] == "M"}
    names |= {e["pid"]: e["args"]["name"] for e in events if "name" in e.get("args", {})}
    found: list[list[Any]] = []
    for event in events:
        if event["ph"] == "B":
            found.append([event["name"], names[event["pid"]], (event["ts"] - first) * 1000, -1])
        elif event["ph"] == "E":
            tensor = names[event["pid"]]
            begun = next(each for each in reversed(found) if each[1] == tensor and each[3] < 0)
            begun[3] = (event["ts"] - first) * 1000 - begun[2]
    return sorted((name, tensor, start, dur) for name, tensor, start, dur in found)


@pytest.mark.slow
def test_a_timeline_cut_at_any_byte_is_read_up_to_there(tmp_path: Path) -> None:
    importer = formats.by_name("horovod")
    assert isinstance(importer, FileImporter)
    with duckdb.connect() as connection:
        for n in range(len(WHOLE) + 1):
            events, is_inside = events_of(WHOLE[:n])
            stream = TraceStream(io.BytesIO(WHOLE[:n].encode()), "t.json", 1 << 20)
            try:
                facts = importer.read(stream, Scratch(tmp_path, connection))
            except TraceError:
                assert not events, n
                continue
            ((n_read,),) = connection.execute("SELECT count(*) FROM event").fetchall()
            kinds = {problem.kind for problem in facts.problems}
            assert (n_read, "truncated" in kinds) == (len(events), is_inside), n


@pytest.mark.slow
def test_a_timeline_cut_behind_or_in_an_event_has_its_stages_and_damage(tmp_path: Path) -> None:
    ends = [n for n, letter in enumerate(WHOLE) if letter == "\n"]
    cuts = [end - back for end in ends[2:] for back in (0, 1, 2, 20)]
    for n in cuts:
        (tmp_path / f"{n}.json").write_text(WHOLE[:n])
    files = [tmp_path / f"{n}.json" for n in cuts]

    with imported(files, tmp_path / "w.duckdb") as connection:
        traces = connection.execute("SELECT id, name, damage IS NOT NULL FROM trace").fetchall()
        assert len(traces) == len(cuts)
        for trace_id, name, is_damaged in traces:
            events, is_inside = events_of(WHOLE[: int(name)])
            found = connection.execute(
                "SELECT stage, group_name, ts, dur FROM collective WHERE trace_id = ?", [trace_id]
            ).fetchall()
            assert (sorted(found), is_damaged) == (stages_of(events), is_inside), name


@pytest.mark.integration
def test_timelines_of_dpros_recorder_name_tensors_by_number(tmp_path: Path) -> None:
    data = Path(__file__).parents[1] / "data" / "dpro" / "nccl_ring_2x1_tiny"
    text = (data / "host0" / "0" / "comm.json").read_text()
    n_begins = sum(event["ph"] == "B" for event in json.loads(text))
    found = rows(tmp_path, text, "SELECT stage, count(*) FROM collective GROUP BY stage")
    assert sum(n for _, n in found) == n_begins
    assert {stage for stage, _ in found} == {
        "Sync", "QUEUE", "MEMCPY_IN_FUSION_BUFFER", "NCCL_ALLREDUCE", "MEMCPY_OUT_FUSION_BUFFER"
    }  # fmt: skip
    with duckdb.connect(str(tmp_path / "w.duckdb"), read_only=True) as connection:
        ids = connection.execute(
            "SELECT DISTINCT tensor_id FROM collective_tensor ORDER BY 1"
        ).fetchall()
    assert ids == [(n,) for n in range(8)]


@pytest.mark.integration
def test_other_trace_event_files_are_still_those_of_other_formats(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text('[{"ph": "X", "name": "NEGOTIATE", "ts": 1, "dur": 1, "pid": 1, "tid": 1}]')
    outcome(file, tmp_path / "w.duckdb")
    with duckdb.connect(str(tmp_path / "w.duckdb"), read_only=True) as connection:
        assert connection.execute("SELECT format FROM trace").fetchall() == [("chrome",)]
