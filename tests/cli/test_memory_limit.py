"""--memory-limit of queries and exports: the option, else tw.toml, else a default for exports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from warehouse.cli import memory_options
from warehouse.store import database

if TYPE_CHECKING:
    from tests.conftest import Tw

_ASK = ("query", "-c", "SELECT current_setting('memory_limit') AS m", "--format", "csv")


@pytest.fixture
def empty(tw: Tw, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TW_DB", str(tmp_path / "empty.duckdb"))
    database.create_empty(tmp_path / "empty.duckdb")
    return tmp_path


def test_the_option_limits_the_database_of_a_query(tw: Tw, empty: Path) -> None:
    assert tw(*_ASK, "--memory-limit", "1GiB").out.split("\n")[1] == '"1.0 GiB"'


def test_the_option_precedes_the_configuration(tw: Tw, empty: Path) -> None:
    (empty / "tw.toml").write_text('memory_limit = "2GiB"\n')

    assert tw(*_ASK).out.split("\n")[1] == '"2.0 GiB"'
    assert tw(*_ASK, "--memory-limit", "1GiB").out.split("\n")[1] == '"1.0 GiB"'


def test_what_is_not_a_size_is_refused(tw: Tw, empty: Path) -> None:
    ran = tw(*_ASK, "--memory-limit", "much")

    assert ran.code == 2
    assert ran.errors == ["Error: --memory-limit much is not a size"]


def test_exports_of_large_warehouses_are_limited_unless_configured(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def limits() -> list[str | None]:
        return [memory_options.place(None, is_export=kind).memory_limit for kind in (True, False)]

    with click.Context(click.Command("export")):
        assert limits() == [None, None]
        monkeypatch.setattr(memory_options, "UNLIMITED_BYTES", 0)
        assert limits() == [memory_options.EXPORT_MEMORY_LIMIT, None]
        (empty / "tw.toml").write_text('memory_limit = "2GiB"\n')
        assert limits() == ["2GiB", "2GiB"]
