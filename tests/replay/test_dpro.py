"""dPRO trials: the graph, the replay with dPRO's rules, and the default replay against the truth.

`expected/` is what dPRO wrote for the trial; `truth.json` is the schedule that the trial was made
from. Not all of what dPRO writes is a whole number of nanoseconds: times are compared in ns with a
tolerance of 1e-3.
"""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Tw
from tests.support.sharing import WarehouseCache, integration, slow
from tw_importers.dpro import gml
from warehouse.query import session
from warehouse.replay import chart, engines, prediction, what_if
from warehouse.replay.graph import Graph
from warehouse.store import database

OURS = Path(__file__).parents[1] / "data" / "dpro"
TINY = "nccl_ring_2x1_tiny"
CASES = [TINY, slow("nccl_ring_2x2"), slow("nccl_ring_2x2_manysmall")]
FAILING = [
    *CASES, slow("nccl_fail_first_fused"), slow("nccl_fail_tensor0_alone"),
]  # fmt: skip


@pytest.fixture
def trial(request: pytest.FixtureRequest) -> Path:
    """The folder of a case: ours, or that of the recordings outside of the project."""
    case: str = request.param
    if (OURS / case).exists():
        return OURS / case
    folder: Path = request.getfixturevalue("data_dir")
    return folder / "dpro" / case


@pytest.fixture
def db(trial: Path, imported_files: WarehouseCache) -> Path:
    return imported_files(("trial", [trial]))


def opened(db: Path) -> Any:
    return session.opened(session.Place(db))


def expected(trial: Path, name: str) -> str:
    return gzip.open(trial / "expected" / f"{name}.gz", "rt").read()


def events(trial: Path, name: str) -> dict[str, tuple[float, float]]:
    """Start and duration in ns of each event that dPRO's replay wrote."""
    found = json.loads(expected(trial, name))["traceEvents"]
    return {e["args"]["name"]: (e["ts"] * 1e3, e["dur"] * 1e3) for e in found}


def replayed(
    db: Path, *changes: str, engine: str = "dpro", **parameters: bool
) -> dict[str, tuple[float, float]]:
    """Start and duration in ns of each node that takes time."""
    chosen = engines.find(engine).with_parameters(**parameters)
    with opened(db) as open_session:
        graph = Graph(open_session, chosen.parameters)
        for change in changes:
            what_if.apply(graph, what_if.parse(change))
    graph.store(chosen.simulate(graph.work()))
    rows = graph.connection.sql(
        "SELECT name, start_ns, end_ns - start_ns FROM node JOIN time USING (node_id) "
        "WHERE dur_ns > 0"
    )
    return {name: (start, dur) for name, start, dur in rows.fetchall()}


def nodes_of(text: str) -> dict[str, dict[str, float]]:
    """The attributes of each node of a graph in GML, which NumPy 2 writes as NP.FLOAT64(1.0)."""
    plain = re.sub(r"NP\.FLOAT64\(([^)]*)\)", r"\1", text)
    found = {}
    for block in re.findall(r"node \[(.*?)\n  \]", plain, re.DOTALL):
        label = re.search(r'label "(.*)"', block)
        assert label
        pairs = re.findall(r"^ *(\w+) ([-+.\deE]+)$", block, re.MULTILINE)
        found[label[1]] = {key: float(value) for key, value in pairs if key != "id"}
    return found


def same(found: dict[str, tuple[float, float]], reference: dict[str, tuple[float, float]]) -> bool:
    return found.keys() == reference.keys() and all(
        found[name] == pytest.approx(times, abs=1e-3, rel=0) for name, times in reference.items()
    )


@pytest.mark.parametrize("trial", CASES, indirect=True)
def test_nodes_and_edges_are_those_of_dpro_in_its_order(trial: Path, db: Path) -> None:
    graph = gml.parse(expected(trial, "trail_dag.gml"))

    with opened(db) as open_session:
        edges = open_session.run("dpro_edge").table().sort_by("ordinal").to_pylist()

    names = {e["from_place"]: e["from_name"] for e in edges}
    names |= {e["to_place"]: e["to_name"] for e in edges}
    assert [names[n] for n in range(len(names))] == graph.labels
    of_node: dict[int, list[int]] = {}
    for edge in edges:
        of_node.setdefault(edge["from_place"], []).append(edge["to_place"])
    reference: dict[int, list[int]] = {}
    for source, target in graph.edges:
        reference.setdefault(source, []).append(target)
    assert of_node == reference


