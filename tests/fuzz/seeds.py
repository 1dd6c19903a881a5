"""The families of inputs and their sound inputs, all small and made here."""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import sqlite3
import struct
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.fuzz.family import Family, Files, register
from tests.support import (
    chakra_wire,
    disc_statistics,
    flight_recorder_dumps,
    mxnet_trial,
    nsys_export,
    snapshots,
    sophgo_capture,
)
from tw_importers.sophgo.defects import Defects
from tw_importers.sophgo.read import understand
from warehouse.ingest.importer import Parts, Scratch

DATA = Path(__file__).parents[1] / "data"


def _one(name: str, *contents: bytes | str) -> list[Files]:
    """An input for each content, all of one name."""
    return [{name: each if isinstance(each, bytes) else each.encode()} for each in contents]


def _packed(path: str) -> bytes:
    return gzip.decompress((DATA / path).read_bytes())


def _kineto() -> list[Files]:
    recorded = json.loads(_packed("kineto/ddp_two_ranks/rank0.json.gz"))
    recorded["traceEvents"] = recorded["traceEvents"][:24]
    by_hand = (DATA / "kineto" / "gpu_handwritten" / "trace.json").read_bytes()
    return _one("t.json", by_hand, json.dumps(recorded))


def _chrome() -> list[Files]:
    """Every phase, in a bare array and in an object."""
    events = [
        {"ph": phase, "name": "n", "cat": "c", "pid": 1, "tid": 2, "ts": n + 0.5, "dur": 1,
         "id": "0x1", "args": {"a": 1, "": 2, "*": 3}}
        for n, phase in enumerate("XBEbneiIRsftCMSTFpNOD(")
    ]  # fmt: skip
    named = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "p"}}]
    whole = {"displayTimeUnit": "ns", "traceEvents": named + events, "otherData": {"a": "b"}}
    return _one("t.json", json.dumps(events), json.dumps(whole, indent=1))


def _memory_timeline() -> list[Files]:
    raw = json.loads(_packed("memory_timeline/cpu_run/timeline.raw.json.gz"))
    times, sizes = json.loads(_packed("memory_timeline/cpu_run/timeline.json.gz"))
    few = [times[:25], sizes[:25]]
    return _one("t.json", json.dumps(raw[:40]), json.dumps(few), json.dumps(few, indent=1))


def _memory_snapshot() -> list[Files]:
    new, old = snapshots.make(1, n=12), snapshots.make(2, devices=2, n=8, forget=2)
    return _one("t.pickle", new.pickled(), old.pickled(protocol=0), old.pickled(protocol=5))


def _flight_recorder() -> list[Files]:
    made = flight_recorder_dumps.program(6)
    recorded = (DATA / "flight_recorder" / "gloo_missing" / "nccl_trace_rank_0").read_bytes()
    as_json = (DATA / "flight_recorder" / "json" / "trace_0.json").read_bytes()
    return _one("trace_0", made.pickled(0), recorded, as_json)


def _chakra_et() -> list[Files]:
    rng = random.Random(4)
    graphs = [chakra_wire.random_graph(rng, n) for n in (2, 6, 12)]
    return _one("t.0.et", *map(chakra_wire.encode, graphs))


def _chakra_workload() -> list[Files]:
    nodes = [
        {"Id": 3, "Name": "mm", "NodeType": 4, "is_cpu_op": False, "runtime": 12,
         "data_deps": [], "num_ops": 2000, "tensor_size": 2**63, "note": {"of": "ours"}},
        {"Id": 5, "Name": "all-reduce", "NodeType": 7, "is_cpu_op": False, "data_deps": [3],
         "comm_type": 0, "comm_size": 4096, "comm_priority": 1, "comm_src": 0, "comm_dst": 1,
         "comm_tag": -1},
    ]  # fmt: skip
    return _one("t.json", json.dumps({"workload_graph": nodes}))


def _flat(node: dict[str, Any]) -> dict[str, Any]:
    """A node as schema 1.0.1 writes it."""
    found = {"name": node["name"], "id": node["id"], "parent": node["ctrl_deps"]}
    found |= {each["name"]: each["value"] for each in node["attrs"][:7]}
    for key, prefix in (("inputs", "input"), ("outputs", "output")):
        found[key] = node[key]["values"]
        found |= {f"{prefix}_{part}": node[key][part] for part in ("shapes", "types")}
    return found


