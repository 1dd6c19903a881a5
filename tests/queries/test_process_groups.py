"""Classes of process groups, against what the recorded programs do, and random jobs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.randomtrace import Runs, common, covered
from tests.support.sharing import WarehouseCache
from warehouse.ingest import pipeline
from warehouse.query import execute
from warehouse.store import database

PARALLEL = Path(__file__).parents[1] / "data/kineto/parallel"
ROW_BYTES = 8 * 4  # of what the programs send
Row = dict[str, Any]


def rows(path: Path, query: str) -> list[Row]:
    with database.Reader(path) as reader:
        found: list[Row] = execute.run(reader.connection, query).table().to_pylist()
    return found


@pytest.fixture(scope="module")
def recorded(imported_files: WarehouseCache) -> Path:
    folders = sorted(folder for folder in PARALLEL.iterdir() if folder.is_dir())
    folders.sort(key=lambda folder: folder.name != "pipeline")  # other tests read it alone
    return imported_files(*((folder.name, sorted(folder.glob("*.gz"))) for folder in folders))


#: By program and description of the group: what `record.py` uses it for, with the confidence of the
#: evidence there is. Groups of meshes without a word of parallelism have none: gloo does not
#: record which group communicates, if there are several.
CLASSES = {
    ("data_and_tensor", "default_pg"): (None, None),
    ("data_and_tensor", "mesh_dp"): ("data", 0.9),
    ("data_and_tensor", "mesh_tp"): ("tensor", 0.9),
    ("replicas", "default_pg"): ("data", 0.8),
    ("sharded", "default_pg"): ("fsdp", 0.9),
    ("hybrid", "default_pg"): (None, None),
    ("hybrid", "mesh_replica"): (None, None),
    ("hybrid", "mesh_part"): (None, None),
    ("pipeline", "default_pg"): ("pipeline", 0.7),
    ("experts", "default_pg"): ("expert", 0.7),
}


@pytest.mark.slow
def test_groups_of_recorded_programs_have_the_class_of_what_they_do(recorded: Path) -> None:
    found = rows(
        recorded,
        "SELECT r.name, c.* FROM process_group_class() AS c JOIN run AS r ON r.id = c.run_id",
    )

    assert {
        (row["name"], row["group_description"]): (row["class"], row["confidence"]) for row in found
    } == CLASSES
    assert {(row["class"] is None) == (row["evidence"] is None) for row in found} == {True}
    # Of two by two ranks, 0 and 1 are in the inner group, 0 and 2 in the outer.
    strides = {row["group_description"]: row["rank_stride"] for row in found}
    assert strides["mesh_dp"] == strides["mesh_replica"] == 2
    assert strides["mesh_tp"] == strides["mesh_part"] == 1


@pytest.mark.integration
def test_volumes_of_experts_and_pipelines_are_those_of_the_programs(recorded: Path) -> None:
    """Of two steps: rank r has 4 (r + 1) rows of 10 each sends, which come and go in both passes.

    A stage sends 4 microbatches of 2 rows to the next and as many gradients to the one before, and
    receives as many: the first and the last have one neighbour.
    """
    found = rows(
        recorded,
        "SELECT r.name, c.* FROM communication_by_class() AS c JOIN run AS r ON r.id = c.run_id "
        "WHERE c.class IN ('expert', 'pipeline') ORDER BY c.rank",
    )
    sizes = {name: [row["message_bytes"] for row in found if row["name"] == name]
             for name in ("experts", "pipeline")}  # fmt: skip

    assert sizes["experts"] == [2 * (2 * 4 * (rank + 1) + 2 * 10) * ROW_BYTES for rank in range(4)]
    assert sizes["pipeline"] == [2 * 4 * 2 * 2 * ROW_BYTES * n for n in (1, 2, 2, 1)]
    ratios = [row["message_ratio"] for row in found if row["name"] == "experts"]
    mean = sum(sizes["experts"]) / 4
    assert ratios == pytest.approx([size / mean for size in sizes["experts"]])
    assert {row["n_ranks"] for row in found} == {4}
    assert {row["exposed_ns"] for row in found} == {None}


# --- recordings with the groups of each call, as NCCL has them


def call(
    name: str, start: int, around: str, group: tuple[str, str, list[int]], **more: object
) -> list[Row]:
    """An enqueued collective inside of a range."""
    description = {
        "Collective name": name, "Process Group Name": group[0],
        "Process Group Description": group[1], "Process Group Ranks": json.dumps(group[2]),
        "Group size": len(group[2]), "In msg nelems": 8, "Out msg nelems": 8, "dtype": "Float",
    } | more  # fmt: skip
    place = {"ph": "X", "pid": 1, "tid": 1, "cat": "cpu_op"}
    return [
        {"name": around, "ts": start, "dur": 8, "args": {}} | place,
        {"name": "record_param_comms", "ts": start + 2, "dur": 2, "args": description} | place,
    ]


FORWARD = "aten::linear"
BACKWARD = "autograd::engine::evaluate_function: AddmmBackward0"
GRADIENT = "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"
NEAR, FAR, WORLD = [0, 1], [0, 4], [0, 1, 2, 3, 4, 5, 6, 7]
Call = tuple[str, str, dict[str, object]]


GATHER, SCATTER, NONE = "_allgather_base", "_reduce_scatter_base", "undefined"
#: Description and ranks of a group, its calls and what is around them; its class and confidence.
GROUPS: Sequence[tuple[str, list[int], Sequence[Call], tuple[str | None, float | None]]] = [
    (NONE, FAR, [("allreduce", GRADIENT, {})], ("data", 0.8)),
    ("dp_shard_cp", FAR, [], ("fsdp", 0.9)),
    ("dp_replicate", FAR, [], ("data", 0.9)),
    ("DATA_PARALLEL_GROUP_WITH_CP", FAR, [], ("data", 0.9)),
    ("TENSOR_MODEL_PARALLEL_GROUP", NEAR, [], ("tensor", 0.9)),
    ("EXPERT_MODEL_PARALLEL_GROUP", FAR, [], ("expert", 0.9)),
    ("CONTEXT_PARALLEL_GROUP", NEAR, [], ("context", 0.9)),
    ("PIPELINE_MODEL_PARALLEL_GROUP", FAR, [], ("pipeline", 0.9)),
    ("TENSOR_AND_DATA_PARALLEL_GROUP", FAR, [], (None, None)),
    ("MODEL_PARALLEL_GROUP", FAR, [], (None, None)),
    # Words are whole: "tp" within another word is none.
    ("http_dpi", FAR, [], (None, None)),
    ("mesh_dp", FAR, [("allreduce", GRADIENT, {})], ("data", 1 - 0.1 * 0.2)),
    ("mesh_dp", FAR, [(SCATTER, "FSDP::post_backward_reduce", {})],
     ("fsdp", 1 - 0.1 * 0.1)),
    (NONE, FAR, [("allreduce", "FSDP::post_backward_reduce", {})], ("data", 0.8)),
    (NONE, NEAR, [("allreduce", FORWARD, {})], (None, None)),
    (NONE, NEAR, [("allreduce", FORWARD, {}), ("allreduce", BACKWARD, {})],
     ("tensor", 0.6)),
    (NONE, NEAR, [(GATHER, FORWARD, {}), (SCATTER, BACKWARD, {})],
     ("fsdp", 0.7)),
    (NONE, NEAR, [(GATHER, FORWARD, {}), (SCATTER, FORWARD, {}),
                         (SCATTER, BACKWARD, {})], ("tensor", 0.6)),
    (NONE, FAR, [("all_to_allv", FORWARD, {})], ("expert", 0.5)),
    (NONE, FAR, [("all_to_allv", FORWARD, {"Out msg nelems": 9})], ("expert", 0.7)),
    (NONE, FAR, [("send", FORWARD, {"Dst Rank": 1}), ("recv", BACKWARD, {"Src Rank": 1})],
     ("pipeline", 0.7)),
    # Which of two that are equal, the distance of ranks says.
    (NONE, FAR, [("send", FORWARD, {"Dst Rank": 1}), ("recv", FORWARD, {"Src Rank": 3})],
     ("pipeline", 0.6)),
    (NONE, NEAR, [("send", FORWARD, {"Dst Rank": 1}), ("recv", FORWARD, {"Src Rank": 3})],
     ("context", 0.6)),
    # Of contradicting evidence the likelier counts: 0.9 * 0.2 against 0.8 * 0.1.
    ("mesh_tp", FAR, [("allreduce", GRADIENT, {})], ("tensor", 0.18 / (0.18 + 0.08))),
    (NONE, WORLD, [("barrier", FORWARD, {})], (None, None)),
]  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("groups")
    paths = [folder / f"{n}.json" for n in range(len(GROUPS))]
    for path, (description, ranks, calls, _) in zip(paths, GROUPS, strict=True):
        path.write_text(json.dumps(document(description, ranks, calls)))
    outcomes = pipeline.import_paths(paths, db=folder / "w.duckdb")
    assert {outcome.status for outcome in outcomes} == {"imported"}
    return folder / "w.duckdb"


def document(description: str, ranks: list[int], calls: Sequence[Call]) -> Row:
    """Group 7 beside groups without evidence: of the nearest, of farther, and of all ranks."""
    groups = [("7", description, ranks), ("8", "a", NEAR), ("9", "b", FAR), ("0", "c", WORLD)]
    events = [
        event
        for n, (name, around, more) in enumerate([*calls, ("barrier", FORWARD, {})])
        for event in call(name, 10 * n, around, groups[0 if n < len(calls) else 3], **more)
    ]
    config = [
        {"pg_name": name, "pg_desc": text, "pg_size": len(members), "ranks": members}
        for name, text, members in groups
    ]
    described = {"rank": 0, "world_size": 8, "pg_config": config}
    return {"schemaVersion": 1, "distributedInfo": described, "traceEvents": events}


def test_names_and_use_of_groups_say_their_class(made: Path) -> None:
    found = rows(
        made,
        "SELECT c.*, t.name FROM process_group_class() AS c JOIN trace AS t ON t.id = c.trace_id",
    )

    chosen = {int(row["name"]): row for row in found if row["group_name"] == "7"}
    assert {n: row["class"] for n, row in chosen.items()} == {
        n: expected[0] for n, (*_, expected) in enumerate(GROUPS)
    }
    for n, (*_, (_, confidence)) in enumerate(GROUPS):
        assert chosen[n]["confidence"] == pytest.approx(confidence), GROUPS[n]
    assert {row["class"] for row in found if row["group_name"] != "7"} == {None}


def test_times_of_random_jobs_are_those_of_their_kernels(random_runs: Runs) -> None:
    """Their groups have no class: all communication of a device is one row."""
    expected: dict[tuple[str, int, int | None], tuple[int, int, int]] = {}
    for name, traces in random_runs.jobs.items():
        for trace in traces:
            for device in {work.device for work in trace.collectives}:
                mine = [work for work in trace.collectives if work.device == device]
                compute = [
                    work.interval
                    for work in trace.device_work
                    if work.device == device and work.klass == "compute"
                ]
                spans = [work.interval for work in mine]
                total = covered(spans)
                exposed = total - covered(common(spans, compute))
                expected[name, trace.rank, device] = (len(mine), total, exposed)

    found = {
        (name, row["rank"], row["device"]):
            (row["n_collectives"], row["communication_ns"], row["exposed_ns"])
        for name, rows_of_run in random_runs.rows("communication_by_class").items()
        for row in rows_of_run
        if row["side"] == "device"
    }  # fmt: skip
    assert found == expected
    assert any(exposed not in (0, total) for _, total, exposed in expected.values())
