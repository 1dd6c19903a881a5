"""`tw disc`: bundles, their commands, predictions, and replays by an executable that stands in.

There is no replay program to install and no GPU: the executable checks its arguments and files, and
hands back a recorded profile. Nothing here measures a replay.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.support.sharing import WarehouseCache, integration, slow
from tw_importers.disc.messages import messages
from tw_importers.disc.replay import explain
from tw_importers.disc.replay.plan import Plan
from warehouse.ingest import pipeline
from warehouse.ingest.pipeline import Options

if TYPE_CHECKING:
    from tests.conftest import Tw

DATA = Path(__file__).parents[1] / "data" / "bladedisc"
DUMP = DATA / "ok" / "dump"
PROGRAM = DUMP / "tempfile-gpu-box-07-217fa700-29301-5d79260e40ff5.input"  # of cluster_0
ARCHIVE = DUMP / "tempfile-gpu-box-07-217fa700-29301-5d79260e311d9.tar"


@pytest.fixture(scope="module")
def db(imported_files: WarehouseCache) -> Path:
    return imported_files(("dumps", [DATA / "ok"]))


def members(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as archive:
        return {m.name: f.read() for m in archive if (f := archive.extractfile(m))}


def test_a_bundle_has_the_files_as_they_were_dumped(tw: Tw, db: Path, tmp_path: Path) -> None:
    ran = tw("disc", "bundle", "cluster_0", "--db", db, "-o", tmp_path / "b")
    assert (ran.code, ran.errors) == (0, [])
    assert (tmp_path / "b/program.input").read_bytes() == PROGRAM.read_bytes()
    assert (tmp_path / "b/data.tar").read_bytes() == ARCHIVE.read_bytes()
    described = json.loads((tmp_path / "b/replay.json").read_text())
    assert described["copied_bytes"] == [8, 400, 400]
    assert described["func_hash"] == "3724998594837152647"
    assert json.loads((tmp_path / "b/origin.json").read_text())["files"] == [
        str(PROGRAM), str(ARCHIVE)
    ]  # fmt: skip
    assert os.access(tmp_path / "b/run.sh", os.X_OK)
    printed = [shlex.split(line) for line in ran.out.splitlines()]
    assert printed[1:] == [["disc-replay-main", "-p", "program.input", "-d", "data.tar", "-w", "5"]]


def test_a_bundle_that_is_imported_has_the_same_hashes(tw: Tw, db: Path, tmp_path: Path) -> None:
    tw("disc", "bundle", "cluster_1", "--db", db, "-o", tmp_path / "b")
    assert tw("import", tmp_path / "b", "--db", "again.duckdb").code == 0
    sql = "SELECT graph_hash, signature_hash, func_hash, program_sha256, data_sha256, status "
    sql += "FROM disc_cluster WHERE function = 'cluster_1'"
    first, second = (
        tw("query", "-c", sql, "--db", each, "--format", "csv").out
        for each in (db, Path("again.duckdb"))
    )
    assert first == second
    again = tw("import", tmp_path / "b", "--db", "again.duckdb")
    assert "has already been imported" in again.err


def test_other_shapes_have_random_values_and_the_same_members(
    tw: Tw, db: Path, tmp_path: Path
) -> None:
    """cluster_1 multiplies [16,64] half floats by weights; the log also has it with [48,64]."""
    ran = tw("disc", "bundle", "cluster_1", "--db", db, "--shape", "48,64", "-o", tmp_path / "b")
    assert ran.code == 0
    old, new = (members(path) for path in (next(DUMP.glob("*e410b6.tar")), tmp_path / "b/data.tar"))
    assert list(new) == list(old)
    first, *others = list(old)
    assert [new[name] for name in others] == [old[name] for name in others]
    made = messages().decode("Tensor", memoryview(new[first]), 0, len(new[first]))
    assert [dim.size for dim in made.shape.dim] == [48, 64]
    values = np.frombuffer(made.tensor_content, "<f2")
    assert len(values) == 48 * 64 and 0 <= values.min() < values.max() <= 1
    described = json.loads((tmp_path / "b/replay.json").read_text())
    assert described["copied_bytes"][0] == 48 * 64 * 2
    tw("disc", "bundle", "cluster_1", "--db", db, "--shape", "[[48,64],[64,32],[32]]", "-o", "c")
    assert Path("c/data.tar").read_bytes() == (tmp_path / "b/data.tar").read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cluster_0", "--shape", "0=4"], "its shape is part of what is compiled"),
        (["cluster_0", "--shape", "1=4"], "has rank 2"),
        (["cluster_0", "--shape", "9=4,4"], "does not have an argument 9"),
        (["cluster_0", "--shape", "a"], "is not a shape"),
        (["cluster_7"], "no cluster 'cluster_7'"),
        (["hot:x"], "has no number"),
    ],
)
def test_a_wrong_request_is_one_sentence_and_writes_nothing(
    tw: Tw, db: Path, words: list[str], message: str
) -> None:
    ran = tw("disc", "bundle", *words, "--db", db, "-o", "b")
    assert ran.code == 2 and message in ran.errors[0]
    assert not Path("b").exists()


@pytest.mark.integration
def test_files_that_changed_or_went_are_named(tw: Tw, tmp_path: Path) -> None:
    shutil.copytree(DATA / "ok", "job")
    pipeline.import_paths(["job"], db="w.duckdb", options=Options(jobs=1))
    archive = Path("job/dump") / ARCHIVE.name
    archive.write_bytes(archive.read_bytes().replace(b"\x3f", b"\x40"))
    ran = tw("disc", "bundle", "cluster_0", "--db", "w.duckdb", "-o", "b")
    assert "has changed since it was imported" in ran.errors[0]
    archive.unlink()
    ran = tw("disc", "bundle", "cluster_0", "--db", "w.duckdb", "-o", "b")
    assert "is not there any more" in ran.errors[0]
    assert not Path("b").exists()


@pytest.mark.integration
def test_several_clusters_are_folders_of_one_bundle(tw: Tw, db: Path) -> None:
    ran = tw("disc", "bundle", "hot:2", "cluster_0", "--db", db, "--tool", "nvprof", "-o", "b")
    assert ran.code == 0
    assert sorted(path.name for path in Path("b").iterdir()) == ["cluster_0", "cluster_1", "run.sh"]
    assert Path("b/run.sh").read_text().count("run.sh") == 2
    occupied = tw("disc", "bundle", "cluster_0", "--db", db, "-o", "b")
    assert "is not an empty folder" in occupied.errors[0]


@pytest.mark.parametrize(
    ("tool", "range_", "expected"),
    [
        ("none", True, ["disc-replay-main -p program.input -d data.tar -w 2 --enable-nvprof"]),
        ("nvprof", True, ["nvprof --profile-from-start off -o c.nvvp disc-replay-main "
                          "-p program.input -d data.tar -w 2 --enable-nvprof"]),
        ("nsys", False, ["nsys profile -t cuda,cublas,cudnn,osrt --force-overwrite true -o c "
                         "disc-replay-main -p program.input -d data.tar -w 2",
                         "nsys export --type sqlite -o c.sqlite c.nsys-rep"]),
        ("nsys", True, ["nsys profile -t cuda,cublas,cudnn,osrt --force-overwrite true "
                        "-c cudaProfilerApi --capture-range-end stop -o c disc-replay-main "
                        "-p program.input -d data.tar -w 2 --enable-nvprof",
                        "nsys export --type sqlite -o c.sqlite c.nsys-rep"]),
    ],
)  # fmt: skip
def test_commands_are_those_of_the_profiler(tool: str, range_: bool, expected: list[str]) -> None:
    plan = Plan("c", tool, 2, captures_range=range_, device="GPU-1")
    assert [shlex.join(each) for each in plan.commands()] == expected
    script = plan.script().splitlines()
    assert "unset DISC_DEBUG" in script and "export CUDA_VISIBLE_DEVICES=GPU-1" in script


def stand_in(folder: Path, body: str) -> Path:
    """An executable in place of disc-replay-main."""
    path = folder / "stand-in"
    path.write_text(f"#!{sys.executable}\nimport os, sys, time\n{body}\n")
    path.chmod(0o755)
    return path


def test_a_replay_gets_the_files_and_no_debug_switch(
    tw: Tw, db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISC_DEBUG", "true")
    body = f"""
