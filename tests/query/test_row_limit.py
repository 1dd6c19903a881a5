"""A result that `top` caps says how many rows there are, in every format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Tw
from tests.support.sharing import GPU, WarehouseCache, integration, slow
from warehouse.errors import QueryTimeout
from warehouse.query import row_limit


@pytest.fixture(autouse=True)
def warehouse(imported_files: WarehouseCache, tmp_path: Path) -> Path:
    """In the folder that commands run in, where they look for it."""
    return imported_files.copy(tmp_path / "traces.duckdb", GPU)


@pytest.mark.parametrize("query", ["launch_latency", *map(integration, ("tpu_gap", "idle_gap"))])
def test_rows_that_top_leaves_out_are_counted(tw: Tw, query: str) -> None:
    whole = tw("query", query, "-p", "top=1000000", "--format", "csv")
    n_rows = len(whole.out.splitlines()) - 1

    capped = tw("query", query, "-p", "top=1", "--format", "csv")

    n_shown = len(capped.out.splitlines()) - 1
    said = f"({n_shown} of {n_rows} rows; -p top=N for more)"
    assert (said in capped.err.splitlines()) == (n_shown < n_rows)
    assert "rows;" not in whole.err
    assert tw("query", query, "-p", "top=1", "--quiet").err == ""


@pytest.mark.parametrize(
    ("query", "format"),
    [
        ("launch_latency", "csv"),
        integration("launch_latency", "table"),
        integration("idle_gap", "csv"),
        slow("kernel_sequence -p min_works=1", "csv"),
    ],
)
def test_a_query_that_counts_its_rows_runs_once(
    tw: Tw, monkeypatch: pytest.MonkeyPatch, query: str, format: str
) -> None:
    command = ("query", *query.split(), "--quiet", "--format", "csv")  # counts nothing
    (head, *rows), (_, *shown) = (
        tw(*command, "-p", f"top={top}").out.splitlines() for top in (1_000_000, 1)
    )
    monkeypatch.setattr(row_limit, "_counted", None)

    capped = tw("query", *query.split(), "-p", "top=1", "--format", format)

    assert f"({len(shown)} of {len(rows)} rows; -p top=N for more)" in capped.err.splitlines()
    assert format == "table" or capped.out.splitlines() == [head, *shown]


@pytest.mark.integration
def test_rows_stay_written_where_counting_them_fails(
    tw: Tw, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any, **named: Any) -> None:
        raise QueryTimeout("the query did not end within 1 s")

    monkeypatch.setattr(row_limit, "rows_without_limit", fail)
    capped = tw("query", "launch_latency", "-p", "top=1", "--format", "csv")

    n_shown = len(capped.out.splitlines()) - 1
    assert capped.code == 0
    assert f"({n_shown} rows or more; -p top=N for more)" in capped.err.splitlines()
