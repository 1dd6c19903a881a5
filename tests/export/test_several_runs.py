"""Exports of several runs into one file, and of slices by name."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Tw
from tests.support.predicted_trial import predicted_trial
from tests.support.sharing import BuildCache, WarehouseCache


@pytest.fixture(scope="module")
def db(shared_place: Path, imported_files: WarehouseCache, kept_builds: BuildCache | None) -> Path:
    return predicted_trial(shared_place, imported_files, kept_builds)


def slices(path: Path) -> list[dict[str, Any]]:
    return [event for event in json.loads(path.read_text()) if event["ph"] in "XB"]


@pytest.mark.slow
def test_a_file_holds_the_traces_of_several_runs(tw: Tw, db: Path, tmp_path: Path) -> None:
    """Each process belongs to one trace, and times begin with the first event of all."""
    target = tmp_path / "both.json"

    assert tw("export", "chrome", "--db", db, "--run", "all", "-o", target).code == 0

    found = slices(target)
    with duckdb.connect(str(db), read_only=True) as connection:
        rows = connection.sql(
            "SELECT r.name || '/' || t.name, count(*) FROM slice AS s "
            "JOIN trace AS t ON t.id = s.trace_id JOIN run AS r ON r.id = t.run_id GROUP BY ALL"
        ).fetchall()
    assert Counter(each["pid"].rpartition(" ")[0] for each in found) == dict(rows)
    assert min(each["ts"] for each in found) == 0
    assert tw("verify", "--db", db, target).code == 0


@pytest.mark.parametrize("suffix", ["json", pytest.param("pftrace", marks=pytest.mark.slow)])
def test_only_slices_of_a_name_are_written(tw: Tw, db: Path, tmp_path: Path, suffix: str) -> None:
    """Two steps of two ranks have as many."""
    target, command = tmp_path / f"named.{suffix}", "chrome" if suffix == "json" else "perfetto"
    arguments = (command, "--db", db, "--run", "trial", "--run", "same", "-o", target)

    result = tw("export", *arguments, "--name", "*/MatMul", "--name", "*update_0*")

    assert result.code == 0
    if suffix == "json":
        names = Counter(each["name"] for each in slices(target))
        assert set(names.values()) == {8}
        assert all(name.endswith("/MatMul") or "update_0" in name for name in names)
    else:
        assert "24 slices" in result.err
    assert tw("verify", "--db", db, target).code == 0


def test_a_name_that_no_slice_has_is_one_sentence(tw: Tw, db: Path, tmp_path: Path) -> None:
    arguments = ("--db", db, "--run", "all", "-o", tmp_path / "n.json", "--name", "nope")

    result = tw("export", "chrome", *arguments)

    assert result.errors == ["Error: no slice has a name like nope"]
