"""XPlane profiles: times and names against XProf's own timeline, and each kind of event."""

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

from tests.conftest import Tw
from tests.support.gpu_profiles import error, imported
from tests.support.xplane_wire import Event, Line, Plane, space
from tw_importers.chakra_et import sniff as sniff_chakra
from tw_importers.xplane.certainty import sniff

DATA = Path(__file__).parents[1] / "data" / "xplane"
JAX = DATA / "jax/plugins/profile/2026_11_20_11_57_03"
KERAS = DATA / "keras/plugins/profile/2026_11_20_11_47_52"
START_NS = 1_790_000_000_000_000_000
KERNEL = "regs:40 static_shared:16 dynamic_shared:1024 grid:8,4,1 block:256,1,1 occ_pct:50"
COPY = "kind_src:pageable kind_dst:device size:4096 dest:0 async:1"
GPU = Plane(
    "/device:GPU:1",
    [
        Line(
            "Stream #7(Kernel)",
            [
                Event(
                    "gemm", 1_500, 2_600,
                    {"correlation_id": 5, "kernel_details": f"@{KERNEL}", "hlo_op": "@dot.1",
                     "hlo_module": "@jit_step", "program_id": 3, "tf_op": "@jit(step)/dot:"},
                ),
                Event("all-reduce.3", 9_000, 1_000),
            ],
            id=7, at_ns=100,
        ),
        Line(
            "Stream #8(MemcpyH2D,Memset)",
            [Event("MemcpyH2D", 0, 5_000, {"correlation_id": 6, "memcpy_details": f"@{COPY}"}),
             Event("Memset 0", 7_000, 500, {"memset_details": "kind:device size:64 dest:0"})],
            id=8, at_ns=100,
        ),
        Line("XLA Modules", [Event("jit_step(3)", 0, 20_000)], id=9, at_ns=100),
    ],
    stats={"clock_rate": 1_410_000, "core_count": 108, "memory_bandwidth": 1_555_000_000_000,
           "memory_size": 40 << 30, "device_vendor": "@Nvidia"},
    of_names={"gemm": {"flops": 2048, "bytes_accessed": 512, "hlo_category": "@convolution"}},
)  # fmt: skip
HOST = Plane(
    "/host:CPU",
    [
        Line(
            "python",
            [
                Event("train", 0, 60_000, {"step_num": 4, "_r": 1}),
                Event("$train.py:7 step", 100, 50_000),
                Event("dense/MatMul:MatMul", 1_000, 9_000),
                Event("cuLaunchKernel", 2_000, 1_000, {"correlation_id": 5}),
                Event("produce", 3_000, 1_000, {"_pt": 15, "_p": 77}),
                Event("MemoryAllocation", 4_000, 0,
                      {"allocator_name": "@GPU_1_bfc", "addr": 4096, "allocation_bytes": 256,
                       "bytes_allocated": 512, "bytes_reserved": 1024}),
                Event("MemoryDeallocation", 5_000, 0,
                      {"allocator_name": "@mklcpu", "addr": 8192, "allocation_bytes": 128,
                       "bytes_allocated": 384}),
                Event("mark", 6_000, 0),
                Event("end: dot", 7_000, 300, {"_src": "thunk.cc"}),
                Event("often", dur_ps=9_000, count=12),
            ],
            id=-3, at_ns=90,
        ),
        Line("worker", [Event("consume", 8_000, 500, {"_ct": 15, "_c": 77})], id=4, at_ns=90),
    ],
    stats={"process_id": 321},
    display={"dense/MatMul:MatMul": "MatMul"},
)  # fmt: skip
TASK = Plane("Task Environment", stats={"profile_start_time": START_NS})
WHOLE = space(GPU, HOST, TASK, hosts=["box"], errors=["CUPTI was busy"])


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("xplane")
    (folder / "made.xplane.pb").write_bytes(WHOLE)
    with closing(imported([folder / "made.xplane.pb", JAX], folder / "w.duckdb")) as connection:
        yield connection


