"""Exports of CTF traces: the CSV files equal those of tensorflow-profiler, and CTF reads back."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.conftest import Tw
from tests.importers.test_ctf_meaning import DATA, expected_events, placed
from tests.support import babeltrace
from tests.support.sharing import WarehouseCache, slow
from warehouse.ingest import pipeline
from warehouse.ingest.decode import Settings
from warehouse.ingest.pipeline import Options

HIP = DATA / "hip_hc"


@pytest.fixture(scope="module")
def hip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a trace and its counters, and a trace of counters of the same program."""
    folder = tmp_path_factory.mktemp("hip")
    counters = folder / "rcp.csv"
    counters.write_bytes(gzip.decompress((HIP / "rcp_counters.csv.gz").read_bytes()))
    settings = Settings(options=(("rcp", str(counters)),))
    for trace in (HIP, DATA / "hip_pc"):
        found = pipeline.import_paths(
            [trace / "trace.tar.gz"],
            db=folder / "w.duckdb",
            options=Options(run="hip", jobs=1, settings=settings if trace == HIP else Settings()),
        )
        assert [each.status for each in found] == ["imported"]
    return folder / "w.duckdb"


def test_csv_files_equal_those_of_tensorflow_profiler(hip: Path, tw: Tw, tmp_path: Path) -> None:
    graph = ("--graph", HIP / "graph.pbtxt")
    assert tw("export", "tensorflow-csv", "--db", hip, "-o", "csv", *graph).code == 0
    written = {file.stem for file in (tmp_path / "csv").glob("*.csv")}
    assert written == {"stats", "latencies", "perfcounters_rcp", "pc_stats"}
    for name in written:
        expected = gzip.decompress((HIP / f"{name}.csv.gz").read_bytes())
        assert (tmp_path / "csv" / f"{name}.csv").read_bytes() == expected, name


@pytest.mark.integration
def test_kernels_of_cuda_are_a_module_of_the_statistics(
    imported_files: WarehouseCache, tw: Tw, tmp_path: Path
) -> None:
    db = imported_files.file(("cuda", [DATA / "cuda" / "trace.tar.gz"]))
    assert tw("export", "tensorflow-csv", "--db", db, "-o", "csv").code == 0
    expected = gzip.decompress((DATA / "cuda" / "stats.csv.gz").read_bytes())
    assert (tmp_path / "csv" / "stats.csv").read_bytes() == expected


def test_files_of_options_are_files_of_the_trace_with_their_hash(hip: Path) -> None:
    with duckdb.connect(str(hip), read_only=True) as db:
        rows = db.execute(
            "SELECT role, n_bytes FROM source_file WHERE starts_with(role, 'option ')"
        ).fetchall()
        n_metrics = db.execute(
            "SELECT count(*), count(slice_id) FROM metric WHERE match_status = 'name'"
        ).fetchall()
    text = gzip.decompress((HIP / "rcp_counters.csv.gz").read_bytes())
    assert rows == [("option rcp", len(text))]
    lines = [line for line in text.decode().splitlines() if not line.startswith("#")][1:]
    numbers = [cell for line in lines for cell in line.split(",")[2:] if cell[0] != "{"]
    assert n_metrics == [(len(numbers), len(numbers))]


def test_a_file_of_counters_with_a_short_line_is_refused(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "rcp.csv").write_text("# ListSeparator=,\nMethod,ExecutionOrder\nk_gfx803\n")
    result = tw("import", HIP / "trace.tar.gz", "--option", "rcp=rcp.csv")
    assert result.code == 1
    assert "line 3 has 1 cells, for 2 columns" in result.errors[0]


@pytest.fixture(params=["types", slow("hip_hc"), slow("cuda")])
def exported(
    request: pytest.FixtureRequest, imported_files: WarehouseCache, tw: Tw, tmp_path: Path
) -> Iterator[tuple[str, Path, Path]]:
    db = imported_files.file((request.param, [DATA / request.param / "trace.tar.gz"]))
    assert tw("export", "ctf", "--db", db, "-o", "placed").code == 0
    yield request.param, db, tmp_path / "placed"


