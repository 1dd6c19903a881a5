"""dPRO trials: what the files of the ranks and of BytePS say is what the warehouse holds."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Tw
from tests.support.sharing import integration, slow
from warehouse.ingest import pipeline
from warehouse.ingest.decode import Settings
from warehouse.ingest.pipeline import Options, Outcome

DATA = Path(__file__).parents[1] / "data" / "dpro"
NCCL, BYTEPS = DATA / "nccl_ring_2x1_tiny", DATA / "bps_zmq_2w2s"
WINDOW = Settings(options=(("profile_start_step", "0"), ("profile_duration", "5")))
Rows = list[tuple[Any, ...]]
PLACE = ("loopId", "channelId", "chunkId", "sliceId")  # of a send or receive


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("dpro")
    connection = imported([NCCL, BYTEPS], folder / "w.duckdb")
    yield connection
    connection.close()


def imported(trials: list[Path], db: Path) -> duckdb.DuckDBPyConnection:
    found = pipeline.import_paths(trials, db=db, options=Options(jobs=1, settings=WINDOW))
    assert {each.status for each in found} <= {"imported", "ignored"}
    return duckdb.connect(str(db), read_only=True)


def packed(path: Path) -> Any:
    return json.loads(gzip.decompress(path.read_bytes()))


def test_a_trial_is_one_run_with_a_trace_for_each_rank(db: duckdb.DuckDBPyConnection) -> None:
    rows = db.execute(
        "SELECT r.name, t.name, t.rank FROM trace AS t "
        "JOIN run AS r ON r.id = t.run_id ORDER BY ALL"
    ).fetchall()
    assert rows == [
        ("bps_zmq_2w2s", "server", None),
        ("bps_zmq_2w2s", "traces_0/0", 0),
        ("bps_zmq_2w2s", "traces_1/0", 1),
        ("nccl_ring_2x1_tiny", "host0/0", 0),
        ("nccl_ring_2x1_tiny", "host1/0", 1),
    ]


def test_operators_have_the_names_steps_and_times_of_the_profiler(
    db: duckdb.DuckDBPyConnection,
) -> None:
    events = packed(NCCL / "host1/0/trace.json.gz")["traceEvents"]
    expected = sorted(
        (
            e["args"]["long_name"].split(":")[0].split("StatefulPartitionedCall/")[-1],
            e["args"]["group_id"],
            us(e["ts"]),
            us(e["dur"]),
        )
        for e in events
        if e["ph"] == "X"
    )
    assert expected
    assert of_trial(db, "cpu_op", "name, step_number, base_ns + ts, d.dur", "host1/0") == expected


def test_stages_of_collectives_have_tensors_and_places_in_the_ring(
    db: duckdb.DuckDBPyConnection,
) -> None:
    detail = json.loads((NCCL / "host0/0/comm_detail.json").read_text())
    events = detail["traceEvents"] if isinstance(detail, dict) else detail
    sent = sorted(
        (*e["name"].split(".")[1:], *(e["args"][k] for k in PLACE), us(e["ts"]), us(e["dur"]))
        for e in events
    )  # fmt: skip
    columns = "group_name, stage, loop, channel, ring_step, d.part, base_ns + ts, d.dur"
    assert of_trial(db, "collective", columns, "host0/0", "stage IN ('SEND', 'RECV')") == sent
    assert of_trial(
        db, "collective", "group_name, stage, base_ns + ts, d.dur", "host0/0", "ring_step IS NULL"
    ) == horovod_stages(NCCL / "host0/0/comm.json")


def horovod_stages(path: Path) -> Rows:
    """Begins and ends by process, last in, first out."""
    names: dict[int, str] = {}
    open_events: dict[int, list[Any]] = {}
    found: list[Any] = []
    for e in json.loads(path.read_text()):
        if e["ph"] == "M":
            names[e["pid"]] = e["args"]["name"]
        elif e["ph"] == "B":
            open_events.setdefault(e["pid"], []).append(e)
        else:
            begin = open_events[e["pid"]].pop()
            is_sync = names[e["pid"]] == "Sync"
            tensor = re.sub(r"_.*", "", names[e["pid"]].split(".")[-1])
            found.append((
                begin["name"] if is_sync else tensor, "Sync" if is_sync else begin["name"],
                us(begin["ts"]), us(e["ts"]) - us(begin["ts"]),
            ))  # fmt: skip
    return sorted(found)


def test_tensors_of_a_fused_group_have_names_and_sizes(db: duckdb.DuckDBPyConnection) -> None:
    names = json.loads((NCCL / "host0/0/gradient_name_list.json").read_text())["gradient_name_list"]
    sizes = json.loads((NCCL / "truth.json").read_text()).get("sizes")
    rows = db.execute(
        "SELECT DISTINCT m.tensor_id, m.name, m.bytes FROM collective_tensor AS m "
        "JOIN collective AS c USING (slice_id) JOIN trace AS t ON t.id = c.trace_id "
        "WHERE t.name = 'host0/0' AND c.group_name = '0+1+2+3+4+5' ORDER BY 1"
    ).fetchall()
    assert [row[:2] for row in rows] == list(enumerate(names))[:6]
    assert sizes is None or [row[2] for row in rows] == sizes[:6]


def test_messages_and_server_operations_are_those_of_dpro(db: duckdb.DuckDBPyConnection) -> None:
    """Its own collection has the steps that count: with the first push, which is none, left out."""
    expected = sorted(
        (e["name"].split("~>")[0], e["pid"], us(e["ts"]), us(e["dur"]))
        for e in packed(BYTEPS / "expected/bps_comm_aligned.json.gz")
    )
    operation = "'Comm.' || regexp_extract(rpc_key, '[0-9]+$') || '.' || d.name"
    link = (
        "CASE WHEN peer IS NULL THEN p.name || '_t' || k.name[8:] ELSE p.name || '::' || peer END"
    )
    assert of_trial(
        db, "rpc", f"{operation}, {link}, base_ns + ts, d.dur", "server", "step_number IS NOT NULL"
    ) == expected  # fmt: skip
    parts = db.execute("SELECT rpc_key, max(part) FROM rpc GROUP BY rpc_key ORDER BY 1").fetchall()
    assert [part for _, part in parts] == [0, 0, 0, 0, 0, 1]  # as key_dict.txt has keys


def test_every_message_of_the_logs_is_there(db: duckdb.DuckDBPyConnection) -> None:
    expected = Counter[str]()
    for log in (BYTEPS / "zmq").iterdir():
        for line in log.read_text().splitlines()[1:]:
            _, is_start, is_push, is_request, *_ = line.split()
            kind = "push_" if is_push == "True" else "pull_"
            kind += "request" if is_request == "True" else "response"
            expected[kind] += is_start == "True"
    for log in (BYTEPS / "server").iterdir():
        expected["server"] += log.read_text().count("start")
    rows = db.execute("SELECT kind, count(*) FROM rpc GROUP BY kind").fetchall()
    assert dict(rows) == expected


@pytest.mark.slow
@pytest.mark.parametrize("van", ["rdma", "timelines"])
def test_timelines_of_dpro_and_logs_of_rdma_give_the_same_messages(
    van: str, db: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    trial = copied(BYTEPS, tmp_path)
    if van == "rdma":
        for log in (trial / "zmq").iterdir():
            log.rename(log.with_name(log.name.replace("zmq_", "rdma_")))
    else:
        shutil.rmtree(trial / "zmq")
        shutil.rmtree(trial / "server")
        for name in ("comm_timeline.json", "server_timeline.json"):
            (trial / name).write_text(json.dumps(packed(BYTEPS / f"expected/{name}.gz")))
    other = imported([trial], tmp_path / "w.duckdb")
    columns = (
        "d.name, rpc_key, part, occurrence, step_number, peer, p.name, k.name, base_ns + ts, d.dur"
    )
    rows = [of_trial(each, "rpc", columns, "%", "t.rank IS NULL") for each in (db, other)]
    assert rows[0] == rows[1]
    found = other.execute(
        "SELECT metadata_json ->> '$.van' FROM trace WHERE rank IS NULL"
    ).fetchall()
    assert found == [("rdma" if van == "rdma" else "zmq",)]


def us(value: float) -> int:
    return round(value * 1000)


def of_trial(
    db: duckdb.DuckDBPyConnection, table: str, columns: str, trace: str, condition: str = "true"
) -> Rows:
    """Rows of a detail table of traces of a name, sorted."""
    columns = re.sub(r"(?<![.\w])(name|ts)\b", r"d.\1", columns)
    found = db.execute(
        f"SELECT {columns} FROM {table} AS d JOIN trace AS t ON t.id = d.trace_id "
        "JOIN track AS k ON k.id = d.track_id JOIN process AS p ON p.id = k.process_id "
        f"WHERE t.name LIKE '{trace}' AND {condition}"
    ).fetchall()
    return sorted(found)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trial whose ranks reduce along trees, written as NCCL logs them; no recording was seen."""
    trial = copied(NCCL, tmp_path_factory.mktemp("tree"))
    for rank, text in enumerate([
        "[0] 1/2/-1->0->-1|-1->0->1/2/-1 [1] -1/-1/-1->0->1|1->0->-1/-1/-1",
        "[0] -1/-1/-1->1->0|0->1->-1/-1/-1 [1] 0/-1/-1->1->-1|-1->1->0/-1/-1",
    ]):  # fmt: skip
        path = trial / f"host{rank}" / "0" / "nccl_rank_graph.json"
        path.write_text(json.dumps({"Tree": {"-1": text}}))
    assert {each.status for each in outcomes(trial).values()} <= {"imported", "ignored"}
    return trial.parent / "w.duckdb"


