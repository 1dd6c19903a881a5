"""`tw query --dialect perfetto` answers as trace_processor does."""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from warehouse.dialect import catalogue, run
from warehouse.dialect.perfetto import translate
from warehouse.ingest import pipeline
from warehouse.query import scope
from warehouse.query.selection import Selection
from warehouse.store import database as store

_spec = importlib.util.spec_from_file_location(
    "dialect_statements", Path(__file__).parent / "statements.py"
)
assert _spec is not None and _spec.loader is not None
st: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(st)

STATEMENTS: dict[str, str] = st.statements()


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """A locked connection to a warehouse of one of the traces, as both programs read it alike."""
    folder = tmp_path_factory.mktemp("dialect")
    readers: dict[str, store.Reader] = {}

    def connection(name: str) -> Any:
        if name not in readers:
            st.write_read_alike(name, folder / f"{name}.json")
            readers[name] = _imported(folder / f"{name}.json", folder / f"{name}.duckdb")
        return readers[name].connection

    yield connection
    for reader in readers.values():
        reader.close()


def _imported(trace: Path, database: Path) -> store.Reader:
    pipeline.import_paths([trace], db=database)
    reader = store.Reader(database)
    scope.apply(reader.connection, scope.resolve(reader.connection, Selection()))
    run.install(reader.connection)
    return reader


def _rows(connection: duckdb.DuckDBPyConnection, sql: str) -> list[list[Any]]:
    rewritten = run.answer(connection, translate(sql))
    return [list(row) for row in connection.execute(rewritten).fetchall()]


@pytest.mark.parametrize(
    "name",
    [
        "gpu_handwritten",
        pytest.param("ddp_rank0", marks=pytest.mark.slow),
        pytest.param("cpu_run", marks=pytest.mark.slow),
        pytest.param("demo_rank0", marks=pytest.mark.slow),
    ],
)
def test_statements_have_the_rows_that_trace_processor_has(
    warehouse: Callable[[str], Any], name: str
) -> None:
    golden = json.loads((st.HERE / "golden" / f"{name}.json").read_text("utf-8"))
    assert list(golden) == list(STATEMENTS)

    found = {}
    for title, sql in STATEMENTS.items():
        found[title] = st.summary(st.comparable(sql, _rows(warehouse(name), sql)))

    assert found == golden


def test_every_statement_has_rows_for_some_trace() -> None:
    empty = set(STATEMENTS)
    for file in (st.HERE / "golden").glob("*.json"):
        golden = json.loads(file.read_text("utf-8"))
        empty -= {title for title, answer in golden.items() if answer["n"]}

    assert empty == {"no slices of a thread that is not there"}


def test_the_catalogue_has_the_columns_of_the_views(warehouse: Callable[[str], Any]) -> None:
    connection = warehouse("gpu_handwritten")
    hidden = {catalogue.HIDDEN_ARGS, "tw depth"}

    for table, columns in catalogue.TABLES.items():
        if table == "args":
            continue
        described = connection.execute(f"DESCRIBE perfetto_{table}").fetchall()
        seen = [(name, kind) for name, kind, *_ in described if name not in hidden]
        assert seen == [(column.name, column.type.value) for column in columns], table


def test_the_arguments_of_one_slice_have_the_declared_types(
    warehouse: Callable[[str], Any],
) -> None:
    connection = warehouse("gpu_handwritten")

    relation = connection.sql(run.prepare(connection, "SELECT * FROM args"))

    declared = [(c.name, c.type.value) for c in catalogue.TABLES["args"]]
    assert list(zip(relation.columns, map(str, relation.types), strict=True)) == declared


@pytest.mark.parametrize("case", ["triton", "event_sync", "edge_no_gpu", "gpu_only"])
def test_a_real_gpu_trace_has_the_rows_that_trace_processor_has(
    case: str, data_dir: Path, tmp_path: Path
) -> None:
    """TW_TRACE_PROCESSOR is a command that takes FILE SQL... and prints a JSON object for each
    statement, with the number `n` of its rows and at least the first 20 `rows`."""
    command = os.environ.get("TW_TRACE_PROCESSOR")
    if not command:
        pytest.skip("TW_TRACE_PROCESSOR names no trace_processor")
    trace = tmp_path / "trace.json"
    document = st.read_alike(data_dir / "kineto" / case / "trace.json.gz")
    trace.write_text(json.dumps(document, ensure_ascii=False), "utf-8")
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
        asked = [*shlex.split(command), str(trace), *STATEMENTS.values()]
        subprocess.run(asked, stdout=out, check=True)
        out.seek(0)
        answers = [each for each in map(json.loads, out) if "sql" in each]

    with _imported(trace, tmp_path / "w.duckdb") as reader:
        for sql, answer in zip(STATEMENTS.values(), answers, strict=True):
            found = _rows(reader.connection, sql)
            theirs = [list(row.values()) for row in answer["rows"]]
            assert len(found) == answer["n"], sql
            if "ORDER BY" in sql or len(theirs) == answer["n"]:
                ours = st.comparable(sql, found)[: len(theirs)]
                assert ours == st.comparable(sql, theirs), sql
