"""Imports large generated recordings of ROCm's profilers and nvprof, one per format.

    python benchmarks/import_gpu_profiles.py [--dispatches 1000000] [--runs 3] [--only rocpd ...]

Prints wall, processor time and peak memory of `tw import` into a new warehouse, and
records per second of each. Databases contain as many calls as dispatches, and both count; the other
files contain dispatches only.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

from paired import line, median, run, say

_NAMES = [
    f"void kernel_{n}<{'float, std::array<char*, 3ul>, ' * 5}true>(float*, float const*, int)"
    for n in range(60)
]
_START = 63_857_982_592_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--dispatches", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=FORMATS, default=list(FORMATS))
    options = parser.parse_args()
    for name in options.only:
        file, n_each, write = FORMATS[name]
        with tempfile.TemporaryDirectory() as folder:
            recording, db = Path(folder) / file, Path(folder) / "bench.duckdb"
            write(recording, options.dispatches)
            n_records = n_each * options.dispatches
            say(f"{name}: {n_records:,} records, {recording.stat().st_size / 1e6:.0f} MB")
            _measure(recording, db, n_records, options.runs)


def _measure(recording: Path, db: Path, n_records: int, n_runs: int) -> None:
    command = [sys.executable, "-c", "from warehouse.cli import main; main()", "import",
               str(recording), "--db", str(db)]  # fmt: skip
    new = median([run(command, before=lambda: db.unlink(missing_ok=True)) for _ in range(n_runs)])
    line("into a new warehouse", new)
    rate, cost = n_records / new.wall_s, n_records / new.cpu_s
    say(f"  {rate:,.0f} records/s; {cost:,.0f} per CPU second")


def _name(n: int) -> str:
    return _NAMES[n * 7 % 60]


def _times(n: int) -> tuple[int, int]:
    start = _START + 5_000 * n
    return start, start + 1_000 + n % 977


def write_rocprof(path: Path, n_dispatches: int) -> None:
    """results.csv of rocprof with times and two counters."""
    with path.open("w") as file:
        file.write("Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,arch_vgpr,"
                   "accum_vgpr,sgpr,wave_size,sig,obj,SQ_WAVES,TCC_HIT_sum,DispatchNs,BeginNs,EndNs,"
                   "CompleteNs\n")  # fmt: skip
        for n in range(n_dispatches):
            start, end = _times(n)
            file.write(
                f'{n},"{_name(n)}",0,{n % 4},{n},908,908,{64 * (1 + n % 64)},64,0,0,32,4,48,64,0x0,'
                f"0x7f3c471c4ec0,{n % 64},{n % 999},{start - 900},{start},{end},{end + 50}\n"
            )


def write_rocprofv3_csv(path: Path, n_dispatches: int) -> None:
    """kernel_trace.csv of rocprofv3."""
    with path.open("w") as file:
        file.write('"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id",'
                   '"Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp",'
                   '"LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count",'
                   '"Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X",'
                   '"Grid_Size_Y","Grid_Size_Z"\n')  # fmt: skip
        for n in range(n_dispatches):
            start, end = _times(n)
            file.write(
                f'"KERNEL_DISPATCH","Agent 4",{n % 4},1,908,{n},{n * 7 % 60},"{_name(n)}",{n},'
                f"{start},{end},0,0,32,4,48,64,1,1,{64 * (1 + n % 64)},1,1\n"
            )


def write_rocprofv3_json(path: Path, n_dispatches: int) -> None:
    """The document rocprofv3 writes with --output-format json: dispatches of one process."""
    kinds = ["NONE", "KERNEL_DISPATCH"]
    head = {
        "metadata": {"node": {"hostname": "node"}, "pid": 908},
        "agents": [{"id": {"handle": 7}, "type": 2, "name": "gfx950", "node_id": 1}],
        "strings": {
            "buffer_records": [{"kind": k, "operations": ["NONE", "COMPLETE"]} for k in kinds]
        },
        "kernel_symbols": [
            {"kernel_id": n, "formatted_kernel_name": name, "arch_vgpr_count": 32}
            for n, name in enumerate(_NAMES)
        ],
    }
    with path.open("w") as file:
        file.write('{"rocprofiler-sdk-tool":[' + json.dumps(head)[:-1])
        file.write(',"buffer_records":{"kernel_dispatch":[')
        for n in range(n_dispatches):
            start, end = _times(n)
            file.write(
                f'{"," if n else ""}{{"size":184,"kind":1,"operation":1,"thread_id":908,'
                f'"correlation_id":{{"internal":{n},"external":0}},"start_timestamp":{start},'
                f'"end_timestamp":{end},"dispatch_info":{{"size":72,"agent_id":{{"handle":7}},'
                f'"queue_id":{{"handle":{n % 4}}},"kernel_id":{n * 7 % 60},"dispatch_id":{n},'
                '"private_segment_size":0,"group_segment_size":0,'
                '"workgroup_size":{"x":64,"y":1,"z":1},'
                f'"grid_size":{{"x":{64 * (1 + n % 64)},"y":1,"z":1}}}},'
                '"stream_id":{"handle":0}}'
            )
        file.write("]}}]}")


def write_rocpd(path: Path, n_dispatches: int) -> None:
    """Writes a database of schema 3: calls and their dispatches, with an event each."""
    tables: dict[str, tuple[str, Iterable[tuple[object, ...]]]] = {
        "metadata": ("id tag value", [(1, "schema_version", "3")]),
        "string": ("id string", [(1, "HIP_RUNTIME_API"), (2, "hipLaunchKernel")]),
        "info_node": ("id machine_id hostname", [(1, "m", "node")]),
        "info_process": ("id nid pid", [(1, 1, 908)]),
        "info_thread": ("id pid tid name", [(1, 1, 908, "main")]),
        "info_agent": ("id nid pid type absolute_index name", [(1, 1, 1, "GPU", 0, "gfx950")]),
        "info_queue": ("id name", [(n, f"Queue {n}") for n in range(4)]),
        "info_kernel_symbol": (
            "id kernel_name display_name arch_vgpr_count",
            [(n, f"{name}.kd", name, 32) for n, name in enumerate(_NAMES)],
        ),
        "event": (
            "id category_id stack_id parent_stack_id correlation_id",
            ((2 * n + k, 1, n, 0, 0) for n in range(n_dispatches) for k in (1, 2)),
        ),
        "region": (
            "id nid pid tid start end name_id event_id",
            ((n, 1, 1, 1, _times(n)[0] - 4_000, _times(n)[0] - 900, 2, 2 * n + 1)
             for n in range(n_dispatches)),
        ),
        "kernel_dispatch": (
            "id nid pid tid agent_id kernel_id dispatch_id queue_id stream_id start end "
            "private_segment_size group_segment_size workgroup_size_x workgroup_size_y "
            "workgroup_size_z grid_size_x grid_size_y grid_size_z event_id",
            ((n, 1, 1, 1, 1, n * 7 % 60, n, n % 4, 0, *_times(n), 0, 0, 64, 1, 1, 64 * (1 + n % 64),
              1, 1, 2 * n + 2) for n in range(n_dispatches)),
        ),
    }  # fmt: skip
    suffix = "_0000aaaa_bbbb_7ccc_8ddd_000000000001"
    _write_database(path, {f"rocpd_{name}{suffix}": each for name, each in tables.items()})


def write_nvprof(path: Path, n_dispatches: int) -> None:
    """Writes a database of nvprof: calls and their kernels."""
    _write_database(path, {
        "StringTable": ("_id_ value", list(enumerate(_NAMES, 1))),
        "Version": ("version", [(11,)]),
        "CUPTI_ACTIVITY_KIND_RUNTIME": (
            "_id_ cbid start end processId threadId correlationId returnValue",
            ((n, 211, _times(n)[0] - 4_000, _times(n)[0] - 900, 908, 908, n, 0)
             for n in range(n_dispatches)),
        ),
        "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL": (
            "_id_ registersPerThread start end deviceId contextId streamId gridX gridY gridZ "
            "blockX blockY blockZ staticSharedMemory dynamicSharedMemory correlationId gridId name",
            ((n, 32, *_times(n), 0, 1, 7 + n % 4, 1 + n % 64, 1, 1, 256, 1, 1, 0, 0, n, n,
              1 + n * 7 % 60) for n in range(n_dispatches)),
        ),
    })  # fmt: skip


def _write_database(
    path: Path, tables: dict[str, tuple[str, Iterable[tuple[object, ...]]]]
) -> None:
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA journal_mode = off")
        for name, (columns, rows) in tables.items():
            declared = ", ".join(f'"{column}"' for column in columns.split())
            file.execute(f'CREATE TABLE "{name}" ({declared})')
            marks = ", ".join("?" * len(columns.split()))
            file.executemany(f'INSERT INTO "{name}" VALUES ({marks})', rows)
        file.commit()


def write_nvprof_csv(path: Path, n_dispatches: int) -> None:
    """What `nvprof --csv --print-gpu-trace -u ns` prints."""

    def lines() -> Iterator[str]:
        yield "======== Profiling result:"
        heading = ("Start,Duration,Grid X,Grid Y,Grid Z,Block X,Block Y,Block Z,"
                   "Registers Per Thread,Static SMem,Dynamic SMem,Size,Throughput,SrcMemType,"
                   "DstMemType,Device,Context,Stream,Name,Correlation_ID")  # fmt: skip
        yield ",".join(f'"{each}"' for each in heading.split(","))
        yield "ns,ns,,,,,,,,B,B,B,MB/s,,,,,,,"
        for n in range(n_dispatches):
            start, end = _times(n)
            yield (f"{start - _START},{end - start},{1 + n % 64},1,1,256,1,1,32,0,0,,,,,"
                   f'"Tesla V100 (0)","1","{7 + n % 4}","{_name(n)} [{n}]",{n}')  # fmt: skip

    with path.open("w") as file:
        file.writelines(f"{each}\n" for each in lines())


#: Format -> name of the file, records for each dispatch, and what writes it.
FORMATS: dict[str, tuple[str, int, Callable[[Path, int], None]]] = {
    "rocprof": ("results.csv", 1, write_rocprof),
    "rocprofv3_csv": ("908_kernel_trace.csv", 1, write_rocprofv3_csv),
    "rocprofv3_json": ("908_results.json", 1, write_rocprofv3_json),
    "rocpd": ("908_results.db", 2, write_rocpd),
    "nvprof": ("profile.nvvp", 2, write_nvprof),
    "nvprof_csv": ("gpu-trace.csv", 1, write_nvprof_csv),
}


if __name__ == "__main__":
    main()
