"""An inbox: what is new is imported once, and only when it is whole."""

from __future__ import annotations

import json
import os
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from warehouse.ingest import inbox, pipeline
from warehouse.ingest.inbox import InboxScan
from warehouse.store import database

if TYPE_CHECKING:
    from tests.conftest import Tw

KINETO = Path(__file__).parents[1] / "data" / "kineto"
GPU = (KINETO / "gpu_handwritten" / "trace.json").read_bytes()
SMALL = b'{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":5,"dur":2}]}'


def put(folder: Path, name: str, content: bytes = SMALL, *, age_s: float = 60) -> Path:
    """A file in the inbox that was last changed so long ago."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    moment = time.time() - age_s
    os.utime(path, (moment, moment))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "inbox"
    path.mkdir()
    return path


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "traces.duckdb"


def look(folder: Path, db: Path, *, retries_failed: bool = False) -> InboxScan:
    return inbox.import_new(
        folder, db=db, options=pipeline.Options(jobs=1), retries_failed=retries_failed
    )


def statuses(found: InboxScan) -> list[str]:
    return [each.status for each in found.outcomes]


def n_traces(db: Path) -> int:
    with database.Reader(db) as reader:
        return int(database.one(reader.connection, "SELECT count(*) FROM trace")[0])


def test_what_is_new_is_imported_once(folder: Path, db: Path) -> None:
    put(folder, "a.json")
    assert statuses(look(folder, db)) == ["imported"]
    put(folder, "night/b.json", SMALL + b"\n")
    second = look(folder, db)

    assert (statuses(second), second.n_known) == (["imported"], 1)
    assert statuses(look(folder, db)) == []
    assert n_traces(db) == 2
    assert sorted(path.name for path in folder.rglob("*.json")) == ["a.json", "b.json"]


def test_a_known_file_is_not_read_again(
    folder: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(folder, "a.json")
    look(folder, db)
    monkeypatch.setattr(pipeline, "_plan", None)

    assert look(folder, db).n_known == 1
    assert path.exists()


def test_files_are_hashed_while_others_may_use_the_warehouse(
    folder: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(folder, "a.json")
    hashed = inbox._sha256

    def while_reading(path: Path) -> str:
        with database.Reader(db, wait_s=0):
            return hashed(path)

    monkeypatch.setattr(inbox, "_sha256", while_reading)

    assert statuses(look(folder, db)) == ["imported"]
    assert look(folder, db).n_known == 1


def test_a_file_that_is_removed_after_it_was_imported_leaves_no_trace(
    folder: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(folder, "a.json")

    def removing(removed: Path) -> str:
        removed.unlink()
        return removed.read_bytes().hex()

    monkeypatch.setattr(inbox, "_sha256", removing)
    found = look(folder, db)

    assert (found.outcomes, found.unsettled) == ((), (path,))
    assert n_traces(db) == 0


@pytest.mark.parametrize(
    ("name", "age_s"), [("a.json", 1), ("a.json.part", 600), ("a.json.TMP", 600), ("a.json~", 600)]
)
def test_a_file_that_may_still_be_written_to_is_left_alone(
    folder: Path, db: Path, name: str, age_s: float
) -> None:
    path = put(folder, name, age_s=age_s)
    found = look(folder, db)

    assert (found.outcomes, found.unsettled) == ((), (path,))
    assert not db.exists()


@pytest.mark.integration
def test_a_file_that_changes_while_it_is_read_leaves_no_trace(
    folder: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(folder, "a.json")
    finish = pipeline._finish

    def write_on(*arguments: object) -> pipeline.Outcome:
        with path.open("ab") as file:
            file.write(b"\n")
        return finish(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "_finish", write_on)
    found = look(folder, db)
    monkeypatch.undo()

    assert (found.outcomes, found.unsettled) == ((), (path,))
    assert n_traces(db) == 0
    os.utime(path, (1, 1))
    assert statuses(look(folder, db)) == ["imported"]


@pytest.mark.slow
def test_a_file_that_has_grown_takes_the_place_of_its_beginning(folder: Path, db: Path) -> None:
    events = json.loads(GPU)["traceEvents"]
    cut = GPU[: len(GPU) * 2 // 3]
    put(folder, "a.json", cut)
    assert statuses(look(folder, db)) == ["imported"]
    put(folder, "a.json", GPU)
    assert statuses(look(folder, db)) == ["imported"]

    assert n_traces(db) == 1
    with database.Reader(db) as reader:
        (n,) = database.one(reader.connection, "SELECT count(*) FROM slice")
    assert n >= sum(event["ph"] == "X" for event in events)


def written(n_events: int, name: str) -> bytes:
    """An array of events that a program still writes to."""
    events = [
        {"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": 9 * n, "dur": 5}
        for n in range(n_events)
    ]
    return json.dumps(events).removesuffix("]").encode()


def names(db: Path) -> list[tuple[str, str, int]]:
    """Run, and name and number of the slices, of each trace."""
    with database.Reader(db) as reader:
        rows: list[tuple[str, str, int]] = reader.connection.execute(
            "SELECT r.name, any_value(s.name), count(*) FROM slice AS s "
            "JOIN trace AS t ON t.id = s.trace_id JOIN run AS r ON r.id = t.run_id "
            "GROUP BY t.id, r.name ORDER BY ALL"
        ).fetchall()
    return rows


def test_a_file_that_has_grown_stays_in_its_run(tw: Tw, folder: Path, db: Path) -> None:
    put(folder, "a.json", written(2, "a"))
    look(folder, db)
    tw("tag", "baseline", "--run", "a")
    for n in (3, 4):
        put(folder, "a.json", written(n, "a"))
        look(folder, db)

    assert names(db) == [("a", "a", 4)]
    assert tw("tag").out.splitlines()[1].split()[:2] == ["baseline", "a"]


def test_a_file_that_has_grown_takes_the_place_of_no_other_trace(
    tw: Tw, folder: Path, db: Path
) -> None:
    """Its trace was dropped, and another one has its id."""
    put(folder, "a.json", written(2, "a"))
    look(folder, db)
    tw("drop", "--run", "a", "--yes")
    pipeline.import_paths([put(folder.parent, "b.json", written(2, "b"))], db=db)
    put(folder, "a.json", written(3, "a"))
    look(folder, db)
    assert names(db) == [("a", "a", 3), ("b", "b", 2)]

    tw("drop", "--run", "all", "--yes")
    put(folder, "a.json", written(4, "a"))
    look(folder, db)
    assert names(db) == [("a", "a", 4)]


@pytest.mark.parametrize(
    "is_scanned", [False, pytest.param(True, marks=pytest.mark.integration)], ids=["new", "scanned"]
)
def test_a_file_that_has_grown_takes_the_place_of_an_import_by_hand(
    folder: Path, db: Path, *, is_scanned: bool
) -> None:
    """Of the same file, in the run that was given; a copy elsewhere is another file."""
    copy = put(folder.parent, "a.json", written(1, "a"))
    pipeline.import_paths([copy], db=db, options=pipeline.Options(run="copy"))
    by_hand = put(folder, "a.json", written(2, "a"))
    pipeline.import_paths([by_hand], db=db, options=pipeline.Options(run="mine"))
    if is_scanned:
        assert statuses(look(folder, db)) == ["present"]
    put(folder, "a.json", written(3, "a"))
    look(folder, db)

    assert names(db) == [("copy", "a", 1), ("mine", "a", 3)]


@pytest.mark.slow
def test_a_file_that_was_overwritten_is_another_trace(folder: Path, db: Path) -> None:
    put(folder, "latest.json", GPU)
    look(folder, db)
    put(folder, "latest.json", GPU.replace(b'"dur": 20.101', b'"dur": 30.101') + b" ")
    look(folder, db)

    assert n_traces(db) == 2


def test_what_failed_is_remembered_with_its_reason_and_not_tried_again(
    tw: Tw, folder: Path, db: Path
) -> None:
    put(folder, "bad.json.gz", b"\x1f\x8b\x08\x00 not a gzip file at all")
    put(folder, "good.json")
    first = tw("import", "--inbox", folder, "--jobs", "1")
    assert first.code == 5
    assert "1 new, 1 failed." in first.err
    second = tw("import", "--inbox", folder)

    assert second.code == 0
    assert "2 known." in second.err
    assert "1 recorded file failed earlier" in second.err
    row = json.loads(tw("query", "inbox", "--format", "json").out)[0]
    assert row["status"] == "failed"
    assert "bad.json.gz" in row["error"]


@pytest.mark.integration
def test_what_failed_is_tried_again_when_it_changes_or_when_asked(folder: Path, db: Path) -> None:
    put(folder, "a.json.gz", b"\x1f\x8b\x08\x00 not a gzip file at all")
    assert statuses(look(folder, db)) == ["failed"]
    assert statuses(look(folder, db)) == []
    assert statuses(look(folder, db, retries_failed=True)) == ["failed"]
    put(folder, "a.json.gz", SMALL)
    assert statuses(look(folder, db)) == ["imported"]


def test_what_is_no_trace_is_ignored_and_remembered(tw: Tw, folder: Path, db: Path) -> None:
    put(folder, "notes.txt", b"remember the milk")

    assert tw("import", "--inbox", folder).code == 0
    assert "1 known." in tw("import", "--inbox", folder).err


@pytest.mark.integration
def test_an_archive_is_one_file_of_the_inbox(folder: Path, db: Path) -> None:
    with zipfile.ZipFile(folder / "ranks.zip", "w") as archive:
        archive.writestr("r0.json", SMALL)
        archive.writestr("r1.json", SMALL + b"\n")
    os.utime(folder / "ranks.zip", (1, 1))
    assert statuses(look(folder, db)) == ["imported", "imported"]

    assert look(folder, db).n_known == 2
    assert n_traces(db) == 2


def test_an_inbox_may_be_empty_and_must_be_there(tw: Tw, folder: Path) -> None:
    assert "The inbox is empty." in tw("import", "--inbox", folder).err
    assert tw("import", "--inbox", folder / "no").code == 2
    assert "nothing to import" in tw("import").err
    assert "nothing to import" in tw("import", "x.json", "--inbox", folder).err
