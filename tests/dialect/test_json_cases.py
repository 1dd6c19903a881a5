"""Trace Event documents have the rows that trace_processor has, or others for a stated reason."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import integration, slow
from warehouse.dialect import run
from warehouse.dialect.perfetto import translate
from warehouse.ingest import pipeline
from warehouse.query import scope
from warehouse.query.selection import Selection
from warehouse.store import database

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("json_cases", HERE / "json_cases.py")
assert _spec is not None and _spec.loader is not None
cases: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cases)

Rows = list[list[Any]]
GOLDEN: dict[str, Rows] = json.loads((HERE / "json_cases.json").read_text())


#: Most cases are left to the other tiers, for their imports.
SOME = [
    title if n % 16 == 0 else integration(title) if n % 16 == 1 else slow(title)
    for n, title in enumerate(cases.CASES)
]


def answer(case: Any, folder: Path) -> Rows:
    (folder / "t.json").write_text(case.document)
    pipeline.import_paths([folder / "t.json"], db=folder / "w.duckdb")
    with database.Reader(folder / "w.duckdb") as reader:
        scope.apply(reader.connection, scope.resolve(reader.connection, Selection()))
        run.install(reader.connection)
        rewritten = run.answer(reader.connection, translate(case.sql))
        return [list(row) for row in reader.connection.execute(rewritten).fetchall()]


@pytest.mark.parametrize("title", SOME)
def test_rows_are_those_of_trace_processor(title: str, tmp_path: Path) -> None:
    expected = cases.DIFFERENT[title][1] if title in cases.DIFFERENT else GOLDEN[title]

    assert answer(cases.CASES[title], tmp_path) == expected


def test_differences_are_real() -> None:
    assert {title: GOLDEN[title] for title in cases.DIFFERENT if title not in GOLDEN} == {}
    assert [t for t, (_, rows) in cases.DIFFERENT.items() if rows == GOLDEN[t]] == []
