"""`tw query` and `tw queries` as a user meets them; what SQL may not do."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from tests.conftest import CommandResult, Tw
from tests.support.sharing import integration, kept_open
from warehouse.errors import QueryError
from warehouse.library import library
from warehouse.query import execute
from warehouse.store import database

Run = Callable[..., CommandResult]
ROOT = Path(__file__).parents[2]
TW = [sys.executable, "-c", "from warehouse.cli import main; main()"]
ENDLESS = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 7"


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("query") / "w.duckdb"
    database.create_empty(path)
    with duckdb.connect(str(path)) as connection:
        for run_id, name in ((1, "first"), (2, "second")):
            connection.execute(
                "INSERT INTO run (id, name, kind, created_at) VALUES (?, ?, 'measured', ?)",
                [run_id, name, f"2024-01-0{run_id}"],
            )
            connection.execute(
                "INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, "
                "tw_version, imported_at, base_ns, source_base_ns) "
                f"VALUES (?, ?, 't', 0, 'kineto', 'k', 1, '0', '2024-01-0{run_id}', 0, 0)",
                [run_id, run_id],
            )
            connection.execute(
                "INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth) "
                "SELECT ? * 4294967296 + n, ?, 0, n, 1, 'slice ' || n, 0 FROM range(50) AS t(n)",
                [run_id, run_id],
            )
    with kept_open(path):
        yield path


def environment(home: Path) -> dict[str, str]:
    paths = os.pathsep.join([str(ROOT), str(ROOT / "importers")])
    kept = {key: value for key, value in os.environ.items() if not key.startswith("TW_")}
    return {**kept, "PYTHONPATH": paths, "XDG_CONFIG_HOME": str(home)}


@pytest.fixture
def tw_process(warehouse: Path, tmp_path: Path) -> Run:
    """Runs `tw ARGUMENTS` as a shell does; `tw` runs the same in this process, for less."""

    def run(*arguments: str) -> CommandResult:
        done = subprocess.run(
            [*TW, *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**environment(tmp_path), "TW_DB": str(warehouse)},
            timeout=60,
            check=False,
        )
        return CommandResult(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def tw(tw: Tw, warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("TW_DB", str(warehouse))

    def run(*arguments: str, stdin: str = "") -> CommandResult:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        return tw(*arguments)

    return run


def test_the_result_alone_is_on_stdout(tw_process: Run) -> None:
    done = tw_process("query", "-c", "SELECT count(*) AS n FROM slice", "--format", "csv")

    assert done.out == '"n"\n50\n'
    assert done.err == (
        "Scope: run 'second', the last imported of 2; --run NAME for another, "
        "--run all for every run\n"
    )


def test_quiet_says_nothing(tw: Run) -> None:
    assert tw("query", "-q", "-c", "SELECT 1").err == ""


def test_a_scope_option_chooses_the_run(tw: Run) -> None:
    sql = "SELECT DISTINCT trace_id FROM slice ORDER BY 1"

    one = tw("query", "-c", sql, "--run", "first", "--format", "jsonl")
    both = tw("query", "-c", sql, "--run", "all", "--format", "jsonl")

    assert one.out == '{"trace_id":1}\n'
    assert both.out == '{"trace_id":1}\n{"trace_id":2}\n'


def test_a_window_may_have_units(tw: Run) -> None:
    done = tw("query", "-c", "SELECT count(*) AS n FROM slice", "--from", "0.01us", "--to", "20",
              "--format", "jsonl")  # fmt: skip

    assert done.out == '{"n":10}\n'


def test_a_table_shows_the_first_rows_and_says_how_many_there_are(tw: Run) -> None:
    done = tw("query", "-c", "SELECT name FROM slice ORDER BY id", "--run", "first")

    assert len(done.out.splitlines()) == 42
    assert done.err == "(40 of 50 rows; --rows -1 for all)\n"


def test_all_rows_of_a_table_can_be_had(tw: Run) -> None:
    done = tw("query", "-c", "SELECT name FROM slice", "--run", "first", "--rows", "-1")

    assert len(done.out.splitlines()) == 52
    assert done.err == ""


@pytest.mark.parametrize("format", ["csv", integration("jsonl"), "json", integration("markdown")])
def test_rows_limit_every_printed_format(tw: Run, format: str) -> None:
    given = ("--run", "first", "--format", format)
    statement = "SELECT unnest(range(5000)) AS a"
    few = tw("query", "-c", "SELECT unnest(range(3)) AS a", *given)

    done = tw("query", "-c", statement, *given, "--rows", "3")

    assert done.out == few.out
    assert done.err == "(3 of 5,000 rows; --rows -1 for all)\n"
    every = tw("query", "-c", statement, *given, "--rows", "-1")
    assert every.out == tw("query", "-c", statement, *given).out
    assert every.err == ""


@pytest.mark.parametrize("name", ["rows.csv", "book.xlsx", "page.html"])
def test_files_have_all_rows(tw: Run, tmp_path: Path, name: str) -> None:
    done = tw("query", "utilization", "--rows", "3", "-o", str(tmp_path / name))

    assert done.code == 2
    assert "--rows apply to printed rows, not to files" in done.err
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["utilization", "utilization.sql", "utilization@2"])
def test_a_library_query_has_several_spellings(tw: Run, name: str) -> None:
    done = tw("query", name, "--format", "json")

    assert (done.code, done.out) == (0, "[]\n")


def test_a_file_a_statement_and_stdin_run_alike(tw: Run, tmp_path: Path) -> None:
    (tmp_path / "own.sql").write_text("SELECT $x::BIGINT AS x -- my own\n;")

    for way in (["./own.sql"], ["own.sql"], ["-f", "own.sql"]):
        assert tw("query", *way, "-p", "x=3", "--format", "jsonl").out == '{"x":3}\n'
    assert tw("query", "-", "--format", "jsonl", stdin="SELECT 3 AS x").out == '{"x":3}\n'
    assert tw("query", "-f", "-", "--format", "jsonl", stdin="SELECT 3 AS x").out == '{"x":3}\n'
    for statement in ("SELECT 3 AS x", "from (\n  select 9 // 3 AS x)"):
        assert tw("query", statement, "--format", "jsonl").out == '{"x":3}\n'


def test_a_file_with_the_name_of_a_library_query_is_pointed_out(tw: Run, tmp_path: Path) -> None:
    (tmp_path / "utilization.sql").write_text("SELECT 1 AS mine")

    done = tw("query", "utilization.sql", "--format", "json")

    assert done.out == "[]\n"
    assert "Running the library query; for the file use ./utilization.sql" in done.err


def test_an_own_query_may_call_the_library(tw: Run) -> None:
    done = tw("query", "-c", "SELECT count(*) AS n FROM utilization_over_time(p_bucket_ns := 5)",
              "--format", "jsonl")  # fmt: skip

    assert done.out == '{"n":0}\n'


def test_own_queries_take_the_place_of_ours_and_say_so(tw: Run, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "utilization.sql").write_text(
        '/* ---\nname = "utilization"\nversion = 1\ntitle = "t"\ngrain = ["x"]\n'
        '[[column]]\nname = "x"\ntype = "INTEGER"\n[changes]\n1 = "first"\n--- */\nSELECT 7 AS x'
    )
    (folder / "broken.sql").write_text("SELECT 1")

    done = tw("query", "utilization", "--query-path", str(folder), "--format", "jsonl")

    assert done.out == '{"x":7}\n'
    assert "takes the place of the query utilization" in done.err
    assert "broken.sql has no header: not in the library" in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["utilisation"], 2, "Did you mean 'utilization'?"),
        (["kernel_summary", "-p", "topp=1"], 2, "Did you mean 'top'?"),
        (["kernel_summary", "-p", "top=many"], 2, "must be of type BIGINT, not 'many'"),
        (["kernel_summary", "-p", "top=0"], 2, "parameter top must be at least 1, not 0"),
        (["kernel_summary", "-p", "top"], 2, "-p top has no value"),
        (["-c", "SELECT $x AS x"], 2, "parameter x has no value"),
        (["./absent.sql"], 2, "file absent.sql not found"),
        ([], 2, "exactly one of NAME, -c SQL and -f FILE is required"),
        (["utilization", "--run", "frist"], 2, "Did you mean 'first'?"),
        (["-c", "SELECT 1", "-o", "rows.xyz"], 2, "cannot infer the format"),
        (["-c", "SELEC 1"], 1, 'syntax error at or near "SELEC"'),
        (["-c", "SELECT nam FROM slice"], 1, "Candidate bindings"),
        (["-c", "SELECT t.rnk FROM trace AS t", "--run", "all"], 1, 'bindings: "rank"'),
        (["-c", "SELECT * FROM slce"], 1, 'Did you mean "slice"'),
        (["-c", "SELECT * FROM op_work AS o"], 1, "a query of the library: write op_work()."),
        (["-c", "SELECT 1; SELECT 2"], 1, "expected one statement: there are 2"),
        (["-c", ""], 1, "there is none\nHint: Write one SELECT."),
        (["-c", "SELECT 1", "--db", "absent.duckdb"], 3, "warehouse absent.duckdb not found"),
    ],
)
def test_a_failure_is_a_sentence_and_an_exit_code(
    tw: Run, arguments: list[str], code: int, message: str
) -> None:
    done = tw("query", *arguments)

    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert "Traceback" not in done.err


@pytest.mark.integration
def test_a_query_that_takes_too_long_ends_with_a_sentence(tw_process: Run) -> None:
    done = tw_process("query", "-c", ENDLESS, "--timeout", "0.5")

    assert (done.code, done.out) == (4, "")
    assert "the query did not end within 0.5 s" in done.err
    assert "Traceback" not in done.err


@pytest.mark.integration
def test_ctrl_c_stops_a_query_at_once(warehouse: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*TW, "query", "-c", ENDLESS, "--db", str(warehouse)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
    )
    try:
        time.sleep(2)
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=20)
    finally:
        process.kill()  # the query never ends by itself

    assert process.returncode == 130
    assert b"Interrupted." in stderr
    assert b"Traceback" not in stderr
    assert time.monotonic() - started < 3


def test_a_file_is_written_whole_or_not_at_all(tw: Run, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("old")

    # The first rows come before the division by zero; the other never ends by itself.
    failed = tw("query", "-o", "rows.csv", "-c",
                "SELECT 1 // (299999 - a.range) x FROM range(300000) a, range(3) b")  # fmt: skip
    kept_by_failed = (tmp_path / "rows.csv").read_text()
    late = tw("query", "-o", "rows.csv", "--timeout", "0.2", "-c",
              "SELECT a.range FROM range(10000000) AS a, range(10000000) AS b")  # fmt: skip
    kept_by_late = (tmp_path / "rows.csv").read_text()
    done = tw("query", "-c", "SELECT 1 AS one", "-o", "rows.csv")

    assert (failed.code, kept_by_failed) == (1, "old")
    assert (late.code, kept_by_late) == (4, "old")
    assert (done.out, done.err.splitlines()[-1]) == ("", "1 row written to rows.csv")
    assert (tmp_path / "rows.csv").read_text() == '"one"\n1\n'
    assert list(tmp_path.glob(".*.part")) == []


@pytest.mark.integration
def test_a_closed_pipe_is_no_failure(warehouse: Path, tmp_path: Path) -> None:
    command = f"{sys.executable} -c '{TW[2]}' query -c 'FROM range(3000000)' --format csv | head -1"

    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        text=True,
        env={**environment(tmp_path), "TW_DB": str(warehouse)},
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, '"range"\n')
    assert "Traceback" not in done.stderr


def test_the_configuration_chooses_format_and_folders(
    tw: Run, warehouse: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What has a warehouse open chose its threads.
    monkeypatch.setenv("TW_DB", str(shutil.copy(warehouse, tmp_path / "own.duckdb")))
    (tmp_path / "tw.toml").write_text('format = "jsonl"\nthreads = 1\nmemory_limit = "200MB"\n')

    assert tw("query", "-q", "-c", "SELECT 1 AS x").out == '{"x":1}\n'
    assert tw("query", "-c", "SELECT current_setting('threads') AS x").out == '{"x":1}\n'


FORBIDDEN = [
    "INSERT INTO tag VALUES ('x', 1, now()::TIMESTAMP)",
    "UPDATE slice SET name = 'x'",
    "DELETE FROM slice",
    "TRUNCATE slice",
    "MERGE INTO tag USING run ON true WHEN MATCHED THEN DELETE",
    "CREATE TABLE mine (x INTEGER)",
    "CREATE TEMP TABLE mine AS SELECT 1",
    "CREATE VIEW mine AS SELECT 1",
    "CREATE MACRO mine() AS 1",
    "CREATE SECRET (TYPE s3)",
    "DROP TABLE slice",
    "ALTER TABLE slice ADD COLUMN x INTEGER",
    "WITH x AS (DELETE FROM slice RETURNING *) SELECT * FROM x",
    "COPY slice TO 'stolen.csv'",
    "COPY slice FROM 'given.csv'",
    "EXPORT DATABASE 'stolen'",
    "IMPORT DATABASE 'given'",
    "ATTACH 'other.duckdb'",
    "ATTACH ':memory:' AS other",
    "DETACH w",
    "USE memory",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET threads = 1",
    "SET enable_external_access = true",
    "RESET memory_limit",
    "PRAGMA enable_profiling",
    "PRAGMA profiling_output = 'stolen.json'",
    "CALL pragma_version()",
    "CHECKPOINT",
    "VACUUM",
    "BEGIN",
    "PREPARE p AS SELECT 1",
    "EXPLAIN ANALYZE DELETE FROM slice",
    "SELECT * FROM read_text('/etc/hostname')",
    "SELECT * FROM read_blob('/etc/hostname')",
    "SELECT * FROM read_csv('/etc/hostname')",
    "SELECT * FROM read_json('/etc/hostname')",
    "SELECT * FROM read_parquet('rows.parquet')",
    "SELECT * FROM sniff_csv('/etc/hostname')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM '/etc/hostname.csv'",
    "SELECT * FROM read_csv('https://example.com/x.csv')",
    "SELECT getenv('HOME')",
    "SELECT * FROM query('COPY slice TO ''stolen.csv''')",
]


@pytest.mark.parametrize(
    "sql", [integration(sql) if n % 3 else sql for n, sql in enumerate(FORBIDDEN)]
)
def test_a_query_can_only_read_the_warehouse(warehouse: Path, sql: str) -> None:
    before = warehouse.read_bytes()

    with database.Reader(warehouse) as reader, pytest.raises(QueryError):
        execute.run(reader.connection, library.from_text(sql)).rows()

    assert warehouse.read_bytes() == before


def test_values_stay_values(warehouse: Path) -> None:
    nasty = "'; DROP TABLE slice; --"

    with database.Reader(warehouse) as reader:
        rows = execute.run(reader.connection, "SELECT $x::VARCHAR AS x", {"x": nasty}).rows()

    assert rows == [(nasty,)]


def test_the_list_and_the_description_of_queries(tw: Run) -> None:
    listed = tw("queries", "list")
    shown = tw("queries", "show", "utilization_over_time")

    assert re.search(r"^  utilization@2 +trace +Busy share per device$", listed.out, re.MULTILINE)
    assert re.search(r"bucket_ns +BIGINT +ns +Bucket width \(default 10000000\)", shown.out)
    assert "One row for each: trace_id, device_id, bucket_start_ns" in shown.out


def test_a_new_query_runs_as_it_is(tw: Run, tmp_path: Path) -> None:
    made = tw("queries", "new", "long_slices")
    again = tw("queries", "new", "long_slices")
    done = tw("query", "./long_slices.sql", "-p", "min_dur_ns=1ns", "--format", "json")
    checked = tw("queries", "check", "long_slices", "--rows", "--query-path", str(tmp_path))

    assert made.code == 0
    assert (again.code, "exists already" in again.err) == (2, True)
    assert json.loads(done.out) == [{"trace_id": 2, "n_slices": 50}]
    assert (checked.code, checked.out) == (0, "")


@pytest.mark.slow
def test_rows_of_queries_with_required_parameters_are_counted_as_unchecked(tw: Run) -> None:
    checked = tw("queries", "check", "slice_children", "utilization", "--rows")

    assert checked.code == 0
    assert "Rows of 1 query with required parameters were not checked" in checked.err
