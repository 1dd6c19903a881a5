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
from tests.support.sharing import DDP, GPU
from warehouse.lake import claims, upkeep
from warehouse.lake.importing import import_paths
from warehouse.lake.layout import Lake, TraceCommit

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
    path = claims.path_of(Lake.open(lake), "trace", commit.key)
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
@pytest.mark.parametrize(("change", "message"), [(b"\0", "another SHA-256"), (b"", "bytes")])
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
