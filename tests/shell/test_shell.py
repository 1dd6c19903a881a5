"""The shell from a pipe: statements, dot commands, errors; the file is free between them."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.sharing import DDP, GPU, WarehouseCache
from warehouse.errors import QueryError, TwError, UsageError
from warehouse.query import session
from warehouse.shell import shell

DATA = Path(__file__).parents[1] / "data/kineto"


@pytest.fixture(scope="module")
def db(imported_files: WarehouseCache) -> Path:
    return imported_files(GPU, DDP)


@pytest.fixture
def own(tmp_path_factory: pytest.TempPathFactory, imported_files: WarehouseCache) -> Path:
    """A warehouse that the test may write to."""
    return imported_files.copy(tmp_path_factory.mktemp("shell") / "w.duckdb", GPU, DDP)


class Screen:
    """What a shell printed and showed."""

    def __init__(self, db: Path, **options: Any) -> None:
        self.lines: list[str] = []
        self.shown = ""
        self.shell = shell.Shell(
            session.Place(db), show=self._show, say=self.lines.append, **options
        )

    def _show(self, text: bytes) -> None:
        self.shown += text.decode()

    def run(self, *texts: str) -> str:
        """What the last of the inputs showed."""
        for text in texts:
            self.shown = ""
            self.shell.run(text)
        return self.shown


@pytest.fixture
def screen(db: Path) -> Screen:
    return Screen(db, format="csv")


def test_a_statement_shows_its_rows_and_the_scope_is_said_once(screen: Screen) -> None:
    assert screen.run("SELECT count(*) AS n FROM trace;") == '"n"\n2\n'
    screen.run("SELECT 1;")
    assert screen.lines == [
        "Scope: run 'ddp', the last imported of 2; --run NAME for another, --run all for every run"
    ]


def test_the_scope_is_chosen_shown_and_cleared(screen: Screen) -> None:
    count = "SELECT count(*) AS n FROM trace;"
    assert screen.run(".scope run=gpu") == "Runs: gpu\nTraces: 1\n"
    assert screen.run(count) == '"n"\n1\n'
    assert screen.run(".scope run=all", count) == '"n"\n3\n'
    assert screen.run(".scope run=ddp rank=1 from=1us to=2ms") == (
        "Runs: ddp\nTraces: 1\nTime: from 1000 ns to 2000000 ns\n"
    )
    assert screen.run(".scope clear") == "Runs: ddp\nTraces: 2\n"
    with pytest.raises(UsageError, match="unknown scope option where"):
        screen.run(".scope where=3")


def test_a_name_alone_is_answered_by_the_command_that_runs_it(screen: Screen) -> None:
    with pytest.raises(UsageError, match="utilization is a library query") as raised:
        screen.run("utilization;")

    assert raised.value.hint == "`.run utilization` runs it."


def test_library_queries_run_by_name_with_parameters(screen: Screen) -> None:
    screen.run(".scope run=gpu")
    assert len(screen.run(".run kernel_summary top=1").splitlines()) == 3
    assert len(screen.run(".params top=2", ".run kernel_summary").splitlines()) == 5
    assert screen.run(".params clear", ".params") == ""
    with pytest.raises(UsageError, match="no parameter 'topp'"):
        screen.run(".run kernel_summary topp=1")
    with pytest.raises(UsageError, match="query 'kernel_sumary' not found"):
        screen.run(".run kernel_sumary")


@pytest.mark.parametrize(
    "statement", [".run memory_peak", "FROM memory_peak();", "SELECT * FROM memory_event;"]
)
def test_no_rows_are_explained(screen: Screen, statement: str) -> None:
    screen.run(statement)
    assert screen.lines[-1] == (
        "0 rows. Of what the query reads, the scope has no memory events (PyTorch records them with"
        " profile_memory=True)."
    )


def test_no_rows_that_nothing_explains(screen: Screen) -> None:
    screen.run("SELECT 1", "SELECT * FROM slice WHERE dur < -5000;")
    assert not [line for line in screen.lines if line.startswith("0 rows")]


def test_parameters_are_values_never_text_of_the_statement(screen: Screen) -> None:
    assert screen.run(""".params a="'; DROP TABLE run"  n=3""") == "a = '; DROP TABLE run\nn = 3\n"
    assert screen.run("SELECT $a AS a, $n + 1 AS b;") == '"a","b"\n"\'; DROP TABLE run",4\n'


def test_tables_queries_and_columns_are_described(screen: Screen) -> None:
    assert "gpu_op_cause" in screen.run(".tables gpu")
    assert "slice" not in screen.run(".tables gpu").split()[0]
    assert re.search(r"dur +BIGINT +ns", screen.run(".schema slice"))
    assert re.search(r"^overlap@\d", screen.run(".queries over"), re.MULTILINE)
    assert "busy_ns / span_ns" in screen.run(".explain utilization")
    assert "SCAN" in screen.run(".explain SELECT * FROM slice").upper()
    with pytest.raises(UsageError, match="table 'slices' not found"):
        screen.run(".schema slices")


def test_every_command_is_in_the_help(screen: Screen) -> None:
    text = screen.run(".help")
    names = "help tables schema queries run params scope dialect format output timer explain quit"
    for name in [*names.split(), *shell.COMMANDS]:
        assert re.search(rf"^\.{name}\b.*\w", text, re.MULTILINE), name


@pytest.mark.parametrize(
    ("word", "command"),
    [
        ("help", ".help"),
        ("?", ".help"),
        ("\\?;", ".help"),
        ("\\d", ".tables"),
        (" \\d trace ;", ".schema trace"),
        ("EXIT;", ".quit"),
        ("\\q", ".quit"),
    ],
)
def test_words_of_other_shells_are_commands(screen: Screen, word: str, command: str) -> None:
    other = Screen(screen.shell.place.path, format="csv")

    assert shell.is_complete(word)
    assert shell.inputs(f"{word}\nSELECT 1;")[1:] == ["SELECT 1;"]
    assert screen.run(word) == other.run(command)
    assert screen.shell.is_over == other.shell.is_over


def test_a_column_named_like_a_command_stays_sql(screen: Screen) -> None:
    assert screen.run("SELECT 1 AS exit;") == '"exit"\n1\n'
    assert not shell.is_complete("help me")


@pytest.mark.integration
def test_statements_may_be_perfetto_s(screen: Screen) -> None:
    screen.run(".scope run=gpu", ".dialect perfetto")
    screen.run("CREATE PERFETTO VIEW long AS SELECT * FROM slice WHERE dur > 10000;")
    counted = screen.run('SELECT count(*) AS n FROM long WHERE category = "kernel" LIMIT 1;')
    screen.run(".dialect duckdb")
    assert counted == screen.run(
        "SELECT count(*) AS n FROM slice WHERE dur > 10000 AND category = 'kernel';"
    )
    with pytest.raises(UsageError, match="dialect mysql not found"):
        screen.run(".dialect mysql")


def test_a_result_goes_to_a_file_once(screen: Screen, tmp_path: Path) -> None:
    target = tmp_path / "rows.json"
    assert screen.run(f".output {target}", "SELECT 1 AS one;") == ""
    assert target.read_text() == '[\n{"one":1}\n]\n'
    assert screen.run("SELECT 2 AS two;") == '"two"\n2\n'
    with pytest.raises(UsageError, match="cannot infer the format"):
        screen.run(".output rows.what")


def test_csv_that_is_safe_in_spreadsheets(db: Path, tmp_path: Path) -> None:
    screen = Screen(db, format="csv", is_csv_safe=True)
    sql = "SELECT '=1+1' AS formula;"

    assert screen.run(sql) == '"formula"\n"\'=1+1"\n'
    screen.run(f".output {tmp_path / 'out.csv'}", sql)
    assert (tmp_path / "out.csv").read_text() == '"formula"\n"\'=1+1"\n'


def test_formats_rows_and_times_are_settings(screen: Screen) -> None:
    assert screen.run(".format json", "SELECT 1 AS one;") == '[\n{"one":1}\n]\n'
    shown = screen.run(".format table", ".rows 2", "FROM range(5);")
    assert shown.splitlines()[2:] == ["    0", "    1"]
    assert "(2 of 5 rows; .rows -1 for all)" in screen.lines
    screen.run(".timer on", "SELECT 1;")
    assert re.fullmatch(r"\d+\.\d{3} s", screen.lines[-1])
    n_lines = len(screen.lines)
    screen.run(".timer off", "SELECT 1;")
    assert not any(re.fullmatch(r"\d+\.\d{3} s", each) for each in screen.lines[n_lines:])
    with pytest.raises(UsageError):
        screen.run(".format parquet")
    with pytest.raises(UsageError):
        screen.run(".rows many")


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM run;",
        "COPY run TO '/tmp/x.csv';",
        "SET threads=1;",
        "FROM read_csv('/etc/passwd');",
    ],
)
def test_nothing_is_written_or_read_elsewhere(screen: Screen, statement: str) -> None:
    with pytest.raises(QueryError):
        screen.run(statement)


def test_write_lets_statements_change_the_warehouse(own: Path) -> None:
    screen = Screen(own, can_write=True, format="csv")
    screen.run(".scope run=all", "INSERT INTO tag SELECT 'golden', id, now()::TIMESTAMP FROM run;")
    assert screen.run("SELECT count(*) AS n FROM tag;") == '"n"\n2\n'
    with pytest.raises(QueryError, match="nonsense"):
        screen.run("DELETE FROM nonsense;")


@pytest.mark.parametrize(
    "statement",
    [
        "COPY slice TO '{}'", "ATTACH '{}' AS other", "INSTALL httpfs", "LOAD httpfs",
        "CREATE TABLE other AS FROM read_text('/etc/hostname')", "EXPORT DATABASE '{}'",
        "SET enable_external_access = true", "USE memory", "DETACH warehouse", "UPDATE EXTENSIONS",
        "INSERT INTO tag SELECT filename, 1, now() FROM glob('*')", "BEGIN",
        "CREATE PERSISTENT SECRET s (TYPE http, EXTRA_HTTP_HEADERS MAP {{'a': 'b'}})",
        "SELECT 1; COPY slice TO '{}'", "COPY FROM DATABASE warehouse TO memory", "SELECT '\ud800'",
    ],
)  # fmt: skip
def test_write_does_not_leave_the_warehouse(own: Path, tmp_path: Path, statement: str) -> None:
    screen = Screen(own, can_write=True)
    with pytest.raises(QueryError):
        screen.run(statement.format(tmp_path / "other"))

    assert list(tmp_path.iterdir()) == []


def test_unsafe_allows_what_it_names(tmp_path: Path, own: Path) -> None:
    Screen(own, is_unsafe=True).run(f"COPY run TO '{tmp_path / 'run.csv'}';")

    assert (tmp_path / "run.csv").read_text().startswith("id,name")


def test_between_inputs_the_file_is_free(own: Path) -> None:
    Screen(own, format="csv").run("SELECT 1;")
    duckdb.connect(str(own)).close()  # for writing


@pytest.mark.parametrize(
    ("text", "is_complete"),
    [
        ("", True),
        (".run utilization", True),
        ("SELECT 1", False),
        ("SELECT 1;", True),
        ("SELECT 1; -- done", True),
        ("SELECT ';", False),
        ("SELECT ';' AS a", False),
        ("SELECT ';';", True),
        ('SELECT ";', False),
        ("SELECT /* ;", False),
        ("-- only a comment;", True),
        ("SELECT $$;", False),
        ("SELECT 1;\nSELECT", False),
    ],
)
def test_enter_runs_only_what_is_complete(text: str, is_complete: bool) -> None:
    assert shell.is_complete(text) is is_complete


def test_a_script_splits_into_statements_and_commands() -> None:
    script = ".timer on\nSELECT 1; SELECT\n  ';' AS a;\n\n-- a comment\n.help\nSELECT 3"
    assert shell.inputs(script) == [
        ".timer on",
        "SELECT 1;",
        "SELECT\n  ';' AS a;",
        ".help",
        "SELECT 3",
    ]


def run_script(tw: Any, monkeypatch: pytest.MonkeyPatch, text: str, *arguments: str | Path) -> Any:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    return tw("shell", *arguments)


def test_a_pipe_is_run_to_its_end(tw: Any, monkeypatch: pytest.MonkeyPatch, db: Path) -> None:
    ran = run_script(tw, monkeypatch, "SELECT 1 AS a;\nSELECT 2 AS b\n", "--db", db)
    assert (ran.code, ran.out) == (0, "a\n─\n1\nb\n─\n2\n")


def test_a_pipe_stops_at_an_error(tw: Any, monkeypatch: pytest.MonkeyPatch, db: Path) -> None:
    script = "SELECT 1 AS a;\nSELECT nonsense;\nSELECT 2 AS b;\n"
    ran = run_script(tw, monkeypatch, script, "--db", db)
    assert ran.code == 1
    assert "nonsense" in ran.errors[0]
    assert ran.out == "a\n─\n1\n"


def test_a_pipe_goes_on_if_told_and_still_fails(
    tw: Any, monkeypatch: pytest.MonkeyPatch, db: Path
) -> None:
    script = "SELECT nonsense;\nSELECT 2 AS b;\n.quit\nSELECT 3 AS c;\n"
    ran = run_script(tw, monkeypatch, script, "--db", db, "--keep-going")
    assert (ran.code, ran.out) == (1, "b\n─\n2\n")


def test_an_unknown_command_names_the_nearest(screen: Screen) -> None:
    with pytest.raises(TwError) as failed:
        screen.run(".fomat csv")
    assert failed.value.hint == "Did you mean .format?"