@pytest.mark.slow
def test_trees_are_edges_from_children_to_parents(tree: Path) -> None:
    with duckdb.connect(str(tree), read_only=True) as connection:
        rows = connection.execute(
            "SELECT t.rank, e.algorithm, e.channel, e.from_rank, e.to_rank "
            "FROM communication_edge AS e JOIN trace AS t ON t.id = e.trace_id ORDER BY ALL"
        ).fetchall()
    assert rows == [
        (0, "tree", 0, 1, 0), (0, "tree", 0, 2, 0), (0, "tree", 1, 0, 1),
        (1, "tree", 0, 1, 0), (1, "tree", 1, 0, 1),
    ]  # fmt: skip


@pytest.mark.slow
def test_a_replay_of_trees_is_refused(tree: Path, tw: Tw) -> None:
    found = tw("replay", "--db", tree)
    assert found.code != 0
    assert (
        "Error: the ranks reduce along trees of NCCL, and sends do not tell to which" in found.err
    )


# --- what is missing or damaged


def copied(trial: Path, folder: Path) -> Path:
    return shutil.copytree(trial, folder / trial.name, ignore=shutil.ignore_patterns("expected"))


def outcomes(trial: Path) -> dict[str, Outcome]:
    """By name of the rank's folder."""
    found = pipeline.import_paths([trial], db=trial.parent / "w.duckdb", options=Options(jobs=1))
    return {each.source.label.removeprefix(f"{trial}/"): each for each in found}


