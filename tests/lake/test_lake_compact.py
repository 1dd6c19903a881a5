"""Compaction changes no row, at whatever moment it is killed and whatever comes after it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import warehouse
from tests.conftest import Tw
from tests.lake.test_lake_import import aged
from tests.support.sharing import DDP, GPU
from warehouse.lake import compact, tables, upkeep
from warehouse.lake.compact import Done
from warehouse.lake.importing import import_paths
from warehouse.lake.layout import Lake
from warehouse.lake.linking import link
from warehouse.lake.reader import LakeReader
from warehouse.lake.storage import Folder
from warehouse.lake.sync import sync


def rows_of(lake: Path) -> dict[str, tuple[object, ...]]:
    """The number and a sum of the rows of every table."""
    with LakeReader(lake) as reader:
        return summed(reader)


def summed(reader: LakeReader) -> dict[str, tuple[object, ...]]:
    return {
        name: reader.connection.execute(
            "SELECT count(*), sum(md5_number_lower(to_json(x)::VARCHAR))::VARCHAR "
            f'FROM lake."{name}" AS x'
        ).fetchall()[0]
        for name in tables.tables()
    }


def parquet(lake: Path) -> set[str]:
    return {path.relative_to(lake).as_posix() for path in lake.rglob("*.parquet")}


def test_compaction_changes_no_row(tw: Tw, synced: tuple[Path, Path]) -> None:
    db, lake = synced
    before, n_before = rows_of(lake), len(parquet(lake))

    done = tw("lake", "compact", lake)

    assert (done.code, "2 traces" in done.err) == (0, True)
    assert rows_of(lake) == before
    assert upkeep.check(lake).findings == []
    aged(lake, 7200)
    assert tw("lake", "vacuum", lake).code == 0
    assert len(parquet(lake)) < n_before
    assert [path for path in parquet(lake) if "trace_id=" in path] == []
    assert max(map(len, by_table(lake).values())) <= 2  # of the traces, and of the run
    assert rows_of(lake) == before
    assert sync(db, lake, name="w").n_bytes == 0
    assert compact.compact(lake)[0].n_bytes == 0


def by_table(lake: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in parquet(lake):
        found.setdefault(path.split("/")[0], []).append(path)
    return found


@pytest.mark.integration
def test_rows_are_in_the_order_of_traces(synced: tuple[Path, Path]) -> None:
    """Also where a file is made of compacted ones and of those of later traces."""
    _, lake = synced
    compact.compact(lake)
    (path,) = lake.glob("slice/run_id=1/*.parquet")

    traces = pq.read_table(path, columns=["trace_id"]).column(0).to_pylist()

    assert traces == sorted(traces)
    assert set(traces) == {1, 2}
    schema = pq.read_schema(path)
    assert (str(schema.field("trace_id").type), str(schema.field("id").type)) == ("int64", "int64")


class Killed(BaseException):
    """The end of the process."""


@pytest.fixture
def kill_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Ends the process, as it were, before the n-th change of a lake that follows."""
    left = [-1]

    def counting(name: str) -> None:
        method = getattr(Folder, name)

        def call(self: Folder, *args: object) -> object:
            left[0] -= 1
            if left[0] == 0:
                raise Killed
            return method(self, *args)

        monkeypatch.setattr(Folder, name, call)

    for name in ("adding", "create", "replace", "remove"):
        counting(name)

    def set_left(number: int) -> None:
        left[0] = number

    return set_left


@pytest.mark.slow
def test_a_compaction_killed_at_any_step_changes_nothing(
    synced: tuple[Path, Path], kill_at: Callable[[int], None]
) -> None:
    _, lake = synced
    before, step = rows_of(lake), 0
    while True:
        step += 1
        kill_at(step)
        try:
            compact.compact(lake)
            break
        except Killed:
            assert Lake.open(lake).compacted() == []
    kill_at(-1)
    n_tables = len({path.split("/")[0] for path in parquet(lake) if "trace_id=" in path})
    assert step == n_tables + 2  # a kill before each file, before the commit, and none
    assert upkeep.check(lake).findings == []
    assert rows_of(lake) == before
    aged(lake, 7200)
    upkeep.vacuum(lake, 3600)
    assert rows_of(lake) == before
    assert max(map(len, by_table(lake).values())) <= 2