def test_exported_events_read_back_as_placed(
    exported: tuple[str, Path, Path], tmp_path: Path
) -> None:
    case, db, folder = exported
    again = tmp_path / "again.duckdb"
    found = pipeline.import_paths([folder], db=again, options=Options(run=case, jobs=1))
    assert {each.status for each in found} == {"imported", "ignored"}  # the manifest is ignored
    with duckdb.connect(str(db), read_only=True) as before, duckdb.connect(str(again)) as after:
        read, written = (placed({case: each}, case) for each in (after, before))
        assert len(read) == len(written)
        if case == "types":
            assert sorted(read) == sorted(written)
        if case == "hip_hc":
            names = [e for e in read if e[1] == "hcTracer:kernel_begin"]
            assert all('"tf_name": ""' not in payload for *_, payload in names)


@pytest.mark.integration
@pytest.mark.skipif(not shutil.which("babeltrace2"), reason="babeltrace2 is not installed")
def test_babeltrace_reads_what_is_exported(exported: tuple[str, Path, Path]) -> None:
    case, _, folder = exported
    printed = subprocess.run(
        ["babeltrace2", "--clock-seconds", "--no-delta", folder],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    found = list(babeltrace.events(printed))
    golden = babeltrace.golden(DATA / case / "golden.txt.gz")
    if case == "types":
        assert [
            (e.ns, e.name, e.cpu, e.context, e.payload) for e in found
        ] == [(e.ns, e.name, e.cpu, e.context, e.payload) for e in golden]  # fmt: skip
    assert len(found) == len(golden)
    times = sorted((ns, name) for ns, name, *_ in expected_events(case)) if case != "types" else []
    assert not times or sorted((e.ns, e.name) for e in found) == times


def test_a_time_window_holds_whole_slices(
    imported_files: WarehouseCache, tw: Tw, tmp_path: Path
) -> None:
    db = imported_files.file(("cuda", [DATA / "cuda" / "trace.tar.gz"]))
    window = ("--from", "13674146", "--to", "16348988")
    result = tw("export", "ctf", "--db", db, *window, "-o", "part")
    pipeline.import_paths([tmp_path / "part"], db=tmp_path / "part.duckdb", options=Options(jobs=1))
    rows = (
        "SELECT t.base_ns + s.ts, s.dur, s.category, s.name"
        " FROM slice AS s JOIN trace AS t ON t.id = s.trace_id"
    )
    with duckdb.connect(str(db), read_only=True) as before:
        expected = sorted(
            before.execute(f"{rows} WHERE s.ts < 16348988 AND s.ts + s.dur > 13674146").fetchall()
        )
    with duckdb.connect(str(tmp_path / "part.duckdb")) as after:
        assert sorted(after.execute(rows).fetchall()) == expected
        ((n_events,),) = after.execute("SELECT sum(n_events) FROM event_class").fetchall()
    assert f"{n_events} events in" in result.err


@pytest.mark.parametrize("window", [(), slow(("--from", "5ms", "--to", "8ms"))], ids=str)
def test_losses_of_each_processor_are_kept(
    window: tuple[str, ...], imported_files: WarehouseCache, tw: Tw, tmp_path: Path
) -> None:
    db = imported_files.file(("discard", [DATA / "discard" / "trace.tar.gz"]))
    assert tw("export", "ctf", "--db", db, *window, "-o", "part").code == 0
    pipeline.import_paths([tmp_path / "part"], db=tmp_path / "part.duckdb", options=Options(jobs=1))
    with duckdb.connect(str(db), read_only=True) as before:
        losses = before.execute("SELECT cpu, n_events, from_ts, to_ts FROM event_loss").fetchall()
    first, last = (5_000_000, 8_000_000) if window else (0, 1 << 62)
    expected: Counter[int] = Counter()
    for cpu, n_events, start, end in losses:
        expected[cpu] += n_events if start < last and end > first else 0
    with duckdb.connect(str(tmp_path / "part.duckdb")) as after:
        found = after.execute("SELECT cpu, sum(n_events) FROM event_loss GROUP BY cpu").fetchall()
    assert dict(found) == expected
