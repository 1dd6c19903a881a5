"""Device work in HCC's log, and in traces of unknown providers: lines and events become rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.conftest import Tw
from warehouse.ingest import pipeline
from warehouse.ingest.decode import Settings
from warehouse.ingest.pipeline import Options

DATA = Path(__file__).parents[1] / "data" / "ctf"
OFFSET = 1795173176567620045  # of the clock in the metadata, to 1970
LOG = """profile:  kernel;\t          k<float>;\t   1.0 us;\t1000;\t2000;\t#0.3.1;
profile: barrier;\tdepcnt=1,acq=sys,rel=sys;\t   1.5 us;\t2300;\t3800;\t#0.3.2; deps=#0.3.1
output of the program
profile:    copy;\tHostToDevice_async_fast;\t   2.0 us;\t4000;\t6000;\t#0.3.3;\t1048576 bytes;
profile:  kernel;\t cut off
"""


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("log")
    (folder / "hc.log").write_text(LOG)
    settings = Settings(options=(("hc_log", str(folder / "hc.log")),))
    options = Options(jobs=1, settings=settings)
    path = folder / "w.duckdb"
    (found,) = pipeline.import_paths([DATA / "types" / "trace.tar.gz"], db=path, options=options)
    assert found.status == "imported"
    return path


@pytest.fixture
def db(warehouse: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        yield connection


def test_lines_of_the_log_are_device_work_on_their_queue(db: duckdb.DuckDBPyConnection) -> None:
    rows = db.execute(
        "SELECT g.kind, g.name, t.base_ns + g.ts, g.dur, g.stream, g.bytes, g.direction "
        "FROM gpu_op AS g JOIN trace AS t ON t.id = g.trace_id ORDER BY g.ts"
    ).fetchall()
    assert rows == [
        ("kernel", "k<float>", OFFSET + 1000, 1000, 3, None, None),
        ("sync", "barrier", OFFSET + 2300, 1500, 3, None, None),
        ("memcpy", "HostToDevice_async_fast", OFFSET + 4000, 2000, None, 1048576, "HtoD"),
    ]


def test_a_barrier_has_an_arrow_from_what_it_waits_for(db: duckdb.DuckDBPyConnection) -> None:
    rows = db.execute(
        "SELECT a.name, b.name FROM link AS l JOIN slice AS a ON a.id = l.from_id "
        "JOIN slice AS b ON b.id = l.to_id WHERE l.kind = 'flow'"
    ).fetchall()
    assert rows == [("k<float>", "barrier")]


def test_broken_lines_are_counted_and_the_log_is_a_file(db: duckdb.DuckDBPyConnection) -> None:
    kind = "SELECT count FROM import_problem WHERE kind = 'broken_log_line'"
    assert db.execute(kind).fetchall() == [(1,)]
    size = "SELECT n_bytes FROM source_file WHERE role = 'option hc_log'"
    assert db.execute(size).fetchall() == [(len(LOG),)]


def test_the_log_makes_no_second_trace_of_the_same_recording(warehouse: Path, tw: Tw) -> None:
    result = tw("import", "--db", warehouse, DATA / "types" / "trace.tar.gz")
    assert "already been imported" in result.err
