"""Write `trace.json`: a GPU trace by hand, in Kineto's layout (see ../../README.md).

All times are literal microseconds with at most three decimals, that is whole nanoseconds.
Every event in EVENTS is there for a reason; the comments say which.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Event = dict[str, Any]

CPU = 4242  # the traced process; the devices are pids 0 and 1, as in Kineto
MAIN, BACKWARD, ODD, PAIRS = 4242, 4250, 4260, 4270  # its threads
COMPUTE, COMM = 7, 20  # the streams of either device

GEMM = "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128>(Params)"
RELU = 'void at::native::vectorized_elementwise_kernel<4, "relu\\n">(int, std::array<char*, 2ul>)'
NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def x(cat: str, name: str, where: tuple[int, int], ts: float, dur: float, **args: object) -> Event:
    """Build a complete event; `where` is (pid, tid)."""
    event: Event = {"ph": "X", "cat": cat, "name": name, "pid": where[0], "tid": where[1]}
    event |= {"ts": ts, "dur": dur}
    return event | ({"args": args} if args else {})


def op(name: str, tid: int, ts: float, dur: float, external: int, **args: object) -> Event:
    """Build a CPU operator."""
    return x("cpu_op", name, (CPU, tid), ts, dur, **{"External id": external, **args})


def note(name: str, tid: int, ts: float, dur: float) -> Event:
    """Build a user annotation."""
    return x("user_annotation", name, (CPU, tid), ts, dur)


def call(name: str, tid: int, ts: float, dur: float, correlation: int) -> Event:
    """Build a CUDA runtime or driver call, by the beginning of its name."""
    cat = "cuda_runtime" if name.startswith("cuda") else "cuda_driver"
    return x(cat, name, (CPU, tid), ts, dur, cbid=211, correlation=correlation)


def gpu(
    cat: str, name: str, where: tuple[int, int], ts: float, dur: float, **args: object
) -> Event:
    """Build a device activity; `where` is (device, stream)."""
    device, stream = where
    return x(cat, name, where, ts, dur, device=device, context=1, stream=stream, **args)


def kernel(name: str, where: tuple[int, int], ts: float, dur: float, **args: object) -> Event:
    """Build a kernel."""
    return gpu("kernel", name, where, ts, dur, grid=[8, 4, 1], block=[128, 1, 1], **args)


def copy(name: str, where: tuple[int, int], ts: float, dur: float, n: int, **args: object) -> Event:
    """Build a memcpy or memset of `n` bytes, by the beginning of its name."""
    return gpu(f"gpu_{name.split(maxsplit=1)[0].lower()}", name, where, ts, dur, bytes=n, **args)


def flow(ph: str, cat: str, number: int, where: tuple[int, int], ts: float) -> Event:
    """Build one end of a flow; ph is s or f."""
    event: Event = {"ph": ph, "id": number, "pid": where[0], "tid": where[1], "ts": ts}
    return event | {"cat": cat, "name": cat} | ({"bp": "e"} if ph == "f" else {})


def meta(name: str, pid: int, tid: int, /, **args: object) -> Event:
    """Build a metadata event."""
    return {"ph": "M", "name": name, "ts": 10, "pid": pid, "tid": tid, "args": args}


def memory(ts: float, address: int, size: int, total: int) -> Event:
    """Build an allocation (size > 0) or a free (size < 0) on device 0."""
    args = {"Total Reserved": 2097152, "Total Allocated": total, "Bytes": size, "Addr": address}
    event: Event = {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]"}
    event |= {"pid": CPU, "tid": MAIN, "ts": ts}
    return event | {"args": args | {"Device Id": 0, "Device Type": 1}}


EVENTS: list[Event] = [
    meta("process_name", CPU, 0, name="python"),
    meta("process_labels", CPU, 0, labels="CPU"),
    meta("process_sort_index", CPU, 0, sort_index=CPU),
    meta("process_name", 0, 0, name="python"),
    meta("process_labels", 0, 0, labels="GPU 0"),
    meta("process_sort_index", 0, 0, sort_index=5000000),
    meta("process_name", 1, 0, name="python"),
    meta("process_labels", 1, 0, labels="GPU 1"),
    meta("process_sort_index", 1, 0, sort_index=5000001),
    meta("thread_name", CPU, MAIN, name="thread 4242 (python)"),
    meta("thread_name", CPU, BACKWARD, name="thread 4250 (pt_autograd_0)"),
    meta("thread_name", CPU, ODD, name="thread 4260 (особый 线程 🧵)"),
    meta("thread_name", CPU, PAIRS, name="thread 4270 (pairs)"),
    meta("thread_name", 0, COMPUTE, name="stream 7 "),
    meta("thread_name", 0, COMM, name="stream 20 "),
    meta("thread_name", 1, COMPUTE, name="stream 7 "),
    meta("thread_name", 1, COMM, name="stream 20 "),
    # --- main thread; step 8 begins exactly where step 7 ends
    note("ProfilerStep#7", MAIN, 10, 190),
    note("forward", MAIN, 12.345, 87.999),
    op("aten::linear", MAIN, 14.001, 30.002, 1, **{"Input Dims": [[32, 64], [16, 64], [16]]}),
    op("aten::addmm", MAIN, 16.005, 26.001, 2, **{"Sequence number": 71, "Fwd thread id": 0}),
    op("aten::copy_", MAIN, 17.1, 9.3, 3),  # an operator nest of depth 3
    call("cudaMemcpyAsync", MAIN, 18.2, 5.7, 101),
    call("cudaLaunchKernel", MAIN, 30.003, 4.35, 102),
    op("aten::zero_", MAIN, 50, 12.5, 4),
    op(
        "aten::fill_", MAIN, 50, 12.5, 5
    ),  # the very same interval as its parent: file order decides
    call("cudaMemsetAsync", MAIN, 52.675, 3.025, 103),
    op("модель::前向🚀", MAIN, 65.5, 2.25, 6),  # unicode, as UTF-8
    op("triton_poi_fused_relu_0", MAIN, 70.01, 20.02, 7),
    call("cuLaunchKernelEx", MAIN, 75.115, 6.335, 104),  # a driver launch
    op("c10d::allreduce_", MAIN, 110.7, 30.1, 8),
    call("cudaLaunchKernelExC", MAIN, 120.9, 8.15, 105),
    op("c10d::_allgather_base_", MAIN, 145.6, 20.4, 9),
    call("cudaLaunchKernel", MAIN, 150.155, 3.3, 107),
    call("cudaLaunchKernel", MAIN, 156.001, 2.999, 108),
    note("ProfilerStep#8", MAIN, 200, 250.5),
    note("replay", MAIN, 205.5, 30.25),
    call("cudaGraphLaunch", MAIN, 210.05, 15.2, 201),  # three kernels, and in no operator
    op("aten::relu", MAIN, 240.4, 14.6, 10),
    call("cudaLaunchKernel", MAIN, 245.29, 4.35, 202),  # a launch without a kernel
    op("aten::to", MAIN, 260.6, 30.8, 11),
    op("aten::_to_copy", MAIN, 262.7, 27.1, 12),
    op("aten::copy_", MAIN, 265.8, 22.2, 13),
    call("cudaMemcpyAsync", MAIN, 268.9, 6.1, 203),
    call("cudaStreamSynchronize", MAIN, 276.7, 8.85, 204),  # a call that launches nothing
    op("aten::mul", MAIN, 300.1, 16.4, 14),
    call("cudaLaunchKernel", MAIN, 303.303, 3.03, 205),
    call("cudaDeviceSynchronize", MAIN, 330.001, 100.999, 206),
    # --- backward thread
    op("autograd::engine::evaluate_function: AddmmBackward0", BACKWARD, 172.2, 26.6, 20),
    op("AddmmBackward0", BACKWARD, 174.4, 22.2, 21, **{"Sequence number": 71, "Fwd thread id": 1}),
    op("aten::mm", BACKWARD, 176.6, 17.7, 22),
    call("cudaLaunchKernel", BACKWARD, 180.008, 5.005, 106),
    # --- odd thread: cases of nesting
    op("outer", ODD, 20, 40, 30),
    op("inner with the parent's end", ODD, 40, 20, 31),
    op("zero at the parent's start", ODD, 20, 0, 32),
    op("zero inside", ODD, 41.001, 0, 33),
    op("zero inside, again", ODD, 41.001, 0, 34),  # two zero durations at one instant: siblings
    op("zero at the parent's end", ODD, 60, 0, 35),  # so no child of it
    op("adjacent", ODD, 60, 5, 36),
    op("negative inside", ODD, 62.5, -1.5, 37),  # nests as if its duration were 0
    op("escaped \U0001f680 \u00e9\u4e2d", ODD, 70, 3, 38),  # unicode, as \u escapes
    op("crossing, first", ODD, 80, 10, 39),
    op("crossing, second", ODD, 85, 10, 40),
    op("in both", ODD, 86.006, 2.002, 41),
    op("across the first's end", ODD, 88.008, 4.004, 42),
    op("huge id", ODD, 100, 1, 18446744073709551615),  # 2**64 - 1
    {"ph": "X", "name": "no cat, no args", "pid": CPU, "tid": ODD, "ts": 110, "dur": 1.001},
    op("unknown keys", ODD, 120.12, 1.21, 43)
    | {"tts": 77.5, "vendor": {"deep": [1, None, "две"]}, "cname": "good", "sf": 12},
    # --- device 0: compute, then communication; the two overlap
    gpu("gpu_user_annotation", "ProfilerStep#7", (0, COMPUTE), 26.001, 175.029),
    gpu("gpu_user_annotation", "forward", (0, COMPUTE), 26.001, 85.119),
    copy("Memcpy HtoD (Pinned -> Device)", (0, COMPUTE), 26.001, 7.003, 8192, correlation=101),
    kernel(GEMM, (0, COMPUTE), 40.005, 20.101, correlation=102),
    copy("Memset (Device)", (0, COMPUTE), 61.25, 1.125, 2048, correlation=103),
    kernel("triton_poi_fused_relu_0", (0, COMPUTE), 85.015, 26.105, correlation=104),
    kernel(NCCL, (0, COMM), 131.013, 49.499, correlation=105, **{"Collective name": "allreduce"}),
    # two slices of one stream that overlap without nesting
    kernel("ncclDevKernel_AllGather_RING_LL", (0, COMM), 170.5, 30.25, correlation=107),
    kernel(GEMM, (0, COMPUTE), 190.019, 11.011, correlation=106),
    kernel(GEMM, (0, COMPUTE), 230.001, 12.345, correlation=201, **{"graph node id": 1}),
    kernel(RELU, (0, COMPUTE), 242.346, 3.21, correlation=201, **{"graph node id": 2}),
    kernel(RELU, (0, COMPUTE), 245.555, 3.222, correlation=201, **{"graph node id": 3}),  # crosses
    kernel("orphan_kernel", (0, COMPUTE), 272.525, 2.02, correlation=999),  # no such launch
    copy("Memcpy DtoH (Device -> Pageable)", (0, COMM), 271.001, 13.013, 65536, correlation=203),
    gpu("cuda_sync", "Stream Sync", (0, COMM), 277.007, 8.008, correlation=204),
    # --- device 1: an NCCL-like kernel by other spellings, a zero and a negative duration
    kernel("RCCL_AllGather_handwritten", (1, COMM), 160.16, 40.04, correlation=108),
    kernel("MyNcclWrapper::run", (1, COMM), 196.001, 8.2, correlation=109),  # and an orphan
    kernel("elementwise_мул", (1, COMPUTE), 310.31, 31.013, correlation=205),
    kernel("zero_kernel", (1, COMPUTE), 350.05, 0),  # no correlation at all
    kernel("negative_kernel", (1, COMPUTE), 360.06, -2.5),
    copy("Memcpy DtoD (Device -> Device)", (1, COMPUTE), 330.3, 22.022, 4194304),
    gpu("cuda_sync", "Context Sync", (1, -1), 331.001, 99.5, correlation=206),
    # --- flows
    flow("s", "ac2g", 101, (CPU, MAIN), 18.2),
    flow("f", "ac2g", 101, (0, COMPUTE), 26.001),
    flow("s", "ac2g", 102, (CPU, MAIN), 30.003),
    flow("f", "ac2g", 102, (0, COMPUTE), 40.005),
    flow("s", "ac2g", 201, (CPU, MAIN), 210.05),  # one start with three ends
    flow("f", "ac2g", 201, (0, COMPUTE), 230.001),
    flow("f", "ac2g", 201, (0, COMPUTE), 242.346),
    flow("f", "ac2g", 201, (0, COMPUTE), 245.555),
    flow("s", "fwdbwd", 71, (CPU, MAIN), 16.005),
    flow("f", "fwdbwd", 71, (CPU, BACKWARD), 174.4),
    flow("s", "fwdbwd", 101, (CPU, MAIN), 14.001),  # an id that ac2g uses too; it has no end
    # --- memory events, counters and instants
    memory(16.505, 140737488355328, 4096, 4096),
    memory(51.001, 140737488359424, 2048, 6144),
    memory(290.009, 140737488355328, -4096, 2048),
    {"ph": "C", "name": "GPU 0 memory", "pid": 0, "ts": 16.505, "args": {"allocated": 4096}},
    {"ph": "C", "name": "GPU 0 memory", "pid": 0, "ts": 51.001, "args": {"allocated": 6144}},
    {
        "ph": "C",
        "name": "loss",
        "pid": CPU,
        "tid": MAIN,
        "ts": 199.9,
        "args": {"a": 0.125, "b": -3},
    },
    {"ph": "i", "s": "p", "name": "process instant", "pid": CPU, "tid": MAIN, "ts": 99.099},
    {"ph": "I", "s": "t", "name": "old-style instant", "pid": CPU, "tid": MAIN, "ts": 98.098},
    {"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": 451.5},
    # --- asynchronous events; the huge number and the string are ids of two tracks
    {"ph": "b", "cat": "request", "id": 18446744073709551615, "name": "request"}
    | {"pid": CPU, "tid": MAIN, "ts": 15.015, "args": {"path": "/a"}},
    {"ph": "b", "cat": "request", "id": "0x2a", "name": "other", "pid": CPU, "tid": ODD, "ts": 16},
    {"ph": "n", "cat": "request", "id": 18446744073709551615, "name": "halfway"}
    | {"pid": CPU, "tid": MAIN, "ts": 44.044},
    {
        "ph": "e",
        "cat": "request",
        "id": "0x2a",
        "name": "other",
        "pid": CPU,
        "tid": ODD,
        "ts": 47.7,
    },
    {"ph": "e", "cat": "request", "id": 18446744073709551615, "name": "request"}
    | {"pid": CPU, "tid": BACKWARD, "ts": 195.195},
    # --- B/E pairs, alone on their thread; the inner E has no name
    {"ph": "B", "cat": "pair", "name": "outer pair", "pid": CPU, "tid": PAIRS, "ts": 5.005},
    {"ph": "B", "cat": "pair", "name": "inner pair", "pid": CPU, "tid": PAIRS, "ts": 7.007},
    {"ph": "E", "pid": CPU, "tid": PAIRS, "ts": 9.01, "args": {"result": 1}},
    {"ph": "E", "cat": "pair", "name": "outer pair", "pid": CPU, "tid": PAIRS, "ts": 11.5},
    # --- as Kineto writes it: a slice whose pid and tid are strings
    {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans"}
    | {"tid": "PyTorch Profiler", "ts": 10, "dur": 441.5, "args": {"Op count": 0}},
]


def device_properties(device: int) -> Event:
    """Describe one device."""
    sizes = {"totalGlobalMem": 85899345920, "warpSize": 32, "numSms": 132, "regsPerBlock": 65536}
    return {"id": device, "name": "Handwritten GPU", "computeMajor": 9, "computeMinor": 0} | sizes


HEADER: Event = {
    "schemaVersion": 1,
    "deviceProperties": [device_properties(0), device_properties(1)],
    "cuda_runtime_version": 12080,
    "cuda_driver_version": 12080,
    "trace_id": "00000000000000000000000000004242",
    "distributedInfo": {
        "backend": "nccl",
        "rank": 0,
        "world_size": 2,
        "pg_count": 1,
        "pg_config": [
            {"pg_name": "0", "pg_desc": "default_pg", "pg_size": 2, "ranks": [0, 1]}
            | {"backend_config": "cuda:nccl"}
        ],
        "nccl_version": "2.27.5",
    },
    "record_shapes": 1,
    "displayTimeUnit": "ms",
    "baseTimeNanoseconds": 1790857026000000000,
}


def main() -> None:
    """Write the file, one event per line."""
    lines = [json.dumps(e, ensure_ascii="escaped" in e.get("name", "")) for e in EVENTS]
    head = "".join(f" {json.dumps(key)}: {json.dumps(value)},\n" for key, value in HEADER.items())
    text = "{\n" + head + ' "traceEvents": [\n' + ",\n".join(lines)
    out = Path(__file__).with_name("trace.json")
    out.write_text(text + '\n ],\n "traceName": "trace.json"\n}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
