"""BytePS in dPRO's global graph and replays: what dPRO itself made of the same logs."""

from __future__ import annotations

import gzip
import itertools
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import Tw
from tw_importers.dpro import gml
from warehouse.ingest import pipeline
from warehouse.ingest.decode import Settings
from warehouse.ingest.pipeline import Options
from warehouse.query import session
from warehouse.query.session import Session
from warehouse.replay import engines
from warehouse.replay.graph import Graph

CASE = Path(__file__).parents[1] / "data" / "dpro" / "bps_zmq_2w2s"
WINDOW = Settings(options=(("profile_start_step", "0"), ("profile_duration", "5")))


def imported(trial: Path, db: Path) -> Path:
    found = pipeline.import_paths([trial], db=db, options=Options(jobs=1, settings=WINDOW))
    assert {each.status for each in found} <= {"imported", "ignored"}
    return db


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    db = imported(CASE, tmp_path_factory.mktemp("byteps") / "w.duckdb")
    with session.opened(session.Place.of(db)) as opened:
        yield opened


def expected_graph() -> str:
    """What dPRO saved, with the numbers that NumPy printed as calls."""
    text = gzip.decompress((CASE / "expected/trail_dag.gml.gz").read_bytes()).decode()
    return re.sub(r"NP\.FLOAT64\(([^)]*)\)", r"\1", text)


