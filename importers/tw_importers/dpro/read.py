"""Reads the files of one rank of a dPRO trial into scratch tables; gives them no meaning.

`document_event` holds the events of all Trace Event JSON documents, with the role of the document;
`graph_label`, `graph_pair`, `operator`, `tensor_name` and `topology` hold the other files.
Formats: github.com/joapolarbear/dpro at ac5e4ed; docs/dpro.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Annotated, Any

import msgspec
import pyarrow as pa

from tw_importers.dpro import byteps, gml, mxnet
from tw_importers.trace_event import read as trace_event
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import Parts, Problem, Scratch, TraceFacts
from warehouse.store import statements

_FOLDER = files(__package__)
_DOCUMENTS = ("trace", "horovod", "nccl", "io")
_ADD = "INSERT INTO document_event BY NAME SELECT $document AS document, * FROM event"
_EDGE = re.compile(r"(?<!\d)(\d{1,9})\[[^\]]*\] *-> *(\d{1,9})\[[^\]]*\] *(?:\[(receive|send)\])?")
_NUMBER = r"-?\d{1,9}"
_TREE = re.compile(rf"\[({_NUMBER})\] *((?:{_NUMBER}/)*{_NUMBER})->(\d{{1,9}})->({_NUMBER})(?!\d)")
#: Numbers of tensors; what is larger is damage.
_TensorId = Annotated[int, msgspec.Meta(ge=-(1 << 31), lt=1 << 31)]
_PREFIX = "HorovodAllreduce."


class _Operator(msgspec.Struct, gc=False):
    """An operator of metadata.json."""

    op: str = ""
    input: msgspec.Raw = msgspec.Raw(b"[]")
    output: msgspec.Raw = msgspec.Raw(b"[]")


def read(parts: Parts, scratch: Scratch) -> TraceFacts:
    """Reads the files of one rank, or the logs of BytePS."""
    names: dict[str, list[str]] = {}
    for part in parts.parts:
        names.setdefault(part.role, []).append(part.name)
    if "links" in names or "servers" in names:
        return byteps.read(parts, scratch)
    if "trace" not in names:
        raise CorruptTrace(
            "there are files of a rank, but trace.json.gz is missing",
            hint="Copy the file, or remove the folder of the rank.",
        )
    facts = _read_documents(parts, names, scratch)
    if "symbol" in names:
        _store_mxnet(parts, names, scratch)
    else:
        _store_graph(parts, names.get("graph", []), scratch)
        _store_operators(parts, names.get("operators", []), scratch)
        _store_tensors(parts, names.get("tensors", []), scratch)
    rank = _store_topology(parts, names.get("topology", []), scratch)
    if "horovod" not in names and ("nccl" in names or "topology" in names):
        meaning = "comm.json is missing; the stages of collectives are not known"
        facts.problems.append(Problem("missing_file", meaning, 1))
    facts.rank = rank
    facts.backend = "nccl" if rank is not None else None
    facts.host_name = _store_member(parts, scratch)
    for script in ("macros.sql", "documents.sql"):
        statements.execute(scratch.connection, (_FOLDER / script).read_text())
    trace_event.create_kinds(scratch)
    return facts


def _read_documents(parts: Parts, names: dict[str, list[str]], scratch: Scratch) -> TraceFacts:
    facts, stats = TraceFacts(format="dpro"), []
    for role in _DOCUMENTS:
        for name in names.get(role, []):
            found = _read_document(parts, name, role, scratch)
            if found is None:
                facts.problems.append(Problem("empty_file", f"{name} is empty", 1))
                continue
            facts.problems += found.problems
            stats += found.stats
            if role == "trace":
                facts.ts_style, facts.dur_style = found.ts_style, found.dur_style
                facts.metadata_json = found.metadata_json
    facts.stats = stats
    return facts


def _read_document(parts: Parts, name: str, role: str, scratch: Scratch) -> TraceFacts | None:
    """Adds the events of a document to `document_event`; None if the file is empty."""
    connection = scratch.connection
    with parts.open(name) as stream:
        first = stream.read(1)
        if not first and role == "trace":
            raise CorruptTrace(f"{name} is empty", hint="Copy or record it again.")
        if not first:
            return None
        try:
            facts = trace_event.read_document(_Again(first, stream), scratch, "dpro")
        except CorruptTrace as error:
            raise CorruptTrace(
                f"{name}: {error.message}", hint=error.hint, offset=error.offset
            ) from None
    connection.execute(
        "CREATE TABLE IF NOT EXISTS document_event AS "
        "SELECT NULL::VARCHAR AS document, * FROM event WHERE false"
    )
    connection.execute(_ADD, {"document": role})
    return facts


class _Again:
    """A stream of which a first byte was read already."""

    def __init__(self, first: bytes, stream: Any) -> None:
        self._first, self._stream = first, stream

    def read(self, size: int, /) -> bytes:
        first, self._first = self._first, b""
        return first + bytes(self._stream.read(size - len(first)))


def _store_graph(parts: Parts, names: Sequence[str], scratch: Scratch) -> None:
    """The graph of operators: the trial's, or the rank's own."""
    graph = gml.Graph()
    for name in sorted(names, key=lambda each: "graphdef" not in each)[:1]:
        with _naming(name):
            graph = gml.parse(_text(parts, name))
            gml.check_order(graph)
    _store_edges(graph, scratch)


def _store_edges(graph: gml.Graph, scratch: Scratch) -> None:
    edges = list(zip(*graph.edges, strict=True)) or [(), ()]
    _store(scratch, "graph_label", label=pa.array(graph.labels, pa.string()))
    _store(
        scratch, "graph_pair",
        from_n=pa.array(edges[0], pa.int64()), to_n=pa.array(edges[1], pa.int64()),
    )  # fmt: skip


def _store_mxnet(parts: Parts, names: dict[str, list[str]], scratch: Scratch) -> None:
    """The graph of a network of MXNet, with the types of its operators and its gradients."""
    metadata = mxnet.Metadata()
    for name in names.get("optimizer", [])[:1]:
        metadata.opt_aggregate_num = _decoded(parts, name, mxnet.Optimizer).opt_aggregate_num
    for name in names.get("operators", [])[:1]:
        metadata = _decoded(parts, name, mxnet.Metadata)
    tensors = mxnet.gradients(
        metadata, list(_gradient_names(parts, names.get("tensors", [])).values())
    )
    with _naming(names["symbol"][0]):
        symbol = mxnet.parse(_text(parts, names["symbol"][0]))
        graph = mxnet.graph(symbol, tensors, metadata.opt_aggregate_num)
        gml.check_order(graph)
    _store_edges(graph, scratch)
    found = {name: _Operator(op=kind) for name, kind in mxnet.operator_types(symbol).items()}
    for n, tensor in enumerate(tensors):
        output = {"name": tensor.name, "shape": tensor.shape, "dtype": tensor.data_type}
        found[f"Comm.{n}"] = _Operator(output=msgspec.Raw(msgspec.json.encode([output])))
    _store_operator_rows(found, scratch, "mxnet")
    _store_tensor_names({n: tensor.name for n, tensor in enumerate(tensors)}, scratch)
    _store(scratch, "model", name=pa.array([], pa.string()))


def _store_operators(parts: Parts, names: Sequence[str], scratch: Scratch) -> None:
    found: dict[str, _Operator] = {}
    for name in names[:1]:
        found = _decoded(parts, name, dict[str, _Operator])
    _store_operator_rows(found, scratch, "tensorflow")


def _store_operator_rows(found: dict[str, _Operator], scratch: Scratch, platform: str) -> None:
    _store(scratch, "platform", name=pa.array([platform], pa.string()))
    operators = found.values()
    _store(
        scratch, "operator",
        name=pa.array(list(found), pa.string()),
        type=pa.array([each.op for each in operators], pa.string()),
        inputs_json=pa.array([_printed(each.input) for each in operators], pa.string()),
        outputs_json=pa.array([_printed(each.output) for each in operators], pa.string()),
    )  # fmt: skip


def _printed(value: msgspec.Raw) -> str:
    return bytes(value).decode(errors="replace")


def _store_tensors(parts: Parts, names: Sequence[str], scratch: Scratch) -> None:
    _store_tensor_names(_gradient_names(parts, names), scratch)
    found = [name for name in names if "gradient_name_list.json" in name]
    model = [_decoded(parts, name, _Gradients).model_name for name in found[:1]]
    _store(scratch, "model", name=pa.array(model, pa.string()))


def _gradient_names(parts: Parts, names: Sequence[str]) -> dict[int, str]:
    """Names of the gradients; their positions are their numbers."""
    for name in sorted(names, key=lambda each: "gradient_name_list.json" not in each)[:1]:
        if name.endswith(".txt"):
            return dict(enumerate(_text(parts, name).split()))
        if "name2ID" in name:
            of_name = _decoded(parts, name, dict[str, _TensorId])
            return {number: text.removeprefix(_PREFIX) for text, number in of_name.items()}
        return dict(enumerate(_decoded(parts, name, _Gradients).gradient_name_list))
    return {}


def _store_tensor_names(found: dict[int, str], scratch: Scratch) -> None:
    _store(
        scratch, "tensor_name",
        tensor_id=pa.array(list(found), pa.int64()),
        name=pa.array(list(found.values()), pa.string()),
    )  # fmt: skip


class _Gradients(msgspec.Struct, gc=False):
    gradient_name_list: list[str] = []
    model_name: str | None = None


class _Topology(msgspec.Struct, gc=False):
    RealRing: dict[str, str] = {}
    Tree: dict[str, str] = {}


def _store_topology(parts: Parts, names: Sequence[str], scratch: Scratch) -> int | None:
    """Neighbours of the rank in each ring and tree; returns the rank."""
    rank, rows = None, []
    for name in names[:1]:
        topology = _decoded(parts, name, _Topology)
        for channel, text in topology.RealRing.items():
            if not re.fullmatch(_NUMBER, channel):
                raise CorruptTrace(
                    f"{name}: {channel[:40]!r} is not the number of a ring",
                    hint="Copy or record it again.",
                )
            for source, target, direction in _EDGE.findall(text):
                if rank is None:
                    rank = int(target if direction == "receive" else source)
                rows.append(("ring", int(channel), int(source), int(target)))
        for text in topology.Tree.values():
            rows += _tree_rows(text)
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    _store(
        scratch, "topology",
        algorithm=pa.array(columns[0], pa.string()), channel=pa.array(columns[1], pa.int64()),
        from_rank=pa.array(columns[2], pa.int64()), to_rank=pa.array(columns[3], pa.int64()),
    )  # fmt: skip
    return rank


def _tree_rows(text: str) -> list[tuple[str, int, int, int]]:
    """From children to the rank, and from it to its parent; -1 stands for none."""
    rows = []
    for channel, below, rank, above in _TREE.findall(text):
        pairs = [(child, rank) for child in below.split("/")] + [(rank, above)]
        rows += [("tree", int(channel), int(a), int(b)) for a, b in pairs if "-1" not in (a, b)]
    return rows


def _store_member(parts: Parts, scratch: Scratch) -> str | None:
    """The names of the worker and of its GPU, of which dPRO makes names; returns the worker."""
    worker, _, gpu = (parts.job.member if parts.job else "").rpartition("/")
    _store(
        scratch, "member",
        worker=pa.array([worker or "host0"], pa.string()), gpu=pa.array([gpu or "0"], pa.string()),
    )  # fmt: skip
    return worker or None


def _text(parts: Parts, name: str) -> str:
    return parts.read(name).decode(errors="replace")


def _decoded(parts: Parts, name: str, kind: Any) -> Any:
    try:
        return msgspec.json.decode(parts.read(name), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CorruptTrace(
            f"{name} is not what dPRO records: {error}", hint="Copy or record it again."
        ) from None


class _naming:
    """Adds the name of a file to errors about its content."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, CorruptTrace):
            raise CorruptTrace(
                f"{self._name}: {error.message}", hint=error.hint, offset=error.offset
            ) from None


def _store(scratch: Scratch, table: str, /, **columns: pa.Array) -> None:
    scratch.connection.register("rows", pa.table(columns))
    scratch.connection.execute(f"CREATE TABLE {table} AS FROM rows")
    scratch.connection.unregister("rows")