def _execution_trace() -> list[Files]:
    """A recorded one, the same linked, and the same flat."""
    host = json.loads(_packed("execution_trace/gpu_cnn/host_et.json.gz"))
    nodes = host["nodes"][:10]
    linked = [
        node | {"ts": 1.5, "inclusive_dur": 2, "exclusive_dur": 1.25, "inter_thread_dep": None,
                "cat": "kernel", "ph": "X", "stream": 7, "sync_dep": [node["id"]]}
        for node in nodes
    ]  # fmt: skip
    flat = host | {"schema": "1.0.1", "nodes": [_flat(node) for node in nodes]}
    documents = [host | {"nodes": nodes}, host | {"nodes": linked}, flat]
    return _one("t.json", *(json.dumps(each) for each in documents))


def _astra_sim_log() -> list[Files]:
    new, old = ["[info] sys[0] begins"], []
    for node in range(8):
        for word, tick in (("issue", 10 * node), ("callback", 10 * node + 25)):
            new.append(
                f"[2026-11-20 10:00:00.001] [workload] [debug] {word},sys->id={node % 2}, "
                f"tick={tick}, node->id={node}, node->name=void f<{node}, int>(x), node->type=4"
            )
            old.append(f"{word},npu={node % 2},cycle={tick},node={node},name=COMP_NODE_{node}")
    return _one("log.txt", "\n".join([*new, "sys[0] finished, 9\n"]), "\n".join([*old, ""]))


def _sophgo() -> list[Files]:
    """Captures of every kind of block."""
    made: Files = {"global.profile": b"arch=8800\ntpu_freq=1000\nmax_record_num=4096\n"}
    for core in sophgo_capture.program(random.Random(7), 2, [5_000, 80_000]):
        made[f"cdmlib0_{core.core}.profile"] = core.bytes()
    image = struct.pack("<QQ", 1 | 15 << 41 | 8 << 45, 1)  # a send of TIU
    extra = b"".join(struct.pack("<III", n, 1, len(image)) + image for n in range(40))
    block, word = sophgo_capture.block, sophgo_capture.word
    key = block(17, struct.pack("<III", 9, 6, 0) + image * 6)
    words = word(8, 9) + struct.pack("<I", 6) + sophgo_capture.node("TIU", 3, 2)
    detailed = dict(made)
    detailed["cdmlib0_0.profile"] += block(6, extra)
    detailed["cdmlib0_1.profile"] += key + block(5, words)
    port = struct.pack("<32I", 10, 90, 1, 0, 64, *[5] * 27)
    detailed["cdma0_0.profile"] = block(12, port * 3)
    model = dict(made)
    model["global.profile"] = b"bmodel\narch=5\ntpu_freq=1000\n"
    model["cdmlib0_0.profile"] += block(13, image * 6) + block(14, bytes(16)) + block(15, b"")
    model["tensor_location.json"] = (
        b'[{"file-line": 3, "core_id": 0, "subnet_id": 0, "opcode": "tpu.Add", "is_local": true,'
        b' "tiu_dma_id(before)": [0, 0], "tiu_dma_id(after)": [1, 2], "operands": [],'
        b' "results": [], "buffers": []}]'
    )
    folder = "cdm_profile_data_dev0-1"
    return [_below(folder, files) for files in (made, detailed, model)]


def _below(folder: str, files: Files) -> Files:
    return {f"{folder}/{name}": content for name, content in files.items()}


def _written(name: str, *write: Callable[[Path], object]) -> list[Files]:
    """What each of the functions writes to the path it gets."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        found = []
        for each in write:
            each(path)
            found.append({name: path.read_bytes()})
            path.unlink()
    return found


def _small_pages(path: Path) -> None:
    """Makes a SQLite file smaller, so that more of its bytes mean something."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.execute("VACUUM")


def _nsys() -> list[Files]:
    """All tables with few rows, and some tables with more."""

    def writer(n_rows: int, some: slice) -> Callable[[Path], object]:
        return lambda path: nsys_export.write(path, n_rows, n_rows, 512, some)

    parts = [writer(20, slice(n, None, 4)) for n in range(4)]
    return _written("t.sqlite", writer(10, slice(None)), *parts)


def _nvprof() -> list[Files]:
    from tests.importers import test_nvprof as nvprof

    def write(path: Path) -> None:
        nvprof.write(path, nvprof.OURS)
        _small_pages(path)

    return _written("t.nvvp", write)


