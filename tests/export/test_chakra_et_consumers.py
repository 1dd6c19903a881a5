"""Chakra files of the default set: what simulators need is there; odd recordings are converted."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.export.test_chakra_et import exported, golden, imported, written
from tests.support import chakra_cases
from tests.support import chakra_wire as wire
from tests.support.chakra_feeder import COLL, COMP, simulate
from tests.support.sharing import chosen, integration, slow
from tw_importers.chakra_et.export.et import Options, export_chakra_et
from warehouse.errors import ExportError
from warehouse.query import session
from warehouse.query.selection import Selection
from warehouse.store import database

__all__ = ["written"]
Doc = dict[str, Any]
RING = "(ncclDevKernelArgsStorage<4096ul>)"
THREAD = "[pytorch|profiler|execution_trace|thread]"
PROCESS = "[pytorch|profiler|execution_trace|process]"
NAMES = ["rf_id", "fw_parent", "seq_id", "scope", "tid", "fw_tid"]


ORDERED = Options(orders=("stream", "group"), with_start_times=True)


@pytest.mark.slow
@pytest.mark.parametrize("case", chakra_cases.GOLDEN)
def test_a_simulator_runs_every_node_of_a_linked_pair(
    case: str, shared_place: Path, data_dir: Path, tmp_path: Path
) -> None:
    pairs = chakra_cases.import_case(shared_place, data_dir, case)
    graph = wire.decode(exported(pairs, Selection(runs=(case,)), ORDERED, tmp_path / "x.et"))
    run = simulate(graph)
    with database.Reader(pairs) as reader:
        (device_ns, n_work) = database.one(
            reader.connection,
            "SELECT coalesce(sum(greatest(g.dur, 0)), 0), count(*) FROM gpu_op AS g "
            "JOIN trace AS t ON t.id = g.trace_id JOIN run AS r ON r.id = t.run_id "
            "WHERE r.name = ? AND g.kind <> 'sync'",
            [case],
        )
    on_device = [node for node in graph.nodes if not node.attr("is_cpu_op")]
    assert len(on_device) == n_work
    assert sum(node.attr("duration_ns") for node in on_device) == device_ns
    for node in graph.nodes:
        assert abs((node.attr("duration_ns") or 0) - node.dur * 1000) <= 500
    kernels = [node for node in on_device if "nccl" in node.name.lower()]
    assert run.types[COLL] + len(run.messages) == len(kernels)
    _check_streams(on_device)


def _check_streams(on_device: list[wire.Node]) -> None:
    """Each piece of work waits for the one before it on its stream."""
    by_stream: dict[int, list[wire.Node]] = {}
    for node in on_device:
        by_stream.setdefault(node.attr("stream"), []).append(node)
    for nodes in by_stream.values():
        nodes.sort(key=lambda node: (node.start, node.id))
        for before, after in pairwise(nodes):
            assert before.start > 0
            assert before.id in after.data or before.start == after.start


@pytest.mark.parametrize("case", ["own_gpu_ddp_r0", slow("real_a100_alexnet_sync")])
def test_a_simulator_runs_every_node_of_an_et_plus_file(
    case: str, written: Path, data_dir: Path, tmp_path: Path
) -> None:
    graph = wire.decode(exported(written, case, ORDERED, tmp_path / "x.et"))
    simulate(graph)
    original = wire.decode(golden(data_dir, case))
    assert {node.id for node in graph.nodes} == {node.id for node in original.nodes}
    assert Counter(n.type for n in graph.nodes) == Counter(n.type for n in original.nodes)


@pytest.mark.slow
def test_waits_that_point_back_in_time_are_omitted_and_reported(
    written: Path, tmp_path: Path
) -> None:
    case = "real_a100_alexnet_sync"
    with session.opened(session.Place(written), Selection(traces=(case,))) as opened:
        (file,) = export_chakra_et(opened, tmp_path / "x.et", Options())
        (finding,) = opened.run("check_graph_backward").table().to_pylist()
    backward = set()
    with gzip.open(written.with_suffix("") / f"{case}.json.gz") as source:
        nodes = json.load(source)["nodes"]
    starts = {node["id"]: node.get("ts", 0) for node in nodes}
    for each in nodes:
        for dep in each.get("sync_dep", ()):
            if starts[dep] > starts[each["id"]] > 0:
                backward.add((dep, each["id"]))
    assert finding["n_found"] == len(backward) > 0
    assert file.remarks == [f"{len(backward)} dependencies point back in time: omitted."]
    graph = wire.decode(file.path.read_bytes())
    assert not backward & {(dep, node.id) for node in graph.nodes for dep in node.data}


def tensor(n: int) -> list[Any]:
    return [n, n, 0, 10, 4, "cuda:0"]


def io(values: list[Any], types: list[str]) -> Doc:
    return {"values": values, "shapes": [[] for _ in values], "types": types}


def node(
    id_: int,
    name: str,
    parent: int,
    inputs: Doc | None = None,
    /,
    attrs: Doc | None = None,
    **keys: Any,
) -> Doc:
    values = {**dict.fromkeys(NAMES, 0), "op_schema": "", **(attrs or {})}
    return {
        "id": id_, "name": name, "ctrl_deps": parent, "inputs": inputs or io([], []),
        "outputs": io([], []),
        "attrs": [{"name": key, "type": "uint64" if isinstance(value, int) else "string",
                   "value": value} for key, value in values.items() if value is not None],
        **keys,
    }  # fmt: skip


def kernel(id_: int, name: str, parent: Doc, **keys: Any) -> Doc:
    """Device work under a host node, whose inputs and attributes it repeats."""
    times = {"ts": 100.5 + id_, "inclusive_dur": 7.25, "exclusive_dur": 7.25, "cat": "kernel",
             "ph": "X", "stream": 20}  # fmt: skip
    return {**parent, "id": id_, "name": name, "ctrl_deps": parent["id"], **times, **keys}


def document(*nodes: Doc, schema: str = "1.1.1-chakra.0.0.4", groups: str | None = None) -> Doc:
    head = [node(0, PROCESS, 0), node(1, THREAD, 0)]
    if groups:
        head.append(node(2, "## process_group:init ##", 1, io([groups], ["String"])))
    return {"schema": schema, "pid": 7, "time": "2026-11-20 12:00:00", "start_ts": 5,
            "finish_ts": 6, "nodes": [*head, *nodes]}  # fmt: skip


def collective(name: str, kernel_name: str, inputs: Doc, **attrs: Any) -> Doc:
    host = node(3, name, 1, inputs, attrs=attrs, ts=100.0, inclusive_dur=9.0, exclusive_dur=9.0)
    return document(host, kernel(4, kernel_name, host))


ONE = io([[tensor(5)]], ["GenericList[Tensor(float)]"])
NESTED = io(
    [[[tensor(5), tensor(6)]], [tensor(7)]],
    ["GenericList[GenericList[Tensor(float),Tensor(float)]]", "GenericList[Tensor(float)]"],
)
ALLGATHER = "c10d::allgather_(Tensor[][] output_tensors, Tensor[] input_tensors) -> Tensor"
#: Name -> the recording, what Chakra's converter says of it, and what our default set makes of it:
#: type, comm_type, comm_size.
ODD: dict[str, tuple[Doc, str, tuple[int, int | None, int | None]]] = {
    "generic": (
        collective("record_param_comms", "ncclDevKernel_Generic(x)", ONE,
                   collective_name="allreduce", dtype="Half", in_msg_nelems=10),
        "node 4 'ncclDevKernel_Generic(x)': its name is not that of a supported collective",
        (COLL, 0, 20),
    ),
    "unknown": (
        collective("other", "ncclDevKernel_Generic(x)", ONE),
        "node 4 'ncclDevKernel_Generic(x)': its name is not that of a supported collective",
        (COMP, None, None),
    ),
    "reduce": (
        collective("c10d::reduce_", f"ncclDevKernel_Reduce_Sum_f32{RING}", ONE),
        "its name is not that of a supported collective",
        (COLL, 1, 40),
    ),
    "gather": (
        collective("record_param_comms", f"ncclDevKernel_SendRecv{RING}", ONE,
                   collective_name="gather"),
        "",
        (COLL, 3, 40),
    ),
    "nested": (
        collective("c10d::allgather_", f"ncclDevKernel_AllGather_RING_LL{RING}", NESTED,
                   op_schema=ALLGATHER),
        "its inputs hold lists of lists of tensors",
        (COLL, 2, 40),
    ),
    "missing": (
        collective("c10d::allreduce_", f"ncclDevKernel_AllReduce_Sum_f32{RING}", ONE, fw_tid=None),
        "node 3 'c10d::allreduce_': it has no usable fw_tid",
        (COLL, 0, 40),
    ),
    "schema": (
        {**collective("c10d::allreduce_", f"ncclDevKernel_AllReduce{RING}", ONE),
         "schema": "1.0.4-chakra.0.0.4"},
        "Chakra's converter does not read schema '1.0.4-chakra.0.0.4'",
        (COLL, 0, 40),
    ),
    "old_name": (
        collective("c10d::allreduce_", "ncclKernel_AllReduce_RING_LL_Sum_float(x)", ONE),
        "",
        (COLL, 0, 40),
    ),
}  # fmt: skip


def peers(name: str, inputs: Doc, groups: str, **attrs: Any) -> Doc:
    host = node(3, name, 1, inputs, attrs=attrs)
    return document(
        host, kernel(4, f"ncclDevKernel_SendRecv{RING}", host, pg_name="5"), groups=groups
    )


GROUPS = json.dumps([{"pg_name": "0", "pg_desc": "it's all", "ranks": []},
                     {"pg_name": "5", "pg_desc": "pipe \\ line", "ranks": [2, 0, 3]}])  # fmt: skip
RECORD = io(
    [[tensor(5)], 12, ["5", "pipe"], 2, "send"],
    ["GenericList[Tensor(float)]", "Int", "Tuple[String,String]", "Int", "String"],
)
P2P = {
    "send": (peers("c10d::send", io([[tensor(5)], "<Object>", 2, 9],
                                    ["GenericList[Tensor(float)]", "Object", "Int", "Int"]),
                   GROUPS), (0, 3, 9, 40)),
    "recv": (peers("c10d::recv_", io([[tensor(5)], "<Object>", 0, 1],
                                     ["GenericList[Tensor(float)]", "Object", "Int", "Int"]),
                   GROUPS), (2, 0, 1, 40)),
    "named": (peers("nccl:send 1->2", io([tensor(5)], ["Tensor(float)"]), GROUPS), (0, 3, 0, 40)),
    "record": (document(node(2, "## process_group:init ##", 1, io([GROUPS], ["String"])),
                        node(3, "nccl:send", 1), host := node(4, "record_param_comms", 3, RECORD),
                        kernel(5, f"ncclDevKernel_SendRecv{RING}", host, pg_name="5")),
               (0, 3, 0, 40)),
}  # fmt: skip


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    folder = tmp_path_factory.mktemp("odd")
    documents = {**{name: doc for name, (doc, _, _) in ODD.items()},
                 **{name: doc for name, (doc, _) in P2P.items()}}  # fmt: skip
    for name in documents.keys() & chosen(request, "name"):
        (folder / f"{name}_rank0.json").write_text(json.dumps(documents[name]))
    sources = sorted(folder.glob("*.json"))
    return imported(sources, folder / "w.duckdb")


@pytest.mark.integration
@pytest.mark.parametrize(
    "name",
    [*(slow(name) for name in ODD if name != "generic"), "generic"],
)
def test_what_chakra_s_converter_stops_at_is_converted_or_refused_with_the_node_named(
    name: str, odd: Path, tmp_path: Path
) -> None:
    _, refusal, (kind, comm_type, size) = ODD[name]
    trace = f"{name}_rank0"
    written = wire.decode(exported(odd, trace, Options(), tmp_path / "x.et"))
    found = next(node for node in written.nodes if not node.attr("is_cpu_op"))
    assert (found.type, found.attr("comm_type"), found.attr("comm_size")) == (kind, comm_type, size)
    assert found.dur == 7
    assert found.attr("duration_ns") == 7250
    if comm_type not in (1, 3):
        simulate(written)
    if refusal:
        with pytest.raises(ExportError) as caught:
            exported(odd, trace, Options("chakra-1.0"), tmp_path / "y.et")
        assert refusal in str(caught.value)
        assert not (tmp_path / "y.et").exists()
    else:
        exported(odd, trace, Options("chakra-1.0"), tmp_path / "y.et")


@pytest.mark.parametrize("name", ["send", integration("recv"), *map(slow, ("named", "record"))])
def test_sends_and_receives_say_the_ranks_of_the_job_and_their_tag(
    name: str, odd: Path, tmp_path: Path
) -> None:
    written = wire.decode(exported(odd, f"{name}_rank0", Options(), tmp_path / "x.et"))
    assert simulate(written).messages == [P2P[name][1]]
