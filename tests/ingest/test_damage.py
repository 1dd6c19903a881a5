"""Files that lost bytes: imported, marked, and reported by exit code, inbox and --strict."""

from __future__ import annotations

import gzip
import os
import time
from pathlib import Path

import pytest

from tests.conftest import CommandResult, Tw
from tests.support.sharing import integration
from warehouse.ingest import damage
from warehouse.ingest.importer import Problem
from warehouse.store import database

EVENT = '{"ph":"X","name":"a","pid":1,"tid":1,"ts":%d,"dur":1}'
WHOLE = '{"traceEvents":[' + ",".join(EVENT % n for n in range(9)) + "]}"


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    moment = time.time() - 60
    os.utime(path, (moment, moment))
    return path


def rows(folder: Path, sql: str) -> list[tuple[object, ...]]:
    with database.Reader(folder / "traces.duckdb") as reader:
        found: list[tuple[object, ...]] = reader.connection.execute(sql).fetchall()
    return found


def warnings(ran: CommandResult) -> list[str]:
    return [line for line in ran.err.splitlines() if line.startswith("WARNING:")]


def test_what_was_lost_is_one_sentence() -> None:
    lost = Problem("unreadable_event", "events were skipped; why", 12, 345, severity="error")
    end = Problem("truncated", "the file ends inside a line", 1, 9541, severity="error")
    gzip_end = Problem("truncated_gzip", "the gzip stream ends early", 1, 9000, severity="error")

    assert damage.describe([]) is None
    assert damage.describe([Problem("unclosed", "not closed", 1), end]) == (
        "the file ends early at byte 9,541"
    )
    assert damage.describe([end, lost, gzip_end]) == (
        "events were skipped (12, first at byte 345); the file ends early at byte 9,000"
    )


def test_a_cut_file_is_imported_with_a_warning_and_its_own_exit_code(
    tw: Tw, tmp_path: Path
) -> None:
    cut = write(tmp_path, "cut.json", WHOLE[:-30])
    last = WHOLE.rindex('{"ph"')  # where the event begins that was cut

    first, again = tw("import", cut, "--quiet"), tw("import", cut)
    allowed = tw("import", cut, "--allow-damage")
    strict = tw("import", cut, "--strict")

    lost = f"the file ends early at byte {last}"
    assert (first.code, warnings(first)) == (
        6, [f"WARNING: {cut} is damaged: 8 events read; {lost}"]
    )  # fmt: skip
    assert (again.code, warnings(again)) == (6, [f"WARNING: {cut} is damaged: {lost}"])
    assert (allowed.code, len(warnings(allowed))) == (0, 1)
    assert (strict.code, len(strict.errors)) == (1, 1)
    assert rows(tmp_path, "SELECT damage FROM trace") == [(lost,)]


@pytest.mark.integration
def test_what_lost_nothing_is_not_damaged(tw: Tw, tmp_path: Path) -> None:
    unclosed = write(tmp_path, "unclosed.json", WHOLE[:-2])
    null = write(tmp_path, "null.json", WHOLE.replace("]}", ",null]}"))

    ran = tw("import", unclosed, null, write(tmp_path, "whole.json", WHOLE))

    assert (ran.code, warnings(ran)) == (0, [])
    assert rows(tmp_path, "SELECT DISTINCT damage FROM trace") == [(None,)]
    # Repaired content is not damage, but strict reading rejects it, imported or not.
    strict = tw("import", "--strict", unclosed, null, tmp_path / "whole.json")
    assert (strict.code, len(strict.errors)) == (5, 2)


@pytest.mark.parametrize("content", ['{"traceEvents":[]}', integration('{"traceEvents":[')])
def test_a_named_file_without_events_is_an_error_and_in_a_folder_a_warning(
    content: str, tw: Tw, tmp_path: Path
) -> None:
    empty = write(tmp_path, "in/empty.json", content)

    named = tw("import", empty)
    assert (named.code, named.errors) == (1, [f"Error: {empty} has no events"])
    assert not (tmp_path / "traces.duckdb").exists()

    below = tw("import", empty.parent)
    assert (below.code, warnings(below)) == (0, [f"WARNING: {empty} has no events"])


@pytest.mark.slow
def test_an_inbox_lists_a_damaged_file_until_it_grows(tw: Tw, tmp_path: Path) -> None:
    packed = gzip.compress(WHOLE.encode() + b" " * 4000, compresslevel=0)
    path = write(tmp_path, "inbox/a.json.gz", packed[:300])

    def scan() -> tuple[int, list[tuple[object, ...]]]:
        ran = tw("import", "--inbox", tmp_path / "inbox")
        return ran.code, rows(tmp_path, "SELECT status, error, n_tries FROM inbox_file")

    code, ((status, reason, n_tries),) = scan()
    assert (code, status, n_tries) == (0, "damaged", 1)
    assert "the file ends early" in str(reason)
    assert scan() == (0, [("damaged", reason, 1)])

    write(tmp_path, f"inbox/{path.name}", packed)
    assert scan() == (0, [("imported", None, 2)])
    assert rows(tmp_path, "SELECT damage FROM trace") == [(None,)]