def _rocpd() -> list[Files]:
    from tests.importers import test_rocpd as rocpd

    def writer(*recordings: Any) -> Callable[[Path], None]:
        def write(path: Path) -> None:
            rocpd.write(path, *recordings)
            _small_pages(path)

        return write

    newer = [writer(rocpd.in_schema_4(rocpd.recording(20), minor)) for minor in (0, 1)]
    return _written("t.db", writer(rocpd.recording(10), rocpd.recording(20)), *newer)


def _rpd() -> list[Files]:
    from tests.importers import test_rpd as rpd

    def writer(statements: str) -> Callable[[Path], None]:
        def write(path: Path) -> None:
            with closing(sqlite3.connect(path)) as connection:
                connection.executescript(f"PRAGMA page_size = 512; {statements}")

        return write

    return _written("t.rpd", writer(rpd.NEW), writer(rpd.OLD))


def _nvprof_csv() -> list[Files]:
    from tests.importers import test_nvprof_csv as nvprof_csv

    return _one("t.csv", nvprof_csv.OLD, nvprof_csv.MANY)


def _encoded(folder: str, texts: dict[str, str]) -> Files:
    return {f"{folder}/{name}": text.encode() for name, text in texts.items()}


def _rocprof() -> list[Files]:
    from tests.importers import test_rocprof as rocprof

    return [_encoded(name, texts) for name, texts in rocprof.OURS.items()]


def _rocprofv3_csv() -> list[Files]:
    from tests.importers import test_rocprofv3_csv as rocprofv3_csv

    captures = [_encoded(name, texts) for name, texts in rocprofv3_csv.OURS.items()]
    whole = rocprofv3_csv.OURS["whole"]
    alone = [{name: text.encode()} for name, text in whole.items() if "_trace" in name]
    return captures + alone


def _rocprofv3_json() -> list[Files]:
    from tests.importers import test_rocprofv3_json as rocprofv3_json

    return _one("t.json", rocprofv3_json.document(100), rocprofv3_json.document(100, 200))


def _folder(path: str, pattern: str) -> Files:
    """The files below a folder that match a pattern, unpacked."""
    base = DATA / path
    found: Files = {}
    for file in sorted(base.rglob(pattern)):
        name = f"{base.name}/{file.relative_to(base).as_posix()}"
        if file.is_file() and "/expected/" not in name:
            content = file.read_bytes()
            is_packed = name.endswith(".gz")
            found[name.removesuffix(".gz")] = gzip.decompress(content) if is_packed else content
    return found


def _few_events(files: Files, names: tuple[str, ...], n: int) -> Files:
    """The same with no more than the first events in files of these names."""
    cut: Files = {}
    for name, content in files.items():
        if name.endswith(names):
            document = json.loads(content)
            is_object = isinstance(document, dict)
            events = (document["traceEvents"] if is_object else document)[:n]
            content = json.dumps({"traceEvents": events} if is_object else events).encode()
        cut[name] = content
    return cut


def _dpro() -> list[Files]:
    """A rank with Horovod and NCCL, the same with the older names of files, and one of MXNet."""
    whole = _folder("dpro/nccl_ring_2x1_tiny", "*")
    one = {name: text for name, text in whole.items() if "/host1/" not in name}
    one = _few_events(one, ("trace.json", "comm.json", "comm_detail.json"), 16)
    older = {name.replace("trace.json", "temp.json"): text for name, text in one.items()}
    folder = "nccl_ring_2x1_tiny/host0/0"
    del older[f"{folder}/gradient_name_list.json"]
    older[f"{folder}/gradient_name2ID.json"] = b'{"HorovodAllreduce.a": 0, "b": 1}'
    older[f"{folder}/nccl_rank_graph.json"] = json.dumps(
        {"Tree": {"-1": "[0] 1/-1/-1->0->-1|-1->0->1/-1/-1 [1] -1/-1/-1->0->1|1->0->-1/-1/-1"}}
    ).encode()
    with tempfile.TemporaryDirectory() as temporary:
        trial = mxnet_trial.write(Path(temporary))
        network: Files = {
            f"t/{path.relative_to(trial)}": path.read_bytes() for path in trial.glob("host0/0/*")
        }
    return [one, older, network]


