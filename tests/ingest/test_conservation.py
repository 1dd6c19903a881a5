"""Every record that is read is stored, merged or unused, and a difference is reported."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.plugin import installed
from warehouse.ingest import conservation, formats
from warehouse.ingest.conservation import Account
from warehouse.ingest.pipeline import import_paths
from warehouse.store import database

if TYPE_CHECKING:
    from tests.conftest import Tw

OURS = Path(__file__).parents[1] / "data"
DATA = os.environ.get("TW_TEST_DATA")
FOLDERS = ("bigtpu", "bladedisc", "chakra", "ctf", "dpro", "gpu", "inference", "kineto", "tf")
SPANS = "thread,name,start_ns,dur_ns\na,w,0,9\na,x,1,2\nb,y,3,4\nb,z,5,6\n"


def lossy(package: Path, condition: str) -> None:
    """Makes the plug-in store only the slices of a condition."""
    script = package / "normalize.sql"
    join = "JOIN scratch.nest AS n ON n.entry_n = s.rowid"
    text = script.read_text()
    assert join in text
    script.write_text(text.replace(join, f"{join} AND {condition}"))


@pytest.mark.usefixtures("lost_records_are_reported")
def test_records_that_get_lost_are_a_problem_of_severity_error(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "my.csv").write_text(SPANS)

    with installed(tmp_path) as package:
        lossy(package, "s.rowid < 2")
        ran = tw("import", "my.csv")

    assert ran.code == 0
    assert f"{conservation.KIND} (2)" in ran.err
    with database.Reader(tmp_path / "traces.duckdb") as reader:
        found = reader.connection.execute(
            "SELECT severity, count, meaning FROM import_problem"
        ).fetchall()
    assert found == [("error", 2, "2 of 4 records have no disposition")]


@pytest.mark.usefixtures("lost_records_are_reported")
def test_a_strict_import_that_loses_records_fails(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "my.csv").write_text(SPANS)

    with installed(tmp_path) as package:
        lossy(package, "s.rowid <> 1")
        ran = tw("import", "--strict", "my.csv")

    assert ran.code == 1
    assert "1 of 4 records has no disposition (importer spans)" in ran.err
    with database.Reader(tmp_path / "traces.duckdb") as reader:
        assert database.one(reader.connection, "SELECT count(*) FROM trace") == (0,)


@pytest.mark.usefixtures("lost_records_are_reported")
def test_rows_without_a_record_are_reported_too(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "my.csv").write_text(SPANS)

    with installed(tmp_path) as package:
        prepare = package / "prepare.sql"
        prepare.write_text(
            prepare.read_text()
            + "CREATE TABLE record_count AS SELECT 'lines' AS source, 3::BIGINT AS n;"
        )
        ran = tw("import", "--strict", "my.csv")

    assert ran.code == 1
    assert "1 rows more than the 3 records account for" not in ran.err
    assert "1 row more than the 3 records account for" in ran.err


def test_what_is_merged_derived_or_unused_is_accounted_for(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "my.csv").write_text(SPANS + "c,no start,,1\n")

    with installed(tmp_path) as package:
        lossy(package, "s.rowid < 3")
        prepare = package / "prepare.sql"
        prepare.write_text(
            prepare.read_text()
            + "CREATE TABLE merged AS SELECT 'twins' AS reason, 2 AS n;"
            + "CREATE TABLE derived AS SELECT 'slice' AS table_name, 1 AS n;"
        )
        ran = tw("import", "--strict", "my.csv")

    assert ran.code == 0, ran.err


def test_only_rows_of_record_tables_count() -> None:
    account = Account(9, {}, {"ends": 3}, {"no time": 2}, {"slice": 1, "metric": 7})

    assert account.n_lost({"slice": 5}) == 0
    assert account.n_lost({"slice": 2, "counter": 1}) == 2
    assert account.n_lost({"slice": 5, "metric": 9}) == -2


def importers_of(folder: Path, tmp_path: Path) -> set[str]:
    """Imports a folder; the session's guard fails where records get lost (tests/conftest.py)."""
    outcomes = import_paths([folder], db=tmp_path / "all.duckdb")
    assert any(outcome.committed for outcome in outcomes)
    for outcome in outcomes:
        if outcome.committed:
            assert conservation.KIND not in outcome.committed.problems, outcome.source.label
    with database.Reader(tmp_path / "all.duckdb") as reader:
        rows = reader.connection.execute("SELECT DISTINCT importer FROM trace").fetchall()
    return {str(name) for (name,) in rows}


@pytest.mark.slow
def test_our_recordings_lose_nothing(tmp_path: Path) -> None:
    assert importers_of(OURS, tmp_path) >= {
        "kineto", "execution_trace", "memory_timeline", "flight_recorder"
    }  # fmt: skip


@pytest.mark.slow
def test_the_recordings_lose_nothing_whatever_their_importer(
    data_dir: Path, tmp_path: Path
) -> None:
    found: set[str] = set()
    for name in FOLDERS:
        place = tmp_path / name
        place.mkdir()
        found |= importers_of(data_dir / name, place)

    ours = {"memory_snapshot", "astra_sim_log", "rpd", "horovod", "flight_recorder"}
    assert found == {each.name for each in formats.formats()} - ours
