"""Arguments become files, members of archives and standard input; nothing is ever unpacked."""

from __future__ import annotations

import gzip
import io
import json
import os
import resource
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

from tests.support.sharing import integration, slow
from warehouse.errors import TraceError
from warehouse.ingest import pipeline, sources
from warehouse.ingest.sources import find
from warehouse.store import database

EVENT = {"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2}
TRACE = json.dumps({"traceEvents": [EVENT]})
Members = dict[str, bytes]


def tar(path: Path, members: Members, mode: str = "w") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def zipped(path: Path, members: Members) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def contents(*arguments: str | Path) -> dict[str, bytes]:
    found = {}
    for source in find([str(argument) for argument in arguments]):
        assert source.trouble is None
        with source.open() as stream:
            data = b""
            while part := stream.read(1000):
                data += part
        assert source.size() == len(data)
        found["!".join((source.path.name, *source.members))] = data
    return found


def trouble(*arguments: str | Path) -> str:
    (source,) = find([str(argument) for argument in arguments])
    return source.trouble.message if source.trouble else ""


def test_a_folder_means_all_its_files_but_the_hidden_ones(tmp_path: Path) -> None:
    for name in ("b.json", "in/a.json", ".hidden", ".git/x"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)

    assert list(contents(tmp_path)) == ["b.json", "a.json"]


def test_a_glob_is_sorted_and_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    for name in ("b.json", "a.json", "c[1].json"):
        (tmp_path / name).write_text(name)

    assert list(contents(tmp_path / "?.json", tmp_path / "a.json")) == ["a.json", "b.json"]
    assert list(contents(tmp_path / "c[1].json")) == ["c[1].json"]


@pytest.mark.parametrize("name", ["none.json", "none*.json"])
def test_a_missing_source_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(TraceError, match="not found"):
        find([str(tmp_path / name)])


def test_an_empty_folder_and_a_pipe_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(TraceError, match="not a regular file"):
        find([str(tmp_path / "pipe")])
    with pytest.raises(TraceError, match="empty folder"):
        find([str(tmp_path)])


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_members_are_streams(tmp_path: Path, kind: str) -> None:
    members = {"a.json": TRACE.encode(), "in/b.json.gz": gzip.compress(TRACE.encode()), "é": b"\1"}
    path = tmp_path / f"all.{kind}"
    if kind == "zip":
        zipped(path, {**members, ".DS_Store": b"no"})
    else:
        tar(path, {**members, "in/._b": b"no"}, "w:gz" if kind == "tar.gz" else "w")

    assert contents(path) == {f"all.{kind}!{name}": data for name, data in members.items()}
    assert [p.name for p in tmp_path.iterdir()] == [f"all.{kind}"]


def test_archives_in_archives_are_opened_three_deep(tmp_path: Path) -> None:
    inner = tar(tmp_path / "x", {"t.json": TRACE.encode()}, "w:gz").read_bytes()
    middle = zipped(tmp_path / "x", {"in.tar.gz": inner}).read_bytes()
    outer = tar(tmp_path / "x", {"mid.zip": middle}).read_bytes()

    tar(tmp_path / "three.tar", {"mid.zip": middle})
    assert list(contents(tmp_path / "three.tar").values()) == [TRACE.encode()]

    zipped(tmp_path / "four.zip", {"out.tar": outer})
    assert "nested more than 3 deep" in trouble(tmp_path / "four.zip")


def test_members_that_are_links_or_devices_are_left_alone(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "t.tar", "w") as archive:
        for name, kind in (("s", tarfile.SYMTYPE), ("h", tarfile.LNKTYPE), ("d", tarfile.CHRTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        info = tarfile.TarInfo("../../up.json")
        info.size = 2
        archive.addfile(info, io.BytesIO(b"[]"))

    assert contents(tmp_path / "t.tar") == {"t.tar!../../up.json": b"[]"}
    assert [p.name for p in tmp_path.iterdir()] == ["t.tar"]


def test_of_members_with_one_name_the_last_counts(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "t.tar", "w") as archive:
        for data in (b"old", b"newer"):
            info = tarfile.TarInfo("a")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))

    assert contents(tmp_path / "t.tar") == {"t.tar!a": b"newer"}


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_too_many_members_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(sources, "MAX_MEMBERS", 5)
    members = {f"{n}": b"" for n in range(6)}
    path = (zipped if kind == "zip" else tar)(tmp_path / "t", members)

    assert "more than 5 members" in trouble(path)


@pytest.mark.parametrize("kind", ["zip", integration("tar.gz")])
def test_members_that_expand_beyond_measure_are_refused(tmp_path: Path, kind: str) -> None:
    members = {"t.json": b"[" + b" " * (40 << 20)}
    path = tmp_path / "t"
    _ = zipped(path, members) if kind == "zip" else tar(path, members, "w:gz")

    assert "expands more than 200 times" in trouble(path)


def bomb(path: Path, head: bytes, fill: bytes) -> Path:
    """A gzip file of a gibibyte in about a megabyte, put together from equal members."""
    part = gzip.compress(fill * (64 << 20), 9)
    path.write_bytes(gzip.compress(head) + part * 16)
    return path


BOMB_MEASURED = """
import sys, time
from warehouse.cli import run
code = run()
# Not getrusage: its figure is inherited, so it would be the test runner's.
used = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(code, int(used.split()[1]) >> 10, time.process_time())
"""


@pytest.mark.slow
@pytest.mark.parametrize(("head", "fill"), [
    (b'{"traceEvents":[{"a":"', b"x"),
    slow(b"", b"\0"), slow(b'{"traceEvents":[', b" "), slow(b"[", b"{"), slow(b'{"x":"', b'"'),
    slow(b'{"traceEvents":[{"ph":"X"}],"x":"', b"x"), slow(b'{"traceEvents":[', b","),
])  # fmt: skip
def test_a_bomb_is_refused_soon_and_in_little_memory(
    tmp_path: Path, head: bytes, fill: bytes
) -> None:
    path = bomb(tmp_path / "t.json.gz", head, fill)

    ran = subprocess.run(
        [sys.executable, "-c", BOMB_MEASURED, "import", "--db", tmp_path / "w.duckdb", path],
        capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )  # fmt: skip

    code, n_mib, seconds = ran.stdout.split()
    assert (code, "Traceback" in ran.stderr) == ("1", False), ran.stderr
    assert int(n_mib) < 300
    assert float(seconds) < 8  # of a processor; two are usual
    assert not (tmp_path / "w.duckdb").exists()


def test_a_damaged_archive_fails_alone(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(TRACE)
    good = zipped(tmp_path / "good.zip", {"t.json": TRACE.replace('"a"', '"b"').encode()})
    (tmp_path / "cut.zip").write_bytes(good.read_bytes()[:-30])
    encrypted = bytearray(good.read_bytes())
    encrypted[6] |= 1
    encrypted[encrypted.index(b"PK\1\2") + 8] |= 1
    (tmp_path / "locked.zip").write_bytes(encrypted)
    noisy = bytearray(good.read_bytes())
    noisy[45] ^= 255
    (tmp_path / "noisy.zip").write_bytes(noisy)
    tgz = tar(tmp_path / "t.tar.gz", {"t.json": os.urandom(4000)}, "w:gz").read_bytes()
    (tmp_path / "t.tar.gz").write_bytes(tgz[:2500])

    outcomes = pipeline.import_paths([tmp_path], db=tmp_path / "w.duckdb")

    statuses = {outcome.source.path.name: outcome.status for outcome in outcomes}
    assert statuses == {
        "a.json": "imported", "good.zip": "imported", "cut.zip": "failed", "locked.zip": "failed",
        "noisy.zip": "failed", "t.tar.gz": "failed",
    }  # fmt: skip


def test_names_that_are_no_utf8_are_shown_and_stored(tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9.json")
    with open(path, "w") as file:
        file.write(TRACE)

    (outcome,) = pipeline.import_paths([os.fsdecode(path)], db=tmp_path / "w.duckdb")

    assert outcome.status == "imported"
    with database.Reader(tmp_path / "w.duckdb") as reader:
        (stored,) = database.one(reader.connection, "SELECT path FROM source_file")
    assert stored.endswith("caf\ufffd.json")


def test_standard_input_is_a_source(tmp_path: Path) -> None:
    stdin = io.BytesIO(gzip.compress(TRACE.encode()))

    (outcome,) = pipeline.import_paths(["-"], db=tmp_path / "w.duckdb", stdin=stdin)

    assert (outcome.status, outcome.source.label) == ("imported", "standard input")
    assert [p.name for p in tmp_path.iterdir()] == ["w.duckdb"]


def test_the_remedy_for_standard_input_names_no_file(tmp_path: Path) -> None:
    compressed = io.BytesIO(b"\x28\xb5\x2f\xfd" + bytes(300))

    (outcome,) = pipeline.import_paths(["-"], db=tmp_path / "w.duckdb", stdin=compressed)

    assert outcome.error is not None
    assert "as by `zstd -d`," in (outcome.error.hint or "")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(TRACE)
    (tmp_path / "t.json").chmod(0)

    assert "Permission denied" in trouble(tmp_path / "t.json")


def test_many_members_take_no_time(tmp_path: Path) -> None:
    path = tar(tmp_path / "t.tar", {f"{n}.txt": b"no trace" for n in range(3000)})
    began = time.perf_counter()

    assert len(find([str(path)])) == 3000

    assert time.perf_counter() - began < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0


def test_a_member_without_a_name_hides_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo(""), b"x")
        archive.writestr("b.json", b"{}")

    assert contents(path) == {"a.zip!": b"x", "a.zip!b.json": b"{}"}


def test_a_document_of_office_is_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("[Content_Types].xml", "xl/workbook.xml", "xl/styles.xml"):
            archive.writestr(name, "<xml/>")

    (outcome,) = pipeline.import_paths([path], db=tmp_path / "w.duckdb")

    assert outcome.status == "failed"
    assert "an Excel workbook" in str(outcome.error)


@pytest.mark.parametrize(
    ("document", "what"),
    [
        ('{"meta":{"interval":1,"version":31},"libs":[],"threads":[]}', "a profile of Firefox"),
        ('{"perfetto_manifest":{"files":[]}}', "a manifest of several traces"),
    ],
)
def test_documents_that_are_not_timelines_are_refused_by_name(
    document: str, what: str, tmp_path: Path
) -> None:
    (tmp_path / "a.json").write_text(document)

    (outcome,) = pipeline.import_paths([tmp_path / "a.json"], db=tmp_path / "w.duckdb")

    assert what in str(outcome.error)
