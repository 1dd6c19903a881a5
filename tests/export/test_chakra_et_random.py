"""Random programs, linked and written as Chakra files: nothing is lost, all of it can be run."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tests.export.test_chakra_et import exported, imported
from tests.support import chakra_wire as wire
from tests.support import random_execution
from tests.support.chakra_feeder import simulate
from tests.support.random_execution import Program
from tests.support.sharing import chosen, slow
from tw_importers.chakra_et.export.et import Options
from warehouse.ingest.pipeline import Options as ImportOptions
from warehouse.ingest.pipeline import import_paths
from warehouse.query.selection import Selection
from warehouse.store import database

SEEDS = (4, 5)
Made = tuple[Path, dict[str, Program]]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Made:
    folder = tmp_path_factory.mktemp("programs")
    seeds = {SEEDS[0], *chosen(request, "seed")}
    made = {f"p{seed}": random_execution.make(seed) for seed in SEEDS if seed in seeds}
    for run, program in made.items():
        for outcome in import_paths(
            program.write(folder / run),
            db=folder / "w.duckdb",
            options=ImportOptions(run=run, jobs=1),
        ):
            assert outcome.error is None
    return folder / "w.duckdb", made


@pytest.mark.parametrize("seed", [SEEDS[0], slow(SEEDS[1])])
def test_a_random_program_is_written_whole_and_can_be_run(
    seed: int, programs: Made, tmp_path: Path
) -> None:
    db, made = programs
    program = made[f"p{seed}"]
    options = Options(orders=("stream", "group"), with_start_times=True)
    graph = wire.decode(exported(db, Selection(runs=(f"p{seed}",)), options, tmp_path / "x.et"))
    simulate(graph)
    hosts = [node for node in graph.nodes if node.attr("is_cpu_op")]
    work = [node for node in graph.nodes if not node.attr("is_cpu_op")]
    assert sorted(node.attr("duration_ns") for node in work) == sorted(w.dur for w in program.work)
    in_host = [op for op in program.ops if op.in_host]
    assert {n.attr("rf_id") for n in hosts if n.attr("rf_id")} == {op.function_id for op in in_host}
    # Each thread is one chain in the order of its calls.
    by_thread: dict[int, list[wire.Node]] = {}
    for node in hosts:
        by_thread.setdefault(node.attr("tid"), []).append(node)
    for nodes in by_thread.values():
        for before, after in pairwise(nodes):
            assert before.id in after.data
    ids = {node.id for node in hosts}
    assert all({*node.ctrl} <= ids and {*node.ctrl} <= {*node.data} for node in work)


@pytest.mark.slow
def test_what_was_written_is_read_back_as_the_same_graph(programs: Made, tmp_path: Path) -> None:
    db, _ = programs
    data = exported(db, Selection(runs=("p4",)), Options(), tmp_path / "again.et")
    again = imported([tmp_path / "again.et"], tmp_path / "w.duckdb")
    with database.Reader(again) as reader:
        found = reader.connection.execute(
            "SELECT t.node_id, list(f.node_id ORDER BY e.ordinal) FROM graph_edge AS e "
            "JOIN graph_node AS f ON f.id = e.from_node_id "
            "JOIN graph_node AS t ON t.id = e.to_node_id WHERE e.kind = 'data' GROUP BY t.node_id"
        ).fetchall()
        (n_problems,) = database.one(reader.connection, "SELECT count(*) FROM import_problem")
    assert dict(found) == {node.id: node.data for node in wire.decode(data).nodes if node.data}
    assert n_problems == 0
    assert exported(again, "again", Options(), tmp_path / "twice.et") == data
