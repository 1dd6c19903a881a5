"""The Parquet lake: every table with its own names, laid out as Hive does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from warehouse.errors import ExportError
from warehouse.export import parquet
from warehouse.export.parquet import export_parquet
from warehouse.query import scope
from warehouse.query.selection import Selection

T = 1 << 32
OTHER_TRACE = f"""
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
                   imported_at, base_ns, source_base_ns)
VALUES (2, 1, 'rank1', 1, 'made', 'made', 1, '0', '2026-01-01', 0, 0);
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth)
VALUES ({2 * T}, 2, {2 * T}, 0, 10, 'there', 0);
INSERT INTO link VALUES
  (-1, NULL, 1, {T}, {2 * T}, 'between', 'r', 1, 'default', 'q', 1),
  ({T}, 1, 1, {T}, {T + 1}, 'inside', 'r', 1, 'default', 'q', 1);
"""


def lake(folder: Path, table: str, columns: str = "*") -> list[tuple[Any, ...]]:
    return duckdb.execute(
        f"SELECT {columns} FROM read_parquet('{folder}/{table}/**', hive_partitioning := true)"
        " ORDER BY ALL"
    ).fetchall()


def test_the_lake_holds_the_same_rows_with_traces_as_partitions(
    warehouse: Any, slices: Any, tmp_path: Path
) -> None:
    connection = warehouse(slices((0, 0, 0, 5, "a"), (1, 1, 2, 5, "é")), OTHER_TRACE)

    export_parquet(connection, tmp_path / "lake")

    for table in ("run", "trace", "process", "track", "slice", "link"):
        columns = ", ".join(row[0] for row in connection.execute(f"DESCRIBE {table}").fetchall())
        stored = connection.execute(f"SELECT {columns} FROM {table} ORDER BY ALL").fetchall()
        assert lake(tmp_path / "lake", table, columns) == stored, table
    folders = {str(p.parent.relative_to(tmp_path / "lake")) for p in tmp_path.rglob("*.parquet")}
    assert {"slice/trace_id=1", "slice/trace_id=2", "run", "trace"} <= folders
    assert "link/trace_id=__HIVE_DEFAULT_PARTITION__" in folders  # links between traces


def test_an_empty_folder_is_filled_and_empty_tables_keep_their_columns(
    warehouse: Any, tmp_path: Path
) -> None:
    (tmp_path / "lake").mkdir()

    export_parquet(warehouse(), tmp_path / "lake")

    assert (tmp_path / "lake" / "run" / "part-0.parquet").is_file()
    assert lake(tmp_path / "lake", "rpc", "slice_id, trace_id, kind") == []


def test_commands_of_tpus_are_written_in_parts_and_whole(warehouse: Any, tmp_path: Path) -> None:
    connection = warehouse(
        "INSERT INTO tpu_operation (id, trace_id, track_id, engine, core)"
        " VALUES (7, 1, 0, 'TIU', 3);"
        "INSERT INTO tpu_tiu_record (slice_id, trace_id, operation_id, ts, dur, n_bank_conflicts)"
        " VALUES (5, 1, 7, 10, 20, 4);"
    )

    names = {table.name for table in export_parquet(connection, tmp_path / "lake")}

    assert lake(tmp_path / "lake", "tpu_command", "slice_id, engine, core") == [(5, "TIU", 3)]
    assert lake(tmp_path / "lake", "tpu_tiu_counter", "n_bank_conflicts") == [(4,)]
    assert names >= {"tpu_operation", "tpu_tiu_record", "tpu_command_extra"}


@pytest.mark.integration
def test_only_the_scope_is_written(warehouse: Any, slices: Any, tmp_path: Path) -> None:
    connection = warehouse(slices((0, 0, 0, 5, "a")), OTHER_TRACE)
    scope.apply(connection, scope.resolve(connection, Selection(ranks=(1,))))

    tables = export_parquet(connection, tmp_path / "lake")

    assert lake(tmp_path / "lake", "slice", "name") == [("there",)]
    assert {table.name: table.n_rows for table in tables}["trace"] == 1


def test_an_occupied_folder_is_refused(warehouse: Any, tmp_path: Path) -> None:
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "mine.txt").write_text("keep")

    with pytest.raises(ExportError, match="not an empty folder"):
        export_parquet(warehouse(), tmp_path / "lake")

    assert (tmp_path / "lake" / "mine.txt").read_text() == "keep"


def test_a_failure_leaves_no_folder(
    warehouse: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = warehouse()
    monkeypatch.setattr(parquet, "_tables", lambda *_: [("run", False), ("no_such_table", False)])

    with pytest.raises(ExportError, match="cannot read a table"):
        export_parquet(connection, tmp_path / "lake")

    assert [path.name for path in tmp_path.iterdir() if "lake" in path.name] == []