assert sys.argv[1:] == ['-p', 'program.input', '-d', 'data.tar', '-w', '1'], sys.argv
assert open('data.tar', 'rb').read() == open({str(ARCHIVE)!r}, 'rb').read()
assert 'DISC_DEBUG' not in os.environ and os.environ['CUDA_VISIBLE_DEVICES'] == '3'
print('Replay toolkit execution uses: 1 ms')"""
    binary = stand_in(tmp_path, body)
    options = ("--warmup", "1", "--device", "3", "--replay-bin", binary, "-o", "r")
    ran = tw("disc", "replay", "cluster_0", "--db", db, *options)
    assert (ran.code, ran.errors) == (0, [])
    assert "execution uses" in Path("r/replay.log").read_text()
    assert Path("r/replay.status").read_text().startswith("0\t")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("print('replay failed INTERNAL: load replay record failed!'); sys.exit(1)",
         "failed (exit code 1): the archive is missing or damaged"),
        ("os.abort()", "it aborted"),
        ("time.sleep(60)", "did not end within 0.3 s"),
    ],
)  # fmt: skip
def test_a_replay_that_fails_is_explained(
    tw: Tw, db: Path, tmp_path: Path, body: str, message: str
) -> None:
    binary = stand_in(tmp_path, body)
    limit = ("--timeout", "0.3") if "sleep" in body else ()
    ran = tw("disc", "replay", "cluster_0", "--db", db, "--replay-bin", binary, *limit, "-o", "r")
    assert ran.code == 1 and message in ran.errors[0]
    assert "r/replay.log" in ran.err


@pytest.mark.parametrize("words", [[], ["--tool", "nsys", "--replay-bin", "/bin/true"]])
def test_a_missing_program_names_where_to_get_it(
    tw: Tw, db: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    ran = tw("disc", "replay", "cluster_0", "--db", db, *words, "-o", "r")
    assert ran.code == 1 and "is not installed here" in ran.errors[0]
    assert ("nsys" if words else "/usr/bin/disc-replay-main") in ran.err
    assert "sh r/run.sh" in ran.err and Path("r/run.sh").exists()


MEANT: dict[str, tuple[int, str, str]] = {
    "tar": (1, "Can not find tar command tool\nreplay failed INTERNAL", "tar is not on the PATH"),
    "device": (1, "replay failed NOT_FOUND: could not find registered compiler wrapper for device",
               "does not have the device"),
    "cpu": (1, "replay failed: unexpected input placement, only host tag for CPU only build",
            "a build for CPUs"),
    "constant": (1, "replay failed: Mlir datatype not implemented for constant input", "constant"),
    "fixed": (134, "Unimplemented DataTypeToMlirType conversion", "fixed shape"),
    "memory": (1, "cuda memory alloc failed", "the memory of the GPU"),
    "version": (1, "replay failed INVALID_ARGUMENT: unknown op", "could not be compiled or run"),
    "missing": (134, "", "a member of the archive is missing"),
}  # fmt: skip


@pytest.mark.parametrize("case", MEANT)
def test_each_failure_has_its_meaning(case: str) -> None:
    """Messages of the specification, section 1.11."""
    code, output, meaning = MEANT[case]
    found = explain.reason(code, output)
    assert found is not None and meaning in found[0]
    assert explain.reason(0, output) is None


def test_a_check_says_what_a_replay_needs(tw: Tw, db: Path) -> None:
    """Arguments of 8, 400 and 400 bytes, copied in each of six iterations."""
    ran = tw("disc", "check", "cluster_0", "--db", db)
    assert ran.code == 0 and "replayable; arguments take 4,848 bytes" in ran.out
    ran = tw("disc", "check", "cluster_0", "--db", db, "--memory", "4KB", "--warmup", "9")
    assert ran.code == 1 and "8,080 bytes" in ran.out and "cuda memory alloc failed" in ran.out


def outcome_of(case: str) -> tuple[str, str]:
    """What disc-replay-main does, by the specification's section 1.11, and the kind."""
    one = "exits with 1: load replay record failed"
    return {
        "truncated_tar": ("tar_truncated", one),
        "missing_tar": ("tar_missing", one),
        "no_debug_program": ("no_values_recorded", one),
        "bad_program": ("program_not_protobuf", one),
        "missing_program": ("program_missing", "aborts (exit code 134)"),
        "corrupt_tensor": ("tensor_corrupt", "exits with 1, or uses an empty tensor"),
        "compile_died": ("tar_without_program_line", "ends while it compiles"),
    }[case]


