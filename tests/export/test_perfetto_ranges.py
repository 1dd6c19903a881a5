"""Ranges of the host projected onto streams in a Perfetto trace, against plain Python."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.gpu_profiles import imported
from tests.support.sharing import slow
from warehouse.export.perfetto.trace import export_perfetto
from warehouse.query import session

CASES = {
    "saxpy": "nsys_real_a100_saxpy/saxpy_mpi_a100_schema2.9.1.sqlite",
    "replay": "nsys_replay_synthetic/replay_full.sqlite",
}
WORK = ("KERNEL", "MEMCPY", "MEMSET")


def expected(file: Path) -> dict[str, list[tuple[str, int, int]]]:
    """Stream -> name of the range, and the first start and last end of work launched in it there.

    A range launches what the calls on its thread launch that begin and end in it.
    """
    with closing(sqlite3.connect(file)) as export:
        names = dict(export.execute("SELECT id, value FROM StringIds"))
        ranges = [
            (names[text_id] if text is None else text, start, end, tid)
            for text, text_id, start, end, tid in export.execute(
                "SELECT text, textId, start, end, globalTid FROM NVTX_EVENTS "
                "WHERE eventType = 59 AND end IS NOT NULL"
            )
        ]
        calls = export.execute(
            "SELECT start, end, globalTid, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME "
            "WHERE eventClass IN (0, 1)"
        ).fetchall()
        tables = {name for (name,) in export.execute("SELECT name FROM sqlite_master")}
        work: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for table in (f"CUPTI_ACTIVITY_KIND_{each}" for each in WORK):
            if table in tables:
                for start, end, stream, correlation in export.execute(
                    f"SELECT start, end, streamId, correlationId FROM {table}"
                ):
                    work[correlation].append((start, end, stream))
    found: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    for name, start, end, tid in ranges:
        inside = [c for c in calls if c[2] == tid and start <= c[0] and c[1] <= end]
        spans: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for *_, correlation in inside:
            for begin, finish, stream in work[correlation]:
                spans[stream].append((begin, finish))
        for stream, each in spans.items():
            first, last = min(b for b, _ in each), max(f for _, f in each)
            found[f"ranges on stream {stream}"].append((name, first, last))
    return {stream: sorted(each, key=lambda e: e[1]) for stream, each in found.items()}


@pytest.mark.parametrize("case", [slow("saxpy"), "replay"])
def test_a_range_lies_beside_each_stream_it_launched_work_on(
    data_dir: Path, tmp_path: Path, read: Any, case: str
) -> None:
    file, db = data_dir / "gpu" / CASES[case], tmp_path / "w.duckdb"
    connection = imported([file], db)
    ((base_ns, source_base_ns, n_slices),) = connection.execute(
        "SELECT t.base_ns, t.source_base_ns, count(*) FROM trace AS t, slice GROUP BY ALL"
    ).fetchall()
    connection.close()

    with session.opened(session.Place(db)) as opened:
        written = export_perfetto(opened.connection, tmp_path / "t.pftrace")

    shown: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    timeline = read(tmp_path / "t.pftrace")
    for each in timeline.slices:
        if each.track.startswith("ranges on"):
            begin = each.ts - source_base_ns
            shown[each.track].append((each.name, begin, begin + each.dur))
    assert dict(shown) == expected(file)
    assert base_ns >= source_base_ns
    assert (written.n_slices, written.n_ranges) == (n_slices, sum(map(len, shown.values())))
    assert len(timeline.slices) == n_slices + written.n_ranges


@pytest.mark.integration
def test_a_trace_whose_profiler_projects_ranges_itself_gets_no_more_of_them(
    data_dir: Path, tmp_path: Path
) -> None:
    imported([data_dir / "kineto/simple_add_sync/trace.json.gz"], tmp_path / "w.duckdb").close()
    with session.opened(session.Place(tmp_path / "w.duckdb")) as opened:
        assert export_perfetto(opened.connection, tmp_path / "t.pftrace").n_ranges == 0


def test_streams_of_several_gpus_are_told_apart(tmp_path: Path, read: Any) -> None:
    """rocprof's table of two GPUs, whose queues have the same number."""
    lines = ["Index,KernelName,gpu-id,queue-id,pid,tid,grd,wgr,BeginNs,EndNs"]
    lines += [f'{n},"k",{n},0,9,9,64,64,{100 * n},{100 * n + 50}' for n in (0, 1)]
    (tmp_path / "results.csv").write_text("\n".join(lines) + "\n")
    imported([tmp_path / "results.csv"], tmp_path / "w.duckdb").close()

    with session.opened(session.Place(tmp_path / "w.duckdb")) as opened:
        export_perfetto(opened.connection, tmp_path / "t.pftrace")

    tracks = {each.track for each in read(tmp_path / "t.pftrace").slices}
    assert tracks == {"GPU 0 queue 0", "GPU 1 queue 0"}