def _dpro_byteps() -> list[Files]:
    """Logs of BytePS beside a rank, and the timelines that dPRO makes of them."""
    whole = _few_events(_folder("dpro/bps_zmq_2w2s", "*"), ("trace.json",), 6)
    one = {
        name: b"\n".join(text.split(b"\n")[:24]) if "/zmq/" in name or "/server/" in name else text
        for name, text in whole.items()
        if not name.endswith(("_1.log", "_1.txt", "truth.json")) and "/traces_1/" not in name
    }
    rdma = {name.replace("zmq_", "rdma_"): text for name, text in one.items()}
    made = {name: text for name, text in one.items() if not name.endswith((".log", "_0.txt"))}
    for name in ("comm_timeline.json", "server_timeline.json"):
        document = json.loads(_packed(f"dpro/bps_zmq_2w2s/expected/{name}.gz"))[:24]
        made[f"bps_zmq_2w2s/{name}"] = json.dumps(document).encode()
    return [one, rdma, made]


def _horovod() -> list[Files]:
    from tests.importers import test_horovod as horovod

    recorded = (DATA / "dpro/nccl_ring_2x1_tiny/host0/0/comm.json").read_text()
    return _one("t.json", horovod.WHOLE, json.dumps(json.loads(recorded)[:40]))


def _xplane() -> list[Files]:
    from tests.importers import test_xplane as xplane

    return _one("t.xplane.pb", xplane.WHOLE, (xplane.JAX / "vm.xplane.pb").read_bytes())


def _perfetto() -> list[Files]:
    from tests.importers import test_perfetto as perfetto
    from tests.importers import test_perfetto_typed as typed

    return _one("t.pftrace", perfetto.WHOLE, perfetto.trace(*perfetto.SLICE), typed.WHOLE)


def _tf_run_metadata() -> list[Files]:
    from tests.importers import test_tf_run_metadata as run_metadata

    recorded = [(run_metadata.DATA / case).read_bytes() for case in run_metadata.CASES]
    return _one("run_metadata.pb", run_metadata.WHOLE, *recorded)


def _tf_graph() -> list[Files]:
    from tests.importers import test_tf_graph as graph

    return _one("graph.pb", graph.TEXT, graph.BINARY)


def _disc() -> list[Files]:
    """A log with three dumps, also with statistics; and one of which values are missing."""
    found: list[Files] = []
    for case in ("ok", "compile_died"):
        folder = DATA / "bladedisc" / case
        files = [path for path in folder.rglob("*") if path.name != "expected.json"]
        found.append({str(p.relative_to(folder)): p.read_bytes() for p in files if p.is_file()})
    with tempfile.TemporaryDirectory() as name:
        tao = Path(name) / "tao"
        calls = disc_statistics.calls({"cluster_0": 3724998594837152647, "f": 7}, 3, seed=0)
        disc_statistics.write(tao, calls)
        disc_statistics.write_torch(Path(name) / "replay_cluster_disc_grp0")
        more = {str(p.relative_to(name)): p.read_bytes() for p in Path(name).rglob("*")
                if p.is_file()}  # fmt: skip
    return [*found, found[0] | more, more]


def _ctf() -> list[Files]:
    """Small recordings of both versions, with headers of both sizes, and one without a clock."""
    found: list[Files] = []
    for case in ("types", "ctf2_types", "compact_kernel", "python_agent"):
        files: Files = {}
        with tarfile.open(DATA / "ctf" / case / "trace.tar.gz") as archive:
            for member in archive.getmembers():
                content = archive.extractfile(member) if member.isfile() else None
                if content is not None:
                    files[f"trace/{Path(member.name).name}"] = content.read()
        found.append(files)
    without = dict(found[2])
    metadata = without["trace/metadata"]
    without["trace/metadata"] = re.sub(rb"clock \{.*?\};|map = [a-z.]+;", b"", metadata)
    return [*found, without]


def _gzip() -> list[Files]:
    document, graph = _chrome()[0]["t.json"], _chakra_et()[1]["t.0.et"]
    half = len(document) // 2
    members = gzip.compress(document[:half], mtime=0) + gzip.compress(document[half:], mtime=0)
    stored = gzip.compress(document, compresslevel=0, mtime=0)
    named = io.BytesIO()
    with gzip.GzipFile("t.json", "wb", fileobj=named, mtime=0) as file:
        file.write(document)
    packed = [gzip.compress(document, mtime=0), members, stored, named.getvalue()]
    return [*_one("t.json.gz", *packed), {"t.et.gz": gzip.compress(graph, mtime=0)}]