def rows(opened: Session, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = opened.run(name).table().to_pylist()
    return found


def test_the_graph_is_dpros_with_its_orders(replayed: Session) -> None:
    graph = gml.parse(expected_graph())
    found = rows(replayed, "dpro_edge")
    names = {r["from_place"]: r["from_name"] for r in found}
    names |= {r["to_place"]: r["to_name"] for r in found}
    assert [names[place] for place in sorted(names)] == graph.labels
    edges = [(r["from_name"], r["to_name"]) for r in found if r["kind"] != "arrive"]
    in_order = sorted(edges, key=lambda edge: graph.labels.index(edge[0]))
    assert in_order == [(graph.labels[a], graph.labels[b]) for a, b in graph.edges]


def test_nodes_have_the_means_gaps_and_latencies_of_dpro(replayed: Session) -> None:
    found = {r["name"]: r for r in rows(replayed, "dpro_node")}
    blocks = re.findall(r"node \[(.*?)\n  \]", expected_graph(), re.DOTALL)
    assert len(blocks) == len(found)
    for block in blocks:
        reference = dict(line.strip().split(" ", 1) for line in block.strip().splitlines())
        node = found[reference["label"].strip('"')]
        assert node["dur_ns"] / 1e6 == pytest.approx(float(reference["avg"]), abs=1e-12)
        for names, column, unit in (
            (("operatorGAPoperator", "CommGAPComm"), "gap_ns", 1e3),
            (("operatorGAPComm", "INTERNODEGAP"), "negotiation_ns", 1e3),
            (("cnt",), "n_gaps", 1),
        ):
            text = next((reference[name] for name in names if name in reference), None)
            value = node[column]
            assert (value is None) == (text is None), (reference["label"], column)
            assert text is None or value / unit == pytest.approx(float(text), abs=1e-9)


def replay(opened: Session, engine: str) -> list[tuple[str, str, float, float]]:
    """Name, kind, start and duration of each node, in µs."""
    chosen = engines.find(engine)
    graph = Graph(opened, chosen.parameters)
    graph.store(chosen.simulate(graph.work()))
    return graph.connection.execute(
        "SELECT name, kind, start_ns / 1e3, (end_ns - start_ns) / 1e3 FROM node "
        "JOIN time USING (node_id)"
    ).fetchall()


def test_every_event_of_dpros_replay_has_its_time(replayed: Session) -> None:
    document = json.loads(gzip.decompress((CASE / "expected/synthetic.json.gz").read_bytes()))
    reference = {e["args"]["name"]: (e["ts"], e["dur"]) for e in document["traceEvents"]}
    found = {name: (start, dur) for name, _, start, dur in replay(replayed, "dpro") if dur > 0}
    assert found.keys() == reference.keys()
    for name, times in reference.items():
        assert found[name] == pytest.approx(times, abs=1e-3), name


def test_the_default_replay_is_closer_to_the_true_step_time(replayed: Session) -> None:
    steps = json.loads((CASE / "truth.json").read_text())["truth_iter_us"]
    truth = sum(map(max, steps)) / len(steps)
    found = replay(replayed, "default")
    end = max(start + dur for _, kind, start, dur in found if kind == "operator")
    assert end == pytest.approx(truth, rel=0.005)


# --- clocks


def least_shifts(bounds: dict[tuple[int, int], float], n: int) -> np.ndarray:
    """Shifts s of nodes 1..n-1 with least sum of squares, and s[a] - s[b] <= bound; s[0] is 0.

    By trying which bounds are met exactly: of all sets that give an admissible solution, the best.
    """
    rows, limits = [], []
    for (a, b), bound in bounds.items():
        row = np.zeros(n)
        row[a] += 1
        row[b] -= 1
        rows.append(row[1:])
        limits.append(bound)
    matrix, limit = np.array(rows), np.array(limits)
    best = None
    for size in range(n):
        for chosen in itertools.combinations(range(len(limit)), size):
            shifts = np.linalg.pinv(matrix[list(chosen)]) @ limit[list(chosen)] if chosen else 0
            shifts = np.zeros(n - 1) + shifts
            is_better = best is None or shifts @ shifts < best @ best - 1e-9
            if np.all(matrix @ shifts <= limit + 1e-6) and is_better:
                best = shifts
    assert best is not None
    return np.concatenate([[0.0], best])


@pytest.mark.slow
@pytest.mark.parametrize(
    "offsets", [{"server_0": 800, "worker_0": -450}, {"worker_1": 900}, {"server_1": -900}]
)
def test_clocks_are_shifted_as_little_as_the_order_of_messages_permits(
    offsets: dict[str, int], tmp_path: Path
) -> None:
    trial = shutil.copytree(CASE, tmp_path / "t", ignore=shutil.ignore_patterns("expected"))
    nodes = ["server_0", "server_1", "worker_0", "worker_1"]
    for node in nodes:
        log = trial / "zmq" / f"zmq_{node}.log"
        head, *lines = log.read_text().splitlines()
        moved = (line.split(" ", 1) for line in lines)
        text = [f"{int(ts) + offsets.get(node, 0)} {rest}" for ts, rest in moved]
        log.write_text("\n".join([head, *text]) + "\n")
    # Undisturbed, answers come 30 µs after pushes and, where links were idle, 700 µs after answers.
    delay = {"server": 30.0, "worker": 700.0}
    bounds = {
        (a, b): delay[nodes[a][:6]] + offsets.get(nodes[b], 0) - offsets.get(nodes[a], 0)
        for a in range(4)
        for b in range(4)
        if nodes[a][:6] != nodes[b][:6]
    }
    reference = least_shifts(bounds, 4)
    shift = {}
    with (
        session.opened(session.Place.of(imported(CASE, tmp_path / "a.duckdb"))) as plain,
        session.opened(session.Place.of(imported(trial, tmp_path / "b.duckdb"))) as moved_clocks,
    ):
        before = {key(r): r["start_ns"] for r in rows(plain, "dpro_message")}
        for row in rows(moved_clocks, "dpro_message"):
            if row["peer"] is not None:
                shift[row["peer"]] = row["start_ns"] - before[key(row)]
    found = [shift[node] / 1e3 - offsets.get(node, 0) for node in nodes]
    assert found == pytest.approx(list(reference), abs=0.01)


def test_logs_that_end_inside_a_line_are_damaged(tw: Tw, tmp_path: Path) -> None:
    """Where the last line is a record, its last number may still be cut."""
    ignored = shutil.ignore_patterns("expected", "traces_1", "*_1.*")
    trial = shutil.copytree(CASE, tmp_path / "t", ignore=ignored)
    for path in (*trial.glob("*/*.log"), *trial.glob("server/*.txt")):
        path.write_text("\n".join(path.read_text().splitlines()[:20]))
    for name in ("zmq/zmq_worker_0.log", "key_dict.txt"):
        whole = (trial / name).read_text()
        (trial / name).write_text(whole[: whole.rstrip().rindex("\n") + 7])
    ran = tw("import", trial)

    assert (ran.code, ran.err.count("the file ends early")) == (6, 1), ran.err
    assert all(each in ran.err for each in (" no_line_end (2)", " truncated (2)"))
    assert "key_dict.txt ends inside a line" in tw("import", trial, "--strict").err


@pytest.mark.slow
def test_rdma_has_clocks_at_both_ends_and_one_message_at_a_time_on_a_link(tmp_path: Path) -> None:
    """The sender's clock is 50 µs late; of two messages that overlap, the second waits."""
    trial = shutil.copytree(CASE, tmp_path / "t", ignore=shutil.ignore_patterns("expected", "zmq"))
    shutil.rmtree(trial / "server")
    (trial / "rdma").mkdir()
    (trial / "rdma" / "rdma_worker_0.log").write_text("role=worker,id=9\n")
    messages = [(100, 150, 110), (101, 250, 210), (100, 350, 310), (101, 450, 410)]  # before S + 1
    messages += [(100, 1050, 1010), (100, 1500, 1700), (101, 1600, 1800)]
    lines = ["role=server,id=8"]
    for number, start, end in messages:
        lines += [f"{start} true true true {number} 9 8", f"{end} false true true {number} 9 8"]
    (trial / "rdma" / "rdma_server_0.log").write_text("\n".join(lines))
    with session.opened(session.Place.of(imported(trial, tmp_path / "w.duckdb"))) as opened:
        found = {
            (r["tensors"], r["step"]): (r["start_ns"] / 1e3, r["dur_ns"] / 1e3)
            for r in rows(opened, "dpro_message")
        }
    # Starts move by -40 µs, which makes the shortest message last 0 µs, and no more.
    assert found == {("0", 0): (1010, 0), ("0", 1): (1460, 240), ("1", 0): (1700, 100)}


def key(row: dict[str, Any]) -> tuple[str, int]:
    return row["name"], row["step"]
