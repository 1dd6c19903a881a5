"""Deprecated names of queries: a header that names another query."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from tests.conftest import Tw
from warehouse.library import aliases, contract
from warehouse.library.library import Library
from warehouse.query import execute
from warehouse.store import database

TARGET = """/* ---
name = "numbers"
version = 3
title = "Numbers"
grain = ["x"]
[param.n]
type = "BIGINT"
[param.even]
type = "BOOLEAN"
default = false
[param.label]
type = "VARCHAR"
default = "a"
[[column]]
name = "x"
type = "BIGINT"
[[column]]
name = "label"
type = "VARCHAR"
[changes]
3 = "third"
--- */
SELECT x, $label::VARCHAR AS label
FROM (SELECT unnest([0::BIGINT, 1, 2, 3, 4]) AS x) AS v
WHERE x < $n::BIGINT AND (NOT $even::BOOLEAN OR x % 2 = 0)
ORDER BY x DESC
"""
ALIAS = """/* ---
name = "even_numbers"
version = 2
alias_of = "numbers@3"
fixed = { even = true }
default = { label = "b" }
[changes]
2 = "alias of numbers"
--- */
"""
THIN = """/* ---
name = "only_x"
version = 1
alias_of = "numbers@3"
fixed = { n = 2 }
title = "Numbers"
grain = ["x"]
requires = { queries = ["numbers@3"] }
[[column]]
name = "x"
type = "BIGINT"
[changes]
1 = "alias of numbers"
--- */
SELECT x FROM numbers(p_n := 2)
"""


def loaded(folder: Path, alias: str = ALIAS, target: str = TARGET) -> Library:
    # Alphabetically the alias comes first: its target is looked for when it is used.
    (folder / "even_numbers.sql").write_text(alias)
    (folder / "numbers.sql").write_text(target)
    queries = Library()
    queries.add_folder(folder, "own")
    return queries


def test_an_alias_gives_the_rows_of_its_target_in_order(tmp_path: Path) -> None:
    queries = loaded(tmp_path)
    with duckdb.connect() as connection:
        rows = {
            name: execute.run(connection, name, {"n": 5, **more}, library=queries).rows()
            for name, more in (("even_numbers", {}), ("numbers", {"even": True, "label": "b"}))
        }
        macro = execute.run(connection, "FROM even_numbers(5)", library=queries).rows()

    assert rows["even_numbers"] == rows["numbers"] == macro == [(4, "b"), (2, "b"), (0, "b")]


def test_an_alias_has_the_contract_of_its_target(tmp_path: Path) -> None:
    queries = loaded(tmp_path)
    found, target = queries.find("even_numbers").header, queries.find("numbers").header

    assert found is not None
    assert target is not None
    assert found.columns == target.columns
    assert [each.name for each in found.parameters] == ["n", "label"]
    assert queries.closure([queries.find("even_numbers")])[0].key == "numbers@3"
    assert contract.check(queries) == []


def test_an_alias_may_select_columns(tmp_path: Path) -> None:
    (tmp_path / "only_x.sql").write_text(THIN)
    queries = loaded(tmp_path)

    assert contract.check(queries, [queries.find("only_x")]) == []
    with duckdb.connect() as connection:
        assert execute.run(connection, "only_x", library=queries).rows() == [(1,), (0,)]
    assert aliases.replacement(queries.find("only_x").header) == "numbers -p n=2"  # type: ignore[arg-type]


def test_only_an_alias_fixes_parameters(tmp_path: Path) -> None:
    (tmp_path / "only_x.sql").write_text(THIN.replace('alias_of = "numbers@3"\n', ""))
    queries = loaded(tmp_path)

    assert any("alias_of is missing" in notice for notice in queries.notices)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("even = true", "evan = true", "fixed has an unknown key 'evan'; did you mean 'even'"),
        ("even = true", 'even = "x"', "fixed: parameter even must be of type BOOLEAN"),
        ('label = "b"', "even = true", "default has an unknown key 'even'"),
        ("numbers@3", "numbers@4", "is an alias of numbers@4, which is not in the library"),
        ("2 = ", "1 = ", "[changes] has no entry for version 2"),
        ("fixed", "fixt", "unknown key 'fixt'; did you mean 'fixed'"),
    ],
)
def test_an_invalid_alias_is_explained(tmp_path: Path, old: str, new: str, message: str) -> None:
    queries = loaded(tmp_path, ALIAS.replace(old, new))

    assert "even_numbers@2" not in queries.queries
    assert any(message in notice for notice in queries.notices), queries.notices


def test_tw_query_warns_once(tmp_path: Path, tw: Tw) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    loaded(folder)
    database.create_empty(tmp_path / "w.duckdb")

    ran = tw("query", "even_numbers", "-p", "n=1", "--query-path", folder, "--db", "w.duckdb")

    assert ran.code == 0
    assert ran.err.splitlines()[0] == (
        "Warning: query even_numbers is deprecated; use numbers -p even=true"
    )
    shown = tw("queries", "show", "even_numbers", "--query-path", folder)
    assert "Deprecated alias of: numbers -p even=true" in shown.out
    assert "alias of numbers -p even=true" in tw("queries", "list", "--query-path", folder).out
