"""dPRO trials of MXNet: the graph of training that follows from the symbol, and its replay.

No recording was seen: the trial is written by hand (tests/support/mxnet_trial.py).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from tests.conftest import Tw
from tests.support import mxnet_trial
from tests.support.sharing import integration, slow
from warehouse.ingest import pipeline
from warehouse.ingest.pipeline import Options

EDGES = {
    ("FW.dense0", "OUTPUT0"), ("OUTPUT0", "BW.dense0"), ("I/O_0", "FW.conv0"),
    ("FW.conv0", "FW.dense0"), ("BW.dense0", "BW.conv0"), ("BW.conv0", "Comm.0"),
    ("BW.dense0", "Comm.1"), ("Comm.0", "UPDATE_CAL"), ("Comm.1", "UPDATE_CAL"),
    ("UPDATE_CAL", "UPDATE_0"), ("UPDATE_CAL", "UPDATE_1"),
}  # fmt: skip


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mxnet")
    trial = mxnet_trial.write(folder / "trial")
    found = pipeline.import_paths([trial], db=folder / "w.duckdb", options=Options(jobs=1))
    assert [each.status for each in found] == ["imported", "imported"]
    return folder / "w.duckdb"


@pytest.fixture
def db(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(path), read_only=True) as connection:
        yield connection


@pytest.mark.slow
def test_the_local_graph_is_that_of_training(db: duckdb.DuckDBPyConnection) -> None:
    rows = db.execute(
        "SELECT a.name, b.name FROM graph_edge AS e JOIN graph_node AS a ON a.id = e.from_node_id "
        "JOIN graph_node AS b ON b.id = e.to_node_id WHERE e.trace_id = 1"
    ).fetchall()
    assert len(rows) == len(EDGES)
    assert set(rows) == EDGES
    rows = db.execute(
        "SELECT name, type FROM graph_node WHERE trace_id = 1 AND type > '' ORDER BY 1"
    ).fetchall()
    assert rows == [
        ("BW.conv0", "Convolution"), ("BW.dense0", "FullyConnected"),
        ("FW.conv0", "Convolution"), ("FW.dense0", "FullyConnected"),
    ]  # fmt: skip


@pytest.mark.integration
def test_gradients_have_names_and_sizes(db: duckdb.DuckDBPyConnection) -> None:
    rows = db.execute(
        "SELECT DISTINCT m.tensor_id, m.name, m.bytes FROM collective_tensor AS m ORDER BY 1"
    ).fetchall()
    assert rows == [(0, "conv0_weight", 4 * 3 * 3 * 3 * 4), (1, "dense0_weight", 10 * 196 * 2)]


@pytest.mark.integration
def test_operators_are_nodes_of_the_graph_in_steps(db: duckdb.DuckDBPyConnection) -> None:
    rows = db.execute(
        "SELECT name, step_number, dur FROM cpu_op WHERE trace_id = 1 ORDER BY ts"
    ).fetchall()
    names = [
        "FW.conv0", "FW.dense0", "OUTPUT0", "BW.dense0", "BW.dense0", "BW.conv0",
        "UPDATE_CAL", "UPDATE_CAL", "UPDATE_0", "UPDATE_1",
    ]  # fmt: skip
    assert rows == [
        (name, step, dur * 1000)
        for step in (0, 1)
        for name, (_, _, dur) in zip(names, mxnet_trial.STEP, strict=True)
    ]


@pytest.mark.integration
def test_a_replay_adds_up_operators_communication_and_updates(path: Path, tw: Tw) -> None:
    """By hand, in µs: the last backward operator ends at 87, 3 of negotiation, QUEUE 2, copy 3,
    two sends and receives of 6 each, copy 2; then UPDATE_CAL 8 and two updates of 5, 1 apart."""
    found = tw("replay", "--db", path, "--engine", "dpro", "--format", "json")
    assert found.code == 0, found.err
    rows = json.loads(found.out)
    expected = 87 + 3 + 2 + 3 + 4 * 6 + 2 + 8 + 5 + 1 + 5
    assert [(row["measured_ns"], row["replayed_ns"]) for row in rows] == [
        (150_000, pytest.approx(1000 * expected, abs=1e-6))
    ] * 2


def _names_no_input(folder: Path) -> None:
    symbol = folder / "symbol_debug_str.txt"
    symbol.write_text(symbol.read_text().replace("Variable:data0\n", ""))


def _no_operator(folder: Path) -> None:
    (folder / "symbol_debug_str.txt").write_text("Symbol Outputs:\n")


def _cycle(folder: Path) -> None:
    symbol = folder / "symbol_debug_str.txt"
    block = "--------------------\nOp:Copy, Name=conv0_fwd1\nInputs:\n\targ[0]=dense0_fwd(0)\n"
    symbol.write_text(symbol.read_text() + block)


def _cut_metadata(folder: Path) -> None:
    (folder / "metadata.json").write_text('{"outputs": ["a"')


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_names_no_input, "symbol_debug_str.txt: operator conv0_fwd reads data0, which nothing"),
        slow(_no_operator, "symbol_debug_str.txt: no operator found"),
        slow(_cycle, "symbol_debug_str.txt: nodes of the graph depend on each other: "),
        integration(_cut_metadata, "metadata.json is not what dPRO records: "),
    ],
)
def test_a_damaged_description_is_refused(
    damage: Callable[[Path], None], message: str, tmp_path: Path
) -> None:
    trial = mxnet_trial.write(tmp_path / "trial")
    damage(trial / "host1" / "0")
    found = pipeline.import_paths([trial], db=tmp_path / "w.duckdb", options=Options(jobs=1))
    (error,) = [each.error for each in found if each.status == "failed"]
    assert error is not None
    assert message in error.message
