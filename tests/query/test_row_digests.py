"""Versions of queries: their rows on the reference tables have the stored digests."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.sharing import slow
from warehouse.library import library
from warehouse.library.library import Library
from warehouse.query import reference, row_digests
from warehouse.query.row_digests import Arguments

LIBRARY = library.load()


def changed(name: str, old: str, new: str) -> Library:
    """The library with another text of one query."""
    found = library.load()
    query = found.find(name)
    assert old in query.sql
    found.queries[str(query.key)] = replace(query, sql=query.sql.replace(old, new))
    return found


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with one reference set and the stored digests."""
    for name in ("kineto.zip", "parameters.toml", "digests.csv"):
        shutil.copy(reference.folder() / name, tmp_path)
    return tmp_path


def in_set(place: Path, queries: Library, name: str) -> list[str]:
    """The problems of one query on the set `kineto`."""
    digests = row_digests.read(place)
    row_digests._write({c: r for c, r in digests.items() if c.set == "kineto"}, place)
    return row_digests.problems(queries, [queries.find(name)], all_sets=True, place=place)


SOME = ["breakdown", "tpu_summary"]
TIERS = [["kernel_summary"], slow(SOME), slow(list(LIBRARY.newest))]


@pytest.mark.slow
@pytest.mark.parametrize("names", TIERS, ids=["one", "some", "all"])
def test_rows_have_the_stored_digests(names: list[str]) -> None:
    queries = [LIBRARY.find(name) for name in names]

    assert row_digests.problems(LIBRARY, queries, all_sets=True) == []


def test_every_public_query_has_rows_with_each_parameter_at_another_value() -> None:
    known, stored = row_digests.arguments(), row_digests.read()
    for key, query in LIBRARY.queries.items():
        calls = {call.parameters: rows for call, rows in stored.items() if call.query == key}
        given = known.get(key.partition("@")[0], Arguments())
        defaults = {p.name: p.default for p in query.parameters if p.has_default}
        assert set(given.examples) >= set(defaults), key
        assert all(given.examples[name] != value for name, value in defaults.items()), key
        assert set(given.required) >= {p.name for p in query.parameters} - set(defaults), key
        assert len(calls) == len(given.examples) + 1, key
        if query.layer not in ("lib", "link"):
            assert any(rows.n_rows for rows in calls.values()), key


@pytest.mark.integration
def test_a_faster_text_with_the_same_rows_keeps_its_version(place: Path) -> None:
    same = changed(
        "utilization", "FROM device_activity() AS a", "FROM (FROM device_activity()) AS a"
    )

    assert in_set(place, same, "utilization") == []


@pytest.mark.integration
def test_other_rows_fail_and_the_first_are_shown(place: Path) -> None:
    other = changed("utilization", "a.busy_ns,", "a.busy_ns + 1 AS busy_ns,")

    (problem,) = in_set(place, other, "utilization")

    assert problem.startswith(
        "utilization@2: rows changed without a new version: set kineto: 2 rows before, 2 now; "
        "the first that differ:\n"
    )


def test_a_version_without_digests_is_reported_and_added(place: Path) -> None:
    digests = row_digests.read(place)
    row_digests._write({c: r for c, r in digests.items() if c.query != "utilization@2"}, place)

    problems = row_digests.problems(
        LIBRARY, [LIBRARY.find("utilization")], all_sets=True, place=place
    )

    assert problems == ["utilization@2: rows: has no digest; add it with --write-lock"]


def test_the_reference_tables_hold_a_set_for_each_backend() -> None:
    names = set(reference.sets())

    assert {"chakra", "kineto", "memory_snapshot", "nsys", "nvprof", "rocm", "sophgo"} <= names
