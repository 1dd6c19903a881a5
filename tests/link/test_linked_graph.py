"""Execution traces linked with timelines: which node is which slice, and what waits for what."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support import chakra_cases, chakra_oracle, random_execution
from tests.support.chakra_cases import GOLDEN, LEGACY, PAIRS
from tests.support.random_execution import Program
from tests.support.sharing import integration, slow
from warehouse.ingest.pipeline import Options, import_paths
from warehouse.link import linked_graph
from warehouse.query import execute, session
from warehouse.query.selection import Selection

Row = dict[str, Any]


Pairs = Callable[[str], Path]


@pytest.fixture(scope="module")
def pairs(shared_place: Path, data_dir: Path) -> Pairs:
    """The warehouse of a case."""
    return lambda case: chakra_cases.import_case(shared_place, data_dir, case)


@dataclass
class Linked:
    """A linked graph as dictionaries."""

    nodes: list[Row]
    edges: list[Row]

    @property
    def by_id(self) -> dict[int, Row]:
        return {int(node["id"]): node for node in self.nodes}


@cache
def linked(db: Path, run: str, link_set: str = "default") -> Linked:
    with session.opened(session.Place(db), Selection(runs=(run,))) as opened:
        linked_graph.ensure(opened, link_set)
        found = []
        for sql in (
            "SELECT n.*, h.node_id AS host_id FROM graph_node AS n JOIN graph AS g "
            "ON g.id = n.graph_id LEFT JOIN graph_node AS h ON h.id = n.of_node_id "
            "WHERE g.link_set = $set ORDER BY n.node_id",
            "SELECT e.* FROM graph_edge AS e JOIN graph AS g ON g.id = e.graph_id "
            "WHERE g.link_set = $set ORDER BY e.id",
        ):
            table = opened.connection.sql(sql, params={"set": link_set}).to_arrow_table()
            found.append(table.to_pylist())
    return Linked(*found)


def report(db: Path, run: str) -> list[Row]:
    with session.opened(session.Place(db), Selection(runs=(run,))) as opened:
        rows: list[Row] = opened.run("link_report").table().to_pylist()
    return rows


def assert_sound(graph: Linked) -> None:
    """Ids without gaps, every edge between nodes of the graph, no cycle, none back in time."""
    nodes = graph.by_id
    assert [node["node_id"] for node in graph.nodes] == list(range(len(graph.nodes)))
    after: dict[int, list[int]] = {}
    for edge in graph.edges:
        first, then = nodes[edge["from_node_id"]], nodes[edge["to_node_id"]]
        after.setdefault(first["id"], []).append(then["id"])
        times = first["start_ns"], then["start_ns"]
        if None not in times and then["unlinked_reason"] is None:
            assert times[0] <= times[1], edge
    n_before = dict.fromkeys(nodes, 0)
    for node_id in (each for targets in after.values() for each in targets):
        n_before[node_id] += 1
    ready = [each for each, n in n_before.items() if not n]
    for node_id in ready:
        for later in after.get(node_id, ()):
            n_before[later] -= 1
            if not n_before[later]:
                ready.append(later)
    assert len(ready) == len(nodes), "there is a cycle"


@pytest.mark.integration
@pytest.mark.parametrize(
    ("case", "n_nodes", "n_work"), [slow(LEGACY[0], 1672, 261), (LEGACY[1], 36, 4)]
)
def test_traces_without_ids_are_linked_by_the_order_of_names(
    pairs: Pairs, case: str, n_nodes: int, n_work: int
) -> None:
    nodes = linked(pairs(case), case).nodes

    assert sum(node["link_rule"] == "order" for node in nodes) == n_nodes
    assert sum(node["link_rule"] == "containment" for node in nodes) == n_work


@pytest.mark.slow
@pytest.mark.parametrize("case", GOLDEN)
def test_the_order_of_names_finds_what_ids_say(pairs: Pairs, case: str) -> None:
    by_id = {node["of_node_id"]: node["slice_id"] for node in linked(pairs(case), case).nodes
             if node["link_rule"] == "record_function_id"}  # fmt: skip
    with session.opened(session.Place(pairs(case)), Selection(runs=(case,))) as opened:
        ((graph_id, trace_id),) = opened.connection.execute(
            "SELECT of_graph_id, device_trace_id FROM graph WHERE link_set = 'default'"
        ).fetchall()
        table = execute.run(
            opened.connection, "operator_by_order", {"graph_id": graph_id, "trace_id": trace_id}
        ).table()
    found = dict(zip(*(column.to_pylist() for column in table.columns), strict=True))

    # Threads that do the same may be exchanged: nothing but the ids would tell.
    wrong = [node for node, slice_id in found.items() if by_id.get(node) != slice_id]
    assert len(found) >= 0.95 * len(by_id)
    assert len(wrong) <= 0.05 * len(found)


@pytest.mark.parametrize("case", PAIRS)
def test_linked_graphs_of_recordings_are_sound(pairs: Pairs, case: str) -> None:
    assert_sound(linked(pairs(case), case))


@pytest.mark.parametrize("case", PAIRS)
def test_device_work_hangs_under_the_innermost_operator_around_its_call(
    pairs: Pairs, data_dir: Path, case: str
) -> None:
    events = chakra_cases.read(data_dir / "chakra" / case / "kineto.json.gz")["traceEvents"]
    graph = linked(pairs(case), case)
    host = {node["node_id"]: node for node in graph.nodes if node["device_kind"] == "cpu"}
    found = sorted(
        (node["name"], node["start_ns"], host[node["parent_node_id"]]["start_ns"])
        for node in graph.nodes
        if node["device_kind"] == "gpu" and node["unlinked_reason"] is None
    )

    assert found == sorted(expected_parents(events))


def place(node: Row) -> tuple[str, float]:
    """What tells a node of an ET+ file from others."""
    return node["name"], node["ts"]


def ns(microseconds: float) -> int:
    return round(microseconds * 1000)


def expected_parents(events: list[Row]) -> list[tuple[str, int, int]]:
    """Name and start of device work whose call lies in an operator, and that operator's start."""
    ops = [e for e in events if e.get("cat") in ("cpu_op", "user_annotation")]
    calls = {
        e["args"]["correlation"]: e
        for e in events
        if e.get("cat") in ("cuda_runtime", "cuda_driver")
    }
    found = []
    for work in events:
        if work.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset"):
            continue
        call = calls.get(work["args"]["correlation"])
        if call is None:
            continue
        around = [
            op
            for op in ops
            if op["tid"] == call["tid"]
            and ns(op["ts"]) <= ns(call["ts"])
            and ns(op["ts"]) + ns(op["dur"]) >= ns(call["ts"]) + ns(call["dur"])
        ]
        if around:
            innermost = min(around, key=lambda op: (op["dur"], -op["args"].get("Ev Idx", 0)))
            found.append((work["name"], ns(work["ts"]), ns(innermost["ts"])))
    return found


