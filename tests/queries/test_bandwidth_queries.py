"""Bandwidth of copies and memsets, against counts in plain Python."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from statistics import median

import pytest

from tests.support.randomtrace import Runs, Slice

Device = tuple[str, int | None, int | None]  # run, rank, device
SIZES = (
    ("< 4 KiB", 1 << 12),
    ("4 - 64 KiB", 1 << 16),
    ("64 KiB - 1 MiB", 1 << 20),
    ("1 - 16 MiB", 1 << 24),
    ("16 - 256 MiB", 1 << 28),
)


def copies(runs: Runs) -> dict[Device, list[Slice]]:
    found: dict[Device, list[Slice]] = defaultdict(list)
    for name, traces in runs.jobs.items():
        for trace in traces:
            for work in trace.of("gpu_memcpy", "gpu_memset"):
                found[name, trace.rank, work.device].append(work)
    return found


def size_class(copy: Slice) -> str:
    if (bytes_ := copy.args.get("bytes")) is None:
        return "unknown"
    return next((name for name, limit in SIZES if bytes_ < limit), ">= 256 MiB")


@pytest.mark.parametrize("by_size", [True, False])
def test_bandwidth_is_bytes_by_duration(random_runs: Runs, by_size: bool) -> None:
    expected: dict[tuple[object, ...], list[Slice]] = defaultdict(list)
    for device, work in copies(random_runs).items():
        for copy in work:
            expected[(*device, copy.name, size_class(copy) if by_size else "all")].append(copy)

    for run, rows in random_runs.rows("memcpy_bandwidth", by_size=by_size).items():
        for row in rows:
            mine = expected.pop((run, row["rank"], row["device"], row["name"], row["size_class"]))
            timed = [
                (each.args["bytes"], each.dur)
                for each in mine
                if each.args.get("bytes") is not None and each.dur > 0
            ]
            each_one = [bytes_ / dur for bytes_, dur in timed]
            assert row["n_ops"] == len(mine)
            assert row["n_measured"] == len(timed)
            assert row["total_bytes"] == sum(each.args.get("bytes") or 0 for each in mine)
            assert row["total_ns"] == sum(max(each.dur, 0) for each in mine)
            if timed:
                bytes_, dur = (sum(column) for column in zip(*timed, strict=True))
                assert row["bandwidth_gb_per_s"] == pytest.approx(bytes_ / dur)
                assert row["min_gb_per_s"] == min(each_one)
                assert row["median_gb_per_s"] == pytest.approx(median(each_one))
                assert row["max_gb_per_s"] == max(each_one)
            else:
                assert row["bandwidth_gb_per_s"] is row["max_gb_per_s"] is None
    assert not expected


@pytest.mark.parametrize("bucket_ns", [1000, 777, 50_000_000])
def test_bytes_are_spread_over_the_buckets_a_copy_touches(
    random_runs: Runs, bucket_ns: int
) -> None:
    bytes_: dict[tuple[object, ...], Fraction] = defaultdict(Fraction)
    active: dict[tuple[object, ...], int] = defaultdict(int)
    for device, work in copies(random_runs).items():
        for copy in work:
            length = max(copy.dur, 0)
            size = copy.args.get("bytes") or 0
            first = copy.ts // bucket_ns * bucket_ns
            for start in range(first, max(copy.end, copy.ts + 1), bucket_ns):
                inside = min(copy.end, start + bucket_ns) - max(copy.ts, start)
                key = (*device, copy.category == "gpu_memcpy" and copy.name[7:11], start)
                bytes_[key] += Fraction(size * inside, length) if length else size
                active[key] += inside

    rows = random_runs.rows("memcpy_bandwidth_over_time", bucket_ns=bucket_ns)

    found = {
        (run, row["rank"], row["device"], row["direction"] or False, row["bucket_start_ns"]): row
        for run, mine in rows.items()
        for row in mine
    }
    assert {key: row["active_ns"] for key, row in found.items()} == active
    for each, row in found.items():
        assert row["bytes"] == pytest.approx(float(bytes_[each]), rel=1e-12)
        assert row["bandwidth_gb_per_s"] == pytest.approx(float(bytes_[each]) / bucket_ns)
