"""Imports into a lake: claims, take-over, kills at any time, and what checks and vacuums find."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import warehouse
from tests.conftest import Tw
from tests.support.sharing import DDP, GPU, slow
from warehouse.ingest.pipeline import Options
from warehouse.lake import claims, importing, upkeep
from warehouse.lake.content import TraceRow
from warehouse.lake.importing import import_paths
from warehouse.lake.layout import Lake, TraceCommit
from warehouse.lake.linking import link
from warehouse.lake.runs import claim_run

SEED = 20261128


def aged(lake: Path, seconds: float) -> None:
    """Makes every file and claim of a lake older."""
    for path in lake.rglob("*"):
        if path.parent.parent.name == "_claim":
            values = json.loads(path.read_bytes())
            path.write_text(json.dumps(values | {"time": values["time"] - seconds}))
        if path.is_file():
            before = path.stat().st_mtime - seconds
            os.utime(path, (before, before))


def test_an_import_claims_writes_and_commits(tw: Tw, tmp_path: Path) -> None:
    lake = tmp_path / "lake"

    assert tw("import", "-q", "--lake", lake, *GPU[1]).code == 0

    (commit,) = Lake.open(lake).trace_commits().values()
    assert (commit.trace_id, commit.run_id, commit.origin) == (1, 1, "import")
    assert upkeep.check(lake).findings == []
    again = tw("import", "--lake", lake, *GPU[1])
    assert (again.code, "in the lake already" in again.err) == (0, True)
    with warehouse.open(lake=lake) as opened:
        assert opened.sql("SELECT name FROM run").rows() == [("gpu_handwritten",)]
        assert opened.sql("SELECT count(*) FROM slice").rows() == [(85,)]


@pytest.mark.integration
def test_ranks_from_two_machines_are_one_run(tmp_path: Path) -> None:
    """And the same file from both is one trace."""
    lake = tmp_path / "lake"
    first, second = DDP[1]
    import_paths([first], lake)
    import_paths([first, second], lake)

    assert sorted(Lake.open(lake).trace_commits()) == [1, 2]
    with warehouse.open(lake=lake) as opened:
        found = opened.sql("SELECT r.id, t.rank FROM trace AS t JOIN run AS r ON r.id = t.run_id")
        assert sorted(found.rows()) == [(1, 0), (1, 1)]


@pytest.mark.integration
def test_a_claim_without_commit_is_taken_over_when_it_is_old(tw: Tw, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    import_paths([GPU[1][0]], lake)
    (commit,) = Lake.open(lake).trace_commits().values()
    (lake / "_commit/1.json").unlink()
    path = lake / claims.path_of("trace", commit.key)
    claim = json.loads(path.read_bytes()) | {"host": "elsewhere", "pid": 7}
    path.write_text(json.dumps(claim))

    refused = tw("import", "--lake", lake, *GPU[1])
    listed = tw("lake", "check", lake)
    aged(lake, 7200)
    taken = tw("import", "--lake", lake, *GPU[1])

    assert refused.code == 1
    assert "is being imported by process 7 of elsewhere" in refused.err
    assert (listed.code, "without a commit" in listed.out) == (0, True)
    assert taken.code == 0
    assert "took over the claim of process 7 of elsewhere" in taken.err
    assert sorted(Lake.open(lake).trace_commits()) == [1]


@pytest.mark.integration
def test_a_vacuum_removes_what_no_commit_names(tw: Tw, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    import_paths([GPU[1][0]], lake)
    (commit,) = Lake.open(lake).trace_commits().values()
    (lake / "_commit/1.json").unlink()
    assert tw("lake", "vacuum", lake).code == 0
    assert (lake / commit.files[0].path).exists()  # it may be of a running import
    aged(lake, 7200)

    assert tw("lake", "vacuum", lake).code == 0

    assert list(lake.rglob("*.parquet")) == []
    assert list((lake / "_claim/trace").iterdir()) == []
    import_paths([GPU[1][0]], lake)
    assert upkeep.check(lake).findings == []


@pytest.mark.integration
@pytest.mark.parametrize(("change", "message"), [(b"\0", "another SHA-256"), slow(b"", "bytes")])
def test_a_check_finds_a_changed_file(tw: Tw, tmp_path: Path, change: bytes, message: str) -> None:
    lake = tmp_path / "lake"
    import_paths([GPU[1][0]], lake)
    (path,) = lake.glob("slice/*/*.parquet")
    written = path.read_bytes()
    path.write_bytes(written[:100] + change + written[101:])

    done = tw("lake", "check", lake)

    assert done.code == 1
    assert str(path) in done.out
    assert message in done.out


def kill_importers(lake: Path, paths: list[Path], moment: float, draw: random.Random) -> None:
    """Starts four imports of files in different orders, and kills them."""
    started = []
    for _ in range(4):
        order = draw.sample(paths, len(paths))
        program = [sys.executable, "-m", "warehouse", "import", "-q", "--lake"]
        command = [*program, str(lake), *map(str, order)]
        started.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        time.sleep(draw.random() * 0.2)
    time.sleep(moment)
    for process in started:
        process.send_signal(signal.SIGKILL)
    for process in started:
        process.wait()


def rounds(tmp_path: Path, n_rounds: int) -> None:
    """Kills imports of the same files, and checks that every trace is whole or absent."""
    draw = random.Random(SEED)
    paths = [*DDP[1], *GPU[1]]
    for number in range(n_rounds):
        lake = tmp_path / f"lake{number}"
        kill_importers(lake, paths, draw.uniform(0.5, 6.0), draw)
        if (lake / "lake.json").exists():
            whole(lake)
        import_paths(paths, lake)
        commits = whole(lake)
        assert len(commits) == len(paths)
        assert len({commit.key for commit in commits.values()}) == len(paths)


def whole(lake: Path) -> dict[int, TraceCommit]:
    """Returns the commits; each names whole files, and its trace has its run and all its rows."""
    commits = Lake.open(lake).trace_commits()
    assert [each for each in upkeep.check(lake).findings if each.is_error] == []
    if commits:
        with warehouse.open(lake=lake) as opened:
            everything = opened.scope(run="all")
            found = everything.sql(
                "SELECT t.id, count(*) FROM trace AS t JOIN run AS r ON r.id = t.run_id "
                "JOIN slice AS s ON s.trace_id = t.id GROUP BY ALL ORDER BY ALL"
            ).rows()
        assert [trace_id for trace_id, _ in found] == sorted(commits)
        assert {n_slices for _, n_slices in found} <= {85, 717}
    return commits


@pytest.mark.integration
def test_killed_imports_leave_whole_traces(tmp_path: Path) -> None:
    rounds(tmp_path, 2)


@pytest.mark.slow
def test_fifty_times_killed_imports_leave_whole_traces(tmp_path: Path) -> None:
    rounds(tmp_path, 50)


@pytest.mark.parametrize(
    ("option", "message"),
    [(("--inbox", "."), "cannot be combined"), (("--age", "soon"), "is not an age")],
)
def test_options_that_do_not_fit_are_refused(
    tw: Tw, tmp_path: Path, option: tuple[str, str], message: str
) -> None:
    done = tw("import", "--lake", tmp_path / "lake", *option)

    assert (done.code, message in done.err) == (2, True)
    assert not (tmp_path / "lake").exists()


def test_a_lake_is_only_read_by_the_shell(tw: Tw, tmp_path: Path) -> None:
    assert tw("shell", "--write", "--lake", tmp_path).code == 2


def trace_of(key: str, rank: int | None, name: str = "t") -> TraceRow:
    return TraceRow(1, 1, name, rank, "timeline", key, "")


def test_two_runs_of_one_name_do_not_mix(tmp_path: Path) -> None:
    """Nothing is committed yet: who takes the place of a rank first has it."""
    lake = Lake.open_or_create(tmp_path / "lake")
    first = [trace_of("a0", 0), trace_of("a1", 1)]
    second = [trace_of("b1", 1), trace_of("b2", 2)]

    assert claim_run(lake, "nightly", None, first[:1], {}) == 1
    assert claim_run(lake, "nightly", None, second, {}) == 1
    assert claim_run(lake, "nightly", None, first, {}) == 2  # its rank 1 is taken
    assert claim_run(lake, "nightly", None, second[::-1], {}) == 1
    assert claim_run(lake, "nightly", None, [trace_of("c2", 2), trace_of("c9", 9)], {}) == 2
    assert claim_run(lake, "nightly", None, [trace_of("d9", 9), trace_of("d5", 5)], {}) == 1


def test_traces_without_rank_are_told_apart_by_name(tmp_path: Path) -> None:
    lake = Lake.open_or_create(tmp_path / "lake")

    assert claim_run(lake, "r", None, [trace_of("a", None, "x")], {}) == 1
    assert claim_run(lake, "r", None, [trace_of("b", None, "y")], {}) == 1
    assert claim_run(lake, "r", None, [trace_of("c", None, "x")], {}) == 2


def test_the_place_of_an_import_that_ended_without_commit_is_taken(tmp_path: Path) -> None:
    lake = Lake.open_or_create(tmp_path / "lake")
    assert claim_run(lake, "nightly", None, [trace_of("a", 0)], {}) == 1
    (path,) = (tmp_path / "lake/_claim/place").iterdir()
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"pid": 1 << 30}))

    assert claim_run(lake, "nightly", None, [trace_of("b", 0)], {}) == 1
    assert json.loads(path.read_bytes())["key"] == "b"


@pytest.mark.slow
def test_imports_at_the_same_time_keep_their_runs_apart(tmp_path: Path) -> None:
    """Both import a rank 0 of other content into a run of the same name."""
    lake = tmp_path / "lake"
    program = [sys.executable, "-m", "warehouse", "import", "-q", "--run", "nightly"]
    started = [
        subprocess.Popen([*program, "--lake", str(lake), "--rank", "0", str(path)])
        for path in (DDP[1][0], GPU[1][0])
    ]

    assert [process.wait() for process in started] == [0, 0]

    with warehouse.open(lake=lake) as opened:
        found = opened.scope(run="all").sql("SELECT run_id, name FROM trace ORDER BY run_id")
        assert [run_id for run_id, _ in found.rows()] == [1, 2]


class Ended(BaseException):
    """The end of an import."""


@pytest.mark.integration
def test_an_import_commits_while_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is committed before it ends stays, a rerun completes it, and all rows are equal."""
    lake, whole_lake = tmp_path / "lake", tmp_path / "whole"
    paths = [*DDP[1], *GPU[1]]
    import_paths(paths, whole_lake, options=Options(run="one"))
    monkeypatch.setattr(importing, "_GROUP_TRACES", 1)
    finish = importing._Import._finish_run

    def ends(*_: object) -> None:
        raise Ended

    monkeypatch.setattr(importing._Import, "_finish_run", ends)
    with pytest.raises(Ended):
        import_paths(paths, lake, options=Options(run="one"))
    n_committed = len(whole(lake))
    monkeypatch.setattr(importing._Import, "_finish_run", finish)
    again = import_paths(paths, lake, options=Options(run="one"))

    assert n_committed == len(paths)
    assert {outcome.status for outcome in again} == {"present"}
    link(lake)
    with warehouse.open(lake=lake) as found, warehouse.open(lake=whole_lake) as expected:
        for statement in (
            "SELECT count(*), sum(ts), sum(dur) FROM slice",
            "SELECT trace_id, offset_ns, method FROM clock ORDER BY ALL",
            "SELECT from_id, to_id, rule FROM link WHERE trace_id IS NULL ORDER BY ALL",
        ):
            assert found.sql(statement).rows() == expected.sql(statement).rows()


@pytest.mark.slow
def test_a_run_moves_where_a_later_rank_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = tmp_path / "lake"
    opened = Lake.open_or_create(lake)
    monkeypatch.setattr(importing, "_GROUP_TRACES", 1)
    assert claim_run(opened, "ddp", None, [trace_of("other", 1)], {}) == 1

    import_paths(DDP[1], lake, options=Options(run="ddp", jobs=1))

    commits = whole(lake)
    assert {commit.run_id for commit in commits.values()} == {2}
    assert upkeep.check(lake).findings == []