@pytest.mark.parametrize("case", GOLDEN)
def test_the_default_set_waits_wherever_chakra_does_and_time_allows(
    pairs: Pairs, data_dir: Path, case: str
) -> None:
    graph = linked(pairs(case), case)
    nodes = graph.by_id
    found = {
        tuple(
            (node["name"], node["start_ns"] / 1000)
            for node in (nodes[edge["from_node_id"]], nodes[edge["to_node_id"]])
        )
        for edge in graph.edges
        if edge["kind"] == "sync"
    }
    of_streams = {
        (nodes[edge["from_node_id"]]["name"], nodes[edge["from_node_id"]]["start_ns"] / 1000)
        for edge in graph.edges
        if edge["kind"] == "sync" and nodes[edge["to_node_id"]]["device_kind"] == "gpu"
    }
    theirs = {node["id"]: node for node in chakra_cases.golden(data_dir, case)["nodes"]}
    expected = {
        (place(theirs[each]), place(node))
        for node in theirs.values()
        for each in node.get("sync_dep", ())
        # It lets operators wait for later work, too, by the External ids of older recordings, and
        # instead of a stream the operator after the wait.
        if place(theirs[each]) not in of_streams
        and theirs[each]["ts"] + theirs[each]["inclusive_dur"] <= node["ts"]
    }

    assert expected <= found


@pytest.mark.parametrize("case", PAIRS)
def test_the_report_accounts_for_all_device_time(pairs: Pairs, data_dir: Path, case: str) -> None:
    events = chakra_cases.read(data_dir / "chakra" / case / "kineto.json.gz")["traceEvents"]
    work = ("kernel", "gpu_memcpy", "gpu_memset")
    total_us = sum(event["dur"] for event in events if event.get("cat") in work)
    rows = [row for row in report(pairs(case), case) if row["side"] == "work"]

    assert sum(row["device_ns"] for row in rows) == pytest.approx(1000 * total_us)
    assert all(row["rule"] != "none" for row in rows)
    if rows:
        assert sum(row["device_share"] for row in rows) == pytest.approx(1)