@pytest.mark.parametrize("trial", CASES, indirect=True)
def test_attributes_of_nodes_are_those_of_dpro(trial: Path, db: Path) -> None:
    reference = nodes_of(expected(trial, "trail_dag.gml"))

    with opened(db) as open_session:
        nodes = open_session.run("dpro_node").table().to_pylist()

    units = {"avg": ("dur_ns", 1e6), "operatorGAPoperator": ("gap_ns", 1e3),
             "cnt": ("n_gaps", 1), "operatorGAPComm": ("negotiation_ns", 1e3)}  # fmt: skip
    assert {n["name"] for n in nodes} == reference.keys()
    for node in nodes:
        found = {k: node[c] / unit for k, (c, unit) in units.items() if node[c] is not None}
        assert found == pytest.approx(reference[node["name"]], rel=1e-9), node["name"]


@pytest.mark.parametrize("trial", CASES, indirect=True)
def test_the_engine_of_dpro_gives_its_events(trial: Path, db: Path) -> None:
    assert same(replayed(db), events(trial, "synthetic.json"))


@pytest.mark.slow
@pytest.mark.parametrize("trial", [TINY], indirect=True)
@pytest.mark.parametrize(
    ("name", "changes", "unlimited"),
    [
        ("synthetic_infi_para", [], True),
        slow("synthetic_delay_cmp_1.5", ["scale(kind = operator, ratio = 1.5)"], False),
        slow(
            "synthetic_delay_comm_1.5",
            ["scale(kind = SEND, ratio = 1.5)", "scale(kind = RECV, ratio = 1.5)"],
            False,
        ),
    ],
)
def test_variants_of_a_replay_give_the_events_of_dpro(
    trial: Path, db: Path, name: str, changes: list[str], unlimited: bool
) -> None:
    found = replayed(db, *changes, unlimited_updates=unlimited)

    assert same(found, events(trial, f"{name}.json"))


@pytest.mark.integration
@pytest.mark.parametrize("trial", CASES, indirect=True)
def test_the_critical_path_is_as_long_as_dpros(trial: Path, db: Path) -> None:
    summary = json.loads((trial / "expected" / "summary.json").read_text())

    with opened(db) as open_session:
        rows = prediction.predict(open_session, engines.find("dpro"))

    found = float(rows.meta["critical_path_ns"]) / 1e6
    # dPRO prints it with four digits
    assert found == pytest.approx(summary["critical_path_ms"], abs=5e-5)


@pytest.mark.integration
@pytest.mark.parametrize("trial", CASES, indirect=True)
def test_daydreams_communication_gives_the_events_of_dpro(trial: Path, db: Path) -> None:
    reference = events(trial, "replay_daydream.json")  # of the first rank only
    first = min(name.partition("->")[0] for name in reference)
    found = replayed(db, "daydream()")

    assert same({n: t for n, t in found.items() if n.startswith(f"{first}->")}, reference)
    assert {name.partition("->")[0] for name in found} > {first}


@pytest.mark.integration
@pytest.mark.parametrize("trial", FAILING, indirect=True)
def test_the_default_replay_is_within_1_percent_of_the_truth(trial: Path, db: Path) -> None:
    """The mean over steps of the slowest rank; dPRO itself fails for two of the trials."""
    truth = json.loads((trial / "truth.json").read_text())["truth_iter_us"]
    reference = sum(max(step) for step in truth) / len(truth) * 1e3

    with opened(db) as open_session:
        rows = prediction.predict(open_session, engines.find("default")).rows()

    slowest = max(row[4] for row in rows)
    assert slowest == pytest.approx(reference, rel=0.01)


