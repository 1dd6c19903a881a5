"""Collectives compared across ranks: random jobs against plain Python, recordings moved in time."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Tw
from tests.support.random_clocks import Job, Member, job, store
from tests.support.randomtrace import RandomTrace, Runs, Slice, covered
from warehouse.ingest import pipeline
from warehouse.link import linkers, run_links
from warehouse.query import execute
from warehouse.store import database as warehouse_store

DDP = Path(__file__).parents[1] / "data" / "kineto" / "ddp_two_ranks"
Row = dict[str, Any]


def rows(path: Path, query: str) -> list[Row]:
    with warehouse_store.Reader(path) as reader:
        found: list[Row] = execute.run(reader.connection, query).table().to_pylist()
    return found


# --- random jobs: with the true offsets in place, aligned times are true times


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Job]]:
    path = tmp_path_factory.mktemp("ranks") / "w.duckdb"
    warehouse_store.create_empty(path)
    made = [job(1, [(0, 1, 2), (0, 1)]), job(2, [(0, 1), (1, 2), (2, 3)]), job(3, [(0, 1, 2, 3)])]
    with duckdb.connect(str(path)) as connection:
        known = linkers.linkers()
        for each in made:
            store(connection, each)
            connection.execute("BEGIN")
            run_links.link_run(connection, known, each.run_id)
            connection.execute("COMMIT")
            for rank, offset in each.offsets.items():
                connection.execute(
                    "UPDATE clock SET offset_ns = ?, uncertainty_ns = 100 WHERE trace_id = ?",
                    [offset, each.trace_id(rank)],
                )
    return path, made


def instances(made: Job) -> list[list[Member]]:
    found = defaultdict(list)
    for member in made.recorded:
        found[member.instance].append(member)
    return list(found.values())


def last_of(members: list[Member]) -> Member:
    return max(members, key=lambda m: (m.start, -m.rank))


@pytest.mark.integration
def test_collective_instances_are_what_happened(jobs: tuple[Path, list[Job]]) -> None:
    path, made = jobs
    expected = {}
    for each in made:
        for members in instances(each):
            first, last = min(m.start for m in members), last_of(members)
            for m in members:
                expected[each.slice_id(m)] = (
                    len(members), m.start, m.end, last.rank, m == last, last.start - first,
                    m.start - first, last.start - m.start, m.end - last.start, 200,
                )  # fmt: skip
    columns = (
        "n_members", "aligned_start_ns", "aligned_end_ns", "last_rank", "is_last", "skew_ns",
        "lateness_ns", "wait_ns", "transfer_ns", "uncertainty_ns",
    )  # fmt: skip
    found = {
        row["slice_id"]: tuple(row[name] for name in columns)
        for row in rows(path, "collective_instance")
    }
    assert found == expected


def test_stragglers_are_those_the_others_waited_for(jobs: tuple[Path, list[Job]]) -> None:
    path, made = jobs
    expected = {}
    for each in made:
        for rank in range(each.n_ranks):
            mine = [ms for ms in instances(each) if any(m.rank == rank for m in ms)]
            as_last = [ms for ms in mine if last_of(ms).rank == rank]
            waits = [last_of(ms).start - m.start for ms in mine for m in ms if m.rank == rank]
            margins = [
                last_of(ms).start - max(m.start for m in ms if m != last_of(ms)) for ms in as_last
            ]
            expected[each.trace_id(rank)] = (
                len(mine), len(mine), len(as_last), sum(margin > 200 for margin in margins),
                sum(last_of(ms).start - m.start for ms in as_last for m in ms), sum(margins),
                sum(waits), max(waits),
            )  # fmt: skip
    columns = (
        "n_collectives", "n_compared", "n_last", "n_surely_last", "caused_wait_ns", "margin_ns",
        "wait_ns", "max_wait_ns",
    )  # fmt: skip
    found = {
        row["trace_id"]: tuple(row[name] for name in columns) for row in rows(path, "straggler")
    }
    assert found == expected


def test_rank_wait_says_who_waited_for_whom(jobs: tuple[Path, list[Job]]) -> None:
    path, made = jobs
    expected: dict[tuple[int, int], list[int]] = defaultdict(list)
    for each in made:
        for members in instances(each):
            last = last_of(members)
            for m in members:
                if m != last:
                    key = each.trace_id(m.rank), each.trace_id(last.rank)
                    expected[key].append(last.start - m.start)
    found = {
        (row["trace_id"], row["to_trace_id"]): (
            row["n_collectives"], row["wait_ns"], row["max_wait_ns"]
        )
        for row in rows(path, "rank_wait")
    }  # fmt: skip
    assert found == {key: (len(w), sum(w), max(w)) for key, w in expected.items()}


def test_imported_ranks_are_linked_and_their_clocks_bracketed(random_runs: Runs) -> None:
    with warehouse_store.Reader(random_runs.path) as reader:
        connection = reader.connection
        pairs = connection.execute(
            "SELECT from_id, to_id, rule FROM link WHERE kind = 'collective_peer'"
        ).fetchall()
        clocks = connection.execute(
            "SELECT r.name, t.rank, c.offset_ns, c.uncertainty_ns FROM clock AS c "
            "JOIN trace AS t ON t.clock_id = c.id JOIN run AS r ON r.id = t.run_id"
        ).fetchall()
    found = {(random_runs.marks[a], random_runs.marks[b]) for a, b, _ in pairs}
    expected = {
        ((name, 0, each.mark), (name, other.rank, traces[0].same_on(other, each).mark))
        for name, traces in random_runs.jobs.items()
        for other in traces[1:]
        for each in traces[0].collectives
    }
    assert expected <= found  # the calls that enqueue them are linked too
    assert {rule for *_, rule in pairs} == {"sequence"}
    for name, rank, offset, uncertainty in clocks:
        if len(random_runs.jobs[name]) > 1:
            truth = random_runs.jobs[name][rank].clock_offset_ns
            assert abs(-truth - offset) <= uncertainty


# --- recordings


def moved(source: Path, folder: Path, rank: int, by_ns: int) -> Path:
    """A copy of a recording whose clock is ahead by that much."""
    document = json.loads(gzip.decompress(source.read_bytes()))
    document["baseTimeNanoseconds"] += by_ns
    path = folder / f"rank{rank}.json"
    path.write_text(json.dumps(document))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("by_ns", [0, 2_500_000_000, -3_600_000_000_000, 3_000_000])
def test_a_recording_moved_in_time_is_moved_back(tmp_path: Path, by_ns: int) -> None:
    files = [moved(DDP / f"rank{rank}.json.gz", tmp_path, rank, by_ns * rank) for rank in (0, 1)]
    db = tmp_path / "w.duckdb"
    pipeline.import_paths(files, db=db)
    reference, other = rows(db, "rank_clock")
    assert (reference["offset_ns"], reference["method"]) == (0, "reference")
    assert abs(other["offset_ns"] + by_ns) <= other["uncertainty_ns"] < 1_000_000
    assert other["method"] == ("file" if by_ns == 0 else "collective")
    found = rows(db, "collective_instance")
    assert len(found) == 12 and all(row["transfer_ns"] >= 0 for row in found)
    assert {row["group_size"] for row in found} == {2}
    assert {row["message_bytes"] for row in found} == {1088 * 4, 4420 * 4}


@pytest.mark.slow
def test_exported_ranks_share_one_time(tmp_path: Path, tw: Tw) -> None:
    for rank in (0, 1):
        moved(DDP / f"rank{rank}.json.gz", tmp_path, rank, 2_500_000_000 * rank)
    tw("import", tmp_path / "rank0.json", tmp_path / "rank1.json")
    ran = tw("export", "perfetto", "-o", "x.pftrace")
    assert ran.code == 0 and "not aligned" not in ran.err
    table = tw(
        "query", "--format", "csv", "-c",
        "SELECT max(aligned_ts_ns) - min(aligned_ts_ns) FROM aligned_slice",
    )  # fmt: skip
    assert int(table.out.splitlines()[1]) < 20_000_000


@pytest.mark.slow
def test_a_run_without_offsets_gives_rows_that_do_not_compare(tmp_path: Path) -> None:
    db = tmp_path / "w.duckdb"
    pipeline.import_paths([DDP / "rank0.json.gz", DDP / "rank1.json.gz"], db=db)
    with duckdb.connect(str(db)) as connection:
        connection.execute("UPDATE clock SET offset_ns = NULL, uncertainty_ns = NULL")
    assert [row["n_compared"] for row in rows(db, "straggler")] == [0, 0]
    assert {row["skew_ns"] for row in rows(db, "collective_instance")} == {None}
    assert rows(db, "rank_wait") == []


@pytest.mark.slow
def test_an_old_recording_with_gaps_is_linked_by_time(tmp_path: Path, data_dir: Path) -> None:
    db = tmp_path / "w.duckdb"
    folder = data_dir / "kineto" / "two_ranks"
    pipeline.import_paths([folder / "rank-0.json.gz", folder / "rank-1.json.gz"], db=db)
    found = [row for row in rows(db, "collective_instance") if row["side"] == "device"]
    # Ends of one collective are less than 0.4 ms apart; neighbours are 20 ms apart and more.
    ends = defaultdict(list)
    for row in found:
        ends[row["instance_id"]].append(row["aligned_end_ns"])
    assert len(ends) == 5
    assert all(len(pair) == 2 and abs(pair[0] - pair[1]) < 400_000 for pair in ends.values())
    kinds = [row["kind"] for row in found if row["rank"] == 0]
    assert sorted(kinds) == ["all_gather", "all_gather", "all_reduce", "all_reduce", "all_to_all"]
    # The calls that enqueued these, of which the two of all_gather are not in the files.
    calls = [row for row in rows(db, "collective_instance") if row["side"] == "host"]
    assert len(calls) == 2 * 3


@pytest.mark.slow
def test_bandwidth_of_a_recording_is_bytes_over_time(tmp_path: Path, data_dir: Path) -> None:
    """The kernels of the recording itself, added up in plain Python."""
    source = data_dir / "kineto" / "mi300_resnet_train" / "trace.json.gz"
    expected: dict[tuple[str, int], list[float]] = {}
    for event in json.loads(gzip.decompress(source.read_bytes()))["traceEvents"]:
        if event.get("cat") == "kernel" and "dtype" in event["args"]:
            arguments = event["args"]
            size = {"BFloat16": 2, "Long": 8}[arguments["dtype"]] * arguments["In msg nelems"]
            key = arguments["Collective name"], 1 << (size.bit_length() - 1)
            total = expected.setdefault(key, [0, 0, 0])
            for place, value in enumerate((1, size, event["dur"] * 1000)):
                total[place] += value
    db = tmp_path / "w.duckdb"
    pipeline.import_paths([source], db=db)
    found = [row for row in rows(db, "collective_bandwidth") if row["data_type"]]
    assert len(found) == len(expected) == 4
    for row in found:
        n, n_bytes, ns = expected[row["kind"].replace("_", ""), row["min_bytes"]]
        factor = 2 * 7 / 8 if row["kind"] == "all_reduce" else 1
        assert (row["n_collectives"], row["total_bytes"]) == (n, n_bytes)
        assert row["algorithm_bytes_per_s"] == pytest.approx(1e9 * n_bytes / ns)
        assert row["bus_bytes_per_s"] == pytest.approx(1e9 * factor * n_bytes / ns)


def test_imbalance_is_each_step_against_the_mean_of_its_ranks(random_runs: Runs) -> None:
    """Unions of intervals by brute force, of the work launched in each step on each device."""
    found = random_runs.rows("rank_imbalance")
    for name, traces in random_runs.jobs.items():
        expected: dict[tuple[int, int], list[float]] = {}
        for trace in traces:
            for (step, _), work in work_by_step(trace).items():
                total = expected.setdefault((step, trace.rank), [0, 0, 0, 0])
                compute = covered(w.interval for w in work if w.klass == "compute")
                kernels = covered(w.interval for w in work if w.klass != "memory")
                busy = covered(w.interval for w in work)
                span = max(w.end for w in work) - min(w.ts for w in work)
                for n, value in enumerate((span, compute, kernels - compute, span - busy)):
                    total[n] += value
        columns = ("span", "compute", "exposed_communication", "idle")
        got = {(r["step"], r["rank"]): [r[f"{c}_ns"] for c in columns] for r in found[name]}
        assert got == expected
        for row in found[name]:
            same = [values for (step, _), values in expected.items() if step == row["step"]]
            assert row["n_ranks"] == len(same)
            for n, column in enumerate(columns):
                mean = sum(values[n] for values in same) / len(same)
                assert row[f"{column}_deviation_ns"] == pytest.approx(row[f"{column}_ns"] - mean)


def test_steps_of_ranks_have_their_host_time_and_exposed_communication(
    random_runs: Runs,
) -> None:
    found = random_runs.rows("rank_step")
    for name, traces in random_runs.jobs.items():
        expected = {}
        for trace in traces:
            on_device: dict[int, list[int]] = defaultdict(lambda: [0, 0])
            for (step, _), work in work_by_step(trace).items():
                kernels = covered(w.interval for w in work if w.klass != "memory")
                compute = covered(w.interval for w in work if w.klass == "compute")
                on_device[step][0] += max(w.end for w in work) - min(w.ts for w in work)
                on_device[step][1] += kernels - compute
            for each in trace.steps:
                step = int(each.name.partition("#")[2])
                figures = on_device.get(step, [None, None])
                expected[step, trace.rank] = [each.dur, *figures]
        columns = ("host_ns", "device_ns", "exposed_communication_ns")
        got = {(r["step"], r["rank"]): [r[column] for column in columns] for r in found[name]}
        assert got == expected


def work_by_step(trace: RandomTrace) -> dict[tuple[int, int | None], list[Slice]]:
    """Device work by (number of its step, device)."""
    found = defaultdict(list)
    for work in trace.device_work:
        if step := trace.step_of_work(work):
            found[int(step.name.partition("#")[2]), work.device].append(work)
    return found
