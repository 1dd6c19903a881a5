"""Recognises known formats without importer, and suggests how to convert them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace

#: What standard input is called in place of a file's name.
STDIN = "standard input"
_PACKED = (".gz", ".zst", ".xz", ".bz2", ".lz4")
_NSYS = "Export it first: nsys export --type sqlite --output trace.sqlite "


@dataclass(frozen=True)
class Refusal:
    """A known format: its suffixes, first bytes, JSON keys or text, a description and a hint."""

    endings: tuple[str, ...]
    magic: tuple[bytes, ...]
    what: str
    hint: str
    keys: tuple[bytes, ...] = ()  # of a JSON object; all are in its head
    text: bytes = b""  # in the head, if the format has lines without a fixed beginning


_COMPRESSED = (  # magic, name, command
    (b"\x28\xb5\x2f\xfd", "zstd", "zstd -d"),
    (b"\xfd7zXZ\0", "xz", "xz -d"),
    (b"BZh", "bzip2", "bzip2 -d"),
    (b"\x04\x22\x4d\x18", "lz4", "lz4 -d"),
    (b"7z\xbc\xaf", "7-Zip", "7z x"),
)

_KNOWN = (
    *(
        Refusal(
            (),
            (magic,),
            f"compressed by {name}, which tw does not unpack",
            f"Unpack it first, as by `{command} {{name}}`, or compress it with gzip.",
        )
        for magic, name, command in _COMPRESSED
    ),
    Refusal(
        (".nsys-rep", ".qdrep", ".qdstrm"), (),
        "a report of Nsight Systems, not its SQLite export",
        _NSYS + "{name}",
    ),
    Refusal(
        tuple(
            f"{report}.csv" for report in (
                "cuda_api_sum", "cuda_api_trace", "cuda_gpu_kern_sum", "cuda_gpu_mem_size_sum",
                "cuda_gpu_mem_time_sum", "cuda_gpu_sum", "cuda_gpu_trace", "cuda_kern_exec_sum",
                "cuda_kern_exec_trace", "nvtx_pushpop_sum", "nvtx_pushpop_trace", "nvtx_sum",
                "osrt_sum",
            )
        ), (),
        "a report printed by `nsys stats`, which contains less than its source",
        "Import the SQLite file beside the .nsys-rep; it gives the same reports as queries.",
    ),
    Refusal(
        (),
        tuple(
            quote + heading
            for quote in (b"", b'"')
            for heading in (b"Start (ns)", b"Time (%)", b"API Start (ns)", b"Total (MB)")
        ),
        "a report printed by `nsys stats`, which contains less than its source",
        "Import the SQLite file beside it, and run the report: tw query cuda_gpu_kern_sum, ...",
    ),
    Refusal(
        (".ncu-rep",), (b"NVR\0", b"==PROF== ", b'"ID","Process ID"'),
        "a report of Nsight Compute, which has no timeline",
        "Record one with `nsys profile`, and export it with `nsys export --type sqlite`.",
    ),
    Refusal(
        (".h5", ".hdf", ".arrows", ".arrow"), (b"\x89HDF\r\n", b"ARROW1\0\0"),
        "a table of HDF5 or Arrow",
        "If Nsight Systems wrote it, export the report as SQLite instead: "
        "nsys export --type sqlite REPORT.nsys-rep",
    ),
    *(
        Refusal(
            (), (),
            "a JSON export of Nsight Systems, not its SQLite export",
            "Export the report as SQLite: nsys export --type sqlite REPORT.nsys-rep",
            text=sign,
        )
        for sign in (b'"CudaEvent":', b'"TraceProcessEvent":', b'"NvtxEvent":')
    ),
    Refusal(
        (".duckdb",), (),
        "not a trace; a warehouse is named by --db",
        "Import the traces that the warehouse was made from.",
    ),
    Refusal(
        (".xlsx", ".xlsm"), (),
        "an Excel workbook, which tw writes but does not read",
        "Import the trace that the workbook was made from.",
    ),
    Refusal(
        (".pftrace", ".perfetto-trace"), (),
        "not a Perfetto trace, which begins with a packet",
        "Was it copied completely?",
    ),
    Refusal(
        (), (),
        "a profile of Firefox (Gecko), a sampling profile",
        "tw imports timelines of events; open it at https://profiler.firefox.com.",
        (b'"meta"', b'"libs"', b'"threads"'),
    ),
    Refusal(
        (".cpuprofile",), (),
        "a sampling profile of V8 (Chrome, Node.js)",
        "tw imports timelines of events; open it in Chrome's DevTools or at "
        "https://www.speedscope.app.",
        (b'"nodes"', b'"callFrame"'),
    ),
    Refusal(
        (), (),
        "a profile for speedscope, which has no devices",
        "Import what the profiler recorded, as a timeline; open the profile at "
        "https://www.speedscope.app.",
        (b"speedscope.app/file-format-schema",),
    ),
    Refusal(
        (), (),
        "a trace that babeltrace printed",
        "Import the folder of the trace itself, the one with a file `metadata`.",
        text=b"{ cpu_id = ",
    ),
    Refusal(
        (), (),
        "a manifest of several traces, not a trace",
        "Import the traces that it names.",
        (b'_manifest"',),
    ),
    Refusal(
        (".otf2",), (b"OTF2",),
        "a part of an OTF2 archive",
        "Use rocprofv3 with `--output-format rocpd` (or csv, json), which tw imports.",
    ),
    Refusal(
        (".nvvp", ".nvprof"), (),
        "not a SQLite database, as nvprof writes",
        "Import the file that `nvprof -o FILE` wrote, not a session of the Visual Profiler.",
    ),
    Refusal(
        (".rpd",), (),
        "not a SQLite database, as rocmProfileData writes",
        "Was it written or copied completely?",
    ),
    Refusal(
        (".sqlite", ".sqlite3", ".db"), (),
        "not a SQLite database, or an encrypted one",
        "Was it copied completely? An encrypted database must be decrypted first.",
    ),
    Refusal(
        (), (),
        "a file of OpenTelemetry spans (OTLP), which have no work of devices",
        "Import what a profiler recorded; spans converted to Chrome's JSON are seen beside it.",
        keys=(b'"resourceSpans"',),
    ),
    Refusal(
        (), (),
        "a log of NCCL (NCCL_DEBUG), which has no times of collectives",
        "Record collectives by a profiler, or by PyTorch's flight recorder (docs/hangs.md).",
        text=b" NCCL INFO ",
    ),
)  # fmt: skip


def refusal(name: str, head: bytes) -> Refusal | None:
    """Returns the known format of a file that no importer reads, or None."""
    plain = name.lower()
    for packed in _PACKED:
        plain = plain.removesuffix(packed)
    for known in _KNOWN:
        if _is(known, plain, head):
            return replace(known, hint=_with_name(known.hint, name))
    return None


def _with_name(hint: str, name: str) -> str:
    """A hint whose command names the file, or none where it was piped in."""
    if name == STDIN:
        return hint.replace(" {name}", "")
    return hint.replace("{name}", shlex.quote(name))


def _is(known: Refusal, name: str, head: bytes) -> bool:
    if name.endswith(known.endings) or (known.magic and head.startswith(known.magic)):
        return True
    if known.text and known.text in head:
        return True
    is_object = bool(known.keys) and head.lstrip().startswith(b"{")
    return is_object and all(key in head for key in known.keys)
