"""Replays of graphs without a timeline, and of TPU commands, beside a plain simulation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Tw
from tests.support import graph_replay
from tests.support.sharing import WarehouseCache, slow
from warehouse.store import database

CNN = Path(__file__).parents[1] / "data" / "execution_trace" / "gpu_cnn"
OWN = ["own_cpu_cnn", "own_cpu_transformer", "own_gpu_cnn", "own_gpu_ddp_r0", "own_gpu_transformer"]
CAPTURES = {"aks_bmodel": 0, "aks_m1_1core": 0.001, "aks_m2_8core": 0, "aks_m1_8core_cdma": 0.16}


def replayed(tw: Tw, db: Path, *arguments: str) -> dict[str, Any]:
    result = tw("replay", "--db", db, "--format", "json", *arguments)
    assert result.code == 0, result.err
    row: dict[str, Any]
    (row,) = json.loads(result.out)
    return row


def graph(db: Path, kind: str) -> list[graph_replay.Call]:
    with database.Reader(db) as reader:
        ((graph_id,),) = reader.connection.execute(
            "SELECT id FROM graph WHERE kind = ?", [kind]
        ).fetchall()
        return graph_replay.of_graph(reader.connection, graph_id)


@pytest.mark.slow
def test_a_linked_graph_takes_as_long_as_in_a_plain_simulation(
    tw: Tw, imported_files: WarehouseCache
) -> None:
    db = imported_files(("cnn", [CNN / "kineto.json.gz", CNN / "host_et.json.gz"]))

    row = replayed(tw, db, "--trace", "host_et")

    assert row["replayed_ns"] == graph_replay.makespan_of_graph(graph(db, "linked"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "error"), [("own_gpu_ddp_r0", 0.02), slow("own_cpu_ddp_r0", 0.02)]
)
def test_what_threads_of_gloo_do_in_a_linked_graph_runs_beside_its_caller(
    tw: Tw, imported_files: WarehouseCache, data_dir: Path, name: str, error: float
) -> None:
    folder = data_dir / "chakra" / name
    db = imported_files(("ddp", [folder / "kineto.json.gz", folder / "host_et.json.gz"]))

    row = replayed(tw, db, "--trace", "host_et")

    assert row["replayed_ns"] == graph_replay.makespan_of_graph(graph(db, "linked"))
    assert abs(row["replay_error"]) <= error


@pytest.mark.slow
def test_a_graph_whose_nodes_are_all_dropped_takes_no_time(
    tw: Tw, imported_files: WarehouseCache
) -> None:
    db = imported_files(("cnn", [CNN / "kineto.json.gz", CNN / "host_et.json.gz"]))

    row = replayed(tw, db, "--trace", "host_et", "--what-if", "drop()")

    assert row["predicted_ns"] <= 0


@pytest.mark.slow
@pytest.mark.parametrize("name", [OWN[0], *map(slow, OWN[1:])])
def test_graphs_of_chakra_take_as_long_as_in_a_plain_simulation(
    tw: Tw, imported_files: WarehouseCache, data_dir: Path, name: str
) -> None:
    folder = data_dir / "chakra" / name
    linked = imported_files(("etplus", [folder / "etplus.json.gz"]))
    converted = imported_files(("chakra", [folder / "chakra.et.gz"]))

    calls = graph_replay.of_host_trace(folder / "etplus.json.gz")
    assert replayed(tw, linked)["replayed_ns"] == graph_replay.makespan_of_graph(calls)
    row = replayed(tw, converted)
    assert row["replayed_ns"] == graph_replay.makespan_of_graph(graph(converted, "chakra"))
    assert row["measured_ns"] is row["replay_error"] is None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aks_bmodel", *map(slow, [*CAPTURES][1:])])
def test_tpu_commands_take_as_long_as_in_a_plain_simulation(
    tw: Tw, imported_files: WarehouseCache, data_dir: Path, name: str
) -> None:
    db = imported_files(("tpu", [data_dir / "bigtpu" / name / "input"]))

    row = replayed(tw, db)

    with database.Reader(db) as reader:
        names = ("id", "track", "engine", "core", "port", "kernel", "start", "end")
        commands = [
            dict(zip(names, values, strict=True))
            for values in reader.connection.execute(
                "SELECT slice_id, track_id, engine, coalesce(core, submit_core), port, "
                "coalesce(kernel_scope, section), ts, ts + dur FROM tpu_command"
            ).fetchall()
        ]
    assert row["replayed_ns"] == graph_replay.makespan_of_commands(commands)
    assert abs(row["replay_error"]) <= CAPTURES[name]


@pytest.mark.slow
def test_a_prediction_of_a_graph_without_a_timeline_is_not_stored(
    tw: Tw, imported_files: WarehouseCache, tmp_path: Path
) -> None:
    db = imported_files.copy(
        tmp_path / "w.duckdb", ("cnn", [CNN / "kineto.json.gz", CNN / "host_et.json.gz"])
    )

    result = tw("replay", "--db", db, "--trace", "host_et", "--as", "p")

    assert result.errors == ["Error: the replayed graph has no timeline that can be stored"]


@pytest.fixture
def two_ranks(tmp_path: Path) -> Path:
    """Two ranks that reduce in groups 5 and 6, in different orders."""
    db = tmp_path / "w.duckdb"
    database.create_empty(db)
    with database.writer(db) as connection:
        for rank, groups in ((0, "56"), (1, "65")):
            connection.execute(
                "INSERT INTO trace (id, run_id, name, rank, kind, format, importer, "
                "importer_version, tw_version, imported_at, base_ns, source_base_ns) VALUES "
                f"({rank}, 1, 'r{rank}', {rank}, 'graph', 'c', 'c', 1, '0', '2026-01-01', 0, 0)"
            )
            connection.execute(
                f"INSERT INTO graph (id, trace_id, kind) VALUES ({rank}, {rank}, 'chakra')"
            )
            for n, group in enumerate(groups):
                connection.execute(
                    "INSERT INTO graph_node (id, trace_id, graph_id, node_id, name, type, "
                    "device_kind, start_ns, dur_ns, attributes_json) VALUES "
                    f"({10 * rank + n}, {rank}, {rank}, {n}, 'reduce', 'COMM_COLL_NODE', 'gpu', 0, "
                    f'10, \'[{{"name": "pg_name", "value": "{group}"}}, '
                    '{"name": "stream", "value": 7}]\')'
                )
            connection.execute(
                "INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, "
                f"ordinal) VALUES ({rank}, {rank}, {rank}, {10 * rank}, {10 * rank + 1}, 'data', 0)"
            )
        connection.execute(
            "INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01')"
        )
    return db


def test_collectives_in_different_order_are_a_deadlock_of_groups_and_ranks(
    tw: Tw, two_ranks: Path
) -> None:
    result = tw("replay", "--db", two_ranks)

    assert result.errors == [
        "Error: deadlock: collectives wait for each other: reduce of group 5 on rank 0 for rank 1, "
        "reduce of group 6 on rank 1 for rank 0; 10 nodes never start"
    ]
