"""nvprof's CSV: what nvprof printed of a database is what the database itself gives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.gpu_profiles import error, imported

FOLDER = "gpu/nvprof_replay"
#: An older release: no kinds of memory and no correlation; other units; lines of a program.
OLD = """my program says: Start
==77== NVPROF is profiling process 77, command: ./a
==77== Profiling application: ./a
==77== Profiling result:
"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread",\
"Static SMem","Dynamic SMem","Size","Throughput","Device","Context","Stream","Name"
s,ms,,,,,,,,KB,MB,MB,GB/s,,,,
1.5,0.25,,,,,,,,,,2.5,9.7,"GPU (1)","1","7","[CUDA memcpy DtoH]"
1.6,1.000001,3,2,1,32,4,1,19,1.5,0.5,,,"GPU (1)","1","7","k(int, float) [12]"
==77== Warning: it is getting late
"""


#: Child processes, each with units of its own, and sums after the trace.
MANY = """==5== NVPROF is profiling process 5, command: mpirun
==6== Profiling result:
"Start","Duration","Grid X","Size","Src Dev","Dst Dev","Device","Context","Stream","Name",\
"Correlation_ID"
ms,us,,KB,,,,,,,
1.0,2.0,,1.0,"GPU (0)","GPU (1)","GPU (0)","1","7","[CUDA memcpy PtoP]",4
2.0,,,,,,,,,"cudaMemcpyPeer",4
==7== Profiling result:
"Start","Duration","Name","Correlation_ID"
us,ns,,
3000.0,500.0,"cudaFree",4

