"""Every public query on changed copies of a trace: rows change as the columns' units say.

The queries are those of the library, whatever they are; what a query needs or does differently is
in the tables below, with the reason.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.metamorphic import (
    FACTOR,
    POWERS,
    SHIFT_NS,
    Answers,
    SliceOf,
    differences,
    jobs,
    longer,
    units,
)
from tests.support.randomtrace import LIBRARY, Row, Runs, import_jobs, import_once
from tests.support.sharing import BuildCache, integration, slow
from warehouse.library import contract
from warehouse.library.library import Query
from warehouse.library.parameter import sql_literal
from warehouse.store import database

#: Comparisons take two runs by name, and their rows are of no one run: they are tested apart.
PUBLIC = [q for q in LIBRARY.newest.values() if q.layer not in ("lib", "link", "compare")]

#: What required parameters are given.
BASE = jobs()["base job"][0]
DEEPEST = SliceOf(max(BASE.calls, key=lambda call: len(BASE.ancestors(call))).mark)
PARAMETERS: Mapping[str, Mapping[str, object]] = {
    "gpu_gaps": {"min_ns": 1, "top": None},
    # Lengths of several pieces are rounded.
    "gpu_time_util": {"chunks": 1, "max_share": 1000.0, "top": None},
    "python_stack": {"slice_id": DEEPEST},
    "device_prediction": {"model": "none", "flops_per_s": 1e12, "bytes_per_s": 1e12},
    "model_prediction": {"model": "none", "features": "{}"},
    "model_show": {"model": "none"},
    "slice_ancestors": {"slice_id": DEEPEST},
    "slice_children": {"slice_id": SliceOf(BASE.steps[0].mark)},
    "what_if_accumulate": {"batches": 2},
    "what_if_batch": {"ratio": 2.0},
    "what_if_buckets": {"bytes": 1_000_000},
    "what_if_buckets_edge": {"bytes": 1_000_000},
    "what_if_fuse": {"clusters": ""},
    "what_if_fuse_edge": {"clusters": ""},
    "what_if_groups": {"groups": "0"},
    "what_if_insert": {"ns": 10.0},
    "what_if_partitions": {"sizes": "65536"},
    "what_if_recompute": {"parts": "0-1@1"},
    "what_if_skip": {"within": "aten::*"},
    "what_if_world_size": {"ranks": 4},
}

#: Columns that say how a trace was imported, so that they differ between copies of it.
OF_THE_IMPORT: Mapping[str, set[str]] = {
    "runs": {"run", "content_bytes"},
    "traces": {"run", "path", "content_bytes"},
    # Checks name slices by their ids, and say times in sentences.
    **{
        q.header.name: {"examples", "meaning"}
        for q in PUBLIC
        if q.header and q.header.name.startswith("check_")
    },
}

#: Columns that are rounded up to whole nanoseconds, so ten times as much is not exactly tenfold.
ROUNDED = {"uncertainty_ns", "clock_uncertainty_ns"}
#: Columns with times of an outer clock, which move with the trace.
ABSOLUTE: Mapping[str, set[str]] = {
    "collective_instance": {"aligned_start_ns", "aligned_end_ns"},
}

#: Queries that see several ranks together, so that two ranks are more than each of them alone.
ACROSS_RANKS: Mapping[str, str] = {
    "check_missing_rank": "a rank alone lacks the other",
    "collective_hang": "it compares ranks",
    "collective_mismatch": "it compares ranks",
    "collective_progress": "it compares ranks",
    "communication_by_class": "it compares with the mean of all ranks",
    "pipeline_bubble": "a pipeline begins and ends on other ranks",
    "pace": "ranks are compared with the fastest",
    "duration_histogram": "buckets are between the durations of all ranks",
    "data_quality": "it says which ranks are missing",
    "utilization_over_time": "clocks are known by the others of the run",
    "timeline_track": "tracks share one budget, and clocks are known by the others of the run",
    "collective_instance": "waiting is for other ranks",
    "rank_clock": "a clock is known by the others of the run",
    "rank_imbalance": "it compares with the mean of all ranks",
    "rank_wait": "waiting is for other ranks",
    "runs": "it counts the ranks",
    "rank_step": "waiting is for other ranks",
    "straggler": "waiting is for other ranks",
    **{
        q.header.name: "of the ranks, it names the one with most counts"
        for q in PUBLIC
        if q.header and q.header.name.startswith("finding_")
    },
    **{
        q.header.name: "ranks meet in collectives, and are numbered together"
        for q in PUBLIC
        if q.header and (q.layer == "whatif" or q.header.name.startswith("replay_"))
    },
}

#: Queries about what no trace of Kineto holds; their rows are tested elsewhere.
SILENT: Mapping[str, str] = {
    **{
        f"collective_{name}": "only flight recorders keep operations"
        for name in ("hang", "mismatch", "progress")
    },
    "counter_by_op": "only CUPTI's range profiler counts",
    "counter_range": "only CUPTI's range profiler counts",
    "counter_summary": "the random traces have no counters",
    "inference_step": "no step of the random traces is an engine's",
    "prefill_decode": "no step of the random traces is an engine's",
    "pipeline_bubble": "no process group of the random traces is a pipeline",
    "cuda_memcpy_sync": "no call of the random traces copies as it looks for",
    **{
        q.header.name: "only execution traces are graphs"
        for q in PUBLIC
        if q.header and q.layer == "graph"
    },
    **{
        q.header.name: "only captures of TPUs have commands"
        for q in PUBLIC
        if q.header and q.layer == "tpu"
    },
    "timeline_command": "only captures of TPUs have commands",
    "inbox": "nothing was watched",
    "link_report": "only execution traces are linked to timelines",
    "memory_by_frame": "only snapshots say stacks",
    "memory_fragmentation": "only snapshots say segments",
    "memory_category_timeline": "only the memory profiler's own files say categories",
    "memory_peak_category": "only the memory profiler's own files say categories",
    "memory_snapshot_segment": "only snapshots say segments",
    "cuda_memset_sync": "only Nsight Systems says which memory is set",
    **{
        f"{name}_sum": "only Nsight Systems records calls of these libraries"
        for name in ("mpi_event", "openacc", "openmp")
    },
    "nvtx_startend_sum": "only Nsight Systems tells ranges that start and end anywhere",
    "osrt_sum": "only Nsight Systems records calls of the operating system",
    "timeline_shade": "the budget of a small trace's timeline shows every slice",
    "roofline": "only CUPTI's range profiler counts operations and bytes",
    "clusters": "only dumps of compilers have clusters",
    "cluster_arguments": "only dumps of compilers have clusters",
    "cluster_ops": "only dumps of compilers have clusters",
    "cluster_problems": "only dumps of compilers have clusters",
    "cluster_memory": "only dumps of compilers have clusters",
    "cluster_profiles": "only dumps of compilers have clusters",
    "hot_clusters": "only dumps of compilers have clusters",
    "cluster_times": "only dumps of compilers have clusters",
    "unclustered_ops": "only dumps of compilers have clusters",
    "torch_dumps": "only dumps of compilers have clusters",
    **{
        f"disc_{name}": "only replays of clusters have iterations"
        for name in ("iterations", "launch_bound", "replay_summary", "roofline", "warmup")
    },
    "ctf_event_class": "only CTF keeps its events",
    "dpro_category": "only trials of dPRO have its operations",
    "dpro_statistic": "only trials of dPRO have its operations",
    "what_if_daydream_edge": "only trials of dPRO have its operations",
    **{f"model_{name}": "no model is fitted" for name in ("list", "show", "prediction")},
    "device_prediction": "no model is fitted",
    "device_sample": "the random traces have no shapes",
    "fused_sample": "no cluster was measured",
    **{
        f"finding_{name}": "nothing is wrong with the random traces in this way"
        for name in (
            "allocation",
            "bucket_size",
            "data_loading",
            "fragmentation",
            "memory_limit",
            "outlier_step",
            "recompilation",
            "slow_collective",
        )
    },
    **{
        f"finding_{name}": "the random traces have no shapes"
        for name in ("below_roofline", "low_precision", "unaligned_shape")
    },
    **{
        f"finding_tpu_{name}": "only captures of TPUs have commands"
        for name in ("imbalance", "transfer")
    },
    "predicted_path": "no run is predicted",
    "prediction_summary": "no run is predicted",
    "replay_error": "no run is predicted",
    "replay_problem": "the traces are sound",
    "tf_allocator": "the random traces have no counters",
    "tf_counter": "only the Radeon Compute Profiler counts",
    "tf_kernel": "the first two steps do not count",
    "tf_operation": "the first two steps do not count",
    "tf_operation_latency": "only graphs have dependencies",
    "tf_queue": "the random traces have no counters",
    "tf_rpc": "no host calls another",
    "xla_op_summary": "only XPlane knows compiled operations",
}


@pytest.fixture(scope="module")
def variants(shared_place: Path, kept_builds: BuildCache | None) -> Runs:
    return import_once(shared_place / "metamorphic.duckdb", jobs(), kept_builds)


@pytest.fixture(scope="module")
def answers(variants: Runs) -> Iterator[Answers]:
    """Over all runs at once, as every query must be able to."""
    made = Answers(variants)
    yield made
    made.close()


def given(query: Query, factor: int = 1) -> dict[str, Any]:
    """The query's parameters: those of the table, else defaults; times grow with the trace's."""
    assert query.header is not None
    own = PARAMETERS.get(query.header.name, {})
    values = {p.name: own.get(p.name, p.default) for p in query.parameters}
    times = {p.name for p in query.parameters if p.unit == "ns"}
    return {
        name: value * factor if name in times and isinstance(value, int | float) else value
        for name, value in values.items()
    }


def compared(query: Query, rows: list[Row]) -> list[Row]:
    """Rows without what differs between any two imports."""
    assert query.header is not None
    left_out = OF_THE_IMPORT.get(query.header.name, set())
    return [{k: v for k, v in row.items() if k not in left_out} for row in rows]


every_query = pytest.mark.parametrize("query", PUBLIC, ids=lambda query: str(query.key))
some_queries = pytest.mark.parametrize(
    "query",
    [
        query if n % 8 == 0 else integration(query) if n % 8 == 4 else slow(query)
        for n, query in enumerate(PUBLIC)
    ],
    ids=lambda query: str(query.key),
)


def test_the_tables_name_what_there_is() -> None:
    names = {q.header.name: q for q in PUBLIC if q.header}
    for table in (PARAMETERS, OF_THE_IMPORT, ABSOLUTE, ACROSS_RANKS, SILENT):
        assert set(table) <= set(names)
    for name, query in names.items():
        required = {p.name for p in query.parameters if not p.has_default}
        assert required <= set(PARAMETERS.get(name, {})), f"say what to give {name}"
        known = set(units(query))
        assert OF_THE_IMPORT.get(name, set()) | ABSOLUTE.get(name, set()) <= known


def test_every_unit_says_how_it_grows() -> None:
    unknown = {
        (str(query.key), unit)
        for query in PUBLIC
        for unit in units(query).values()
        if unit not in POWERS and not unit.startswith("ref ")
    }

    assert unknown == set()


@pytest.mark.slow
@every_query
def test_a_later_trace_has_the_same_rows(answers: Answers, query: Query) -> None:
    assert query.header is not None
    absolute = ABSOLUTE.get(query.header.name, set())
    before = compared(query, answers.rows(query, given(query), "base job"))
    after = compared(query, answers.rows(query, given(query), "shifted job"))

    expected = [
        {k: v + SHIFT_NS if k in absolute and v is not None else v for k, v in row.items()}
        for row in before
    ]
    assert differences(after, expected) == []


@pytest.mark.slow
@every_query
def test_the_order_of_events_in_the_file_does_not_matter(answers: Answers, query: Query) -> None:
    before = compared(query, answers.rows(query, given(query), "base job"))
    after = compared(query, answers.rows(query, given(query), "permuted job"))

    assert differences(after, before) == []


@pytest.mark.slow
@every_query
def test_an_idle_device_and_an_idle_thread_change_no_row(answers: Answers, query: Query) -> None:
    before = compared(query, answers.rows(query, given(query), "base job"))
    after = compared(query, answers.rows(query, given(query), "idle job"))

    assert differences(after, before) == []


@pytest.mark.slow
@every_query
def test_a_copy_under_another_run_has_the_same_rows(answers: Answers, query: Query) -> None:
    before = compared(query, answers.rows(query, given(query), "base job"))
    after = compared(query, answers.rows(query, given(query), "copy job"))

    assert differences(after, before) == []


@pytest.mark.slow
@every_query
def test_a_job_is_its_ranks(answers: Answers, query: Query) -> None:
    assert query.header is not None
    if query.header.name in ACROSS_RANKS:
        return
    together = compared(query, answers.rows(query, given(query), "base job"))
    alone = [
        row
        for rank in (0, 1)
        for row in compared(query, answers.rows(query, given(query), f"rank {rank} alone"))
    ]

    assert differences(together, alone) == []


@pytest.mark.slow
@every_query
def test_ten_times_the_time_is_ten_times_the_time(answers: Answers, query: Query) -> None:
    assert query.header is not None
    absolute = ABSOLUTE.get(query.header.name, set())
    before = compared(query, answers.rows(query, given(query), "base job"))
    after = compared(query, answers.rows(query, given(query, FACTOR), "tenfold job"))

    def relative(rows: list[Row]) -> list[Row]:
        left_out = absolute | ROUNDED
        return [{k: v for k, v in row.items() if k not in left_out} for row in rows]

    assert differences(relative(after), relative(longer(query, before))) == []


@pytest.fixture(scope="module")
def base_alone(variants: Runs) -> Iterator[Answers]:
    made = Answers(variants, run="base job")
    yield made
    made.close()


@pytest.mark.slow
@every_query
def test_a_scope_shows_the_rows_of_that_run_as_they_are(
    answers: Answers, base_alone: Answers, query: Query
) -> None:
    everything = answers.table(query, given(query)).to_pylist()
    scoped = base_alone.table(query, given(query)).to_pylist()

    assert scoped == [row for row in everything if answers.run_names[row["run_id"]] == "base job"]


@pytest.fixture(scope="module")
def one_thread(variants: Runs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answers]:
    """A file of its own: a process opens one file with one configuration."""
    copy = tmp_path_factory.mktemp("one_thread") / "w.duckdb"
    shutil.copy(variants.path, copy)
    made = Answers(Runs(copy, variants.jobs), threads=1)
    yield made
    made.close()


@pytest.mark.slow
@every_query
def test_threads_do_not_change_a_byte(answers: Answers, one_thread: Answers, query: Query) -> None:
    assert answers.table(query, given(query)).equals(one_thread.table(query, given(query)))


@pytest.fixture(scope="module")
def in_other_order(variants: Runs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answers]:
    """Other runs before it, and the last rank first."""
    path = tmp_path_factory.mktemp("order") / "w.duckdb"
    order = {name: list(reversed(variants.jobs[name])) for name in ("copy job", "base job")}
    made = Answers(import_jobs(path, order))
    yield made
    made.close()


@pytest.mark.slow
@every_query
def test_the_order_of_imports_does_not_matter(
    answers: Answers, in_other_order: Answers, query: Query
) -> None:
    before = compared(query, answers.rows(query, given(query), "base job"))
    after = compared(query, in_other_order.rows(query, given(query), "base job"))

    assert differences(after, before) == []


def with_required(query: Query, values: Mapping[str, Any]) -> dict[str, Any]:
    return {p.name: values[p.name] for p in query.parameters if not p.has_default}


@pytest.mark.slow
@every_query
def test_a_query_and_its_macro_give_equal_rows(answers: Answers, query: Query) -> None:
    assert query.header is not None
    values: dict[str, Any] = answers.resolved(given(query))
    own = PARAMETERS.get(query.header.name, {})  # the others have their defaults
    literals = ", ".join(f"p_{name} := {sql_literal(values[name])}" for name in own)

    macro = answers.result(f'FROM "{query.key}"({literals})')

    assert macro.equals(answers.table(query, values))


@pytest.mark.slow
@every_query
def test_a_query_and_its_macro_give_equal_rows_with_every_way_to_give_parameters(
    answers: Answers, query: Query
) -> None:
    values: dict[str, Any] = answers.resolved(given(query))
    bound = answers.table(query, values)

    names = ", ".join(f"p_{name} := ${name}" for name in values)
    assert bound.equals(answers.result(f'FROM "{query.key}"({names})', values))

    required = with_required(query, values)
    literals = ", ".join(map(sql_literal, required.values()))
    assert answers.result(query, required).equals(answers.result(f'FROM "{query.key}"({literals})'))


LACKING = [
    "no-gpu",
    pytest.param("no-host", marks=pytest.mark.slow),
    pytest.param("no-steps", marks=pytest.mark.slow),
    pytest.param("seed-0", marks=pytest.mark.slow),
]


@pytest.fixture(scope="module", params=LACKING)
def lacking(random_runs: Runs, request: pytest.FixtureRequest) -> Iterator[Answers]:
    made = Answers(random_runs, run=request.param)
    yield made
    made.close()


@pytest.mark.integration
@pytest.mark.parametrize(
    "query", [slow(each, id=str(each.key)) if n % 4 else pytest.param(each, id=str(each.key))
              for n, each in enumerate(PUBLIC)]
)  # fmt: skip
def test_contracts_hold_whatever_a_trace_lacks(lacking: Answers, query: Query) -> None:
    connection = lacking.reader.connection
    lacking.install(query)

    assert contract.check_rows(connection, query, lacking.resolved(given(query))) == []


@pytest.fixture(scope="module")
def nothing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answers]:
    path = tmp_path_factory.mktemp("nothing") / "w.duckdb"
    database.create_empty(path)
    made = Answers(Runs(path, {}))
    yield made
    made.close()


@pytest.mark.slow
@some_queries
def test_an_empty_warehouse_gives_no_rows(nothing: Answers, query: Query) -> None:
    assert nothing.table(query, given(query)).num_rows == 0


@pytest.mark.slow
def test_queries_have_rows_to_be_compared(answers: Answers) -> None:
    silent = {
        query.header.name
        for query in PUBLIC
        if query.header
        and not query.header.name.startswith("check_")  # they find nothing in a sound trace
        and not answers.rows(query, given(query), "base job")
    }

    assert silent == set(SILENT)
