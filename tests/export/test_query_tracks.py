"""Tracks of queries in Perfetto traces: what is drawn are the rows that `tw query` has."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Tw
from tests.support.sharing import GPU, WarehouseCache
from warehouse.store import database

WIDTH_NS = 10_000


@pytest.fixture
def rows(tw: Tw, imported_files: WarehouseCache) -> Any:
    """Runs a query and returns its rows by column."""

    def run(*words: str) -> list[dict[str, str]]:
        result = tw("query", *words, "--db", imported_files.file(GPU), "--format", "csv")
        assert result.code == 0, result.err
        return list(csv.DictReader(io.StringIO(result.out)))

    return run


@pytest.fixture
def drawn(tw: Tw, imported_files: WarehouseCache, tmp_path: Path) -> Any:
    """Exports tracks and reads the file back; times are those of the first warehouse."""

    def run(*words: str) -> duckdb.DuckDBPyConnection:
        source = imported_files.copy(tmp_path / "source.duckdb", GPU)
        result = tw("export", "perfetto", "--db", source, "-o", "t.pftrace", *words)
        assert result.code == 0, result.err
        assert tw("import", "t.pftrace", "--db", "read.duckdb").code == 0
        connection = duckdb.connect("read.duckdb")
        connection.execute(f"ATTACH '{source}' AS source (READ_ONLY)")
        connection.execute(
            "SET VARIABLE shift = (SELECT base_ns FROM trace) - (SELECT base_ns FROM source.trace)"
        )
        return connection

    return run


def test_rows_with_a_duration_are_slices(rows: Any, drawn: Any) -> None:
    read = drawn("--track", "idle_gap").execute(
        "SELECT t.name, s.ts + getvariable('shift'), s.dur, s.name, s.args_json ->> 'next_op' "
        "FROM slice AS s JOIN track AS t ON t.id = s.track_id WHERE s.category = 'query'"
    )
    expected = [
        (
            f"idle_gap device {row['device']} stream {row['stream']}",
            int(row["start_ns"]), int(row["gap_ns"]), row["cause"], row["next_op"],
        )
        for row in rows("idle_gap")
    ]  # fmt: skip
    assert expected
    assert sorted(read.fetchall()) == sorted(expected)


def test_a_column_is_a_counter(rows: Any, drawn: Any) -> None:
    """A bucket that no other follows at once ends at 0."""
    width = f"bucket_ns={WIDTH_NS}"
    read = drawn("--track", "utilization_over_time:utilization", "-p", width).execute(
        "SELECT t.name, c.ts + getvariable('shift'), c.value "
        "FROM counter AS c JOIN track AS t ON t.id = c.track_id WHERE t.name LIKE 'utiliz%'"
    )
    values = {
        (f"utilization_over_time utilization device {row['device']}", int(row["bucket_start_ns"])):
        float(row["utilization"])
        for row in rows("utilization_over_time", "-p", width)
    }  # fmt: skip
    ends = {(name, ts + WIDTH_NS): 0.0 for name, ts in values}
    found = {(name, ts): value for name, ts, value in read.fetchall()}
    assert found == pytest.approx(ends | values)
    assert values


def test_the_counters_of_a_run(drawn: Any) -> None:
    names = drawn("--counters").execute(
        "SELECT DISTINCT split_part(name, ' ', 1) FROM track WHERE kind = 'counter'"
    )
    assert {
        "utilization_over_time", "queue_length_over_time", "memcpy_bandwidth_over_time",
        "exposed_communication_over_time",
    } <= {name for (name,) in names.fetchall()}  # fmt: skip


def test_findings_are_instants_at_the_longest_slice_of_their_subject(
    tw: Tw, drawn: Any, tmp_path: Path
) -> None:
    read = drawn("--findings")
    source = tmp_path / "source.duckdb"
    found = tw("diagnose", "--db", source, "--all", "--format", "json")
    slices = read.execute("SELECT ts, dur, name FROM source.slice ORDER BY ts").fetchall()
    expected = []
    for row in json.loads(found.out):
        if row["subject"] is not None:
            named = [each for each in slices if each[2] == row["subject"]]
            ts = max(named, key=lambda each: (each[1], -each[0]))[0] if named else slices[0][0]
            kind = row["finding"].replace("_", " ")
            expected.append((ts, 0, kind, f"tw query {row['evidence']}", row["remedy"]))

    instants = read.execute(
        "SELECT s.ts + getvariable('shift'), s.dur, split_part(s.name, ':', 1), "
        "s.args_json ->> 'evidence', s.args_json ->> 'remedy' "
        "FROM slice AS s JOIN track AS t ON t.id = s.track_id WHERE t.name = 'findings'"
    )
    assert expected
    assert sorted(instants.fetchall()) == sorted(expected)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--track", "kernel_summary"],
            "kernel_summary cannot be drawn: no column is a time of its rows",
        ),
        (
            ["--track", "utilization_over_time"],
            "rows of utilization_over_time have no duration, to be drawn as slices",
        ),
        (["--track", "idle_gap:cause"], "idle_gap has no number 'cause' to draw"),
        (["--track", "idle_gap", "-p", "width=1"], "no query that is drawn has a parameter width"),
        (["-p", "width=1"], "-p is a parameter of queries that --track or --counters draw"),
        (["--track", "no_such_query"], "query 'no_such_query' not found"),
    ],
)
def test_what_cannot_be_drawn(
    words: list[str], message: str, tw: Tw, imported_files: WarehouseCache, tmp_path: Path
) -> None:
    result = tw("export", "perfetto", "--db", imported_files.file(GPU), "-o", "t.pftrace", *words)
    assert result.code == 2
    assert result.errors == [f"Error: {message}"]
    assert not (tmp_path / "t.pftrace").exists()


def test_a_query_of_the_user(tw: Tw, imported_files: WarehouseCache, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "long_op.sql").write_text(
        '/* ---\nname = "long_op"\nversion = 1\ntitle = "Operators"\ngrain = ["ts", "name"]\n'
        'columns = ["ts", "dur", "name"]\n[column]\n'
        'ts = { type = "BIGINT", unit = "ns", help = "Start" }\n'
        'dur = { type = "BIGINT", unit = "ns", help = "Duration" }\n'
        'name = { type = "VARCHAR", unit = "text", help = "Name" }\n'
        '[changes]\n1 = "first version"\n--- */\n'
        "SELECT ts, dur, name FROM cpu_op ORDER BY ts\n"
    )
    result = tw(
        "export", "perfetto", "--db", imported_files.file(GPU), "-o", "t.pftrace",
        "--track", "long_op", "--query-path", tmp_path / "mine",
    )  # fmt: skip
    assert result.code == 0, result.err
    with database.Reader(imported_files.file(GPU)) as reader:
        ((n_ops,),) = reader.connection.execute("SELECT count(*) FROM cpu_op").fetchall()
    assert f"{n_ops} slices of queries" in result.err
