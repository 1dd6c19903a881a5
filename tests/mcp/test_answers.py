"""What the tools of the server return over a small recording."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import DDP, GPU, WarehouseCache
from warehouse.errors import QueryError, TwError, UsageError
from warehouse.mcp import answers
from warehouse.mcp.answers import Answers, Limits
from warehouse.query.session import Place

TRACE = Path(__file__).parents[1] / "data" / "kineto" / "gpu_handwritten" / "trace.json"
KERNELS = sorted(
    event["name"]
    for event in json.loads(TRACE.read_text())["traceEvents"]
    if event.get("cat") == "kernel"
)


@pytest.fixture
def path(imported_files: WarehouseCache) -> Path:
    return imported_files(GPU)


def over(path: Path, **limits: Any) -> Answers:
    return Answers(Place.of(path), Limits(**limits))


def test_runs_are_listed_with_units_of_columns(path: Path) -> None:
    found = over(path).list_runs()

    assert found["columns"][0] == "run_id [id]"
    assert [row[1] for row in found["rows"]] == ["gpu"]
    assert found["n_rows"] == 1


def test_the_newest_runs_are_listed_first(imported_files: WarehouseCache) -> None:
    found = over(imported_files(GPU, DDP)).list_runs(max_rows=1)

    assert [row[1] for row in found["rows"]] == ["ddp"]
    assert found["n_rows"] == 2


def test_statements_give_the_rows_of_the_trace(path: Path) -> None:
    found = over(path).run_sql("SELECT name FROM slice WHERE category = 'kernel' ORDER BY name")

    assert [name for (name,) in found["rows"]] == KERNELS


def test_rows_beyond_the_limit_are_counted(path: Path) -> None:
    found = over(path).run_sql("SELECT name FROM slice WHERE category = 'kernel'", max_rows=1)

    assert len(found["rows"]) == 1
    assert found["n_rows"] == len(KERNELS)
    assert found["left_out"].startswith(f"{len(KERNELS) - 1} rows; raise max_rows")


def test_no_call_raises_the_limit_of_the_server(path: Path) -> None:
    found = over(path, max_rows=7).run_sql("SELECT range FROM range(20)", max_rows=1_000_000)

    assert [n for (n,) in found["rows"]] == list(range(7))
    assert found["n_rows"] == 20


def test_rows_are_counted_up_to_a_limit(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "COUNTED_ROWS", 100_000)

    found = over(path).run_sql("SELECT range FROM range(1000000000000)", max_rows=2)

    assert found["rows"] == [[0], [1]]
    assert found["n_rows"] is None
    assert "more than 100,000 rows" in found["left_out"]


def test_an_answer_is_no_longer_than_the_limit(path: Path) -> None:
    found = over(path, max_bytes=1_000).run_sql("SELECT repeat('x', 90) FROM range(100)")

    assert 0 < len(json.dumps(found["rows"])) <= 1_000 + 2 * len(found["rows"])
    assert "choose columns" in found["left_out"]


def test_a_long_text_is_cut(path: Path) -> None:
    found = over(path).run_sql("SELECT repeat('x', 5000) AS name")

    assert found["rows"] == [[f"{'x' * 2_000}... (5,000 characters)"]]


def test_values_without_a_json_form_are_text_or_null(path: Path) -> None:
    found = over(path).run_sql(
        "SELECT 'nan'::DOUBLE, 170141183460469231731687303715884105727::HUGEINT, DATE '2026-01-02'"
    )

    assert found["rows"] == [[None, 170141183460469231731687303715884105727, "2026-01-02"]]


def test_chosen_columns_are_returned(path: Path) -> None:
    found = over(path).run_query("kernel_summary", columns=["n_kernels", "name"])

    assert found["columns"] == ["n_kernels [count]", "name [text]"]
    assert sorted(name for n, name in found["rows"] for _ in range(n)) == KERNELS


def test_an_empty_answer_says_why(path: Path) -> None:
    found = over(path).run_query("disc_iterations")

    assert found["rows"] == []
    assert found["notes"][-1].startswith("0 rows.")


@pytest.mark.integration
def test_a_diagnosis_begins_with_a_sentence(path: Path) -> None:
    found = over(path).diagnose()

    assert found["summary"].startswith("Run gpu: ")
    assert "finding [text]" in found["columns"]


def test_descriptions_are_of_queries_and_tables(path: Path) -> None:
    server = over(path)

    assert server.describe("utilization").startswith("utilization@")
    assert server.describe("slice").startswith("slice (table)")
    assert "utilization: " in server.list_queries("summary")
    assert "utilization@" in server.find_queries("busy")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda it: it.describe("nope"), "no query or table is named 'nope'"),
        (lambda it: it.list_queries("nope"), "group 'nope' not found"),
        (lambda it: it.find_queries("qwxyz"), "no query matches 'qwxyz'"),
        (lambda it: it.run_query("utilization", columns=["nope"]), "no column 'nope'"),
        (lambda it: it.run_query("utilization", scope={"ranks": "1"}), "unknown scope 'ranks'"),
        (lambda it: it.run_query("utilization", {"nope": 1}), "no parameter"),
        (lambda it: it.run_sql("SELECT 1", dialect="spark"), "unknown dialect 'spark'"),
        (lambda it: it.compare("gpu", "gpu", by="nope"), "unknown comparison 'nope'"),
        (lambda it: it.compare("gpu", "nope"), "no run, trace or tag is named 'nope'"),
    ],
)
def test_mistakes_are_one_sentence(path: Path, call: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call(over(path))


@pytest.mark.parametrize(
    "statement",
    [
        "COPY slice TO '{target}'",
        "ATTACH '{target}'",
        "CREATE TABLE mine AS SELECT 1",
        "DELETE FROM slice",
        "INSTALL httpfs",
        "SET memory_limit = '100GB'",
        "FROM read_text('{existing}')",
        "SELECT 1; DROP TABLE slice",
        "CALL pragma_version()",
    ],
)
def test_statements_only_read_the_warehouse(path: Path, statement: str, tmp_path: Path) -> None:
    target = tmp_path / "written"

    with pytest.raises(TwError):
        over(path).run_sql(statement.format(target=target, existing=TRACE))

    assert not target.exists()


def test_a_query_ends_at_the_time_limit(path: Path) -> None:
    with pytest.raises(QueryError, match="did not end within"):
        over(path, timeout_s=0.05).run_sql("SELECT sum(range) FROM range(10000000000000)")
