"""RunMetadata of TensorFlow 1: times and names against its timeline, GPUs by hand."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.gpu_profiles import error, imported
from tests.support.xplane_wire import field, integer
from tw_importers.tf_run_metadata.read import sniff

DATA = Path(__file__).parents[1] / "data" / "tf_run_metadata"
CASES = ("local/run_metadata.pb", "dist/run_metadata_4.pb")
TIMELINES = ("local/timeline.json.gz", "dist/timeline_4.json.gz")
START = 1_790_000_000_000_000_000
GPU = "/job:localhost/replica:0/task:0/device:GPU:0"


def node(name: str, label: str, at_ns: int, dur_ns: int, *more: bytes) -> bytes:
    """An execution of an operation, with times in nanoseconds."""
    return field(
        2,
        b"".join(
            [
                field(1, name.encode()), field(8, label.encode()), integer(13, START + at_ns),
                integer(14, 10), integer(15, dur_ns - 10), integer(16, dur_ns),
                integer(17, START + at_ns - 5), *more,
            ]
        ),
    )  # fmt: skip


def device(name: str, *nodes: bytes) -> bytes:
    return field(1, field(1, name.encode()) + b"".join(nodes))


MEMORY = field(
    6, field(1, b"GPU_0_bfc") + integer(5, 4096)
    + field(6, integer(1, START // 1000 + 1) + integer(2, 1024))
    + field(6, integer(1, START // 1000 + 2) + integer(2, -1024))
)  # fmt: skip
KERNELS = (
    node("mul", "gemm_kernel", 300, 100),
    node("mul", "gemm_kernel", 500, 100),
)
WHOLE = field(
    1,
    device(GPU, node("mul", "mul = MatMul(x, y)", 100, 200, MEMORY), node("mul2", "", 150, 400))
    + device(f"{GPU}/stream:7", *KERNELS)
    + device(f"{GPU}/stream:all", *KERNELS)
    + device("/device:GPU:0/memcpy", node("edge_1", "MEMCPYHtoD", 250, 40)),
) + field(3, b"a graph")


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("tf_run_metadata")
    (folder / "made.pb").write_bytes(WHOLE)
    paths = [*(DATA / case for case in CASES), folder / "made.pb"]
    with closing(imported(paths, folder / "w.duckdb")) as connection:
        yield connection


def rows(db: duckdb.DuckDBPyConnection, sql: str, trace: int = 3) -> list[tuple[Any, ...]]:
    return db.execute(sql, {"t": trace}).fetchall()


@pytest.mark.parametrize("case", [0, 1])
def test_operations_are_those_of_the_timeline(db: duckdb.DuckDBPyConnection, case: int) -> None:
    """Whose starts and ends are microseconds, rounded down."""
    document = json.loads(gzip.decompress((DATA / TIMELINES[case]).read_bytes()))
    drawn = [event for event in document["traceEvents"] if event["ph"] == "X"]
    names = {
        event["pid"]: event["args"]["name"].removesuffix(" Compute")
        for event in document["traceEvents"]
        if event["ph"] == "M"
    }
    assert Counter(
        rows(
            db,
            "SELECT p.name, s.name, s.args_json ->> 'node', (t.base_ns + s.ts) // 1000, "
            "(t.base_ns + s.ts + s.dur) // 1000 - (t.base_ns + s.ts) // 1000 FROM slice AS s "
            "JOIN track AS k ON k.id = s.track_id "
            "JOIN process AS p ON p.id = k.process_id JOIN trace AS t ON t.id = s.trace_id "
            "WHERE t.id = $t",
            case + 1,
        )
    ) == Counter((names[e["pid"]], e["name"], e["args"]["name"], e["ts"], e["dur"]) for e in drawn)


def test_tensors_flow_as_the_timeline_draws_them(db: duckdb.DuckDBPyConnection) -> None:
    """It draws arrows between lanes only, named after the operation that they come from."""
    document = json.loads(gzip.decompress((DATA / TIMELINES[0]).read_bytes()))
    drawn = {event["name"] for event in document["traceEvents"] if event["ph"] == "s"}
    found = rows(
        db,
        "SELECT DISTINCT f.args_json ->> 'node' FROM link AS l "
        "JOIN slice AS f ON f.id = l.from_id WHERE l.trace_id = $t AND l.kind = 'flow'",
        1,
    )
    assert drawn <= {name for (name,) in found}


def test_received_tensors_are_transfers_with_their_peer(db: duckdb.DuckDBPyConnection) -> None:
    place = "/job:worker/replica:0/task:"
    assert rows(db, "SELECT rpc_key, peer, bytes FROM rpc WHERE trace_id = $t ORDER BY ALL", 2) == [
        ("edge_12_h", f"{place}1/device:CPU:0", 262_144),
        ("edge_30_gradients/o_grad/tuple/control_dependency", f"{place}0/device:CPU:0", 262_144),
        ("edge_35_GradientDescent/update_w0/ResourceApplyGradientDescent",
         f"{place}1/device:CPU:0", 0),
        ("edge_46__recv_x_0", f"{place}0/device:CPU:0", 262_144),
    ]  # fmt: skip


def test_streams_are_device_work_once(db: duckdb.DuckDBPyConnection) -> None:
    """`stream:all` repeats every record of the streams."""
    assert rows(
        db,
        "SELECT name, kind, stream, dur, direction FROM gpu_op WHERE trace_id = $t ORDER BY ts",
    ) == [
        ("edge_1", "memcpy", None, 40, "HtoD"),
        ("mul", "kernel", 7, 100, None),
        ("mul", "kernel", 7, 100, None),
    ]
    assert rows(db, "SELECT name, dur FROM cpu_op WHERE trace_id = $t ORDER BY ts") == [
        ("MatMul", 200), ("mul2", 400)
    ]  # fmt: skip


def test_operations_that_overlap_are_in_lanes(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(
        db,
        "SELECT s.name, h.tid FROM slice AS s JOIN track AS k ON k.id = s.track_id "
        "JOIN thread AS h ON h.id = k.thread_id WHERE s.trace_id = $t ORDER BY s.ts",
    ) == [("MatMul", 0), ("mul2", 1)]


def test_memory_is_that_of_its_allocator(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(
        db,
        "SELECT name, bytes, total_allocated_bytes, device_kind, device_ordinal FROM memory_event "
        "WHERE trace_id = $t ORDER BY ts",
    ) == [
        ("GPU_0_bfc", None, 4096, "gpu", 0),  # read when the kernel ended
        ("GPU_0_bfc", 1024, None, "gpu", 0),
        ("GPU_0_bfc", -1024, None, "gpu", 0),
    ]


def test_what_is_not_read_is_counted(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(
        db, "SELECT detail, value FROM import_stat WHERE trace_id = $t AND name = 'unused'"
    ) == [("graphs beside the step", 1)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (WHOLE[:200], "field 1 has "),
        (WHOLE + field(9, b"x"), "field 9 is not one of RunMetadata, at byte "),
        (field(1, device(GPU, field(2, b"\x0a\xff"))), "a message of type Node cannot be decoded"),
    ],
    ids=["cut", "foreign", "broken"],
)
def test_damage_is_one_sentence(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "run_metadata.pb"
    path.write_bytes(content)
    found = str(error(path, tmp_path / "w.duckdb"))
    assert message in found and "at byte " in found


def test_it_is_told_from_other_protobuf() -> None:
    for content in (WHOLE, *((DATA / case).read_bytes() for case in CASES)):
        assert sniff(content, "x.pb") == 97
    for other in (b"", b"\x0a\x03abc", field(1, field(1, field(1, b"x")))):
        assert sniff(other, "run_metadata.pb") == 0
