"""Summaries of TensorFlow's recordings against what the recordings state, without our tables."""

from __future__ import annotations

import re
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support import tensorflow_oracle as oracle
from tests.support.sharing import WarehouseCache, integration, slow
from tests.support.tensorflow_oracle import Recording, Span, Work, busy_ns
from warehouse.library import library
from warehouse.query import execute

DATA = Path(__file__).parents[1] / "data"
LIBRARY = library.load()
Row = dict[str, Any]


class Case:
    """A recording, and the rows that queries return for its trace."""

    def __init__(self, path: Path, expected: Recording) -> None:
        self.expected = expected
        self._db = duckdb.connect(str(path), read_only=True)
        ((base_ns,),) = self._db.execute("SELECT base_ns FROM trace").fetchall()
        #: The time of ts = 0. Profiles also state when they began, which their events do not count.
        self.base_ns = base_ns if expected.first_ns is None else expected.first_ns

    def query(self, name: str, **values: object) -> list[Row]:
        found: list[Row] = execute.run(self._db, name, values, library=LIBRARY).table().to_pylist()
        return found

    def close(self) -> None:
        self._db.close()


def lttng(trace: Path, golden: Path, host: str = "vm") -> tuple[Path, Recording]:
    return trace, oracle.lttng(golden, host, clock_offset_ns(trace))


def clock_offset_ns(trace: Path) -> int:
    """The offset of the clock that the metadata states, in nanoseconds."""
    if trace.is_dir():
        content = next(trace.rglob("metadata")).read_bytes()
    else:
        with tarfile.open(trace) as archive:
            name = next(each for each in archive.getnames() if each.endswith("/metadata"))
            opened = archive.extractfile(name)
            assert opened is not None
            content = opened.read()
    found = re.search(rb"\boffset = (\d+);", content)
    return int(found[1]) if found else 0


def recording(name: str, more: Path | None) -> tuple[Path, Recording]:
    """What to import, and what is in it; the other recordings are in a folder of their own."""
    if more is not None:
        folder = more / name
        if name.startswith("tf/"):
            return folder, oracle.xplane(next(folder.rglob("*.xplane.pb")))
        return lttng(folder / "trace", folder / "golden.txt.gz")
    path = DATA / name
    if name.startswith("xplane"):
        return path, oracle.xplane(next(path.rglob("*.xplane.pb")))
    if name.startswith("tf_run"):
        return path, oracle.run_metadata(path)
    if path.parent.name == "dist":
        host = "vm" if path.name.startswith("master") else "tf-worker"
        return lttng(path, path.with_name("golden.txt.gz"), host)
    return lttng(path / "trace.tar.gz", path / "golden.txt.gz")


@pytest.fixture(
    scope="module",
    params=[
        "ctf/cuda",
        integration("ctf/dist/master.tar.gz"),
        *(slow(f"ctf/{name}") for name in (
            "hip_hc", "sycl", "hip_intercept_kt", "discard", "dist/worker.tar.gz"
        )),
        integration("xplane/jax"), slow("xplane/keras"),
        integration("tf_run_metadata/local/run_metadata.pb"),
        slow("tf_run_metadata/dist/run_metadata_4.pb"),
        *(slow(f"more {name}") for name in (
            "tf/jax_mi300_xplane", "tf/jax_te_xplane", "tf/jax_step_xplane", "ctf/hip_intercept",
            "ctf/ctf2_cuda", "ctf/lttng216_ctf18_hip_hc",
        )),
    ],
)  # fmt: skip
def case(request: pytest.FixtureRequest, imported_files: WarehouseCache) -> Iterator[Case]:
    kind, _, name = str(request.param).rpartition(" ")
    more = request.getfixturevalue("data_dir") if kind else None
    path, expected = recording(name, more)
    run = re.sub(r"\W+", "_", str(request.param))
    found = Case(imported_files.file((run, [path])), expected)
    yield found
    found.close()


def by_device(work: Sequence[Work]) -> dict[int, list[Work]]:
    found: dict[int, list[Work]] = defaultdict(list)
    for each in work:
        found[each.device].append(each)
    return found


def gaps(work: Sequence[Work]) -> list[tuple[str, int]]:
    """Cause and length of the times in which nothing runs, between the first and the last work."""
    found, reached = [], None
    for each in sorted(work, key=lambda each: each.start):
        if reached is not None and each.start > reached:
            found.append((cause(each, reached), each.start - reached))
        reached = max(each.end, reached or each.end)
    return found


def cause(work: Work, gap_start: int) -> str:
    """Why it did not begin before; no call of these recordings waits for a device."""
    if work.call is None:
        return "unknown"
    if work.call.start >= gap_start:
        return "host"
    if work.call.end > gap_start:
        return "launch"
    return "kernel" if work.start - gap_start <= 5_000 else "unknown"


def test_devices_are_busy_and_idle_as_recorded(case: Case) -> None:
    expected, parts = {}, {}
    for device, work in by_device(case.expected.work).items():
        first, last = min(each.start for each in work), max(each.end for each in work)
        kernels = busy_ns([each for each in work if each.kind == "kernel"])
        expected[device] = (len(work), first, last - first, busy_ns(work))
        parts[device] = (kernels, busy_ns(work) - kernels, last - first - busy_ns(work))

    assert expected == {
        row["device"]: (
            row["n_ops"],
            row["start_ns"] + case.base_ns,
            row["span_ns"],
            row["busy_ns"],
        )
        for row in case.query("utilization")
    }
    assert parts == {
        row["device"]: (
            row["compute_ns"] + row["exposed_communication_ns"],
            row["exposed_memory_ns"],
            row["idle_ns"],
        )
        for row in case.query("breakdown")
    }