def _archive() -> list[Files]:
    inside = {"a/t.json": _chrome()[0]["t.json"], "log.txt": _astra_sim_log()[1]["log.txt"]}
    capture = {**inside, **_encoded("77", {"results.csv": _rocprof_text()})}
    zips = [_zip(inside, zipfile.ZIP_DEFLATED), _zip(capture, zipfile.ZIP_STORED)]
    nested = _zip({"inner.zip": zips[0], "t.tar": _tar(inside, "w")}, zipfile.ZIP_STORED)
    return [
        *_one("t.zip", *zips, nested),
        {"t.tar": _tar(capture, "w")},
        {"t.tar.gz": _tar(inside, "w:gz")},
    ]


def _rocprof_text() -> str:
    from tests.importers import test_rocprof as rocprof

    return rocprof.OURS["v1"]["results.csv"]


def _zip(files: Files, method: int) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return target.getvalue()


def _tar(files: Files, mode: Any) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return target.getvalue()


def _read_tpu(parts: Parts, scratch: Scratch) -> object:
    """All of a capture but what is joined in the database."""
    defects = Defects(scratch.is_lenient, scratch.is_strict)
    understand(parts, scratch.options, defects)
    return defects


for _family in (
    Family("kineto", "kineto", "json", _kineto, ("kineto/*/[!e]*.json.gz",)),
    Family("chrome", "chrome", "json", _chrome, ("tf/**/*trace.json*", "tf/*timeline/*.json")),
    Family(
        "memory_timeline", "memory_timeline", "json", _memory_timeline, ("kineto/memory*/*raw*",)
    ),
    Family("memory_snapshot", "memory_snapshot", "pickle", _memory_snapshot),
    Family("chakra_et", "chakra_et", "protobuf", _chakra_et, ("chakra/*/*.et.gz",)),
    Family("chakra_workload", "chakra_et", "json", _chakra_workload),
    Family(
        "execution_trace",
        "execution_trace",
        "json",
        _execution_trace,
        ("chakra/*/host_et.json.gz", "chakra/*/etplus.json.gz"),
    ),
    Family("astra_sim_log", "astra_sim_log", "lines", _astra_sim_log),
    Family("sophgo", "sophgo", "blocks", _sophgo, ("bigtpu/*/input",), True, _read_tpu),
    Family("nsys", "nsys", "sqlite", _nsys, ("gpu/nsys*/*.sqlite",)),
    Family("rocpd", "rocpd", "sqlite", _rocpd, ("gpu/rocpd*/*.db",)),
    Family("rpd", "rpd", "sqlite", _rpd),
    Family("nvprof", "nvprof", "sqlite", _nvprof, ("gpu/nvprof*/*.nvvp",)),
    Family("rocprof", "rocprof", "csv", _rocprof, ("gpu/rocprofiler_compute/*.csv",), True),
    Family(
        "rocprofv3_csv", "rocprofv3_csv", "csv", _rocprofv3_csv, ("gpu/rocprofv3_csv/*.csv",), True
    ),
    Family(
        "rocprofv3_json", "rocprofv3_json", "json", _rocprofv3_json, ("gpu/rocprof_json/*.json",)
    ),
    Family("nvprof_csv", "nvprof_csv", "csv", _nvprof_csv, ("gpu/nvprof*/*.csv",)),
    Family("dpro", "dpro", "json", _dpro, is_capture=True),
    Family("dpro_byteps", "dpro", "lines", _dpro_byteps, is_capture=True),
    Family("horovod", "horovod", "json", _horovod),
    Family("flight_recorder", "flight_recorder", "pickle", _flight_recorder),
    Family("disc", "disc", "blocks", _disc, is_capture=True),
    Family("tf_run_metadata", "tf_run_metadata", "protobuf", _tf_run_metadata),
    Family("tf_graph", "tf_graph", "protobuf", _tf_graph),
    Family("xplane", "xplane", "protobuf", _xplane),
    Family("perfetto", "perfetto", "protobuf", _perfetto, ("bigtpu/*/out3*/perfetto.pftrace",)),
    Family("ctf", "ctf", "blocks", _ctf, is_capture=True),
    Family("gzip", None, "archive", _gzip),
    Family("archive", None, "archive", _archive, is_capture=True),
):
    register(_family)
