"""Keeping house: tags, pruning, giving space back, backups, and what takes the space."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from tests.support.sharing import DDP, GPU, WarehouseCache
from warehouse.errors import DatabaseError
from warehouse.ingest import pipeline
from warehouse.store import copying, database

if TYPE_CHECKING:
    from tests.conftest import Tw

KINETO = Path(__file__).parents[1] / "data" / "kineto"
#: Leaves a log beside the file, as a program does that is killed between two checkpoints.
LEAVE_LOG = """
import duckdb, os, sys
db = duckdb.connect(sys.argv[1])
db.execute("PRAGMA disable_checkpoint_on_shutdown")
db.execute("INSERT INTO tag VALUES ('logged', 1, now()::TIMESTAMP)")
os._exit(0)
"""
VACUUM = (
    "import sys, pathlib; from warehouse.store import copying; "
    "copying.vacuum(pathlib.Path(sys.argv[1]))"
)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory, imported_files: WarehouseCache) -> Path:
    """The runs old (two ranks), middle and new, imported 40, 20 and 0 days ago."""
    path = tmp_path_factory.mktemp("upkeep") / "w.duckdb"
    imported_files.copy(path, DDP, GPU)
    with database.writer(path) as connection:
        connection.execute("UPDATE run SET name = if(name = 'ddp', 'old', 'middle')")
    again = path.parent / "again.json"
    again.write_bytes(GPU[1][0].read_bytes() + b"\n")
    pipeline.import_paths([again], db=path, options=pipeline.Options(run="new", jobs=1))
    with database.writer(path) as connection:
        for days, run in ((40, "old"), (20, "middle")):
            connection.execute(
                "UPDATE trace SET imported_at = imported_at - to_days(?) "
                "WHERE run_id = (SELECT id FROM run WHERE name = ?)",
                [days, run],
            )
    return path


@pytest.fixture
def db(imported: Path, tmp_path: Path) -> Path:
    path = tmp_path / "traces.duckdb"
    path.write_bytes(imported.read_bytes())
    return path


def runs(tw: Tw) -> list[str]:
    return [row["run"] for row in json.loads(tw("runs", "--format", "json").out)]


def rows_of(path: Path) -> dict[str, int]:
    """The rows of every table, and a sum over all slices."""
    with database.Reader(path) as reader:
        names = reader.connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()"
        ).fetchall()
        found = {
            name: database.one(reader.connection, f'SELECT count(*) FROM "{name}"')[0]
            for (name,) in names
        }
        found["hash"] = database.one(reader.connection, "SELECT bit_xor(hash(s)) FROM slice AS s")[
            0
        ]
    return found


@pytest.mark.integration
def test_a_tag_chooses_its_runs_everywhere(tw: Tw, db: Path) -> None:
    assert "Tagged middle as baseline" in tw("tag", "baseline", "--run", "middle").err
    tw("tag", "baseline", "--run", "old")

    chosen = json.loads(tw("query", "runs", "--run", "tag:baseline", "--format", "json").out)
    assert {row["run"] for row in chosen} == {"old", "middle"}
    assert [line.split()[:2] for line in tw("tag").out.splitlines()[1:]] == [
        ["baseline", "old"],
        ["baseline", "middle"],
    ]


def test_a_tag_is_put_on_the_last_imported_run_by_default(tw: Tw, db: Path) -> None:
    assert "Tagged new as nightly" in tw("tag", "nightly").err


def test_a_run_has_a_tag_once(tw: Tw, db: Path) -> None:
    tw("tag", "twice", "--run", "new")
    tw("tag", "twice", "--run", "new")

    assert len(tw("tag").out.splitlines()) == 2


def test_a_moved_tag_leaves_its_other_runs(tw: Tw, db: Path) -> None:
    tw("tag", "baseline", "--run", "old")
    tw("tag", "baseline", "--run", "new", "--move")

    assert [line.split()[:2] for line in tw("tag").out.splitlines()[1:]] == [["baseline", "new"]]


@pytest.mark.integration
def test_a_deleted_tag_is_gone_from_all_runs_or_from_those_named(tw: Tw, db: Path) -> None:
    tw("tag", "a", "--run", "all")
    assert "Took a off old" in tw("tag", "a", "--delete", "--run", "old").err
    assert len(tw("tag").out.splitlines()) == 3
    tw("tag", "a", "--delete")

    assert tw("tag").out == ""


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["tag", "a b"], "invalid tag name"),
        (["tag", "a:b"], "invalid tag name"),
        (["tag", "a\udcff"], "character 2 of a name is not a Unicode character (U+DCFF)"),
        (["runs", "--db", "b\udcff"], "the path 'b\\udcff' is not UTF-8"),
        (["import", str(GPU[1][0]), "--db", "b\udcff"], "b\\udcff' is not UTF-8"),
        (["tag", "--delete"], "no tag given"),
        (["tag", "a", "--delete"], "tag 'a' not found"),
        (["tag", "a", "--run", "mew"], "run 'mew' not found"),
        (["prune"], "no age or number of runs given"),
        (["prune", "--older-than", "soon"], "'soon' is not an age"),
        (["prune", "--older-than", "99999999w"], "is not an age"),
        (["prune", "--older-than", "30d"], "this would remove 2 traces"),
        (["backup", "traces.duckdb"], "traces.duckdb already exists"),
        (["backup", "traces.duckdb", "--force"], "traces.duckdb already exists"),
        (["backup", "no/such/folder/b.duckdb"], "cannot be written"),
        (["backup", "b\udcff"], "the path 'b\\udcff' is not UTF-8"),
    ],
)
def test_what_cannot_be_done_is_refused(tw: Tw, db: Path, arguments: list[str], error: str) -> None:
    before = db.read_bytes()
    ran = tw(*arguments)

    assert ran.code != 0
    assert error in ran.err
    assert db.read_bytes() == before


def test_pruning_removes_runs_older_than_a_limit(tw: Tw, db: Path) -> None:
    assert tw("prune", "--older-than", "30d", "--yes").code == 0

    assert runs(tw) == ["middle", "new"]


def test_pruning_spares_tagged_runs_and_the_newest(tw: Tw, db: Path) -> None:
    tw("tag", "release", "--run", "old")

    assert tw("prune", "--keep-last", "1", "--keep-tagged", "--yes").code == 0
    assert runs(tw) == ["old", "new"]


def test_pruning_says_what_would_go_and_does_nothing(tw: Tw, db: Path) -> None:
    ran = tw("prune", "--older-than", "30d", "--dry-run")

    assert ran.out.splitlines() == ["old/rank0", "old/rank1"]
    assert runs(tw) == ["old", "middle", "new"]


@pytest.mark.integration
def test_pruning_looks_only_at_the_runs_named(tw: Tw, db: Path) -> None:
    tw("prune", "--older-than", "1min", "--run", "middle", "--yes")

    assert runs(tw) == ["old", "new"]


def test_where_nothing_is_old_nothing_goes(tw: Tw, db: Path) -> None:
    ran = tw("prune", "--older-than", "90d")

    assert (ran.code, ran.err) == (0, "No runs to remove.\n")


@pytest.mark.integration
def test_a_vacuum_keeps_every_row_and_gives_space_back(tw: Tw, db: Path) -> None:
    tw("prune", "--older-than", "1min", "--keep-last", "1", "--yes")
    rows, size, mode = rows_of(db), db.stat().st_size, 0o640
    db.chmod(mode)

    assert tw("vacuum").code == 0
    assert rows_of(db) == rows
    assert db.stat().st_size < size
    assert db.stat().st_mode & 0o777 == mode
    assert [path.name for path in db.parent.iterdir()] == [db.name]
    assert tw("query", "op_summary").code == 0


@pytest.mark.integration
def test_a_vacuum_follows_a_link_and_keeps_it(db: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.duckdb"
    link.symlink_to(db)
    copying.vacuum(link)

    assert link.is_symlink()
    assert rows_of(link) == rows_of(db)


def test_a_vacuum_that_fails_leaves_the_warehouse_as_it_was(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    before = db.read_bytes()
    monkeypatch.setattr(copying, "_settle", full)

    with pytest.raises(DatabaseError, match="cannot be compacted: No space left"):
        copying.vacuum(db)
    assert db.read_bytes() == before
    assert [path.name for path in db.parent.iterdir()] == [db.name]


@pytest.mark.slow
def test_a_vacuum_killed_at_any_moment_leaves_a_whole_warehouse(db: Path) -> None:
    rows = rows_of(db)
    for n in range(20):
        process = subprocess.Popen([sys.executable, "-c", VACUUM, str(db)])
        try:
            process.wait(0.1 + n * 0.05)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert rows_of(db) == rows


@pytest.mark.integration
def test_who_opens_a_file_that_loses_its_name_meanwhile_opens_its_successor(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when a vacuum ends between another program's open and its lock."""
    other = tmp_path / "other.duckdb"
    copying.backup(db, other)
    with database.writer(other) as connection:
        connection.execute("INSERT INTO tag SELECT 'successor', id, now()::TIMESTAMP FROM run")
    connect, left = duckdb.connect, [other]

    def replaced_meanwhile(*arguments: Any, **options: Any) -> object:
        opened = connect(*arguments, **options)
        if left:
            os.replace(left.pop(), db)
        return opened

    monkeypatch.setattr(duckdb, "connect", replaced_meanwhile)
    with database.Reader(db) as reader:
        assert database.one(reader.connection, "SELECT count(*) FROM tag")[0] == 3


