"""Databases of GPU profilers with several processes, contexts and domains, against brute force."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.support.gpu_profiles import imported
from tests.support.profile_files import write_nsys, write_rocpd
from tests.support.profile_oracle import Interval, Key, Oracle, gaps, key, union
from tests.support.profile_reports import (
    Projection,
    Stretch,
    call_sums,
    kernel_sums,
    kernels_by_range,
    low_use,
    projections,
    work_of_devices,
)
from tests.support.random_profile import Profile, Stream, simulate
from tests.support.sharing import integration, slow
from warehouse.library import library
from warehouse.query import execute

LIBRARY = library.load()
Row = dict[str, Any]


class Case:
    """A profile, its oracle, and the warehouse it was imported into."""

    def __init__(self, path: Path, seeds: Sequence[int], is_rocm: bool) -> None:
        self.profile: Profile = simulate(seeds, is_rocm=is_rocm)
        self.is_rocm = is_rocm
        self.oracle = Oracle(self.profile)
        file = (write_rocpd if is_rocm else write_nsys)(self.profile, path / "profile.sqlite")
        self.connection = imported([file], path / "w.duckdb")
        self.base_ns = self.profile.first_ns(is_rocm)
        self.work = self._work()
        self.calls = self._keys("launch")
        self.ranges = self._keys("annotation")
        self.streams = self._streams()

    def sql(self, text: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(text).fetchall()

    def rows(self, query: str, **values: object) -> list[Row]:
        found = execute.run(self.connection, query, values, library=LIBRARY)
        rows: list[Row] = found.table().to_pylist()
        return rows

    def _work(self) -> dict[int, int]:
        """Marks by slice."""
        return dict(
            self.sql(
                "SELECT slice_id, coalesce(grid_x, bytes, graph_id) FROM gpu_op "
                "WHERE kind <> 'sync'"
            )
        )

    def _keys(self, table: str) -> dict[int, Key]:
        found = self.sql(f"""
            SELECT a.slice_id, p.pid, coalesce(h.tid, regexp_extract(k.name, '\\d+')::BIGINT), a.ts
            FROM {table} AS a JOIN track AS k ON k.id = a.track_id
            JOIN process AS p ON p.id = k.process_id LEFT JOIN thread AS h ON h.id = k.thread_id
        """)
        return {slice_id: (pid, tid, ts + self.base_ns) for slice_id, pid, tid, ts in found}

    def _streams(self) -> dict[int, set[Stream]]:
        """Streams by track, as the marks of their work tell."""
        found: dict[int, set[Stream]] = defaultdict(set)
        for slice_id, track_id in self.sql(
            "SELECT slice_id, track_id FROM gpu_op WHERE kind <> 'sync'"
        ):
            found[track_id].add(self.profile.works[self.work[slice_id] - 1].stream)
        return found

    def stream(self, row: Row) -> Stream:
        """The stream of a row with a track; fails if the track holds several."""
        (stream,) = self.streams[row["track_id"]]
        return stream


GROUPS = [
    range(3),
    *(slow(range(first, first + 50)) for first in range(0, 100, 50)),
    *(slow(range(first, first + 100)) for first in range(100, 2000, 100)),
]


@pytest.fixture(scope="module", params=GROUPS, ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}")
def seeds(request: pytest.FixtureRequest) -> range:
    assert isinstance(request.param, range)
    return request.param


@pytest.fixture(scope="module", params=[False, integration(True)], ids=["nsys", "rocpd"])
def case(
    request: pytest.FixtureRequest, seeds: Sequence[int], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Case]:
    made = Case(tmp_path_factory.mktemp("profile"), seeds, request.param)
    yield made
    made.connection.close()


def test_each_stream_has_a_track_of_its_own(case: Case) -> None:
    streams = [stream for mine in case.streams.values() for stream in mine]
    assert Counter(streams) == Counter(set(case.oracle.streams()))


def test_work_is_linked_to_calls_of_its_process(case: Case) -> None:
    found = {
        case.work[to_id]: case.calls[from_id]
        for from_id, to_id in case.sql("SELECT from_id, to_id FROM link WHERE kind = 'launch'")
    }
    assert found == {mark: key(call) for mark, call in case.oracle.launches.items()}


def test_calls_wait_for_work_of_their_process_and_context(case: Case) -> None:
    found = {
        case.calls[to_id]: case.work[from_id]
        for from_id, to_id in case.sql("SELECT from_id, to_id FROM link WHERE kind = 'wait'")
    }
    expected = case.oracle.waits()
    assert found.keys() == expected.keys()
    assert {call: mark for call, mark in found.items() if mark not in expected[call]} == {}


def test_times_of_streams_are_kept_apart(case: Case) -> None:
    busy = {case.stream(row): row["busy_ns"] for row in case.rows("utilization_by_stream")}
    assert busy == {
        stream: sum(b - a for a, b in union(mine)) for stream, mine in case.oracle.streams().items()
    }
    idle: dict[Stream, int] = defaultdict(int)
    for row in case.rows("idle_summary", per_device=False):
        idle[case.stream(row)] += row["idle_ns"]
    assert idle == case.oracle.idle_ns()
    queues = case.rows("queue_length_summary")
    assert {
        case.stream(row): (row["n_ops"], row["max_queue_length"]) for row in queues
    } == case.oracle.queues()


def test_ranges_own_the_work_launched_in_them(case: Case) -> None:
    found = Counter(
        (case.ranges[row["annotation_id"]], case.work[row["slice_id"]])
        for row in case.rows("annotation_work")
    )
    assert found == Counter(
        (key(each), mark) for mark, _ in case.oracle.marks() for each in case.oracle.owners(mark)
    )
    innermost = {
        case.work[to_id]: case.ranges[from_id]
        for from_id, to_id in case.sql("SELECT from_id, to_id FROM link WHERE kind = 'annotation'")
    }
    assert innermost == {
        mark: key(max(mine, key=lambda each: each.start))
        for mark, _ in case.oracle.marks()
        if (mine := case.oracle.owners(mark))
    }


def test_sums_by_kernel_and_call_are_those_of_all_processes(case: Case) -> None:
    for query, name, expected in (
        ("cuda_gpu_kern_sum", "kernel", kernel_sums(case.oracle)),
        ("cuda_api_sum", "call", call_sums(case.oracle)),
    ):
        count = "n_instances" if name == "kernel" else "n_calls"
        found = {row[name]: (row[count], row["total_ns"]) for row in case.rows(query)}
        assert found == expected


def test_reports_of_ranges_have_the_figures_of_a_search(case: Case) -> None:
    groups = ("range_name", "style", "pid", "tid", "kernel")
    assert {
        tuple(row[name] for name in groups): (row["n_ranges"], row["n_kernels"], row["total_ns"])
        for row in case.rows("nvtx_kern_sum")
    } == kernels_by_range(case.oracle)
    assert {
        case.ranges[row["range_id"]]: Projection(
            row["projected_start_ns"] + case.base_ns, row["projected_ns"], row["range_ns"],
            row["n_device_ops"], row["n_calls"], row["level"], row["n_children"],
        )
        for row in case.rows("nvtx_gpu_proj_trace") if row["range_id"] is not None
    } == projections(case.oracle)  # fmt: skip


def test_idle_times_of_devices_are_those_of_each_process(case: Case) -> None:
    overheads = case.oracle.overheads if not case.is_rocm else lambda *_: []
    work = work_of_devices(case.profile.works)
    busy = {place: mine + overheads(place[0], mine) for place, mine in work.items()}
    first = 1 if case.is_rocm else 0  # number of the first GPU
    found: dict[tuple[int, int], set[Interval]] = defaultdict(set)
    for row in case.rows("gpu_gaps", min_ns=1, top=None):
        start = row["start_ns"] + case.base_ns
        found[row["pid"], row["device"] - first].add((start, start + row["dur_ns"]))
    assert found == {place: set(mine) for place, all in busy.items() if (mine := gaps(all))}
    used: dict[tuple[int, int], set[Stretch]] = defaultdict(set)
    for row in case.rows("gpu_time_util", chunks=7, max_share=0.5, top=None):
        share = Fraction(row["used_share"]).limit_denominator(10**6)
        used[row["pid"], row["device"] - first].add(
            Stretch(row["start_ns"] + case.base_ns, row["dur_ns"], row["n_chunks"], share)
        )
    low = {place: low_use(work[place], all, 7, Fraction(1, 2)) for place, all in busy.items()}
    assert used == {place: stretches for place, stretches in low.items() if stretches}
