"""Which tables of an export are read, and which of their columns."""

from __future__ import annotations

from tw_importers.sqlite_tables import INTEGER, REAL, TEXT, Kind


def _integers(names: str) -> dict[str, Kind]:
    return dict.fromkeys(names.split(), INTEGER)


_DEVICE_WORK = "start end deviceId contextId greenContextId streamId correlationId globalPid "
#: Table of the scratch database -> (table of the export, its columns).
TABLES: dict[str, tuple[str, dict[str, Kind]]] = {
    "string": ("StringIds", {"id": INTEGER, "value": TEXT}),
    "kernel": (
        "CUPTI_ACTIVITY_KIND_KERNEL",
        _integers(
            _DEVICE_WORK + "demangledName shortName mangledName launchType cacheConfig "
            "registersPerThread gridX gridY gridZ blockX blockY blockZ staticSharedMemory "
            "dynamicSharedMemory localMemoryPerThread localMemoryTotal sharedMemoryExecuted "
            "sharedMemoryLimitConfig graphNodeId graphId"
        ),
    ),
    "memcpy": (
        "CUPTI_ACTIVITY_KIND_MEMCPY",
        _integers(
            _DEVICE_WORK + "bytes copyKind srcKind dstKind srcDeviceId srcContextId dstDeviceId "
            "dstContextId migrationCause graphNodeId virtualAddress copyCount"
        ),
    ),
    "memset": (
        "CUPTI_ACTIVITY_KIND_MEMSET",
        _integers(_DEVICE_WORK + "value bytes graphNodeId memKind"),
    ),
    "sync_op": (
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        _integers(_DEVICE_WORK + "syncType deprecatedSyncType eventId eventSyncId"),
    ),
    "graph_trace": (
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        _integers(_DEVICE_WORK + "graphId graphExecId"),
    ),
    "api": (
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        _integers("start end eventClass globalTid correlationId nameId returnValue"),
    ),
    "nvtx": (
        "NVTX_EVENTS",
        {
            **_integers(
                "start end eventType rangeId category color globalTid endGlobalTid textId "
                "domainId uint64Value int64Value uint32Value int32Value jsonTextId"
            ),
            "text": TEXT,
            "jsonText": TEXT,
            "doubleValue": REAL,
            "floatValue": REAL,
        },
    ),
    "memory_usage": (
        "CUDA_GPU_MEMORY_USAGE_EVENTS",
        {
            **_integers(
                "start globalPid deviceId contextId address bytes memKind memoryOperationType "
                "correlationId"
            ),
            "name": TEXT,
        },
    ),
    "cpu_fault": (
        "CUDA_UM_CPU_PAGE_FAULT_EVENTS",
        _integers("start globalPid address CpuInstruction module"),
    ),
    "gpu_fault": (
        "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
        _integers("start end globalPid deviceId address numberOfPageFaults faultAccessType"),
    ),
    "gpu_metric": ("GPU_METRICS", _integers("timestamp typeId metricId value")),
    "gpu_metric_name": (
        "TARGET_INFO_GPU_METRICS",
        {"typeId": INTEGER, "metricId": INTEGER, "typeName": TEXT, "metricName": TEXT},
    ),
    "cuda_device": ("TARGET_INFO_CUDA_DEVICE", _integers("gpuId cudaId pid")),
    "process_name": ("PROCESSES", {"globalPid": INTEGER, "name": TEXT}),
    "thread_name": ("ThreadNames", _integers("nameId priority globalTid")),
    "mpi_rank": ("MPI_RANKS", _integers("globalTid rank")),
    "stream_info": ("TARGET_INFO_CUDA_STREAM", _integers("streamId processId contextId flag")),
    "diagnostic": (
        "DIAGNOSTIC_EVENT",
        {"timestamp": INTEGER, "source": INTEGER, "severity": INTEGER, "text": TEXT},
    ),
}
#: Columns of kernels that differ from launch to launch; the others are a table of their own.
OF_A_LAUNCH = [*_DEVICE_WORK.split(), "graphNodeId"]
#: Other columns of events of host threads, in tables that have start, end and
#: globalTid: MPI, OpenACC, the runtime of the operating system.
DETAILS: dict[str, Kind] = {
    "eventClass": INTEGER, "nameId": INTEGER, "textId": INTEGER, "returnValue": INTEGER,
    "nestingLevel": INTEGER, "tag": INTEGER, "remoteRank": INTEGER, "rootRank": INTEGER,
    "size": INTEGER, "recvSize": INTEGER, "commHandle": INTEGER, "requestHandle": INTEGER,
    "graphNodeId": INTEGER, "originalGraphNodeId": INTEGER, "lineNo": INTEGER, "bytes": INTEGER,
}  # fmt: skip
#: The categories of such tables; others have their name in lower case.
CATEGORIES = {
    "OSRT_API": "osrt",
    "CUDNN_EVENTS": "cudnn",
    "CUBLAS_EVENTS": "cublas",
    "CUDA_GRAPH_EVENTS": "cuda_graph",
    "CUDA_GRAPH_NODE_EVENTS": "cuda_graph",
    "PROFILER_OVERHEAD": "overhead",
    "MPI_P2P_EVENTS": "mpi",
    "MPI_COLLECTIVES_EVENTS": "mpi",
    "MPI_START_WAIT_EVENTS": "mpi",
    "MPI_OTHER_EVENTS": "mpi",
    "SYSCALL": "syscall",
}
#: Of tables that begin so there are several.
MODELS = {"CUPTI_ACTIVITY_KIND_OPENACC_": "openacc", "OPENMP_EVENT_KIND_": "openmp"}
#: What describes the capture, and what is never read: the program's output and environment.
DESCRIPTIONS = {
    "EXPORT_META_DATA", "META_DATA_EXPORT", "META_DATA_CAPTURE", "ANALYSIS_DETAILS",
    "ANALYSIS_FILE", "ProcessStreams", "UnwindMethodType", "GENERIC_EVENT_SOURCES",
    "GENERIC_EVENT_TYPES", "sqlite_sequence", "sqlite_stat1",
}  # fmt: skip
