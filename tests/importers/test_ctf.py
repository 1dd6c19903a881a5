"""CTF traces: events of the warehouse are those that babeltrace2 prints, event by event."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Tw
from tests.support import babeltrace
from tests.support.sharing import WarehouseCache, integration, slow

DATA = Path(__file__).parents[1] / "data" / "ctf"
CASES = (
    "types",
    "ctf2_types",
    "compact_kernel",
    "python_agent",
    "discard",
    "cuda",
    "hip_hc",
    "sycl",
    "hip_intercept_kt",
)
BY_DEFAULT = ("types", "ctf2_types", "discard", "sycl")
#: Recordings that are not in the project.
MORE = (
    "bt2sink_ctf18", "ctf2_cuda",
    "hip_intercept", "hip_pc", "lttng216_ctf18_hip_hc", "lttng216_ctf18_types", "real_agent",
)  # fmt: skip
_EVENTS = """
SELECT t.base_ns + e.ts, c.name, e.cpu,
  coalesce(e.context_json, CASE WHEN e.tid IS NULL THEN '{}' ELSE '{"vtid":' || e.tid || '}' END),
  coalesce(e.payload_json, s.args_json)
FROM recorded_event AS e
JOIN event_class AS c ON c.id = e.event_class_id
JOIN slice AS s ON s.id = e.slice_id
JOIN trace AS t ON t.id = e.trace_id
JOIN run AS r ON r.id = t.run_id
WHERE r.name = ?
ORDER BY 1, e.id
"""


Open = Callable[[str], duckdb.DuckDBPyConnection]


@pytest.fixture
def opened(imported_files: WarehouseCache) -> Iterator[Open]:
    """Opens the warehouse of a case, which is its run."""
    connections: list[duckdb.DuckDBPyConnection] = []

    def connect(case: str) -> duckdb.DuckDBPyConnection:
        path = imported_files.file((case, [DATA / case / "trace.tar.gz"]))
        connections.append(duckdb.connect(str(path), read_only=True))
        return connections[-1]

    yield connect
    for each in connections:
        each.close()


def assert_equal(db: duckdb.DuckDBPyConnection, run: str, golden: Path) -> None:
    expected = babeltrace.golden(golden)
    rows = db.execute(_EVENTS, [run]).fetchall()
    assert len(rows) == len(expected)
    for (ns, name, cpu, context, payload), event in zip(rows, expected, strict=True):
        reference = event.context if "cpu_id" in event.groups[0] else merged(event.groups[:-1])
        found = babeltrace.printed(json.loads(context), reference)
        assert (ns, name, found) == (event.ns, event.name, reference)
        assert cpu == event.groups[0].get("cpu_id")
        assert babeltrace.printed(json.loads(payload), event.payload) == event.payload
        assert labels(json.loads(payload)) == printed_labels(event.payload)


def merged(groups: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: value for group in groups for name, value in group.items()}


def labels(payload: dict[str, Any]) -> dict[str, str]:
    return {k.removesuffix(".label"): v or "" for k, v in payload.items() if k.endswith(".label")}


def printed_labels(payload: dict[str, Any]) -> dict[str, str]:
    return {k: v.label for k, v in payload.items() if isinstance(v, babeltrace.Enumeration)}


@pytest.mark.parametrize(
    "case",
    [*CASES[:2], *((integration if each in BY_DEFAULT else slow)(each) for each in CASES[2:])],
)
def test_events_equal_what_babeltrace_prints(opened: Open, case: str) -> None:
    assert_equal(opened(case), case, DATA / case / "golden.txt.gz")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("worker", "golden"), [("worker", "golden"), ("worker_skew37ms", "golden_skew")]
)
def test_events_of_two_hosts_equal_what_babeltrace_prints(
    imported_files: WarehouseCache, worker: str, golden: str
) -> None:
    hosts = [DATA / "dist" / f"{name}.tar.gz" for name in ("master", worker)]
    with duckdb.connect(str(imported_files.file(("dist", hosts))), read_only=True) as db:
        assert_equal(db, "dist", DATA / "dist" / f"{golden}.txt.gz")


@pytest.mark.integration
def test_post_processed_traces_are_placed_already(opened: Open) -> None:
    db = opened("hip_hc_sorted")
    assert_equal(db, "hip_hc_sorted", DATA / "hip_hc_sorted" / "golden.txt.gz")
    moved = "SELECT count(*) FROM recorded_event AS e JOIN trace AS t ON t.id = e.trace_id "
    moved += "JOIN run AS r ON r.id = t.run_id WHERE r.name = 'hip_hc_sorted' AND ts <> placed_ts"
    assert db.execute(moved).fetchall() == [(0,)]


@pytest.mark.slow
@pytest.mark.parametrize("case", MORE)
def test_recordings_equal_what_babeltrace_prints(
    data_dir: Path, imported_files: WarehouseCache, case: str
) -> None:
    folder = data_dir / "ctf" / case
    with duckdb.connect(str(imported_files.file((case, [folder / "trace"]))), read_only=True) as db:
        assert_equal(db, case, folder / "golden.txt.gz")


@pytest.mark.slow
def test_the_events_of_two_real_tasks_have_the_times_that_babeltrace_prints(
    data_dir: Path, imported_files: WarehouseCache
) -> None:
    folder = data_dir / "ctf" / "real_pid"
    lines = (folder / "sums.csv").read_text().splitlines()[1:]
    path = imported_files.file(("real_pid", [folder / "trace.tar.gz"]))
    with duckdb.connect(str(path), read_only=True) as db:
        rows = db.execute(
            "SELECT e.pid, c.name, count(*), sum((t.base_ns + e.ts)::HUGEINT) "
            "FROM recorded_event AS e JOIN event_class AS c ON c.id = e.event_class_id "
            "JOIN trace AS t ON t.id = e.trace_id GROUP BY ALL"
        ).fetchall()
    assert sorted(",".join(map(str, row)) for row in rows) == sorted(lines)


@pytest.mark.slow
def test_kernels_of_two_recordings_compare_as_their_printed_times(
    data_dir: Path, imported_files: WarehouseCache, tw: Tw
) -> None:
    folders = {run: data_dir / "ctf" / run for run in ("cuda", "ctf2_cuda")}
    path = imported_files.file(*((run, [folder / "trace"]) for run, folder in folders.items()))
    printed = tw("compare", "--db", path, *folders, "--by", "kernel", "--format", "json").out
    found = {
        each["name_a"]: (each["n_ops_a"], each["n_ops_b"], each["total_a_ns"], each["total_b_ns"])
        for each in json.loads(printed)
        if each["kind"] == "kernel"
    }
    a, b = (_kernel_times(folder / "golden.txt.gz") for folder in folders.values())
    assert len(a) > 5
    assert found == {name: (a[name][0], b[name][0], a[name][1], b[name][1]) for name in a | b}


def _kernel_times(golden: Path) -> dict[str, tuple[int, int]]:
    """Number and duration of the kernels of a name, in ns: sums of ends less those of begins."""
    n, total = Counter[str](), Counter[str]()
    for event in babeltrace.golden(golden):
        if event.name in ("cudaTracer:kernel_begin", "cudaTracer:kernel_end"):
            is_end = event.name.endswith("_end")
            n[event.payload["name"]] += is_end
            total[event.payload["name"]] += event.payload["timestamp"] * (1000 if is_end else -1000)
    return {name: (n[name], total[name]) for name in n}


@pytest.mark.integration
def test_lost_events_are_slices_over_the_windows_that_the_tracer_reports(opened: Open) -> None:
    db = opened("discard")
    text = (DATA / "discard" / "warnings.txt").read_text()
    clock = r"\[11:34:0(\d)\.(\d{9})\]"
    found = re.findall(rf"discarded (\d+) events? between {clock} and {clock}", text)
    expected = sorted((int(n), int(f"{a}{b}"), int(f"{c}{d}")) for n, a, b, c, d in found)
    minute = 1795174440_000000000
    rows = db.execute(
        "SELECT l.n_events, t.base_ns + s.ts - $minute, t.base_ns + s.ts + s.dur - $minute "
        "FROM event_loss AS l JOIN slice AS s ON s.id = l.slice_id "
        "JOIN trace AS t ON t.id = l.trace_id WHERE s.category = 'lost_events' ORDER BY ALL",
        {"minute": minute},
    ).fetchall()
    assert rows == expected
    assert sum(n for n, *_ in rows) == 337
    problem = "SELECT count FROM import_problem WHERE kind = 'lost_events'"
    assert db.execute(problem).fetchall() == [(337,)]


@pytest.mark.integration
def test_what_each_class_became_is_stored_with_its_count(opened: Open) -> None:
    rows = (
        opened("sycl")
        .execute(
            "SELECT c.name, c.n_events, c.stored_as FROM event_class AS c "
            "JOIN trace AS t ON t.id = c.trace_id JOIN run AS r ON r.id = t.run_id "
            "WHERE r.name = 'sycl' AND (c.name IN ('openclTracer:kernel_begin', "
            "'openclTracer:callback', 'openclTracer:kernel_end') OR c.name LIKE '%:session_start') "
            "ORDER BY 1"
        )
        .fetchall()
    )
    assert rows == [
        ("openclTracer:callback", 92, "slice"),
        ("openclTracer:kernel_begin", 80, "gpu_op"),
        ("openclTracer:kernel_end", 80, "gpu_op: ends"),
        ("tensorflowTracer:session_start", 7, "step"),
    ]
