"""Real recordings: device time against brute-force counts and Holistic Trace Analysis 0.5.0.

Holistic Trace Analysis (HTA) cuts start and length of each event to whole microseconds, so figures
of recordings in nanoseconds differ by up to a microsecond or two an event, and those of recordings
in microseconds (two_ranks) do not differ at all. Where it differs otherwise, a test says why.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import WarehouseCache, integration, slow
from warehouse.query import execute
from warehouse.store import database

pytestmark = pytest.mark.integration  # all of it on recordings

Row = dict[str, Any]
Rows = Callable[..., list[Row]]
FAST = ("a100_nccl", "two_ranks")
SLOW = (
    "b200_eager", "diff_pair/control", "diff_pair/test", "event_sync", "gpu_only", "h100_qwen",
    "mi300_resnet_train", "sglang_prefill_decode", "simple_add_sync", "triton", "vllm_graph",
)  # fmt: skip
ALL = [
    FAST[0],
    slow(FAST[1]),
    *(pytest.param(case, marks=pytest.mark.slow) for case in SLOW),
]


def sources(folder: Path, case: str) -> list[Path]:
    name, _, part = case.partition("/")
    return [folder / name / f"{part}.json.gz"] if part else sorted((folder / name).glob("*.gz"))


def expected(folder: Path, case: str, kind: str) -> list[Any]:
    """The answers that are kept with a recording: one, or one for each rank."""
    name, _, part = case.partition("/")
    pattern = f"expected_{kind}*{part}.json"
    return [json.loads(path.read_text()) for path in sorted((folder / name).glob(pattern))]


@pytest.fixture(scope="module")
def folder(data_dir: Path) -> Path:
    return data_dir / "kineto"


@pytest.fixture(scope="module")
def ask(folder: Path, imported_files: WarehouseCache) -> Rows:
    """The rows of a query on a recording, which is imported when first asked for."""

    def rows(case: str, query: str, **parameters: object) -> list[Row]:
        with database.Reader(imported_files((None, sources(folder, case)))) as reader:
            result = execute.run(reader.connection, query, parameters).table().to_pylist()
        return list(result)

    return rows


@pytest.mark.parametrize("case", ALL)
def test_what_runs_at_once_adds_up_to_exact_unions(folder: Path, ask: Rows, case: str) -> None:
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for row in ask(case, "kernel_breakdown"):
        found[str(row["device"])][row["classes"]] = row["total_ns"]

    for facts in expected(folder, case, "exact"):
        for device, fact in facts["devices"].items():
            parts = found[device]

            def time(*classes: str, parts: dict[str, int] = parts) -> int:
                return sum(ns for name, ns in parts.items() if set(classes) <= set(name.split("+")))

            assert sum(parts.values()) == fact["span_ns"]
            assert parts["idle"] == fact["span_ns"] - fact["busy_ns"]
            assert time("compute") == fact["compute_busy_ns"]
            assert time("communication") == fact["comm_busy_ns"]
            assert time("memory") == fact["memory_busy_ns"]
            assert time("compute", "communication") == fact["compute_comm_overlap_ns"]
            assert time("compute", "memory") == fact["compute_memory_overlap_ns"]


@pytest.mark.parametrize("case", ALL)
def test_gaps_of_streams_and_devices_are_exactly_their_idle_time(ask: Rows, case: str) -> None:
    for per_device, query in ((False, "utilization_by_stream"), (True, "breakdown")):
        idle: dict[tuple[object, ...], int] = defaultdict(int)
        for row in ask(case, "idle_summary", per_device=per_device):
            idle[row["rank"], row["device"], row["stream"]] += row["idle_ns"]
        spans: dict[tuple[object, ...], int] = {}
        for row in ask(case, query):
            own = row["end_ns"] - row["start_ns"] - row["busy_ns"] if not per_device else None
            length = row["idle_ns"] if own is None else own
            spans[row["rank"], row["device"], row.get("stream")] = length
        assert idle == {key: ns for key, ns in spans.items() if ns}


@pytest.mark.parametrize("case", ALL)
def test_all_bytes_are_counted(folder: Path, ask: Rows, case: str) -> None:
    found = sum(row["total_bytes"] for row in ask(case, "memcpy_bandwidth"))

    facts = [fact for each in expected(folder, case, "exact") for fact in each["devices"].values()]
    assert found == sum(fact["memcpy_bytes"] for fact in facts)
    spread = sum(row["bytes"] for row in ask(case, "memcpy_bandwidth_over_time"))
    assert spread == pytest.approx(found, rel=1e-9)


def test_kernels_by_name_are_those_of_hta_but_for_rounding(folder: Path, ask: Rows) -> None:
    (theirs,) = expected(folder, "a100_nccl", "hta")
    ours = {row["name"]: row for row in ask("a100_nccl", "kernel_summary")}

    for row in theirs["gpu_kernel_breakdown"][1]:
        if row["kernel_type"] == "MEMORY":  # copies and memsets are no kernels here
            continue
        own = ours.pop(row["name"])
        assert abs(own["total_ns"] / 1000 - row["sum (us)"]) < 2 * own["n_kernels"]
        assert abs(own["min_ns"] / 1000 - row["min (us)"]) < 2
        assert abs(own["max_ns"] / 1000 - row["max (us)"]) < 2
        assert abs(own["mean_ns"] / 1000 - row["mean (us)"]) < 2
        assert abs((own["stddev_ns"] or 0) / 1000 - row["stddev"]) < 2
    assert not ours


@pytest.mark.slow
def test_kernel_classes_at_once_are_those_of_hta(folder: Path, ask: Rows) -> None:
    """Without its own rounding, on a recording in microseconds: each set of classes but idle."""
    (theirs,) = expected(folder, "two_ranks", "hta")
    ours: dict[frozenset[str], int] = defaultdict(int)
    for row in ask("two_ranks", "kernel_breakdown"):
        ours[frozenset(row["classes"].split("+"))] += row["total_ns"]

    names = {"COMPUTATION": "compute", "COMMUNICATION": "communication", "MEMORY": "memory"}
    for row in theirs["gpu_kernel_breakdown"][0]:
        classes = frozenset(names[name] for name in row["kernel_type"].split(" overlapping "))
        assert ours.pop(classes) == row["sum"] * 1000
    assert set(ours) == {frozenset({"idle"})}


def idle_of_hta(theirs: Any) -> dict[tuple[object, ...], int]:
    return {
        (row["rank"], row["stream"], row["idle_category"]): round(row["idle_time"] * 1000)
        for rank in theirs["idle_time_breakdown"]
        for row in (rank if isinstance(rank, list) else [rank])
        if row["idle_time"]
    }


def idle_as_hta(rows: list[Row]) -> dict[tuple[object, ...], int]:
    """Our causes under its names; it knows neither waits nor calls that are under way."""
    found: dict[tuple[object, ...], int] = defaultdict(int)
    for row in rows:
        if row["cause"] in ("host", "host_sync"):
            name = "host_wait"
        else:
            name = "kernel_wait" if row["gap_ns"] < 30_000 else "other"
        found[row["rank"], row["stream"], name] += row["gap_ns"]
    return found


@pytest.mark.slow
def test_idle_time_by_cause_is_that_of_hta_whose_30_ns_are_microseconds(
    folder: Path, ask: Rows
) -> None:
    """Its threshold, documented as 30 ns, is compared with microseconds: it is 30 us in effect."""
    (theirs,) = expected(folder, "two_ranks", "hta")

    ours = idle_as_hta(ask("two_ranks", "idle_gap", top=None))

    assert ours == idle_of_hta(theirs)


def test_idle_time_in_nanoseconds_is_that_of_hta_but_for_rounding(folder: Path, ask: Rows) -> None:
    (theirs,) = expected(folder, "a100_nccl", "hta")
    gaps = ask("a100_nccl", "idle_gap", top=None)

    ours = idle_as_hta(gaps)

    for (rank, stream, name), ns in idle_of_hta(theirs).items():
        n_gaps = sum(row["stream"] == stream for row in gaps)
        assert abs(ours[rank, stream, name] - ns) <= 2000 * n_gaps


def test_launches_are_those_of_hta(folder: Path, ask: Rows) -> None:
    """It sets delays below zero to zero. Here every call is of a kind that it knows."""
    (theirs,) = expected(folder, "two_ranks", "hta")
    ours: dict[int, list[Row]] = defaultdict(list)
    for row in ask("two_ranks", "launch_latency", top=None):
        ours[row["rank"]].append(row)

    for rank, facts in theirs["cuda_kernel_launch_stats"].items():
        rows = ours[int(rank)]
        assert len(rows) == facts["n"]
        assert sum(row["call_ns"] for row in rows) == facts["sum"]["cpu_duration"] * 1000
        assert sum(row["device_ns"] for row in rows) == facts["sum"]["gpu_duration"] * 1000
        delays = sum(max(row["delay_ns"], 0) for row in rows)
        assert delays == facts["sum"]["launch_delay"] * 1000


@pytest.mark.parametrize("case", FAST)
def test_the_longest_queues_are_those_of_hta(folder: Path, ask: Rows, case: str) -> None:
    """Its means are over changes, however short a length holds, so only the extremes compare."""
    (theirs,) = expected(folder, case, "hta")
    ours = {
        (row["rank"], row["stream"]): (row["max_queue_length"], 2 * row["n_ops"])
        for row in ask(case, "queue_length_summary")
    }

    assert ours == {
        (row["('rank', '')"], row["('stream', '')"]): (
            row["('queue_length', 'max')"], row["('queue_length', 'count')"],
        )
        for row in theirs["queue_length_summary"]
    }  # fmt: skip


Change = tuple[int, int]  # time in ns, and 1 for a launch, -1 for a start


def changes(path: Path, names: Sequence[str] = ()) -> dict[int, list[Change]]:
    """When work of each stream was launched and started, by correlation: from the file's text.

    With `names`, only calls of these names count, and times are cut to microseconds, as in HTA.
    """
    events = json.loads(gzip.decompress(path.read_bytes()), parse_float=Decimal)["traceEvents"]
    events = [each for each in events if each.get("ph") == "X" and "args" in each]
    cut = 1000 if names else 1
    calls = {
        each["args"]["correlation"]: int(each["ts"] * 1000) // cut
        for each in events
        if each.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in each["args"]
        and (each["name"] in names or not names)
    }  # fmt: skip
    found: dict[int, list[Change]] = defaultdict(list)
    for each in events:
        call = calls.get(each["args"].get("correlation"))
        if each.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset") and call is not None:
            start = int(each["ts"] * 1000) // cut
            found[each["args"]["stream"]] += [(call if names else min(call, start), 1), (start, -1)]
    return found


def longest(changed: list[Change], first: int | None = None) -> int:
    """The greatest sum: after all changes of a moment, or after each, with +1 or -1 `first`."""
    total, most, end = 0, 0, len(changed)
    changed = sorted(changed, key=lambda each: (each[0], -each[1] * (first or 1)))
    for n, (at, difference) in enumerate(changed, 1):
        total += difference
        if first or n == end or changed[n][0] > at:
            most = max(most, total)
    return most


#: Calls that HTA 0.5.0 takes for launches: not those of graphs, nor hipModuleLaunchKernel.
OF_HTA = (
    "cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "cudaMemcpyAsync",
    "cudaMemsetAsync", "hipLaunchKernel", "hipExtModuleLaunchKernel", "hipMemsetAsync",
    "hipMemcpyAsync", "hipMemcpyWithStream",
)  # fmt: skip
OTHERS = ("two_ranks", "h100_qwen", "vllm_graph", "diff_pair/test")


@pytest.mark.parametrize("case", ["event_sync", integration(OTHERS[0]), *map(slow, OTHERS[1:])])
def test_the_longest_queues_are_exact_and_hta_differs_for_a_reason(
    folder: Path, ask: Rows, case: str
) -> None:
    """HTA misses graph launches (38 for 423, 1013 for 1338), and orders changes of one
    microsecond by chance (2 for 1)."""
    for rank, path in enumerate(sources(folder, case)):
        exact, of_hta = changes(path), changes(path, OF_HTA)
        ours = {
            row["stream"]: row["max_queue_length"]
            for row in ask(case, "queue_length_summary")
            if len(sources(folder, case)) == 1 or row["rank"] == rank
        }
        assert ours == {stream: longest(found) for stream, found in exact.items()}
        (theirs,) = expected(folder, case, "hta")
        for row in theirs["queue_length_summary"]:
            if row["('rank', '')"] == rank:
                found = of_hta[row["('stream', '')"]]
                least, most = longest(found, -1), longest(found, 1)
                assert least <= row["('queue_length', 'max')"] <= most


@pytest.mark.parametrize("case", ["a100_nccl", "event_sync", "simple_add_sync"])
def test_the_bandwidth_of_single_copies_is_that_the_profiler_wrote(
    folder: Path, ask: Rows, case: str
) -> None:
    """HTA sums what copies say of themselves, over time: where none overlap, the same extremes.

    The last two are in microseconds, so that bytes by duration would be off by up to 98 %.
    """
    (theirs,) = expected(folder, case, "hta")
    ours = {
        row["name"].partition(" (")[0]: row for row in ask(case, "memcpy_bandwidth", by_size=False)
    }

    for row in theirs["memory_bw_summary"]:
        own = ours.pop(row["('name', '')"])
        assert own["n_measured"] == row["('memory_bw_gbps', 'count')"]
        assert own["min_gb_per_s"] == pytest.approx(row["('memory_bw_gbps', 'min')"], rel=1e-6)
        assert own["max_gb_per_s"] == pytest.approx(row["('memory_bw_gbps', 'max')"], rel=1e-6)
        assert own["median_gb_per_s"] == pytest.approx(row["('memory_bw_gbps', '50%')"], rel=1e-6)
    assert not ours
