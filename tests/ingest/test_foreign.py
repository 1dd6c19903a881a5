"""Files of other tools that no importer reads are refused by name, with what to make instead."""

from __future__ import annotations

import gzip
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import Tw
from tests.support.gpu_profiles import error
from warehouse.ingest import pipeline

_NOISE = bytes(range(1, 250))


@pytest.mark.parametrize(
    ("name", "content", "what", "hint"),
    [
        ("a.nsys-rep", _NOISE, "report of Nsight Systems", "trace.sqlite a.nsys-rep"),
        ("a.qdrep", _NOISE, "report of Nsight Systems", "nsys export --type sqlite"),
        ("a.qdstrm.gz", gzip.compress(_NOISE), "report of Nsight Systems", "nsys export"),
        ("a.ncu-rep", _NOISE, "Nsight Compute", "nsys profile"),
        ("cuda_api_trace.csv", b"Start (ns),Name\n1,a\n", "`nsys stats`", "SQLite file"),
        ("a.pftrace", _NOISE, "not a Perfetto trace", "copied completely"),
        ("traces.def", b"OTF2" + _NOISE, "OTF2 archive", "--output-format rocpd"),
        ("a.nvvp", _NOISE, "not a SQLite database", "nvprof -o FILE"),
        ("a.h5", b"\x89HDF\r\n\x1a\n" + _NOISE, "HDF5", "nsys export --type sqlite"),
        (
            "a_cuda_gpu_trace.csv",
            b"Start (ns),Duration (ns),CorrId\n1,2,3\n",
            "nsys stats",
            "SQLite",
        ),
        (
            "a.sqlite.zst",
            b"\x28\xb5\x2f\xfd" + _NOISE,
            "compressed by zstd,",
            "`zstd -d a.sqlite.zst`",
        ),
        ("a.json", b"\xfd7zXZ\0" + _NOISE, "compressed by xz,", "`xz -d a.json`"),
        ("a b.json", b"BZh" + _NOISE, "compressed by bzip2,", "`bzip2 -d 'a b.json'`"),
        (
            "old.duckdb",
            b"12345678DUCK" + _NOISE,
            "a warehouse is named by --db",
            "Import the traces",
        ),
        ("a.sqlite", _NOISE, "encrypted", "copied completely"),
        ("otlp.json", b'{"resourceSpans": [{"scopeSpans": []}]}', "OpenTelemetry", "profiler"),
        ("ncu.csv", b'"ID","Process ID","Kernel Name"\n"0","5","k"\n', "Nsight Compute", "nsys"),
        (
            "run.json",
            b'{"Type":80,"CudaEvent":{"startNs":"1","endNs":"2"}}\n{"Type":79}\n',
            "a JSON export of Nsight Systems",
            "nsys export --type sqlite",
        ),
        ("ncu.txt", b"==PROF== Connected to process 5\n", "Nsight Compute", "nsys profile"),
        (
            "a.cpuprofile",
            b'{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"}}],"samples":[1]}',
            "sampling profile of V8",
            "speedscope.app",
        ),
        (
            "a.json",
            b'{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[]}',
            "profile for speedscope",
            "as a timeline",
        ),
        (
            "trace.txt",
            b'[10:11:12.5] (+0.1) host ust:begin: { vpid = 4 }, { cpu_id = 1 }, { name = "a" }\n',
            "that babeltrace printed",
            "file `metadata`",
        ),
        ("job.log", b"node1:12:15 [0] NCCL INFO Bootstrap\n", "log of NCCL", "flight recorder"),
    ],
)
def test_it_is_told_what_the_file_is_and_what_to_do(
    tmp_path: Path, name: str, content: bytes, what: str, hint: str
) -> None:
    (tmp_path / name).write_bytes(content)
    found = error(tmp_path / name, tmp_path / "w.duckdb")
    assert what in found.message and hint in (found.hint or "")


def test_in_an_archive_it_is_named_as_there(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("run/b.nsys-rep", _NOISE)
    found = error(tmp_path / "a.zip", tmp_path / "w.duckdb")
    assert "b.nsys-rep" in found.message or "b.nsys-rep" in (found.hint or "")


def test_in_a_folder_they_are_passed_over_beside_what_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "a.nsys-rep").write_bytes(_NOISE)
    for name, sql in (
        ("a.sqlite", "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2);"),
        ("settings.sqlite", "CREATE TABLE settings (name TEXT)"),
    ):  # fmt: skip
        with closing(sqlite3.connect(folder / name)) as database:
            database.executescript(sql)
    outcomes = pipeline.import_paths([folder], db=tmp_path / "w.duckdb")
    assert sorted(outcome.status for outcome in outcomes) == ["ignored", "ignored", "imported"]


def test_alone_in_a_folder_it_is_told_what_it_is(tmp_path: Path, tw: Tw) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "a.nsys-rep").write_bytes(_NOISE)
    (folder / "notes.txt").write_text("nothing")
    ran = tw("import", folder, "--db", tmp_path / "w.duckdb")
    assert ran.code == 1
    assert "a report of Nsight Systems" in ran.err
    assert "Hint: Export it first: nsys export --type sqlite" in ran.err
