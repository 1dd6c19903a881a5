"""rocprofv3's JSON: a real document of an MI350X, and one written here for what that one lacks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.gpu_profiles import error, imported

REAL = "gpu/rocprof_json/rocprofv3_mi350_400dispatch_results.json"
KINDS: list[tuple[str, list[str]]] = [
    ("NONE", []),
    ("KERNEL_DISPATCH", ["NONE", "ENQUEUE", "COMPLETE"]),
    ("MEMORY_COPY", ["NONE", "MEMORY_COPY_HOST_TO_DEVICE"]),
    ("HIP_RUNTIME_API", ["hipMalloc", "hipLaunchKernel"]),
    ("MARKER_CORE_API", ["roctxMarkA", "roctxRangePushA"]),
    ("RCCL_API", ["ncclGroupStart", "ncclAllGather"]),
    ("MEMORY_ALLOCATION", ["NONE", "MEMORY_ALLOCATION_ALLOCATE", "MEMORY_ALLOCATION_FREE"]),
]
CPU, GPU = 11, 22


def buffered(kind: int, operation: int, correlation: int, start: int, end: int, **more: Any) -> Any:
    return {
        "size": 1, "kind": kind, "operation": operation, "thread_id": 7, "start_timestamp": start,
        "end_timestamp": end, "correlation_id": {"internal": correlation, "external": 0}, **more,
    }  # fmt: skip


def dispatch(number: int) -> Any:
    return {
        "agent_id": {"handle": GPU}, "queue_id": {"handle": 3}, "kernel_id": 5,
        "dispatch_id": number, "private_segment_size": 0, "group_segment_size": 96,
        "workgroup_size": {"x": 64, "y": 2, "z": 1}, "grid_size": {"x": 65, "y": 4, "z": 1},
    }  # fmt: skip


def program(pid: int) -> Any:
    """One process: a call that launches a kernel, a copy, a marker, and so on."""
    return {
        "metadata": {"pid": pid, "command": ["secret"], "node": {"hostname": "h"}},
        "agents": [
            {"id": {"handle": CPU}, "type": 1, "node_id": 0, "name": "host"},
            {"id": {"handle": GPU}, "type": 2, "node_id": 4, "name": "gfx", "cu_count": 9},
        ],
        "counters": [{"id": {"handle": 8}, "name": "SQ_WAVES"}],
        "strings": {
            "buffer_records": [{"kind": kind, "operations": names} for kind, names in KINDS],
            "marker_api": [{"key": 50, "value": 'a "range" }, {'}],
        },
        "kernel_symbols": [
            {"kernel_id": 0, "kernel_name": ""},
            {"kernel_id": 5, "formatted_kernel_name": "k(int)", "arch_vgpr_count": 12},
        ],
        "callback_records": {
            "counter_collection": [
                {
                    "dispatch_data": {"dispatch_info": dispatch(1)},
                    "records": [{"counter_id": {"handle": 8}, "value": value} for value in (1, 2)],
                }
            ]
        },
        "buffer_records": {
            "kernel_dispatch": [
                buffered(1, 2, 40, pid + 200, pid + 230, dispatch_info=dispatch(1))
            ],
            "hip_api": [buffered(3, 1, 40, pid + 150, pid + 160)],
            "marker_api": [buffered(4, 1, 50, pid + 140, pid + 300)],
            "rccl_api": [buffered(5, 1, 60, pid + 310, pid + 320)],
            "memory_copy": [
                buffered(2, 1, 70, pid + 330, pid + 340, bytes=4096, src_agent_id={"handle": CPU},
                         dst_agent_id={"handle": GPU}),
            ],
            "memory_allocation": [
                buffered(6, 1, 80, pid, pid + 1, agent_id={"handle": GPU}, address={"handle": 99},
                         allocation_size=256),
                buffered(6, 2, 81, pid + 900, pid + 901, agent_id={"handle": 0},
                         address={"handle": 99}, allocation_size=0),
            ],
        },
    }  # fmt: skip


def document(*pids: int) -> str:
    return json.dumps({"rocprofiler-sdk-tool": [program(pid) for pid in pids]})


@pytest.fixture(scope="module")
def db(
    data_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("rocprofv3_json")
    (folder / "ours.json").write_text(document(100, 200))
    whole = (data_dir / REAL).read_text()
    # Cut within the 301st dispatch.
    places = whole.split('{"size":184,')
    (folder / "cut.json").write_text('{"size":184,'.join(places[:301]) + '{"size":184,"kind":11,')
    connection = imported(
        [data_dir / REAL, folder / "ours.json", folder / "cut.json"], folder / "w.duckdb"
    )
    yield connection
    connection.close()


def rows(db: duckdb.DuckDBPyConnection, table: str, columns: str, trace: str) -> list[Any]:
    return db.execute(
        f"SELECT {columns} FROM {table} AS x JOIN trace AS t ON t.id = x.trace_id "
        f"WHERE t.name = '{trace}' ORDER BY ALL"
    ).fetchall()


def test_dispatches_of_an_mi350x_are_those_in_the_document(
    db: duckdb.DuckDBPyConnection, data_dir: Path
) -> None:
    (process,) = json.loads((data_dir / REAL).read_text())["rocprofiler-sdk-tool"]
    names = {each["kernel_id"]: each["formatted_kernel_name"] for each in process["kernel_symbols"]}
    expected = Counter(
        (
            names[each["dispatch_info"]["kernel_id"]],
            each["start_timestamp"],
            each["end_timestamp"] - each["start_timestamp"],
            each["dispatch_info"]["queue_id"]["handle"],
            -(
                -each["dispatch_info"]["grid_size"]["x"]
                // each["dispatch_info"]["workgroup_size"]["x"]
            ),
            each["correlation_id"]["internal"],
        )
        for each in process["buffer_records"]["kernel_dispatch"]
    )
    columns = "x.name, base_ns + ts, dur, stream, grid_x, correlation_id"
    assert Counter(rows(db, "gpu_op", columns, Path(REAL).stem)) == expected
    figures = "count(*), sum(dur)::BIGINT, count(DISTINCT x.name), count(DISTINCT track_id)"
    assert rows(db, "gpu_op", figures, Path(REAL).stem) == [(400, 15_736_293, 54, 5)]


def test_kernels_of_rccl_are_communication_and_no_others(db: duckdb.DuckDBPyConnection) -> None:
    found = rows(db, "gpu_op", "DISTINCT x.name", Path(REAL).stem + "' AND class = 'communication")
    assert found == [("ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)",)]


def test_agents_are_devices_by_their_node(db: duckdb.DuckDBPyConnection) -> None:
    columns = "x.kind, ordinal, x.name, n_compute_units, memory_bytes"
    assert rows(db, "device", columns, Path(REAL).stem) == [
        ("cpu", 0, "AMD EPYC 9575F 64-Core Processor", 128, 1_622_959_464_448),
        ("gpu", 2, "AMD Instinct MI350X", 256, 309_220_868_096),
    ]


def test_numbers_of_kinds_and_operations_are_spelled_out(db: duckdb.DuckDBPyConnection) -> None:
    names = rows(db, "slice", "DISTINCT category, x.name", "ours")
    assert names == [
        ("gpu_memcpy", "MEMORY_COPY_HOST_TO_DEVICE"),
        ("hip_runtime", "hipLaunchKernel"),
        ("kernel", "k(int)"),
        ("memory", "MEMORY_ALLOCATION_ALLOCATE"),
        ("memory", "MEMORY_ALLOCATION_FREE"),
        ("rccl_api", "ncclAllGather"),
        ("user_annotation", 'a "range" }, {'),
    ]
    assert rows(db, "collective", "DISTINCT x.name, x.kind, side", "ours") == [
        ("ncclAllGather", "allgather", "host")
    ]
    columns = "DISTINCT x.kind, grid_x, grid_y, block_x, registers_per_thread, bytes, direction"
    assert rows(db, "gpu_op", columns, "ours") == [
        ("kernel", 2, 2, 64, 12, None, None),
        ("memcpy", None, None, None, None, 4096, "HtoD"),
    ]


def test_processes_have_correlation_ids_of_their_own(db: duckdb.DuckDBPyConnection) -> None:
    found = db.execute(
        "SELECT p.pid, b.ts - a.ts, l.confidence FROM link AS l "
        "JOIN slice AS a ON a.id = l.from_id JOIN slice AS b ON b.id = l.to_id "
        "JOIN track AS k ON k.id = b.track_id JOIN process AS p ON p.id = k.process_id "
        "JOIN trace AS t ON t.id = l.trace_id "
        "WHERE t.name = 'ours' AND l.kind = 'launch' ORDER BY 1"
    ).fetchall()
    assert found == [(100, 50, 1.0), (200, 50, 1.0)]


def test_instances_of_a_counter_are_summed_over_the_dispatch(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(db, "metric", "x.name, value, ordinal, slice_id IS NOT NULL", "ours") == [
        ("SQ_WAVES", 3.0, 1, True)
    ] * 2  # fmt: skip


def test_a_release_gives_back_what_was_allocated_there(db: duckdb.DuckDBPyConnection) -> None:
    columns = "ts, bytes, address, device_kind, device_ordinal"
    assert rows(db, "memory_event", columns, "ours") == [
        (0, 256, 99, "hip", 4),
        (100, 256, 99, "hip", 4),
        (900, -256, 99, "hip", 4),
        (1000, -256, 99, "hip", 4),
    ]


def test_of_a_cut_document_what_was_whole_is_there(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(db, "gpu_op", "count(*)", "cut") == [(300,)]
    assert rows(db, "import_problem", "x.kind, severity", "cut") == [("truncated", "error")]


def test_command_lines_stay_out_unless_asked_for(
    db: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    from warehouse.ingest.decode import Settings

    query = "SELECT count(*) FROM trace WHERE contains(metadata_json, 'secret') AND name = 'ours'"
    assert db.execute(query).fetchone() == (0,)
    (tmp_path / "ours.json").write_text(document(1))
    asked = imported(
        [tmp_path / "ours.json"],
        tmp_path / "w.duckdb",
        settings=Settings(options=(("with_environment", "yes"),)),
    )
    assert asked.execute(query).fetchone() == (1,)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"rocprofiler-sdk-tool":[{"metadata" 3}]}', "expected a key at byte 26"),
        ('{"rocprofiler-sdk-tool":[3]}', "expected an object of a process or ']' at byte 25"),
        ('{"other":1,"rocprofiler-sdk-tool":[]}', "is not the first key"),
    ],
)
def test_what_is_no_such_document_is_refused_with_its_place(
    tmp_path: Path, text: str, sentence: str
) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    found = error(path, tmp_path / "w.duckdb")
    assert sentence in found.message and str(path) in found.message