==7== Profiling result:
"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"
,%,us,,us,us,us,
"API calls",100.0,0.5,1,0.5,0.5,0.5,"cudaFree"
"""


@pytest.fixture(scope="module")
def db(
    data_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("nvprof_csv")
    (folder / "old.csv").write_text(OLD)
    names = ("print-gpu-trace.csv", "print-gpu-trace_ns.csv", "print-api-trace.csv")
    paths = [*(data_dir / FOLDER / name for name in (*names, "replay_v9.nvvp")), folder / "old.csv"]
    (folder / "many.csv").write_text(MANY)
    paths.append(folder / "many.csv")
    connection = imported(paths, folder / "w.duckdb")
    yield connection
    connection.close()


def rows(db: duckdb.DuckDBPyConnection, table: str, columns: str, trace: str) -> list[Any]:
    return db.execute(
        f"SELECT {columns} FROM {table} AS x JOIN trace AS t ON t.id = x.trace_id "
        f"WHERE t.name = '{trace}' ORDER BY ALL"
    ).fetchall()


@pytest.mark.parametrize("name", ["print-gpu-trace", "print-gpu-trace_ns"])
def test_the_printed_trace_is_the_databases_in_any_unit(
    db: duckdb.DuckDBPyConnection, name: str
) -> None:
    first = "(SELECT min(g.ts) FROM gpu_op AS g WHERE g.trace_id = t.id)"
    columns = (
        f"ts - {first}, dur, x.name, x.kind, class, stream, correlation_id, context_id, bytes, "
        "direction, grid_x, grid_y, grid_z, block_x, block_y, block_z, registers_per_thread, "
        "shared_memory_bytes"
    )
    assert rows(db, "gpu_op", columns, name) == rows(db, "gpu_op", columns, "replay_v9")


def test_printed_calls_are_the_databases(db: duckdb.DuckDBPyConnection) -> None:
    first = "(SELECT min(l.ts) FROM launch AS l WHERE l.trace_id = t.id)"
    columns = f"ts - {first}, dur, x.name, category, correlation_id"
    assert rows(db, "launch", columns, "print-api-trace") == rows(
        db, "launch", columns, "replay_v9"
    )


def test_units_and_columns_are_those_of_the_run(db: duckdb.DuckDBPyConnection) -> None:
    columns = "base_ns + ts, dur, x.name, bytes, shared_memory_bytes, grid_x, block_y"
    assert rows(db, "gpu_op", columns, "old") == [
        (1_500_000_000, 250_000, "[CUDA memcpy DtoH]", 2_621_440, None, None, None),
        (1_600_000_000, 1_000_001, "k(int, float)", None, 1536 + 524_288, 3, 4),
    ]
    assert rows(db, "device", "ordinal, x.name", "old") == [(1, "GPU")]
    assert rows(db, "import_problem", "x.kind, count", "old") == [("profiler_warning", 1)]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("print-gpu-summary.csv", "only nvprof summaries found"),
        ("default_stdout.txt", "no nvprof CSV table found"),
    ],
)
def test_sums_are_refused_with_what_to_record(
    data_dir: Path, tmp_path: Path, name: str, sentence: str
) -> None:
    found = error(data_dir / FOLDER / name, tmp_path / "w.duckdb")
    assert sentence in found.message and name in found.message
    assert "--print-gpu-trace" in str(found.hint)


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ('"Device","Context","Stream","Kernel","Occupancy"\n"GPU (0)","1","7","k",0.5\n',
         "only nvprof summaries found"),
        ('"Start";"Duration";"Name"\nms;us;\n1,5;2,5;"k"\n', "no nvprof CSV table found"),
        ("   Start  Duration  Name\n1.5ms  2.5us  k(int)\n", "no nvprof CSV table found"),
    ],
)  # fmt: skip
def test_other_tables_of_nvprof_are_refused_with_what_to_record(
    tmp_path: Path, table: str, sentence: str
) -> None:
    (tmp_path / "a.txt").write_text(
        f"==7== Profiling application: ./a\n==7== Profiling result:\n{table}"
    )
    found = error(tmp_path / "a.txt", tmp_path / "w.duckdb")
    assert sentence in found.message and "--print-gpu-trace" in str(found.hint)


def test_a_table_without_units_is_refused_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('"Start","Duration","Name"\n1.0,2.0,"cuInit"\n')
    found = error(tmp_path / "a.csv", tmp_path / "w.duckdb")
    assert "line 2 lacks time units" in found.message


def test_every_process_has_its_table_with_units_of_its_own(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(db, "process", "pid", "many") == [(6,), (7,)]
    assert rows(db, "slice", "x.name, ts, dur", "many") == [
        ("[CUDA memcpy PtoP]", 0, 2000), ("cudaFree", 2_000_000, 500),
        ("cudaMemcpyPeer", 1_000_000, -1),
    ]  # fmt: skip
    assert rows(db, "gpu_op", "bytes, direction", "many") == [(1024, "PtoP")]
    assert rows(db, "link", "x.kind", "many") == [("launch",)]
    assert rows(db, "import_stat", "detail, value", "many' AND x.name = 'unused") == [
        ("summary and counter tables", 1)
    ]
    assert rows(db, "import_problem", "x.kind", "many") == [("unfinished",)]


def test_decimal_commas_of_a_spreadsheet_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        '"Start","Duration","Size","Device","Context","Stream","Name","Correlation_ID"\n'
        "ms,us,KB,,,,,\n"
        '"200,5","1,568000","1,5","GPU (0)","1","7","[CUDA memset]",274\n'
        '"201,000001","3,5",,"GPU (0)","1","7","k(int, float)",275\n'
    )
    with closing(imported([tmp_path / "a.csv"], tmp_path / "w.duckdb")) as connection:
        found = connection.execute("SELECT name, ts, dur, bytes FROM gpu_op ORDER BY ts").fetchall()
        (base,) = connection.execute("SELECT base_ns FROM trace").fetchall()
    assert base == (200_500_000,)
    assert found == [("[CUDA memset]", 0, 1568, 1536), ("k(int, float)", 500_001, 3500, None)]


def test_older_releases_say_the_call_of_a_kernel_in_its_name(
    db: duckdb.DuckDBPyConnection,
) -> None:
    assert rows(db, "gpu_op", "x.name, correlation_id", "old' AND x.kind = 'kernel") == [
        ("k(int, float)", 12)
    ]
