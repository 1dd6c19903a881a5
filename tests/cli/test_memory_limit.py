"""--memory-limit of queries and exports: the option, else tw.toml, else a default for exports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import duckdb
import pytest

from warehouse.cli import memory_options
from warehouse.errors import query_error
from warehouse.query import session
from warehouse.store import database

if TYPE_CHECKING:
    from tests.conftest import Tw
    from warehouse.query.session import Place

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


def test_reports_of_large_warehouses_start_again_without_a_limit_that_is_too_low(
    empty: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    limits: list[str | None] = []

    def write(place: Place) -> str:
        limits.append(place.memory_limit)
        with session.opened(place) as opened:
            if place.memory_limit == memory_options.REPORT_MEMORY_LIMIT:
                raise query_error(duckdb.OutOfMemoryException("Out of Memory Error: failed"))
            return str(opened.place.path)

    place = session.Place.of(None)
    assert memory_options.in_report_limit(place, write) == str(place.path)
    assert limits == [None]
    monkeypatch.setattr(memory_options, "UNLIMITED_BYTES", 0)
    assert memory_options.in_report_limit(place, write) == str(place.path)
    assert limits[1:] == [memory_options.REPORT_MEMORY_LIMIT, None]
    assert capsys.readouterr().err == (
        "500MB of memory are not enough: starting again without a limit.\n"
    )
    memory_options.in_report_limit(place.limited("2GiB", 4), write)
    assert limits[3:] == ["2GiB"]