@pytest.mark.parametrize("trial", [TINY], indirect=True)
def test_iteration_times_are_those_of_dpro(trial: Path, db: Path) -> None:
    summary = json.loads((trial / "expected" / "summary.json").read_text())

    with opened(db) as open_session:
        rows = open_session.run("dpro_iteration").table().to_pylist()

    assert rows[0]["run_dur_ns"] / 1e6 == pytest.approx(summary["measured_iter_ms"], abs=1e-6)
    assert {r["step"] for r in rows if r["is_typical"]} == {summary["opt_step"]}


@pytest.mark.slow
def test_the_exported_graph_is_dpros_file(tw: Tw, tiny: Path, tmp_path: Path) -> None:
    target = tmp_path / "trail_dag.gml"

    assert tw("export", "gml", "--db", tiny, "-o", target).code == 0

    found, reference = target.read_text(), expected(OURS / TINY, "trail_dag.gml")
    assert gml.parse(found) == gml.parse(reference)
    nodes = nodes_of(found)
    for name, attributes in nodes_of(reference).items():
        assert nodes[name] == pytest.approx(attributes, rel=1e-9)
    assert tw("verify", "--db", tiny, target).code == 0


@pytest.fixture(scope="module")
def tiny(imported_files: WarehouseCache) -> Path:
    return imported_files(("trial", [OURS / TINY]))


def test_a_trial_is_one_run_of_a_trace_for_each_rank(tiny: Path) -> None:
    with opened(tiny) as open_session:
        rows = open_session.run(
            "SELECT r.name, t.name, t.rank FROM trace AS t JOIN run AS r ON r.id = t.run_id "
            "ORDER BY t.rank"
        ).rows()

    assert rows == [
        ("trial", "host0/0", 0), ("trial", "host1/0", 1),
    ]  # fmt: skip


@pytest.mark.slow
def test_a_sweep_prints_measured_replayed_and_predicted_time(tw: Tw, tiny: Path) -> None:
    call = "link(bandwidth_ratio = 0.5,1)"

    result = tw("replay", "--db", tiny, "--sweep", call, "--format", "json")

    rows = json.loads(result.out)
    assert [(r["what_if"], r["rank"]) for r in rows] == [
        ("link(bandwidth_ratio = 0.5)", 0), ("link(bandwidth_ratio = 0.5)", 1),
        ("link(bandwidth_ratio = 1)", 0), ("link(bandwidth_ratio = 1)", 1),
    ]  # fmt: skip
    assert {r["measured_ns"] for r in rows} == {3_060_224}
    assert {round(r["replay_error"], 9) for r in rows} == {-0.000980320}
    # after the last backward operator come the last group's two sends, of 62 µs each
    assert [round(r["predicted_ns"] - r["replayed_ns"]) for r in rows[:2]] == [124_000] * 2
    assert [r["change"] for r in rows[2:]] == [0, 0]


def test_the_chart_of_a_sweep_has_a_bar_for_each_value() -> None:
    rows = [
        {"what_if": name, "step": step, "replayed_ns": 2e6, "predicted_ns": predicted}
        for name, step, predicted in [
            ("f(x = 1)", None, 2e6), ("f(x = 1)", None, 1e6), ("f(x = 22)", None, 4e6),
            ("f(x = 22)", 1, 9e6),
        ]
    ]  # fmt: skip

    assert chart.bars(rows).splitlines() == [
        f"unchanged  {'█' * 20:40}  2.0000 ms",
        f"f(x = 1)   {'█' * 20:40}  2.0000 ms  +0.0%",
        f"f(x = 22)  {'█' * 40}  4.0000 ms  +100.0%",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        slow(["--what-if", "drop(kind = X)"], "what-if drop(kind = X) matches no node"),
        slow(["--what-if", "nope()"], "what-if 'nope' not found"),
        integration(["--what-if", "drop(kinds = X)"], "what-if drop has no argument 'kinds'"),
        (["--what-if", "drop("], "what-if 'drop(' is not a call"),
        integration(
            ["--what-if", "scale(ratio=2, ratio=3)"],
            "what-if 'scale(ratio=2, ratio=3)': argument 'ratio' is given twice",
        ),
        (["--what-if", "drop(1)"], "what-if 'drop(1)': arguments end at '1'"),
        (["--sweep", "link(latency_ns = 1)"], "sweep 'link(latency_ns = 1)' does not list values"),
        (["--engine", "nope"], "engine 'nope' not found"),
    ],
)
def test_what_cannot_be_replayed_is_one_sentence(
    tw: Tw, tiny: Path, arguments: list[str], message: str
) -> None:
    result = tw("replay", "--db", tiny, *arguments)

    assert result.code != 0
    assert result.errors[0] == f"Error: {message}"