def rows(db: duckdb.DuckDBPyConnection, sql: str, trace: int = 1) -> list[tuple[Any, ...]]:
    return db.execute(sql, {"t": trace}).fetchall()


def drawn(folder: Path) -> Counter[tuple[str, int, int]]:
    """Name, start and duration, in whole ns, of each event of XProf's timeline."""
    document = json.loads(gzip.decompress((folder / "vm.trace.json.gz").read_bytes()))
    found = Counter[tuple[str, int, int]]()
    for event in document["traceEvents"]:
        if event.get("ph") in ("X", "i"):
            start = round(event["ts"] * 1_000_000)
            end = start + round(event.get("dur", 0) * 1_000_000)
            found[event["name"], start // 1000, end // 1000 - start // 1000] += 1
    return found


def stored(db: duckdb.DuckDBPyConnection, trace: int) -> Counter[tuple[str, int, int]]:
    return Counter(
        rows(
            db,
            "SELECT s.name, s.ts + t.base_ns - t.source_base_ns, s.dur "
            "FROM slice AS s JOIN trace AS t ON t.id = s.trace_id WHERE t.id = $t",
            trace,
        )
    )


def assert_is_drawn(db: duckdb.DuckDBPyConnection, trace: int, folder: Path) -> None:
    """All events of the timeline but marks of ends are slices, and nothing else is."""
    expected = {key: n for key, n in drawn(folder).items() if not key[0].startswith("end: ")}
    assert len(expected) > 50
    assert stored(db, trace) == expected


def test_a_profile_of_jax_has_the_names_and_times_of_its_timeline(
    db: duckdb.DuckDBPyConnection,
) -> None:
    assert_is_drawn(db, 2, JAX)
    start = json.loads(
        rows(db, "SELECT json_object('base', source_base_ns) FROM trace WHERE id = $t", 2)[0][0]
    )
    assert start == {"base": 1_795_175_823_069_111_077}  # profile_start_time
    assert rows(db, "SELECT count(*) FROM source_event WHERE trace_id = $t", 2) == [(24,)]
    assert rows(db, "SELECT number FROM step WHERE trace_id = $t ORDER BY ts", 2) == [
        (0,), (1,), (2,), (3,)
    ]  # fmt: skip


@pytest.mark.integration
def test_many_steps_have_the_names_and_times_of_their_timeline(
    data_dir: Path, tmp_path: Path
) -> None:
    (folder,) = (data_dir / "tf/jax_step_xplane/plugins/profile").iterdir()
    with closing(imported([folder], tmp_path / "w.duckdb")) as db:
        assert_is_drawn(db, 1, folder)
        assert len(rows(db, "SELECT number FROM step WHERE trace_id = $t")) == 50


@pytest.mark.integration
def test_a_profile_of_keras_has_the_times_of_its_timeline(tmp_path: Path) -> None:
    """XProf draws regions of thread pools, numbers steps, and leaves memory to another view."""
    with closing(imported([KERAS], tmp_path / "w.duckdb")) as db:
        ours, theirs = stored(db, 1), drawn(KERAS)
    assert {name for name, _, _ in theirs - ours} == {
        "ThreadpoolListener::Region", "train 0", "train 1", "train 2"
    }  # fmt: skip
    assert {name for name, _, _ in ours - theirs} == {
        "MemoryAllocation", "MemoryDeallocation", "train"
    }  # fmt: skip


@pytest.mark.integration
@pytest.mark.parametrize(
    ("case", "n_operations", "n_gpus"), [("jax_mi300_xplane", 235, 8), ("jax_te_xplane", 150, 1)]
)
def test_device_work_of_real_gpus_has_its_host_call(
    data_dir: Path, tmp_path: Path, case: str, n_operations: int, n_gpus: int
) -> None:
    with closing(imported([data_dir / "tf" / case], tmp_path / "w.duckdb")) as db:
        assert rows(
            db,
            "SELECT count(*), count(DISTINCT l.to_id), count(DISTINCT g.device_id), "
            "count(x.hlo_op) > 0 "
            "FROM gpu_op AS g LEFT JOIN link AS l ON l.to_id = g.slice_id AND l.kind = 'launch' "
            "LEFT JOIN xla_op AS x USING (slice_id) WHERE g.trace_id = $t",
        ) == [(n_operations, n_operations, n_gpus, True)]
        assert rows(db, "SELECT count(*) FROM device WHERE trace_id = $t") == [(8,)]


def test_times_are_whole_nanoseconds_that_keep_containment(db: duckdb.DuckDBPyConnection) -> None:
    """Starts and ends are rounded down; what is lost is in args_json."""
    found = rows(
        db,
        "SELECT s.ts + t.base_ns, s.dur, s.args_json ->> 'start_ps', s.args_json ->> 'duration_ps' "
        "FROM slice AS s JOIN trace AS t ON t.id = s.trace_id WHERE t.id = $t AND s.name = 'gemm'",
    )
    assert found == [(START_NS + 101, 3, "101500", "2600")]  # 101.5 to 104.1 ns


def test_device_work_has_its_stream_shape_and_call(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(
        db,
        "SELECT name, kind, class, stream, correlation_id, bytes, direction, grid_x, grid_y, "
        "block_x, registers_per_thread, shared_memory_bytes "
        "FROM gpu_op WHERE trace_id = $t ORDER BY stream, ts",
    ) == [
        ("gemm", "kernel", "compute", 7, 5, None, None, 8, 4, 256, 40, 1040),
        ("all-reduce.3", "kernel", "communication", 7, *[None] * 8),
        ("MemcpyH2D", "memcpy", "memory", 8, 6, 4096, "HtoD", *[None] * 5),
        ("Memset 0", "memset", "memory", 8, None, 64, None, *[None] * 5),
    ]
    assert rows(
        db,
        "SELECT f.name, f.category, g.name FROM link AS l JOIN slice AS f ON f.id = l.from_id "
        "JOIN slice AS g ON g.id = l.to_id WHERE l.trace_id = $t AND l.kind = 'launch'",
    ) == [("cuLaunchKernel", "cuda_driver", "gemm")]


def test_operations_of_compiled_programs_are_known(db: duckdb.DuckDBPyConnection) -> None:
    """Also what is stated once for all events of a name."""
    assert rows(
        db,
        "SELECT hlo_module, program_id, hlo_op, category, framework_op, flops, bytes_accessed "
        "FROM xla_op WHERE trace_id = $t",
    ) == [("jit_step", 3, "dot.1", "convolution", "jit(step)/dot:", 2048, 512)]


def test_devices_have_the_capabilities_of_their_plane(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(
        db,
        "SELECT kind, ordinal, vendor, memory_bytes, n_compute_units, clock_hz, peak_bytes_per_s "
        "FROM device WHERE trace_id = $t",
    ) == [("gpu", 1, "Nvidia", 40 << 30, 108, 1.41e9, 1.555e12)]


def test_events_of_the_host_are_what_they_record(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(
        db,
        "SELECT s.name, s.category, s.dur FROM slice AS s JOIN track AS k ON k.id = s.track_id "
        "WHERE s.trace_id = $t AND k.kind = 'thread' ORDER BY s.ts, s.dur DESC",
    ) == [
        ("train", "user_annotation", 60),
        ("$train.py:7 step", "python_function", 50),
        ("MatMul", "cpu_op", 9),
        ("cuLaunchKernel", "cuda_driver", 1),
        ("produce", "cpu_op", 1),
        ("MemoryAllocation", "memory", 0),
        ("MemoryDeallocation", "memory", 0),
        ("mark", "instant", 0),
        ("consume", "cpu_op", 0),  # half a nanosecond
    ]
    assert rows(db, "SELECT number FROM step WHERE trace_id = $t") == [(4,)]
    assert rows(db, "SELECT name FROM python_call WHERE trace_id = $t") == [("$train.py:7 step",)]
    assert rows(db, "SELECT pid, name FROM process WHERE trace_id = $t") == [(321, "/host:CPU")]
    assert rows(db, "SELECT phase, event_text FROM source_event WHERE trace_id = $t") == [
        ("end", '{"line":"python","name":"end: dot","start_ns":97,"duration_ns":0,'
         '"_src":"thunk.cc"}'),
        ("aggregate", '{"line":"python","name":"often","num_occurrences":12,"duration_ns":9}'),
    ]  # fmt: skip


def test_memory_has_address_size_and_allocator(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(
        db,
        "SELECT address, bytes, total_allocated_bytes, total_reserved_bytes, device_kind, "
        "device_ordinal FROM memory_event WHERE trace_id = $t ORDER BY ts",
    ) == [(4096, 256, 512, 1024, "gpu", 1), (8192, -128, 384, None, "cpu", -1)]


def test_producers_and_consumers_are_arrows(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(
        db,
        "SELECT f.name, g.name FROM link AS l JOIN slice AS f ON f.id = l.from_id "
        "JOIN slice AS g ON g.id = l.to_id WHERE l.trace_id = $t AND l.kind = 'flow'",
    ) == [("produce", "consume")]


def test_what_the_profiler_reported_is_a_problem(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(
        db, "SELECT kind, severity, count, example FROM import_problem WHERE trace_id = $t"
    ) == [("profiler_error", "warning", 1, "CUPTI was busy")]
    assert rows(db, "SELECT host_name FROM trace WHERE id = $t") == [("box",)]


@pytest.mark.integration
def test_hosts_of_a_folder_are_traces_of_one_run(tw: Tw, tmp_path: Path) -> None:
    """Timelines beside the profiles are not read."""
    folder = tmp_path / "log/plugins/profile/2026_01_01"
    folder.mkdir(parents=True)
    for host in ("a", "b"):
        (folder / f"{host}.xplane.pb").write_bytes(space(HOST, TASK, hosts=[host]))
        (folder / f"{host}.trace.json.gz").write_bytes(gzip.compress(b'{"traceEvents":[]}'))

    ran = tw("import", "log")

    assert ran.code == 0, ran.err
    listed = json.loads(tw("runs", "--format", "json").out)
    assert [(each["run"], each["n_traces"], each["formats"]) for each in listed] == [
        ("2026_01_01", 2, "xplane")
    ]  # fmt: skip


def test_names_that_are_missing_are_numbers_and_reported(tmp_path: Path) -> None:
    plane = Plane(
        "/host:CPU", [Line("t", [Event("x", 0, 1_000, {"k": 1})])], without=("x", "k")
    )  # fmt: skip
    path = tmp_path / "t.xplane.pb"
    path.write_bytes(space(plane))
    with closing(imported([path], tmp_path / "w.duckdb")) as db:
        assert rows(db, "SELECT name, args_json FROM slice WHERE trace_id = $t") == [
            ("event 1", '{"statistic 1":1}')
        ]
        assert rows(
            db, "SELECT kind, count FROM import_problem WHERE trace_id = $t ORDER BY meaning"
        ) == [("unknown_name", 1), ("unknown_name", 1)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (WHOLE[:-40], "invalid protobuf: field 1 has 60 bytes, 41 are left"),
        (WHOLE[:100], "invalid protobuf: field 1 has "),
        (WHOLE + b"\x0b", "invalid protobuf: wire type 3 of field 1 is not known, at byte "),
        (WHOLE + b"\x80", "invalid protobuf: it ends inside a number, at byte "),
    ],
    ids=["cut", "cut early", "foreign", "cut in a number"],
)
def test_damage_is_one_sentence_with_its_offset(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "t.xplane.pb"
    path.write_bytes(content)

    found = error(path, tmp_path / "w.duckdb")

    assert message in str(found)
    assert "at byte " in str(found)


def test_profiles_are_told_from_other_protobuf() -> None:
    """Also from Chakra's traces, and those from profiles."""
    for content in (WHOLE, (JAX / "vm.xplane.pb").read_bytes()):
        head = content[: 64 << 10]
        assert (sniff(head, "x.pb"), sniff_chakra(head, "x.pb")) == (99, 0)
    for other in (b"", b"\x0a", b"\x0a\x03abc", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"):
        assert sniff(other, "x.xplane.pb") == 0
