"""A result without rows says what the scope lacks, and what records it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import duckdb
import pytest

from tests.conftest import Tw
from tests.support.randomtrace import LIBRARY, Runs
from tests.support.sharing import GPU, WarehouseCache, kept_open
from warehouse.library import required_rows
from warehouse.library.library import Query
from warehouse.query import emptiness, execute, reference, scope
from warehouse.resources import sql_folder
from warehouse.store import database


@pytest.fixture(autouse=True)
def warehouse(imported_files: WarehouseCache, tmp_path: Path) -> Path:
    """In the folder that commands run in, where they look for it."""
    return imported_files.copy(tmp_path / "traces.duckdb", GPU)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (
            "tpu_gap",
            "0 rows. Of what the query reads, the scope has no TPU commands (captures of Sophgo "
            "TPUs have them).",
        ),
        ("straggler", "0 rows. Nothing in the scope matches."),
        ("dpro_category", "0 rows. The query needs a dPRO trial."),
    ],
)
def test_a_query_without_rows_says_why(tw: Tw, query: str, sentence: str) -> None:
    result = tw("query", query, "--format", "csv")

    assert result.code == 0
    assert len(result.out.splitlines()) == 1  # the header
    assert result.err.splitlines()[-1] == sentence
    assert tw("query", query, "--quiet").err == ""


def test_tables_and_views_that_are_described_exist(tmp_path: Path) -> None:
    described = tomllib.loads((sql_folder("queries") / emptiness.FILE).read_text())
    database.create_empty(tmp_path / "w.duckdb")
    with duckdb.connect(str(tmp_path / "w.duckdb"), read_only=True) as connection:
        rows = connection.execute("SELECT DISTINCT table_name FROM duckdb_columns()").fetchall()
    tables = {name for (name,) in rows}
    assert set(described) <= tables
    assert all("holds" in of for of in described.values())


@pytest.mark.integration
def test_a_query_has_no_rows_without_those_that_it_requires(random_runs: Runs) -> None:
    """So that a report need not run it. What one entry requires is hidden, and nothing else."""
    silent = []
    for query in LIBRARY.newest.values():
        assert query.header is not None
        if query.layer == "link" or query.header.computed_once or not query.header.requires_rows:
            continue
        if not _n_rows(random_runs.path, query, None):
            silent.append(query.header.name)
            continue
        for entry in query.header.requires_rows:
            assert _n_rows(random_runs.path, query, entry) == 0, (query.key, entry)

    # They need what no job has: snapshots, categories of memory, pipelines, TPUs, ...
    assert sorted(silent) == [
        "finding_bucket_size", "finding_data_loading", "finding_fragmentation",
        "finding_memory_limit", "finding_outlier_step", "finding_recompilation",
        "finding_slow_collective", "finding_tpu_imbalance", "finding_tpu_transfer",
        "memory_fragmentation", "memory_peak_category", "pipeline_bubble", "timeline_command",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_block_has_no_rows_without_those_that_it_requires(tmp_path: Path) -> None:
    """So that it need not be computed."""
    path = tmp_path / "reference.duckdb"
    reference.build(path)
    silent = []
    with kept_open(path):
        for query in LIBRARY.newest.values():
            assert query.header is not None
            if not query.header.computed_once or not query.header.requires_rows:
                continue
            if not _n_rows(path, query, None):
                silent.append(query.header.name)
            for entry in query.header.requires_rows:
                assert _n_rows(path, query, entry) == 0, (query.key, entry)
    # Messages of BytePS, of which all three consist.
    assert sorted(silent) == ["dpro_byteps_edge", "dpro_byteps_node", "dpro_message"]


def _n_rows(path: Path, query: Query, hidden: str | None) -> int:
    """How many rows a query has where those of an entry of `requires.rows` are hidden."""
    with database.Reader(path) as reader:
        at = scope.stored(reader.connection)
        for table, which in required_rows.alternatives(hidden) if hidden else ():
            reader.connection.execute(
                f"CREATE TEMP VIEW {table} AS FROM {at}{table} WHERE ({which}) IS NOT TRUE"
            )
        return int(
            execute.run(reader.connection, query, library=LIBRARY, kept=set()).table().num_rows
        )
