"""Recordings of captured graphs: causes of the work that replays them, whose time is not counted.

What must come out follows from an import of the execution alone: a random program beside it, in a
folder of captures, changes no figure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import randomtrace
from tests.support.sharing import kept_open
from warehouse.errors import TwError
from warehouse.ingest import pipeline
from warehouse.ingest.sources import Source
from warehouse.library import library
from warehouse.query import session
from warehouse.query.selection import Selection, select
from warehouse.store import removal

if TYPE_CHECKING:
    from tests.conftest import Tw

Row = dict[str, Any]
FEW = ["utilization", "op_summary", "kernel_summary", "step_time", "memory_peak", "data_quality"]
#: Rows that are about the files, or number what is in the warehouse.
OF_FILES = {"runs", "traces", "inbox", "ctf_event_class"}


def event(name: str, category: str, ts: int, dur: int, tid: int, **args: Any) -> Row:
    found = {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": tid, "args": args}
    return found | {"ts": ts, "dur": dur} | ({"pid": 0} if category == "kernel" else {})


def write(path: Path, events: list[Row]) -> None:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))


def captured_call(ts: int, kernel: str, correlation: int) -> Row:
    return event(
        "hipLaunchKernel", "cuda_runtime", ts, 1, 1, correlation=correlation, kernel=kernel
    )


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[session.Place]:
    """One replay of two kernels of 100 and 200 us, and how they were captured by two operators."""
    folder = tmp_path_factory.mktemp("replayed")
    work: Row = {"device": 0, "stream": 7, "correlation": 5}
    write(
        folder / "run" / "execution.json",
        [
            event("hipGraphLaunch", "cuda_runtime", 10, 5, 1, correlation=5),
            event("first", "kernel", 20, 100, 7, **work),
            event("second", "kernel", 130, 200, 7, **work),
        ],
    )
    write(
        folder / "run" / "capture_traces" / "capture.json",
        [
            event("hipStreamBeginCapture", "cuda_runtime", 0, 1, 1, correlation=1),
            event("aten::one", "cpu_op", 10, 10, 1),
            captured_call(12, "first", 2),
            event("aten::two", "cpu_op", 30, 10, 1),
            captured_call(32, "second", 3),
            event("hipStreamEndCapture", "cuda_runtime", 50, 1, 1, correlation=4),
            event("hipLaunchKernel", "cuda_runtime", 60, 1, 1, correlation=6),
            event("warmup", "kernel", 70, 9000, 7, device=0, stream=7, correlation=6),
        ],
    )
    db = folder / "w.duckdb"
    pipeline.import_paths([folder / "run"], db=db)
    with kept_open(db):
        yield session.Place(db)


def rows(place: session.Place, query: str, selection: Selection | None = None) -> list[Row]:
    with session.opened(place, selection) as opened:
        found: list[Row] = opened.run(query).table().to_pylist()
    return found


def test_other_files_beside_a_folder_of_captures_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "execution.json", [event("first", "kernel", 20, 100, 7, device=0, stream=7)])
    other = tmp_path / "other"
    other.write_bytes(b"x" * 10_000)
    for name in ("a", "b"):
        write(tmp_path / "capture_traces" / f"{name}.json", [captured_call(1, name, 2)])
    read: list[Path] = []
    hashed = Source.sha256

    def counted(self: Source, *arguments: Any) -> tuple[str, ...]:
        read.append(self.path)
        return hashed(self, *arguments)

    monkeypatch.setattr(Source, "sha256", counted)
    paths = [tmp_path / "execution.json", *sorted((tmp_path / "capture_traces").iterdir())]
    done = pipeline.import_paths(paths, db=tmp_path / "w.duckdb")

    assert {each.committed.run_id for each in done if each.committed} == {1}
    assert other not in read
    assert read.count(tmp_path / "execution.json") == 2  # to import it, and for both captures


def test_time_of_a_capture_is_not_counted(replayed: session.Place) -> None:
    assert [row["busy_ns"] for row in rows(replayed, "utilization")] == [300_000]
    assert {row["name"]: row["total_ns"] for row in rows(replayed, "kernel_summary")} == {
        "first": 100_000,
        "second": 200_000,
    }


def test_replayed_work_still_belongs_to_the_captured_operators(replayed: session.Place) -> None:
    found = rows(replayed, "op_summary")

    assert {row["name"]: (row["n_calls"], row["total_device_ns"]) for row in found} == {
        "aten::one": (0, 100_000),
        "aten::two": (0, 200_000),
    }


def test_a_capture_that_is_selected_is_counted(replayed: session.Place) -> None:
    chosen = select(trace="capture")

    assert [row["busy_ns"] for row in rows(replayed, "utilization", chosen)] == [9_000_000]
    assert {row["name"]: row["n_calls"] for row in rows(replayed, "op_summary", chosen)} == {
        "aten::one": 1,
        "aten::two": 1,
    }


def test_the_scope_names_captures_left_out(replayed: session.Place) -> None:
    with session.opened(replayed) as opened:
        assert opened.seen.notice == (
            "1 recording of captured graphs left out (capture); --trace NAME to read one"
        )
    with session.opened(replayed, select(trace="execution")) as opened:
        assert opened.seen.notice is None


def test_the_list_of_runs_has_captures(replayed: session.Place, tw: Tw) -> None:
    listed = tw("runs", "--db", replayed.path, "--format", "json")
    queried = tw("query", "runs", "--run", "all", "--db", replayed.path, "--format", "json")

    assert [row["n_traces"] for row in json.loads(listed.out)] == [2]
    assert [row["n_traces"] for row in json.loads(queried.out)] == [1]
    assert ("left out" in listed.err, "left out" in queried.err) == (False, True)


def test_a_run_is_removed_with_its_captures(replayed: session.Place) -> None:
    plan = removal.plan(replayed.path, 1, select(run="execution"))

    assert plan.names == ("execution/execution", "execution/capture")


def test_a_run_of_nothing_but_a_capture_is_counted(tmp_path: Path) -> None:
    folder = tmp_path / "capture_traces"
    write(
        folder / "alone.json",
        [
            event("hipLaunchKernel", "cuda_runtime", 60, 1, 1, correlation=6),
            event("warmup", "kernel", 70, 9, 7, device=0, stream=7, correlation=6),
        ],
    )
    pipeline.import_paths([folder / "alone.json"], db=tmp_path / "w.duckdb")

    (found,) = rows(session.Place(tmp_path / "w.duckdb"), "utilization")

    assert found["busy_ns"] == 9_000


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[session.Place, session.Place]:
    """A random program without and with another one as its capture."""
    folder = tmp_path_factory.mktemp("random")
    execution, capture = randomtrace.make(11), randomtrace.make(12)
    places = []
    for name, others in (("alone", []), ("captured", [capture])):
        run = folder / name / "job"
        (run / "capture_traces").mkdir(parents=True)
        (run / "rank0.json").write_bytes(execution.document())
        for other in others:
            (run / "capture_traces" / "capture.json").write_bytes(other.document())
        db = folder / f"{name}.duckdb"
        pipeline.import_paths([run], db=db)
        places.append(session.Place(db))
    return places[0], places[1]


def rounded(row: Row) -> Row:
    """Sums of fractions depend on the order of the rows."""
    return {
        name: float(f"{value:.9g}") if isinstance(value, float) else value
        for name, value in row.items()
    }


def everything(place: session.Place, names: list[str]) -> dict[str, list[str] | str]:
    found: dict[str, list[str] | str] = {}
    with session.opened(place) as opened:
        for name in names:
            try:
                shown = opened.run(name).table().to_pylist()
            except TwError as error:
                found[name] = error.message
            else:
                found[name] = sorted(json.dumps(rounded(row), default=str) for row in shown)
    return found


@pytest.mark.integration
def test_a_capture_changes_no_figure(both: tuple[session.Place, session.Place]) -> None:
    alone, captured = (everything(place, FEW) for place in both)

    assert alone == captured
    assert all(alone[name] for name in FEW)


@pytest.mark.slow
def test_a_capture_changes_no_row_of_any_query(both: tuple[session.Place, session.Place]) -> None:
    newest = library.load(()).newest
    names = [
        name
        for name, query in newest.items()
        if query.layer not in ("lib", "link", "compare")
        and name not in OF_FILES
        and all(parameter.has_default for parameter in query.parameters)
    ]
    assert len(names) > 100

    alone, captured = (everything(place, names) for place in both)

    assert alone == captured