def test_streams_are_idle_between_their_work(case: Case) -> None:
    streams: dict[Any, list[Work]] = defaultdict(list)
    for each in case.expected.work:
        streams[each.device, each.stream].append(each)
    expected: Counter[tuple[object, ...]] = Counter()
    for (device, _), work in streams.items():
        causes: dict[str, list[int]] = defaultdict(list)
        for why, length in gaps(work):
            causes[why].append(length)
        for why, lengths in causes.items():
            expected[device, why, len(lengths), sum(lengths), max(lengths)] += 1

    assert expected == Counter(
        (row["device"], row["cause"], row["n_gaps"], row["idle_ns"], row["max_ns"])
        for row in case.query("idle_summary", per_device=False)
    )


def test_kernels_have_the_recorded_names_and_times(case: Case) -> None:
    expected: dict[tuple[int, str], list[int]] = defaultdict(list)
    for each in case.expected.work:
        if each.kind == "kernel":
            expected[each.device, each.name].append(each.end - each.start)

    assert {
        key: (len(each), sum(each), min(each), max(each)) for key, each in expected.items()
    } == {
        (row["device"], row["name"]): (
            row["n_kernels"],
            row["total_ns"],
            row["min_ns"],
            row["max_ns"],
        )
        for row in case.query("kernel_summary")
    }


def test_operators_have_the_recorded_names_and_times(case: Case) -> None:
    expected: dict[str, list[int]] = defaultdict(list)
    for each in case.expected.operators:
        expected[each.name].append(each.end - each.start)
    own = case.expected.self_times()

    assert {
        name: (len(each), own[name], min(each), max(each)) for name, each in expected.items()
    } == {
        row["name"]: (row["n_calls"], row["self_ns"], row["min_ns"], row["max_ns"])
        for row in case.query("op_summary")
    }


def test_steps_have_the_work_called_in_them(case: Case) -> None:
    """Where calls are unknown, because some were lost, work belongs to the step it began in."""
    expected = {}
    for step in case.expected.steps:
        if step.end == step.start:  # its end was lost
            continue
        work = [
            each for each in case.expected.work
            if step.start <= (each.call or each).start < step.end
        ]  # fmt: skip
        kernels = sum(each.kind == "kernel" for each in work)
        last = max((each.end for each in work), default=0)
        expected[int(step.name), step.start] = (
            step.end - step.start,
            len(work),
            kernels,
            busy_ns(work),
            last - step.end if work else None,
        )

    assert expected == {
        (row["step"], row["start_ns"] + case.base_ns): (
            row["host_ns"],
            row["n_ops"],
            row["n_kernels"],
            row["busy_ns"],
            row["lag_ns"],
        )
        for row in case.query("step_summary")
    }


def test_calls_wait_as_recorded_for_their_work(case: Case) -> None:
    calls: dict[Span, list[Work]] = defaultdict(list)
    for each in case.expected.work:
        if each.call is not None:
            calls[each.call].append(each)

    assert Counter(
        (
            call.start,
            call.end - call.start,
            len(work),
            min(each.start for each in work) - call.start,
            sum(each.end - each.start for each in work),
        )
        for call, work in calls.items()
    ) == Counter(
        (
            row["call_start_ns"] + case.base_ns,
            row["call_ns"],
            row["n_ops"],
            row["latency_ns"],
            row["device_ns"],
        )
        for row in case.query("launch_latency", top=None)
    )


def test_memory_peaks_as_recorded(case: Case) -> None:
    assert case.expected.peaks == {
        (row["device_kind"], row["device_ordinal"]): row["peak_allocated_bytes"]
        for row in case.query("memory_peak")
    }


def test_only_calls_whose_work_was_lost_are_found(case: Case) -> None:
    found = case.query("check_launch_without_work")
    is_lossy = any(each.call is None for each in case.expected.work)

    # Some recordings have no copies on the device, but the calls that copy.
    assert {row["severity"] for row in found} <= ({"warning"} if is_lossy else {"note"})
    assert all("Memcpy" in row["examples"] or is_lossy for row in found)


def test_the_path_of_a_step_leads_back_through_the_work_it_waited_for(case: Case) -> None:
    """A run returns after the last work; work follows that before it on its stream, or its call."""
    if not all(each.call for each in case.expected.work):
        return
    for step in case.expected.steps:
        total = path(case.expected, step)
        if total is None:
            continue
        found: Counter[str] = Counter()
        for row in case.query("critical_path_summary", step=int(step.name)):
            found[row["kind"]] += row["total_ns"]
        assert found == total


def path(expected: Recording, step: Span) -> Counter[str] | None:
    """The kinds of time on the path of a step; None where nothing ran on other threads."""
    others = [
        span.end for span in expected.spans
        if isinstance(span.thread, int) and span.thread != step.thread
        and step.start <= span.start and span.end <= step.end
    ]  # fmt: skip
    inside = [w for w in expected.work if step.start <= w.start and w.end <= step.end]
    if not others and not inside:
        return None
    last = max([*others, *(each.end for each in inside)])
    total = Counter({"sync": step.end - last})
    here = max((each for each in inside if each.end == last), key=lambda w: w.start, default=None)
    if here is None:
        total["host"] += last - step.start
    while here is not None:
        total["device"] += here.end - here.start
        before = max(
            (w for w in expected.work if w.stream == here.stream and w.end <= here.start),
            key=lambda each: each.end, default=None,
        )  # fmt: skip
        called = here.call.start if here.call and here.call.start <= here.start else step.start
        if before is None or called > before.end:
            total["launch_delay"] += here.start - called
            total["host"] += called - step.start
            return total
        total["device_gap"] += here.start - before.end
        here = before
    return total
