"""Runtime and driver calls on the host, against counts in plain Python."""

from __future__ import annotations

from collections import defaultdict

from tests.queries.test_kernel_queries import figures
from tests.support.randomtrace import Runs, Slice

Key = tuple[str, int | None, str, str]  # run, rank, category, name


def test_calls_by_name_are_those_of_a_plain_count(random_runs: Runs) -> None:
    expected: dict[Key, list[tuple[Slice, int, bool]]] = defaultdict(list)
    for run, traces in random_runs.jobs.items():
        for trace in traces:
            children: dict[int, int] = defaultdict(int)
            for each in trace.slices:
                if above := trace.parent(each):
                    children[above.mark] += max(each.dur, 0)
            causes = {cause.mark for work in trace.device_work if (cause := trace.cause(work))}
            for call in trace.calls:
                own = max(max(call.dur, 0) - children[call.mark], 0)
                key = (run, trace.rank, call.category, call.name)
                expected[key].append((call, own, call.mark in causes))

    for run, rows in random_runs.rows("runtime_call_summary").items():
        for row in rows:
            mine = expected.pop((run, row["rank"], row["category"], row["name"]))
            oracle = figures([max(call.dur, 0) for call, _, _ in mine])
            del oracle["stddev_ns"]
            oracle["n_calls"] = oracle.pop("n_kernels")
            oracle["self_ns"] = sum(own for _, own, _ in mine)
            oracle["n_with_work"] = sum(is_cause for _, _, is_cause in mine)
            assert {key: row[key] for key in oracle} == oracle
    assert not expected


def test_the_purpose_of_a_call_is_in_its_name(random_runs: Runs) -> None:
    found = {
        row["name"]: row["purpose"]
        for rows in random_runs.rows("runtime_call_summary").values()
        for row in rows
    }

    known = {
        "cudaLaunchKernel": "launch", "cuLaunchKernel": "launch", "cudaGraphLaunch": "launch",
        "cudaMemcpyAsync": "copy", "cudaMemsetAsync": "memset",
        "cudaDeviceSynchronize": "sync", "cudaStreamSynchronize": "sync",
        "cudaStreamWaitEvent": "event", "cudaEventRecord": "event", "cudaMalloc": "memory",
    }  # fmt: skip
    assert {name: known[name] for name in found if name in known} == {
        name: purpose for name, purpose in found.items() if name in known
    }
    assert len(set(found) & set(known)) >= 5
