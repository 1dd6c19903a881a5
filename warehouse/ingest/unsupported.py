"""Files of other tools that no importer reads: what they are, and what to make of them."""

from __future__ import annotations

from dataclasses import dataclass

_PACKED = (".gz", ".zst", ".xz", ".bz2", ".lz4")
_NSYS = "Export it first: nsys export --type sqlite --output trace.sqlite "


@dataclass(frozen=True)
class Refusal:
    """How a file is known, by its name's ending or its first bytes, and what to tell."""

    endings: tuple[str, ...]
    magic: tuple[bytes, ...]
    what: str
    hint: str


_KNOWN = (
    Refusal(
        (),
        (b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0", b"BZh", b"\x04\x22\x4d\x18", b"7z\xbc\xaf"),
        "compressed by zstd, xz, bzip2, lz4 or 7-Zip, which tw does not unpack",
        "Unpack {name} first (zstd -d, xz -d, ...), or compress it with gzip.",
    ),
    Refusal(
        (".nsys-rep", ".qdrep", ".qdstrm"), (),
        "a report of Nsight Systems, or what is left of one, and no SQLite file",
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
        "a report printed by `nsys stats`, which is less than what it was printed from",
        "Import the SQLite file beside the .nsys-rep; it gives the same reports as queries.",
    ),
    Refusal(
        (),
        tuple(
            quote + heading
            for quote in (b"", b'"')
            for heading in (b"Start (ns)", b"Time (%)", b"API Start (ns)", b"Total (MB)")
        ),
        "a report printed by `nsys stats`, which says less than what it was made from",
        "Import the SQLite file beside it, and ask for the report: tw query cuda_gpu_kern_sum, ...",
    ),
    Refusal(
        (".ncu-rep",), (b"NVR\0",),
        "a report of Nsight Compute, which has no timeline",
        "Record one with `nsys profile`, and export it with `nsys export --type sqlite`.",
    ),
    Refusal(
        (".h5", ".hdf", ".arrows", ".arrow"), (b"\x89HDF\r\n", b"ARROW1\0\0"),
        "a table of HDF5 or Arrow",
        "If Nsight Systems made it, export the report as SQLite instead: "
        "nsys export --type sqlite REPORT.nsys-rep",
    ),
    Refusal(
        (".pftrace", ".perfetto-trace", ".proto"), (),
        "a Perfetto trace, which tw writes but does not read",
        "rocprofv3 makes what tw reads with `--output-format rocpd` (or csv, json).",
    ),
    Refusal(
        (".otf2",), (b"OTF2",),
        "a part of an OTF2 archive",
        "rocprofv3 makes what tw reads with `--output-format rocpd` (or csv, json).",
    ),
    Refusal(
        (".nvvp", ".nvprof"), (),
        "no SQLite database, as those of nvprof are",
        "Import the file that `nvprof -o FILE` wrote, not a session of the Visual Profiler.",
    ),
    Refusal(
        (".rpd",), (),
        "no SQLite database, as those of rocmProfileData are",
        "Was it written to its end, or copied whole?",
    ),
    Refusal(
        (".sqlite", ".sqlite3", ".db"), (),
        "no SQLite database, or an encrypted one",
        "Was it copied whole? An encrypted one has to be decrypted first.",
    ),
)  # fmt: skip


def refusal(name: str, head: bytes) -> Refusal | None:
    """What is known of a file no importer reads; the hint names it."""
    plain = name.lower()
    for packed in _PACKED:
        plain = plain.removesuffix(packed)
    for known in _KNOWN:
        if plain.endswith(known.endings) or (known.magic and head.startswith(known.magic)):
            hint = known.hint.replace("{name}", name)
            return Refusal(known.endings, known.magic, known.what, hint)
    return None