def test_a_backup_is_the_same_warehouse(tw: Tw, db: Path, tmp_path: Path) -> None:
    target = tmp_path / "backup.duckdb"
    assert tw("backup", target).code == 0

    assert rows_of(target) == rows_of(db)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup.duckdb", "traces.duckdb"]


@pytest.mark.integration
def test_a_backup_into_a_folder_is_named_after_the_time(tw: Tw, db: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    tw("backup", folder)

    (made,) = folder.iterdir()
    assert made.match("traces-20??????T??????Z.duckdb")


@pytest.mark.integration
def test_a_backup_is_made_while_others_read_and_does_not_let_a_writer_in(
    db: Path, tmp_path: Path
) -> None:
    """Closing the copied file must not give up the lock that DuckDB holds on it."""
    with database.Reader(db) as reader:
        copying.backup(db, tmp_path / "b.duckdb")
        write = "import duckdb, sys; duckdb.connect(sys.argv[1])"
        tried = subprocess.run([sys.executable, "-c", write, str(db)], capture_output=True)
        assert database.one(reader.connection, "SELECT count(*) FROM run")[0] == 3

    assert b"Could not set lock" in tried.stderr


@pytest.mark.integration
def test_a_backup_holds_what_is_still_in_the_log(db: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", LEAVE_LOG, str(db)], check=True)
    assert db.with_name(db.name + ".wal").exists()
    copying.backup(db, tmp_path / "b.duckdb")

    with database.Reader(tmp_path / "b.duckdb") as reader:
        assert reader.connection.execute("SELECT name FROM tag").fetchall() == [("logged",)]
    assert not (tmp_path / "b.duckdb.wal").exists()


@pytest.mark.integration
def test_the_traces_share_the_bytes_of_the_tables(tw: Tw, db: Path) -> None:
    found = json.loads(tw("info", "--json").out)
    sizes = {each["name"]: each for each in found["traces"]}

    assert set(sizes) == {"old/rank0", "old/rank1", "middle/trace", "new/again"}
    assert sizes["old/rank0"]["n_rows"] > sizes["middle/trace"]["n_rows"] > 0
    owned = sum(each["n_bytes"] for each in found["tables"])
    assert 0 < sum(each["n_bytes"] for each in sizes.values()) <= owned
    assert tw("info", "--traces").out.count("old/rank") == 2