def problems(trial: Path) -> list[str]:
    with duckdb.connect(str(trial.parent / "w.duckdb"), read_only=True) as connection:
        rows = connection.execute("SELECT DISTINCT kind FROM import_problem ORDER BY 1").fetchall()
    return [str(kind) for (kind,) in rows]


def _cycle(folder: Path) -> None:
    graph = folder.parents[1] / "graphdef_dag.gml"
    text = graph.read_text()
    source, target = re.findall(r"(?:source|target) (\d+)", text)[:2]
    graph.write_text(text.rstrip()[:-1] + f"edge [ source {target} target {source} ] ]")


def _cut_graph(folder: Path) -> None:
    graph = folder.parents[1] / "graphdef_dag.gml"
    text = graph.read_text()
    graph.write_text(text[: text.index("edge [")])


def _no_trace(folder: Path) -> None:
    (folder / "trace.json.gz").unlink()


def _empty_trace(folder: Path) -> None:
    (folder / "trace.json.gz").write_bytes(b"")


def _cut_names(folder: Path) -> None:
    names = folder / "gradient_name_list.json"
    names.write_text(names.read_text()[:40])


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_cycle, r"graphdef_dag.gml: nodes of the graph depend on each other: (\S+) -> \S+ -> \1$"),
        slow(_cut_graph, r"graphdef_dag.gml: the graph ends early"),
        slow(_no_trace, "there are files of a rank, but trace.json.gz is missing$"),
        integration(_empty_trace, r"host1/0: trace.json.gz is empty$"),
        slow(_cut_names, r": gradient_name_list.json is not what dPRO records: "),
    ],
)
def test_a_file_without_which_a_rank_means_nothing_is_refused(
    damage: Callable[[Path], None], message: str, tmp_path: Path
) -> None:
    trial = copied(NCCL, tmp_path)
    if damage not in (_cycle, _cut_graph):
        shutil.rmtree(trial / "host0")
        shutil.copytree(NCCL / "host1", trial / "host0")
    damage(trial / "host1" / "0")
    found = outcomes(trial)["host1/0"]
    assert found.status == "failed"
    assert found.error is not None
    assert re.search(message, found.error.message), found.error.message
    assert "\n" not in found.error.message


def _empty_timeline(folder: Path) -> None:
    (folder / "comm.json").write_text("")


def _no_timeline(folder: Path) -> None:
    (folder / "comm.json").unlink()


def _float_literals(folder: Path) -> None:
    graph = folder.parents[1] / "graphdef_dag.gml"
    graph.write_text(graph.read_text().replace("id 0\n", "id 0\n avg NP.FLOAT64(30.0)\n", 1))


def _few_names(folder: Path) -> None:
    (folder / "gradient_name_list.json").write_text('{"gradient_name_list": ["a"]}')


def _no_next(folder: Path) -> None:
    (folder / "nccl_rank_graph.json").write_text(
        '{"RealRing": {"0": "0[0000] -> 1[1000] [receive] via NET/Socket/0"}}'
    )


