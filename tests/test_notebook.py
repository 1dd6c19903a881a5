"""The notebook in docs/ runs from its first cell to its last."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from warehouse.query.result import QueryResult

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = ROOT / "docs/notebook.ipynb"


def run_cell(source: str, names: dict[str, Any]) -> Any:
    """Runs a cell; its last expression's value, as a notebook would show it."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(NOTEBOOK), "exec"), names)  # noqa: S102
    if last is None:
        return None
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)  # noqa: S307


@pytest.mark.slow
def test_every_cell_runs_and_shows_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    names: dict[str, Any] = {}
    shown = [
        run_cell("".join(cell["source"]), names)
        for cell in json.loads(NOTEBOOK.read_text())["cells"]
        if cell["cell_type"] == "code"
    ]

    assert capsys.readouterr().out.count("imported") == 3
    tables = [each for each in shown if isinstance(each, QueryResult)]
    assert len(tables) == 7
    assert all(table.n_rows for table in tables)
    assert all("<table>" in table._repr_html_() for table in tables)


def test_the_notebook_keeps_no_output() -> None:
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    assert not any(cell.get("outputs") for cell in cells)
