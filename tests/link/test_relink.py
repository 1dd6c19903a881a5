"""`tw link` rebuilds links, wholly or not at all; and what it would rebuild can be listed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.sharing import DDP, GPU, WarehouseCache, integration
from warehouse.library import library
from warehouse.link import linkers, rebuild, run_links
from warehouse.store import database

if TYPE_CHECKING:
    from tests.conftest import Tw

KINETO = Path(__file__).parents[1] / "data" / "kineto"
#: Everything of a link but its number.
LINKS = "SELECT * EXCLUDE (id) FROM link ORDER BY ALL"
#: Ends the process as SIGKILL would: with the links inside traces made, those between not.
KILLED = """
import os
from warehouse.link import run_links
from warehouse.cli import main
run_links.link_run = lambda *_, **__: os._exit(9)
main()
"""


@pytest.fixture(scope="module")
def imported(imported_files: WarehouseCache) -> Path:
    """The run `ddp` of two ranks, and the run `gpu` of one trace."""
    return imported_files.file(DDP, GPU)


@pytest.fixture
def warehouse(imported: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(imported, tmp_path / "traces.duckdb"))


def rows(db: Path, sql: str) -> list[tuple[Any, ...]]:
    with database.Reader(db) as reader:
        found: list[tuple[Any, ...]] = reader.connection.execute(sql).fetchall()
    return found


def change(db: Path, sql: str) -> None:
    with database.writer(db) as connection:
        connection.execute(sql)


def test_links_made_anew_are_those_of_the_import(tw: Tw, warehouse: Path) -> None:
    before = rows(warehouse, "FROM link ORDER BY id")

    assert tw("link", "--all").code == 0
    assert rows(warehouse, "FROM link ORDER BY id") == before


@pytest.mark.parametrize("most_slices", [1, integration(500_000)])
def test_traces_linked_together_have_the_same_links(
    tw: Tw, warehouse: Path, monkeypatch: pytest.MonkeyPatch, most_slices: int
) -> None:
    change(warehouse, "UPDATE link SET link_set = 'other' WHERE kind = 'launch' AND trace_id = 1")
    monkeypatch.setattr(rebuild, "_SLICES_TOGETHER", most_slices)
    others = rows(warehouse, "FROM link WHERE link_set = 'other' ORDER BY id")
    stats = "SELECT * EXCLUDE (id) FROM import_stat WHERE name = 'linked' ORDER BY ALL"
    noted = rows(warehouse, stats)

    assert tw("link", "ddp").code == 0
    assert rows(warehouse, "FROM link WHERE link_set = 'other' ORDER BY id") == others
    assert rows(warehouse, "SELECT count(*) - count(DISTINCT id) FROM link") == [(0,)]
    assert rows(warehouse, stats) == noted
    assert rows(warehouse, "SELECT count(*) - count(DISTINCT id) FROM import_stat") == [(0,)]
    columns = "from_id, to_id, kind, rule, confidence, run_id, trace_id"
    missing = rows(warehouse, f"SELECT {columns} FROM link WHERE link_set = 'other' EXCEPT ALL "
                   f"SELECT {columns} FROM link WHERE link_set = 'default'")  # fmt: skip
    assert missing == []


@pytest.mark.slow
def test_a_trace_of_another_run_between_is_not_linked(tw: Tw, tmp_path: Path) -> None:
    (first, second), gpu = DDP[1], GPU[1][0]
    for run, path in (("ddp", first), ("gpu", gpu), ("ddp", second)):
        assert tw("import", path, "--run", run).code == 0
    (db,) = tmp_path.glob("**/*.duckdb")
    before = rows(db, "FROM link WHERE run_id = 1 ORDER BY ALL")
    change(db, "DELETE FROM link WHERE run_id = 2")

    assert tw("link", "ddp").code == 0
    assert rows(db, "FROM link ORDER BY ALL") == before


def test_links_are_counted_before_and_after(tw: Tw, warehouse: Path) -> None:
    (n,) = rows(warehouse, "SELECT count(*) FROM link WHERE kind = 'launch' AND trace_id = 3")[0]
    change(warehouse, "DELETE FROM link WHERE kind = 'launch' AND trace_id = 3")

    ran = tw("link", "gpu", "--format", "json")

    counts = {row["kind"]: row for row in json.loads(ran.out)}
    assert counts["launch"] == {"run": "gpu", "kind": "launch", "n_before": 0, "n_after": n}
    assert all(c["n_before"] == c["n_after"] for c in counts.values() if c["kind"] != "launch")


def test_by_default_the_last_imported_run_is_linked(tw: Tw, warehouse: Path) -> None:
    change(warehouse, "DELETE FROM link")

    ran = tw("link")

    assert "run 'gpu', the last imported of 2" in ran.err
    assert rows(warehouse, "SELECT DISTINCT trace_id FROM link") == [(3,)]


@pytest.mark.slow
def test_links_of_other_sets_stay(tw: Tw, warehouse: Path) -> None:
    change(warehouse, "UPDATE link SET link_set = 'other' WHERE kind = 'launch' AND trace_id = 3")
    others = rows(warehouse, "FROM link WHERE link_set = 'other' ORDER BY id")

    assert tw("link", "gpu").code == 0
    assert rows(warehouse, "FROM link WHERE link_set = 'other' ORDER BY id") == others
    assert rows(warehouse, "SELECT count(*) - count(DISTINCT id) FROM link") == [(0,)]
    in_default = "SELECT count(*) FROM link WHERE kind = 'launch' AND trace_id = 3 "
    assert rows(warehouse, in_default + "AND link_set = 'default'") == [(len(others),)]


def test_links_of_a_linker_that_is_gone_go(tw: Tw, warehouse: Path) -> None:
    change(
        warehouse,
        "UPDATE link SET kind = 'guess', query = 'link_gone' "
        "WHERE kind = 'launch' AND trace_id = 3",
    )
    assert rows(warehouse, "SELECT count(*) FROM link WHERE kind = 'guess'") != [(0,)]

    tw("link", "gpu")

    assert rows(warehouse, "SELECT count(*) FROM link WHERE kind = 'guess'") == [(0,)]


@pytest.mark.slow
def test_a_killed_link_changes_nothing(warehouse: Path) -> None:
    change(warehouse, "DELETE FROM link WHERE kind = 'launch'")
    before = rows(warehouse, LINKS)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TW_")}

    ended = subprocess.run(
        [sys.executable, "-c", KILLED, "link", "--db", str(warehouse), "--all"],
        env={**environment, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}, check=False,
    )  # fmt: skip

    assert ended.returncode == 9
    assert rows(warehouse, LINKS) == before
    assert tw_link(warehouse) != before


def tw_link(db: Path) -> list[tuple[Any, ...]]:
    from warehouse.link.rebuild import relink

    list(relink(db, [1, 2]))
    return rows(db, LINKS)


@pytest.mark.slow
def test_each_run_is_linked_by_itself(
    tw: Tw, warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(warehouse, "DELETE FROM link")
    honest = run_links.link_run

    def fails_at_the_second(connection: Any, known: linkers.Linkers, run_id: int) -> None:
        if run_id == 2:
            raise KeyboardInterrupt
        honest(connection, known, run_id)

    monkeypatch.setattr(run_links, "link_run", fails_at_the_second)

    assert tw("link", "--all").code == 130
    assert rows(warehouse, "SELECT DISTINCT run_id FROM link") == [(1,)]
    assert not warehouse.with_name("traces.duckdb.scratch").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["no-such-run"], 2, "run 'no-such-run' not found"),
        (["gpu", "--all"], 2, "cannot be combined"),
        (["--db", "missing.duckdb"], 3, "missing.duckdb not found"),
    ],
)
def test_a_wrong_call_is_one_sentence(
    tw: Tw, warehouse: Path, arguments: list[str], code: int, says: str
) -> None:
    ran = tw("link", *arguments)

    assert ran.code == code
    assert says in ran.errors[0]


@dataclass(frozen=True)
class Stale:
    """A trace, and why `tw check stale_link` finds it."""

    trace_id: int
    example: str


def find_stale(tw: Tw, warehouse: Path) -> list[Stale]:
    ran = tw("check", "all", "--check", "stale_link", "--db", warehouse, "--format", "json")
    return [Stale(row["trace_id"], row["examples"]) for row in json.loads(ran.out)]


def newest_version() -> int:
    header = library.load().newest["link_launch"].header
    assert header is not None
    return header.version


def test_after_an_import_nothing_is_stale(tw: Tw, warehouse: Path) -> None:
    assert find_stale(tw, warehouse) == []


@pytest.mark.slow
def test_links_of_an_older_linker_are_stale(tw: Tw, warehouse: Path) -> None:
    change(
        warehouse,
        "UPDATE import_stat SET detail = 'link_launch@0' "
        "WHERE detail LIKE 'link_launch@%' AND trace_id = 2",
    )

    assert find_stale(tw, warehouse) == [
        Stale(2, f"link_launch@{newest_version()} has not run, only version 0")
    ]
    tw("link", "ddp")
    assert find_stale(tw, warehouse) == []


def test_a_linker_that_never_ran_makes_a_trace_stale(tw: Tw, warehouse: Path) -> None:
    change(warehouse, "DELETE FROM import_stat WHERE detail LIKE 'link_step@%' AND trace_id = 3")

    (found,) = find_stale(tw, warehouse)
    assert found.trace_id == 3
    assert re.fullmatch(r"link_step@\d+ has not run", found.example)


def test_a_removed_linker_makes_a_trace_stale(tw: Tw, warehouse: Path) -> None:
    change(
        warehouse,
        "UPDATE import_stat SET detail = 'link_gone@4' "
        "WHERE detail LIKE 'link_launch@%' AND trace_id = 3",
    )

    (found,) = find_stale(tw, warehouse)
    assert "link_gone@4 ran and is not a linker of this version" in found.example
    assert f"link_launch@{newest_version()} has not run" in found.example


def test_a_linker_with_another_contract_makes_a_trace_stale(tw: Tw, warehouse: Path) -> None:
    change(
        warehouse,
        "UPDATE import_stat SET detail = split_part(detail, ' ', 1) || ' contract=0123456789abcdef'"
        " WHERE detail LIKE 'link_launch@%' AND trace_id = 2",
    )

    assert find_stale(tw, warehouse) == [
        Stale(2, f"link_launch@{newest_version()} ran with another contract")
    ]


def test_links_recorded_without_a_contract_are_compared_by_version(tw: Tw, warehouse: Path) -> None:
    """Earlier programs recorded a hash of the text, or the version alone."""
    for hash_of_text in ("' 0123456789abcdef'", "''"):
        change(
            warehouse,
            f"UPDATE import_stat SET detail = split_part(detail, ' ', 1) || {hash_of_text} "
            "WHERE name IN ('linked', 'run_linked')",
        )
        assert find_stale(tw, warehouse) == []