def _odd_durations(folder: Path) -> None:
    path = folder / "comm_detail.json"
    text = path.read_text()
    path.write_text(
        text.replace('"dur": 26.0', '"dur": -26.0', 1).replace('"dur": 30.0', '"dur": NaN', 1)
    )


def _step_missing(folder: Path) -> None:
    document = packed(folder / "trace.json.gz")
    for event in document["traceEvents"]:
        if event.get("args", {}).get("group_id"):
            event["args"]["group_id"] += 1
    (folder / "trace.json.gz").write_bytes(gzip.compress(json.dumps(document).encode()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (_odd_durations, {"negative_duration", "unreadable_duration"}),
        slow(_empty_timeline, {"empty_file"}),
        slow(_no_timeline, {"missing_file"}),
        slow(_float_literals, set()),
        slow(_few_names, {"unnamed_tensor"}),
        slow(_no_next, {"ring_without_next"}),
        slow(_step_missing, {"missing_step"}),
    ],
)
def test_other_damage_is_imported_and_reported(
    damage: Callable[[Path], None], expected: set[str], tmp_path: Path
) -> None:
    trial = copied(NCCL, tmp_path)
    damage(trial / "host1" / "0")
    assert {each.status for each in outcomes(trial).values()} <= {"imported", "ignored"}
    assert expected <= set(problems(trial))
    assert expected or not problems(trial)


@pytest.mark.slow
def test_lines_that_are_no_record_are_left_out_and_named(tmp_path: Path) -> None:
    trial = copied(BYTEPS, tmp_path)
    log = trial / "server" / "server_1.txt"
    log.write_text(log.read_text() + "9: begin, 1\n")
    outcomes(trial)
    with duckdb.connect(str(tmp_path / "w.duckdb"), read_only=True) as connection:
        rows = connection.execute("SELECT kind, count, example FROM import_problem").fetchall()
    assert rows == [("unreadable_line", 1, "9: begin, 1")]


def timeline(first_us: int) -> list[dict[str, Any]]:
    """A step of two operators, of which the first has two kernels, as TensorFlow 1 writes it."""
    device = "/device:GPU:0/stream:all Compute"
    return [
        {"name": "process_name", "ph": "M", "pid": 1, "args": {"name": device}},
        *(
            {"ph": "X", "cat": "Op", "name": kind, "pid": 1, "tid": 0, "ts": first_us + ts,
             "dur": dur, "args": {"name": name, "op": kind}}
            for name, kind, ts, dur in (
                ("fc/MatMul", "MatMul", 0, 30), ("fc/MatMul", "MatMul", 30, 10),
                ("gradients/fc/MatMul", "MatMul", 50, 20),
            )
        ),
    ]  # fmt: skip


@pytest.mark.slow
def test_a_folder_of_the_hook_for_tensorflow_1_is_a_trial(tw: Tw, tmp_path: Path) -> None:
    """The hook joins the timelines of steps in any order, and names the graph by them."""
    for gpu in "01":
        folder = tmp_path / "traces" / gpu
        folder.mkdir(parents=True)
        events = timeline(1000 + int(gpu)) + timeline(int(gpu))
        (folder / "temp.json").write_text(json.dumps({"traceEvents": events}))
        (folder / "metadata.json").write_text("{}")
        (folder / "dag.gml").write_text(
            'graph [ directed 1 node [ id 0 label "fc/MatMul" ] '
            'node [ id 1 label "gradients/fc/MatMul" ] edge [ source 0 target 1 ] ]'
        )

    assert tw("import", tmp_path / "traces").code == 0
    names = "SELECT rank, step, name, start_ns - min(start_ns) OVER (), dur_ns FROM dpro_event() "
    result = tw("query", names + "ORDER BY ALL", "--format", "json")

    expected = [
        (rank, step, name, 1_000_000 * step + 1000 * rank + begin_ns, dur_ns)
        for rank in (0, 1)
        for step in (0, 1)
        for name, begin_ns, dur_ns in (
            ("BW.gradients/fc/MatMul", 50_000, 20_000), ("FW.fc/MatMul", 0, 40_000)
        )
    ]  # fmt: skip
    assert [tuple(row.values()) for row in json.loads(result.out)] == expected
    replay = json.loads(tw("replay", "--format", "json").out)
    assert {row["predicted_ns"] for row in replay} == {70_000}


@pytest.mark.integration
def test_a_trial_without_operators_of_a_gpu_is_reported(tw: Tw, tmp_path: Path) -> None:
    folder = tmp_path / "traces" / "0"
    folder.mkdir(parents=True)
    text = json.dumps({"traceEvents": timeline(0)}).replace("device:GPU", "device:CPU")
    (folder / "temp.json").write_text(text)
    (folder / "dag.gml").write_text('graph [ directed 1 node [ id 0 label "fc/MatMul" ] ]')

    ran = tw("import", tmp_path / "traces")

    assert "missing_operator (1)" in ran.err