@pytest.mark.integration
@pytest.mark.parametrize("step", [1, 2])
def test_a_compaction_killed_at_its_commit_changes_nothing(
    synced: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    _, lake = synced
    before = rows_of(lake)
    create = Folder.create

    def killed(self: Folder, path: str, content: bytes) -> bool:
        if step == 2:
            create(self, path, content)
        raise Killed

    monkeypatch.setattr(Folder, "create", killed)
    with pytest.raises(Killed):
        compact.compact(lake)

    assert len(Lake.open(lake).compacted()) == step - 1
    assert rows_of(lake) == before


@pytest.mark.slow
def test_killed_compactions_change_nothing(synced: tuple[Path, Path]) -> None:
    _, lake = synced
    before = rows_of(lake)
    for number in range(12):
        command = [sys.executable, "-m", "warehouse", "lake", "compact", str(lake)]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        time.sleep(0.4 + 0.15 * number)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert rows_of(lake) == before


@pytest.mark.integration
def test_files_stay_for_those_who_read_them(synced: tuple[Path, Path]) -> None:
    _, lake = synced
    before = rows_of(lake)
    aged(lake, 7200)
    with LakeReader(lake) as reader:
        compact.compact(lake)
        assert upkeep.vacuum(lake, 3600).n_files == 0
        assert summed(reader) == before


@pytest.mark.parametrize("again", ["link", "sync"])
def test_files_that_are_replaced_stay_for_those_who_read_them(
    tw: Tw, synced: tuple[Path, Path], again: str
) -> None:
    db, lake = synced
    link(lake)
    before = rows_of(lake)
    aged(lake, 7200)
    with LakeReader(lake) as reader:
        if again == "link":
            link(lake)
        else:
            assert tw("tag", "baseline", "--run", "ddp", "--db", db).code == 0
            assert sync(db, lake, name="w").n_bytes > 0

        assert upkeep.vacuum(lake, 3600).n_files == 0
        assert summed(reader) == before

    aged(lake, 7200)
    assert upkeep.vacuum(lake, 3600).n_files > 0
    assert upkeep.check(lake).findings == []


def test_a_vacuum_leaves_new_folders_to_those_who_write(synced: tuple[Path, Path]) -> None:
    _, lake = synced
    folder = lake / "link" / "trace_id=9"
    folder.mkdir()

    upkeep.vacuum(lake, 3600)
    is_kept = folder.exists()
    os.utime(folder, (0, 0))
    upkeep.vacuum(lake, 3600)

    assert (is_kept, folder.exists()) == (True, False)


@pytest.mark.slow
def test_a_dropped_trace_leaves_a_compacted_lake(tw: Tw, synced: tuple[Path, Path]) -> None:
    db, lake = synced
    compact.compact(lake)
    name = Lake.open(lake).trace_commits()[2].name
    assert tw("drop", "--yes", "--trace", name, "--db", db).code == 0

    assert sync(db, lake, name="w").n_removed == 1

    fresh = lake.with_name("fresh")
    sync(db, fresh, name="w")
    assert rows_of(lake) == rows_of(fresh)
    assert upkeep.check(lake).findings == []
    aged(lake, 7200)
    upkeep.vacuum(lake, 3600)
    assert rows_of(lake) == rows_of(fresh)
    (again,) = compact.compact(lake)
    assert again.n_bytes > 0  # without the rows of the dropped trace
    assert rows_of(lake) == rows_of(fresh)
    aged(lake, 7200)
    upkeep.vacuum(lake, 3600)
    (path,) = lake.glob("slice/run_id=1/*.parquet")
    assert set(pq.read_table(path, columns=["trace_id"]).column(0).to_pylist()) == {1}
    assert rows_of(lake) == rows_of(fresh)


@pytest.mark.slow
def test_traces_replaced_and_added_later_are_compacted_again(
    tw: Tw, synced: tuple[Path, Path]
) -> None:
    db, lake = synced
    compact.compact(lake)
    path = DDP[1][1]
    assert tw("import", "-q", "--db", db, "--on-duplicate", "replace", path).code == 0
    assert tw("import", "-q", "--db", db, "--run", "ddp", "--rank", "2", *GPU[1]).code == 0

    assert sync(db, lake, name="w").n_written == 2

    fresh = lake.with_name("fresh")
    sync(db, fresh, name="w")
    expected = rows_of(fresh)
    assert rows_of(lake) == expected
    done = compact.compact(lake)
    assert isinstance(done[0], Done)
    assert done[0].n_traces == 3
    assert rows_of(lake) == expected
    aged(lake, 7200)
    upkeep.vacuum(lake, 3600)
    assert rows_of(lake) == expected
    assert len(Lake.open(lake).compacted()) == 1
    assert upkeep.check(lake).findings == []


@pytest.mark.integration
def test_ranks_of_a_compacted_run_are_linked(tmp_path: Path) -> None:
    lake, other = tmp_path / "lake", tmp_path / "other"
    for path in DDP[1]:
        import_paths([path], lake)
    shutil.copytree(lake, other)
    compact.compact(lake)

    link(lake)
    link(other)

    with warehouse.open(lake=lake) as first, warehouse.open(lake=other) as second:
        links = "SELECT from_id, to_id, rule FROM link WHERE trace_id IS NULL ORDER BY ALL"
        assert first.sql(links).rows() == second.sql(links).rows() != []
    assert compact.compact(lake)[0].n_bytes == 0


@pytest.mark.integration
def test_a_damaged_compaction_is_named(tw: Tw, synced: tuple[Path, Path]) -> None:
    _, lake = synced
    compact.compact(lake)
    path = lake / "_commit/compact-1-1.json"
    content = json.loads(path.read_bytes())
    path.write_text(json.dumps(content | {"traces": 3}))

    done = tw("query", "op_summary", "--lake", lake)

    assert (done.code, done.out, len(done.errors)) == (3, "", 1)
    assert f"{path} is damaged: it is not a commit of a lake" in done.err


@pytest.mark.integration
def test_a_compacted_file_that_is_missing_is_named(tw: Tw, synced: tuple[Path, Path]) -> None:
    _, lake = synced
    compact.compact(lake)
    (path,) = lake.glob("slice/run_id=1/*.parquet")
    os.unlink(path)

    done = tw("query", "op_summary", "--lake", lake)

    assert (done.code, done.out, len(done.errors)) == (3, "", 1)
    assert str(path) in done.err