class Programs:
    """A warehouse of random programs, each a run that is imported when a test first asks for it:
    with ids, without, and without but whole."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[str, Program] = {}

    def __getitem__(self, run: str) -> Program:
        if run not in self._made:
            self._made[run] = program = self._make(run)
            paths, options = program.write(self._folder / run), Options(run=run, jobs=1)
            outcomes = import_paths(paths, db=self._folder / "w.duckdb", options=options)
            assert all(outcome.error is None for outcome in outcomes), outcomes
        return self._made[run]

    def path(self, run: str) -> Path:
        """The warehouse, with this run in it."""
        assert self[run]
        return self._folder / "w.duckdb"

    def _make(self, run: str) -> Program:
        if run == "whole":
            return random_execution.make(99, has_ids=False, loss=0)
        kind, seed = run[:-1], int(run[-1])
        if kind == "ids":
            return random_execution.make(seed)
        return random_execution.make(seed + 50, has_ids=False)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    return Programs(tmp_path_factory.mktemp("programs"))


WITH_IDS = ["ids0", *map(slow, ("ids1", "ids2"))]
RUNS = [integration("ids0"), *WITH_IDS[1:], "order0", *map(slow, ("order1", "whole"))]


@pytest.mark.integration
@pytest.mark.parametrize("run", [slow(RUNS[0].values[0]), *RUNS[1:]])
def test_linked_graphs_of_random_programs_are_sound(programs: Programs, run: str) -> None:
    assert_sound(linked(programs.path(run), run))


@pytest.mark.parametrize("run", RUNS)
def test_no_node_and_no_work_is_lost(programs: Programs, run: str) -> None:
    program = programs[run]
    nodes = linked(programs.path(run), run).nodes

    assert [n["host_id"] for n in nodes if n["device_kind"] == "cpu"] == sorted(
        node["id"] for node in program.host["nodes"]
    )
    assert sorted(n["name"] for n in nodes if n["device_kind"] == "gpu") == sorted(
        work.name for work in program.work
    )


@pytest.mark.integration
@pytest.mark.parametrize("run", WITH_IDS)
def test_nodes_are_linked_with_their_operators(programs: Programs, run: str) -> None:
    program = programs[run]
    found = {
        node["host_id"]: node["start_ns"] - 1000 * random_execution.BASE_US
        for node in linked(programs.path(run), run).nodes
        if node["device_kind"] == "cpu" and node["slice_id"] is not None
    }

    assert found == {op.node_id: op.start for op in program.ops if op.in_host and op.in_device}


@pytest.mark.integration
@pytest.mark.parametrize("run", WITH_IDS)
def test_work_hangs_where_it_was_launched(programs: Programs, run: str) -> None:
    program = programs[run]
    found = {
        node["name"]: (node["host_id"], node["unlinked_reason"] is None)
        for node in linked(programs.path(run), run).nodes
        if node["device_kind"] == "gpu"
    }

    for work in program.work:
        op = work.op.nearest if work.op else None
        if op:
            assert found[work.name] == (op.node_id, True)
        else:
            assert not found[work.name][1]


@pytest.mark.slow
def test_a_whole_recording_without_ids_is_linked_wholly(programs: Programs) -> None:
    program = programs["whole"]
    found = {
        node["host_id"]
        for node in linked(programs.path("whole"), "whole").nodes
        if node["link_rule"] == "order"
    }

    assert found == {op.node_id for op in program.ops}


@pytest.mark.parametrize("run", RUNS[len(WITH_IDS) :])
def test_the_order_of_names_is_kept(programs: Programs, run: str) -> None:
    program = programs[run]
    by_node = {op.node_id: op for op in program.ops}
    nodes = [n for n in linked(programs.path(run), run).nodes if n["link_rule"] == "order"]

    assert len({node["slice_id"] for node in nodes}) == len(nodes)
    assert len(nodes) > 0.6 * sum(op.in_host and op.in_device for op in program.ops)
    for thread in range(3):
        starts = [node["start_ns"] for node in nodes if by_node[node["host_id"]].thread == thread]
        assert starts == sorted(starts)


@pytest.mark.integration
@pytest.mark.parametrize("run", WITH_IDS)
def test_the_set_of_chakra_is_what_its_rules_say(programs: Programs, run: str) -> None:
    program = programs[run]
    graph = linked(programs.path(run), run, "chakra-1.0")
    waits = {
        edge["to_node_id"]: graph.by_id[edge["from_node_id"]]["node_id"]
        for edge in graph.edges
        if edge["kind"] == "inter_thread"
    }
    expected = chakra_oracle.linked(
        json.loads(json.dumps(program.host)), json.loads(json.dumps(program.device))
    )

    assert [
        (n["name"], n["parent_node_id"], n["device_kind"] == "gpu", n["exclusive_us"])
        for n in graph.nodes
    ] == [(n["name"], n["parent"], n["is_device"], n.get("exclusive")) for n in expected]
    assert [waits.get(n["id"]) for n in graph.nodes if n["device_kind"] == "cpu"] == [
        n.get("inter_thread") for n in expected if not n["is_device"]
    ]


@pytest.mark.integration
def test_checks_find_nothing_wrong_with_linked_graphs(programs: Programs) -> None:
    with session.opened(session.Place(programs.path("ids0")), Selection(runs=("all",))) as opened:
        for check in ("check_reference", "check_id_unique", "check_stale_link"):
            assert opened.run(check).table().num_rows == 0, check
