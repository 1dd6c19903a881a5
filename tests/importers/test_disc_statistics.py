"""Counts and times that BladeDISC's bridge writes beside its dumps, and dumps of torch_blade."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Tw
from tests.importers.test_disc import DATA, imported, rows
from tests.support import disc_statistics
from tests.support.disc_statistics import Call

#: Functions by signature; the first is that of a dumped cluster, the other of none.
FUNCTIONS = {"cluster_0": 3724998594837152647, "cluster_9": 77}
CALLS = disc_statistics.calls(FUNCTIONS, 5, seed=0)


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log with dumps, statistics and a dump of torch_blade."""
    folder = tmp_path_factory.mktemp("statistics") / "job"
    shutil.copytree(DATA / "ok", folder)
    disc_statistics.write(folder / "tao", CALLS)
    disc_statistics.write_torch(folder / "replay_cluster_disc_grp0")
    with (folder / "train.log").open("a") as log:
        log.write("replay toolkit dump TorchScript program and data on: /tmp/replay_lazy_ts_7\n")
        log.write(
            "replay toolkit dump cluster on: /tmp/replay_cluster_disc_grp0 , the sub-graph: \n"
        )
    return folder


@pytest.fixture(scope="module")
def db(job: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with closing(imported([job], job.parent / "w.duckdb")) as connection:
        yield connection


def since_epoch(call: Call, tag: str) -> int | None:
    return call.times.get(tag, 0) * 1000 or None


def lasted(call: Call, part: str) -> int | None:
    span = call.span(part)
    return None if span is None else span * 1000


def test_each_timed_call_has_its_parts(db: duckdb.DuckDBPyConnection) -> None:
    """0 is a part that was not reached."""
    found = rows(
        db,
        "SELECT function, signature, call_index, called_at_ns, call_ns, lookup_at_ns, lookup_ns, "
        "run_at_ns, run_ns, tensorflow_at_ns, tensorflow_ns, fallback_at_ns, note "
        "FROM disc_call_time WHERE trace_id = $t ORDER BY id",
    )
    assert found == [
        (
            call.function, f"{call.signature:016x}", call.index,
            since_epoch(call, "tao_launch_op_begin"), lasted(call, "tao_launch_op"),
            since_epoch(call, "cache_compile_begin"), lasted(call, "cache_compile"),
            since_epoch(call, "exec_run_begin"), lasted(call, "exec_run"),
            since_epoch(call, "func_run_begin"), lasted(call, "func_run"),
            since_epoch(call, "enter_fallback"), call.note.strip() or None,
        )
        for call in CALLS
    ]  # fmt: skip


def test_totals_are_those_of_the_calls(db: duckdb.DuckDBPyConnection) -> None:
    """Signatures are hashes that dumped programs have as well."""
    found = rows(
        db,
        "SELECT t.function, c.function, t.match, t.n_calls, t.n_runs, t.run_ns, t.tensorflow_ns, "
        "t.call_ns, t.lookup_ns, t.compile_queue_ns, t.compile_ns, t.compile_status, t.shape_text "
        "FROM disc_cluster_total AS t LEFT JOIN disc_cluster AS c ON c.id = t.disc_cluster_id "
        "WHERE t.trace_id = $t ORDER BY t.function",
    )
    made = {name: [call for call in CALLS if call.function == name] for name in FUNCTIONS}
    expected = []
    for name, calls in made.items():
        sums = [
            sum(lasted(call, part) or 0 for call in calls)
            for part in ("exec_run", "func_run", "tao_launch_op", "cache_compile")
        ]
        match = (name, "signature") if name == "cluster_0" else (None, "none")
        rest = (20_000, 1_500_000, "pass_on_compile", "f,float[10,10]; Tensor<type: int32>")
        expected.append((name, *match, 5, 4, *sums, *rest))
    assert found == expected


def test_the_process_is_described_without_its_secrets(db: duckdb.DuckDBPyConnection) -> None:
    """FINISH.txt counts, not begin.txt."""
    ((file, model, n_gpus, missed, other, environment),) = rows(
        db,
        "SELECT file, gpu_model, n_gpus, n_unsampled_calls, other_json, environment_json "
        "FROM disc_process WHERE trace_id = $t",
    )
    assert (file, model, n_gpus, missed, environment) == ("FINISH.txt", "Tesla T4", 2, 3, None)
    assert json.loads(other)["latency_us"] == 9_000_000
    assert not {"env", "command", "cwd"} & set(json.loads(other))
    assert rows(
        db,
        "SELECT session, ended_at_ns - began_at_ns, elapsed_ns, saved_ns, speedup "
        "FROM disc_session WHERE trace_id = $t",
    ) == [(0, 7_999_800_000, 8_000_000_000, 2_000_000_000, 1.25)]
    assert rows(
        db, "SELECT op, n_nodes, n_unclustered FROM disc_operation WHERE trace_id = $t ORDER BY op"
    ) == [("MatMul", 4, None), ("Print", 1, 1)]


def test_dumps_of_torch_are_listed_and_not_read(db: duckdb.DuckDBPyConnection, job: Path) -> None:
    """Their pickles would end the process."""
    folder = "replay_cluster_disc_grp0"
    sizes = {path.name: path.stat().st_size for path in (job / folder).iterdir()}
    assert rows(
        db,
        "SELECT dump, kind, file, member, n_bytes FROM disc_torch_file WHERE trace_id = $t "
        "ORDER BY dump, file, member NULLS FIRST",
    ) == [
        (folder, "cluster", "0.pt", None, sizes["0.pt"]),
        (folder, "cluster", "0.pt", "0/data.pkl", 14),
        (folder, "cluster", "0.pt", "0/data/0", 4096),
        (folder, "cluster", "graph.pt", None, sizes["graph.pt"]),
        (folder, "cluster", "graph.pt", "graph/code/x.py", 6),
        (folder, "cluster", "graph.pt", "graph/data.pkl", 14),
        ("replay_lazy_ts_7", "graph", None, None, None),
    ]
    assert rows(db, "SELECT kind, count, example FROM import_problem WHERE trace_id = $t") == [
        ("torch_dump_missing", 1, "/tmp/replay_lazy_ts_7")
    ]


def damaged(folder: Path) -> dict[str, str]:
    """Statistics that are cut off or are none; returns the problem of each file."""
    disc_statistics.write(folder, CALLS)
    csv = (folder / "call_timestamps.csv").read_text()
    (folder / "call_timestamps.csv").write_text(csv[:-40])
    (folder / "FINISH.txt").write_text((folder / "FINISH.txt").read_text()[:-10])
    (folder / "sess_00.perf").write_text("x,")
    return {
        "call_timestamps.csv": "call_time_invalid",
        "FINISH.txt": "statistics_unreadable",
        "sess_00.perf": "session_unreadable",
    }


def test_calls_before_a_line_that_cannot_be_read_are_imported(tmp_path: Path) -> None:
    disc_statistics.write(tmp_path / "tao", CALLS)
    path = tmp_path / "tao" / "call_timestamps.csv"
    lines = path.read_bytes().splitlines(keepends=True)
    n_before = (2 << 20) // len(lines[1])  # blocks of the reader have 1 MiB
    path.write_bytes(lines[0] + lines[1] * n_before + b"x" * (3 << 20) + b"\n")
    with closing(imported([tmp_path / "tao"], tmp_path / "w.duckdb")) as db:
        problems = rows(db, "SELECT kind FROM import_problem WHERE trace_id = $t")
        ((n_calls,),) = rows(db, "SELECT count(*) FROM disc_call_time WHERE trace_id = $t")

    assert ("call_times_unreadable",) in problems
    assert n_before - n_calls < (1 << 20) // len(lines[1]) + 1


@pytest.mark.integration
def test_damaged_statistics_are_named_and_the_rest_is_imported(tw: Tw, tmp_path: Path) -> None:
    kinds = damaged(tmp_path / "tao")
    ran = tw("import", tmp_path / "tao", "--db", "w.duckdb")
    assert ran.code == 6
    listed: list[dict[str, Any]] = json.loads(
        tw("query", "-c", "SELECT kind, example FROM import_problem", "--db", "w.duckdb",
           "--format", "json").out
    )  # fmt: skip
    found = {each["example"].partition(":")[0]: each["kind"] for each in listed}
    assert found == kinds
    counted = tw("query", "-c", "SELECT count(*) FROM disc_call_time", "--db", "w.duckdb",
                 "--format", "csv")  # fmt: skip
    assert counted.out.split()[-1] == str(len(CALLS) - 1)


@pytest.mark.integration
def test_secrets_of_the_process_are_kept_if_asked_for(tw: Tw, tmp_path: Path) -> None:
    disc_statistics.write(tmp_path / "tao", CALLS)
    assert tw("import", tmp_path / "tao", "--with-environment", "--db", "w.duckdb").code == 0
    ran = tw("query", "-c", "SELECT environment_json FROM disc_process", "--db", "w.duckdb",
             "--format", "json")  # fmt: skip
    assert "hidden" in ran.out and "--token x" in ran.out


@pytest.mark.integration
def test_logs_of_several_processes_share_the_dumps_beside_them(tmp_path: Path) -> None:
    """Each names some of them; a text without a line of BladeDISC is no log."""
    folder = tmp_path / "job"
    shutil.copytree(DATA / "ok", folder)
    lines = (folder / "train.log").read_text().splitlines(keepends=True)
    middle = next(n for n, line in enumerate(lines) if "print ins/outs" in line)
    (folder / "train.log").write_text("".join(lines[:middle]))
    (folder / "rank1.log").write_text("".join(lines[middle:]))
    (folder / "notes.txt").write_text("nothing of interest\n")
    with closing(imported([folder], tmp_path / "w.duckdb")) as db:
        assert rows(db, "SELECT count(*), count(compile_ns) FROM disc_cluster "
                        "WHERE trace_id = $t") == [(3, 3)]  # fmt: skip
        assert rows(db, "SELECT count(*) FROM disc_cluster_call WHERE trace_id = $t") == [(5,)]


def test_dumps_are_imported_beside_a_log_that_lost_its_lines(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    shutil.copytree(DATA / "ok", folder)
    shutil.copy(DATA / "wrong_redirect" / "train.log", folder / "train.log")
    with closing(imported([folder], tmp_path / "w.duckdb")) as db:
        assert rows(db, "SELECT status, count(*) FROM disc_cluster WHERE trace_id = $t "
                        "GROUP BY status") == [("replayable", 3)]  # fmt: skip
        assert rows(db, "SELECT kind, severity FROM import_problem WHERE trace_id = $t") == [
            ("log_without_lines", "warning")
        ]
