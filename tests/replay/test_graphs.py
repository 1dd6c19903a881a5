"""Replays of graphs without a timeline, and of TPU commands, beside a plain simulation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Tw
from tests.support import graph_replay
from tests.support.sharing import WarehouseCache
from warehouse.store import database

CNN = Path(__file__).parents[1] / "data" / "execution_trace" / "gpu_cnn"
OWN = ["own_cpu_cnn", "own_cpu_transformer", "own_gpu_cnn", "own_gpu_ddp_r0", "own_gpu_transformer"]
CAPTURES = {"aks_bmodel": 0, "aks_m1_1core": 0.001, "aks_m2_8core": 0, "aks_m1_8core_cdma": 0.16}


def replayed(tw: Tw, db: Path, *arguments: str) -> dict[str, float]:
    result = tw("replay", "--db", db, "--format", "json", *arguments)
    assert result.code == 0, result.err
    (row,) = json.loads(result.out)
    return row


def graph(db: Path, kind: str) -> list[graph_replay.Call]:
    with database.Reader(db) as reader:
        ((graph_id,),) = reader.connection.execute(
            "SELECT id FROM graph WHERE kind = ?", [kind]
        ).fetchall()
        return graph_replay.of_graph(reader.connection, graph_id)


def test_a_linked_graph_takes_as_long_as_in_a_plain_simulation(
    tw: Tw, imported_files: WarehouseCache
) -> None:
    db = imported_files(("cnn", [CNN / "kineto.json.gz", CNN / "host_et.json.gz"]))

    row = replayed(tw, db, "--trace", "host_et")

    assert row["replayed_ns"] == graph_replay.makespan_of_graph(graph(db, "linked"))
    assert replayed(tw, db, "--trace", "host_et", "--what-if", "drop()")["predicted_ns"] <= 0


@pytest.mark.integration
@pytest.mark.parametrize("name", OWN)
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


@pytest.mark.integration
@pytest.mark.parametrize("name", CAPTURES)
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


def test_a_prediction_of_a_graph_without_a_timeline_is_not_stored(
    tw: Tw, imported_files: WarehouseCache, tmp_path: Path
) -> None:
    db = imported_files.copy(
        tmp_path / "w.duckdb", ("cnn", [CNN / "kineto.json.gz", CNN / "host_et.json.gz"])
    )

    result = tw("replay", "--db", db, "--trace", "host_et", "--as", "p")

    assert result.errors == ["Error: the replayed graph has no timeline that can be stored"]