@pytest.mark.parametrize(
    "case",
    ["truncated_tar", integration("compile_died"), *map(slow, (
        "missing_tar", "no_debug_program", "bad_program", "missing_program", "corrupt_tensor"))],
)  # fmt: skip
def test_each_broken_dump_is_predicted(tw: Tw, case: str) -> None:
    pipeline.import_paths([DATA / case], db="w.duckdb", options=Options(jobs=1))
    listed: list[dict[str, Any]] = json.loads(
        tw("query", "clusters", "--db", "w.duckdb", "--format", "json").out
    )
    kind, outcome = outcome_of(case)
    ran = tw("disc", "check", str(listed[0]["disc_cluster_id"]), "--db", "w.duckdb")
    assert ran.code == 1
    assert f"{kind}: disc-replay-main {outcome}" in ran.out


def test_dumps_of_another_folder_are_found_by_an_option(tw: Tw) -> None:
    """The log names them in a folder of another machine."""
    Path("job").mkdir()
    shutil.copy(DATA / "ok" / "train.log", "job/train.log")
    shutil.copytree(DUMP, "elsewhere")
    ran = tw("import", "job", "--option", "dump_dir=elsewhere", "--db", "w.duckdb")
    assert ran.code == 0 and "3 clusters (3 graphs), 3 replayable, 0 problems" in ran.err
    assert tw("disc", "bundle", "cluster_0", "--db", "w.duckdb", "-o", "b").code == 0
    assert Path("b/data.tar").read_bytes() == ARCHIVE.read_bytes()
    again = tw("import", "job", "--option", "dump_dir=elsewhere", "--db", "w.duckdb")
    assert "has already been imported" in again.err
    wrong = tw("import", "job", "--option", "dump_dir=nowhere", "--db", "v.duckdb")
    assert "nowhere, named by --option dump_dir, is not a folder" in wrong.err
