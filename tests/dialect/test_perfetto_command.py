"""`tw query --dialect perfetto` as a user meets it: scope, scripts, refusals with their place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import GPU, WarehouseCache
from warehouse.dialect.errors import UnsupportedSql
from warehouse.dialect.perfetto import translate

DATA = Path(__file__).parent.parent / "data" / "kineto"


@pytest.fixture(scope="module")
def database(imported_files: WarehouseCache) -> Path:
    return imported_files(GPU)


@pytest.fixture
def ask(tw: Callable[..., Any], database: Path) -> Callable[[str], Any]:
    def run(sql: str, *more: str) -> Any:
        return tw("query", "--dialect", "perfetto", "-c", sql, "--db", database, *more)

    return run


def test_a_statement_prints_its_rows(ask: Callable[..., Any]) -> None:
    ran = ask(
        "SELECT name, dur / 1000 AS us FROM slice WHERE name GLOB 'cudaMemset*'", "--format", "json"
    )

    assert (ran.code, json.loads(ran.out)) == (0, [{"name": "cudaMemsetAsync", "us": 3}])


def test_columns_without_a_name_have_their_own_text(ask: Callable[..., Any]) -> None:
    ran = ask("SELECT COUNT(*),  max( dur )/1000 FROM slice WHERE depth > 99", "--format", "csv")

    assert ran.out.splitlines()[0] == '"COUNT(*)","max( dur )/1000"'


def test_arguments_of_one_type_come_out_in_it(ask: Callable[..., Any]) -> None:
    sql = (
        "SELECT DISTINCT extract_arg(arg_set_id, 'args.device') AS d, "
        "extract_arg(arg_set_id, 'debug.device') AS same FROM slice WHERE category = 'gpu_memset'"
    )

    assert json.loads(ask(sql, "--format", "json").out) == [{"d": 0, "same": 0}]


@pytest.mark.integration
def test_both_forms_of_a_key_find_an_argument(ask: Callable[..., Any]) -> None:
    def count(condition: str) -> str:
        sql = f"SELECT count(*) AS n FROM args WHERE {condition}"
        return str(ask(sql, "--format", "csv").out)

    n = count("key = 'args.correlation'")

    assert n.splitlines()[1] != "0"
    assert count("key = 'debug.correlation'") == n
    assert count("key IN ('debug.correlation')") == n
    assert count("flat_key GLOB 'debug.correl*'") == n
    assert count("key LIKE 'debug.correl%'") == n


def test_the_scope_is_that_of_every_query(ask: Callable[..., Any]) -> None:
    assert ask("SELECT 1 FROM slice", "--rank", "7").code == 2


def test_a_library_query_is_not_rewritten(tw: Callable[..., Any], database: Path) -> None:
    ran = tw("query", "--dialect", "perfetto", "utilization", "--db", database)

    assert ran.code == 2
    assert "is a library query" in ran.err


@pytest.mark.parametrize(
    ("sql", "place", "message", "hint"),
    [
        ("SELECT nme FROM slice", (1, 8), "no such column: nme", "name"),
        ("SELECT 1\nFROM ftrace_event", (2, 6), "no such table: ftrace_event", "slice"),
        ("SELECT 1 FROM slce", (1, 15), "no such table: slce", "slice"),
        ("SELECT s.dur FROM slice", (1, 8), "no such table in this SELECT: s", ""),
        ("SELECT dur,\n  foo(1) FROM slice", (2, 3), "the function foo()", ""),
        ("SELECT id FROM slice JOIN thread", (1, 8), "ambiguous column name: id", "slice.id"),
        ("SELECT RUN_METRIC('x')", (1, 8), "run_metric()", "tw queries list"),
        ("INCLUDE PERFETTO MODULE android.x; SELECT 1", (1, 25), "android.x", "tw export perfetto"),
        ("CREATE VIRTUAL TABLE x USING FTS5(a, b)", (1, 1), "FTS5", "SPAN_LEFT_JOIN"),
        ("SELECT 1;\nSELECT 2", (2, 1), "a second SELECT", ""),
        ("INSERT INTO slice VALUES (1)", (1, 1), "INSERT is not supported", "SELECT"),
        ("PRAGMA x", (1, 1), "PRAGMA is not supported", ""),
        ("SELECT name COLLATE nocase FROM slice", (1, 8), "COLLATE", "lower"),
        ("SELECT (dur, ts) = (1, 2) FROM slice", (1, 9), "row values", ""),
        ("SELECT name GLOB category FROM slice", (1, 18), "GLOB", "LIKE"),
        ("SELECT count(*) FROM slice WHERE max(dur) > 1", (1, 34), "misuse of the aggregate", ""),
        ("SELECT substr(name) FROM slice", (1, 8), "wrong number of arguments", ""),
        ("SELECT date('now')", (1, 8), "date()", "ts counts ns"),
        ("SELECT * FROM ancestor_slice", (1, 15), "ancestor_slice requires an argument", ""),
        ("SELECT lag(dur) FROM slice", (1, 8), "lag() requires OVER", ""),
        ("SELECT x!(1)", (1, 1), "no such macro: x", ""),
        ("SELECT dur FROM slice WHERE", (1, 23), "syntax error", ""),
        ("SELECT dur, s.* AS d FROM slice s", (1, 13), "s.* is many columns", "dur AS d, s.*"),
        ("// slow ones\nSELECT 1", (1, 1), "// does not start a comment", "--"),
    ],
)
def test_what_cannot_be_answered_is_refused_at_its_place(
    sql: str, place: tuple[int, int], message: str, hint: str
) -> None:
    with pytest.raises(UnsupportedSql) as refused:
        translate(sql)

    line, column = place
    assert str(refused.value).startswith(f"line {line}, column {column}: ")
    assert message in str(refused.value).splitlines()[0]
    assert str(refused.value).splitlines()[2] == " " * (column + 1) + "^"
    assert hint in (refused.value.hint or "")


def test_a_script_without_a_select_has_no_answer() -> None:
    with pytest.raises(UnsupportedSql, match="the script has no SELECT"):
        translate("CREATE VIEW v AS SELECT 1 AS one")


def test_the_rewriting_reads_only_the_text() -> None:
    script = translate("CREATE VIEW v AS SELECT name FROM slice; SELECT * FROM v")

    assert [statement.split()[0] for statement in script.setup] == ["CREATE"]
    assert [column.name for column in script.columns] == ["name"]
