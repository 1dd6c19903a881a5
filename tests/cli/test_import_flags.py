"""Options of `tw import` that packages add."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Tw
from warehouse import plugins
from warehouse.ingest import pipeline

FILES = {
    "tw_units-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: tw-units\nVersion: 1\n",
    "tw_units-1.dist-info/entry_points.txt": """[trace_warehouse.import_flags]
time-unit = tw_units:unit
db = tw_units:unit
broken = tw_units:gone
""",
    "tw_units.py": '''
def unit(text):
    """Unit of the times.

    More text.
    """
    return text.lower()
''',
}  # fmt: skip


@pytest.fixture
def units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package that adds two options, and one of a name that is taken."""
    for name, text in FILES.items():
        path = tmp_path / "packages" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path / "packages")
    plugins.registered.cache_clear()
    yield
    sys.modules.pop("tw_units", None)
    plugins.registered.cache_clear()


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The options that importers would get; nothing is imported."""
    found: list[tuple[str, str]] = []

    def recorded(_: Any, *, options: pipeline.Options, **__: Any) -> list[pipeline.Outcome]:
        found.extend(options.settings.options)
        return []

    monkeypatch.setattr(pipeline, "import_paths", recorded)
    return found


@pytest.mark.usefixtures("units")
def test_a_package_adds_an_option_with_its_help(tw: Tw, given: list[tuple[str, str]]) -> None:
    lines = [" ".join(line.split()) for line in tw("import", "--help").out.splitlines()]
    assert "--time-unit TIME_UNIT Unit of the times." in lines
    assert "tw_units" not in sys.modules
    assert sum(line.startswith("--db ") for line in lines) == 1

    tw("import", "t.json", "--time-unit", "MS", "--option", "other=1")
    assert given == [("other", "1"), ("time_unit", "ms")]


@pytest.mark.usefixtures("units", "given")
def test_an_option_that_cannot_be_loaded_names_its_package(tw: Tw) -> None:
    ran = tw("import", "t.json", "--broken", "1")
    assert ran.code == 1
    assert "broken of tw-units cannot be loaded" in ran.errors[0]


def test_a_cluster_is_named_at_the_import(tw: Tw, given: list[tuple[str, str]]) -> None:
    assert "--cluster CLUSTER" in tw("import", "--help").out
    tw("import", "profile.sqlite", "--cluster", "cluster_0 ")
    assert given == [("cluster", "cluster_0")]
    ran = tw("import", "profile.sqlite", "--cluster", " ")
    assert (ran.code, ran.errors) == (2, ["Error: --cluster names no cluster"])
