"""Shared columns: how headers name them, override their keys, and what errors they report."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from warehouse.errors import ContractError
from warehouse.library import header, library
from warehouse.library.columns import SharedColumns, built_in
from warehouse.library.header import Column
from warehouse.resources import sql_folder

SHARED = """# A comment

trace_id = { type = "BIGINT", unit = "ref trace.id", help = "Trace" }
dur_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0" }
"""
TRACE = Column("trace_id", "BIGINT", "ref trace.id", "Trace")


def query(columns: str) -> str:
    return f"""/* ---
name = "x"
version = 1
title = "A # title"
grain = ["trace_id"]
requires = {{ schema = ">=1", queries = [] }}
{columns}
[changes]
1 = "first version"
--- */
SELECT 1 AS trace_id, 2 AS dur_ns ORDER BY 1"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "columns.toml").write_text(SHARED)
    return tmp_path


def columns_of(text: str, folder: Path) -> tuple[Column, ...]:
    shared = SharedColumns(folder / "columns.toml")
    return header.parse(query(text), "x.sql", shared).columns


def test_shared_columns_keep_the_order_of_the_list(folder: Path) -> None:
    duration = Column("dur_ns", "BIGINT", "ns", "", True, ">= 0")

    assert columns_of('columns = ["trace_id", "dur_ns"]', folder) == (TRACE, duration)
    assert columns_of('columns = ["dur_ns", "trace_id"]', folder) == (duration, TRACE)


def test_a_query_overrides_single_keys(folder: Path) -> None:
    found = columns_of(
        'columns = ["trace_id", "dur_ns"]\n'
        '[column]\ndur_ns.help = "Length"\n'
        "trace_id = { nullable = true }",
        folder,
    )

    assert found == (
        Column("trace_id", "BIGINT", "ref trace.id", "Trace", nullable=True),
        Column("dur_ns", "BIGINT", "ns", "Length", True, ">= 0"),
    )


def test_a_column_with_a_type_inherits_nothing(folder: Path) -> None:
    found = columns_of('columns = ["trace_id", "dur_ns"]\n[column.dur_ns]\ntype = "DOUBLE"', folder)

    assert found == (TRACE, Column("dur_ns", "DOUBLE"))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ('columns = ["trace_id", "dur"]', "'dur' has no type and is not a shared column; did you"),
        ('columns = ["trace_id", "zzz"]', "'zzz' has no type and is not a shared column"),
        (
            'columns = ["trace_id"]\n[column]\ndur_ns.help = "x"',
            "'dur_ns' is declared and not list",
        ),
        ('columns = ["trace_id"]\n[column]\ntrace_id.hlp = "x"', "did you mean 'help'"),
        ('columns = ["trace_id", "trace_id"]', "'trace_id' is declared twice"),
        ('columns = "trace_id"', "columns is not a list of names"),
        ('columns = ["trace_id"]\n[[column]]\nname = "trace_id"', "exclude each other"),
        ('[column.trace_id]\ntype = "BIGINT"', "needs a list of all columns"),
    ],
)
def test_an_invalid_declaration_is_explained(columns: str, message: str, folder: Path) -> None:
    with pytest.raises(ContractError) as failure:
        columns_of(columns, folder)

    assert failure.value.message.startswith("x.sql")
    assert message in failure.value.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('trace_id = { type = "BIGINT"', "is not valid TOML"),
        ('trace_id = { type = "A" }\ntrace_id = { type = "B" }', "is not valid TOML"),
        ('trace_id = { help = "Trace" }', "column 'trace_id' has no type"),
        ('trace_id = { type = "BIGINT", units = "ns" }', "has an unknown key 'units'"),
        ("[trace_id]\nunit = 1", "column 'trace_id' has no type"),
    ],
)
def test_an_invalid_file_is_named(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "columns.toml").write_text(text)

    with pytest.raises(ContractError) as failure:
        columns_of('columns = ["trace_id"]', tmp_path)

    assert str(tmp_path / "columns.toml") in failure.value.message
    assert message in failure.value.message


def test_entries_may_be_tables(tmp_path: Path) -> None:
    (tmp_path / "columns.toml").write_text(
        '[trace_id]\ntype = "BIGINT"\nunit = "ref trace.id"\nhelp = """Trace"""'
    )

    assert columns_of('columns = ["trace_id"]', tmp_path) == (TRACE,)


def test_a_folder_has_its_columns_and_those_of_the_program(folder: Path) -> None:
    (folder / "x.sql").write_text(query('columns = ["trace_id", "dur_ns", "run_id"]'))
    found = library.load([folder])

    columns = found.find("x").header.columns  # type: ignore[union-attr]

    assert columns[1].help == ""  # of the folder; the program's has a check and no NULL
    assert columns[1].nullable
    assert columns[2] == Column("run_id", "BIGINT", "ref run.id", "Run")
    assert library.from_file(folder / "x.sql").header.columns == columns  # type: ignore[union-attr]


def test_a_folder_with_an_invalid_file_is_announced(folder: Path) -> None:
    (folder / "columns.toml").write_text("dur_ns = 5")
    (folder / "x.sql").write_text(query('columns = ["trace_id", "dur_ns"]'))

    found = library.load([folder])

    assert "x" not in found.newest
    assert "column 'dur_ns' has no type" in found.notices[0]


def test_a_standalone_text_needs_no_shared_columns(folder: Path) -> None:
    more = 'columns = ["trace_id", "dur_ns"]\n[param.n]\ntype = "BIGINT"\ndefault = 5\n'
    (folder / "x.sql").write_text(query(more + '[column]\ndur_ns.help = "A \\"length\\""'))
    given = library.from_file(folder / "x.sql")

    alone = library.from_text(given.standalone)

    assert alone.header == given.header
    assert "columns = [" not in alone.sql
    assert alone.bound_sql == given.bound_sql


def test_a_standalone_text_without_shared_columns_is_the_text() -> None:
    text = query('[[column]]\nname = "trace_id"\ntype = "BIGINT"')

    assert library.from_text(text).standalone == text


def test_every_shared_column_of_the_program_is_used_by_several_queries() -> None:
    names = tomllib.loads((sql_folder("queries") / "columns.toml").read_text()).keys()
    uses = dict.fromkeys(names, 0)
    for each in library.load().newest.values():
        assert each.header is not None
        for column in each.header.columns:
            shared = built_in().find(column.name)
            uses[column.name] = uses.get(column.name, 0) + (
                shared is not None and column.type == shared["type"]
            )

    assert [name for name in names if uses[name] < 2] == []


def test_no_header_repeats_what_a_shared_column_gives() -> None:
    repeated = []
    for each in library.load().newest.values():
        declared = header.values(each.sql, str(each.key)).get("column", {})
        for name, own in declared.items() if isinstance(declared, dict) else ():
            shared = built_in().find(name) or {}
            contract = {key: value for key, value in shared.items() if key != "help"}
            same = [key for key in own if key != "type" and own[key] == shared.get(key)]
            if "type" in own:
                same = [name] if contract == {k: v for k, v in own.items() if k != "help"} else []
            repeated += [f"{each.key}: {name} {same}"] if same else []

    assert repeated == []