@pytest.mark.integration
def test_a_run_without_a_graph_is_one_sentence(tw: Tw, tmp_path: Path) -> None:
    db = tmp_path / "w.duckdb"
    database.create_empty(db)
    with database.writer(db) as connection:
        connection.execute(
            "INSERT INTO trace (id, run_id, name, kind, format, importer, importer_version, "
            "tw_version, imported_at, base_ns, source_base_ns) VALUES "
            "(1, 1, 'counters', 'timeline', 'c', 'c', 1, '0', '2026-01-01', 0, 0);"
            "INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01')"
        )

    result = tw("replay", "--db", db)

    assert result.errors[0] == "Error: the run has no graph to replay"


@pytest.mark.integration
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            "UPDATE cpu_op SET step_number = 7 WHERE step_number = 1 AND trace_id = 2",
            "ranks have different steps: host0.rank0 0, 1; host1.rank0 0, 7",
        ),
        slow(
            "DELETE FROM communication_edge WHERE from_rank = 1",
            "the ring of channel 0 has no rank behind host1.rank0",
        ),
        slow(
            "UPDATE collective SET stage = 'other' WHERE stage = 'Sync' AND trace_id = 2",
            "the clock of host1 is not related to that of other hosts: no Sync event was recorded",
        ),
    ],
)
def test_ranks_that_do_not_fit_are_one_sentence(
    tw: Tw, tmp_path: Path, imported_files: WarehouseCache, change: str, message: str
) -> None:
    db = imported_files.copy(tmp_path / "w.duckdb", ("trial", [OURS / TINY]))
    with duckdb.connect(str(db)) as connection:
        connection.execute(change)

    assert tw("replay", "--db", db).errors == [f"Error: {message}"]
    is_assumed = tw("replay", "--db", db, "--assume-aligned").code == 0
    assert is_assumed == ("clock" in message)


def offsets_by(tw: Tw, db: Path, method: str | None = None) -> list[tuple[int | None, str | None]]:
    """Offset in ns and method of each clock, after linking with a method, else without one."""
    chosen = ["--clock", method] if method else []
    assert tw("link", "--db", db, "-q", *chosen).code == 0
    with database.Reader(db) as reader:
        found: list[tuple[int | None, str | None]] = reader.connection.execute(
            "SELECT offset_ns, method FROM clock ORDER BY id"
        ).fetchall()
    return found


@pytest.mark.slow
def test_the_method_of_clock_offsets_is_chosen(
    tw: Tw, tmp_path: Path, imported_files: WarehouseCache
) -> None:
    """The second host counts from 500 µs later: by the last Sync its clock is set back by that."""
    db = imported_files.copy(tmp_path / "w.duckdb", ("trial", [OURS / TINY]))

    assert offsets_by(tw, db, "last_sync") == [(0, "last sync"), (-500_000, "last sync")]
    assert offsets_by(tw, db) == [(0, "reference"), (-500_000, "collective")]
    none = tw("link", "--db", db, "--clock", "sundial")
    assert none.errors == ["Error: clock method 'sundial' not found"]


@pytest.mark.slow
def test_every_method_of_clock_offsets_can_be_chosen(
    tw: Tw, tmp_path: Path, imported_files: WarehouseCache
) -> None:
    db = imported_files.copy(tmp_path / "w.duckdb", ("trial", [OURS / TINY]))

    assert offsets_by(tw, db, "recorded") == [(0, "recorded"), (0, "recorded")]
    for chosen in ("messages", "receives", "ring"):
        (_, (offset, method)) = offsets_by(tw, db, chosen)
        assert method == chosen and offset is not None and abs(offset + 500_000) < 50_000
