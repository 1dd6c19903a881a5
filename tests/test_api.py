"""`warehouse.open`: the words of the command line, from Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import warehouse
from tests.support import sharing
from tests.support.sharing import WarehouseCache
from warehouse.api import Warehouse
from warehouse.errors import MissingDatabase, QueryError, ScopeError, UsageError
from warehouse.library import macros
from warehouse.store import database

DATA = Path(__file__).parent / "data/kineto"
GPU = DATA / "gpu_handwritten/trace.json"
DDP = DATA / "ddp_two_ranks"


@pytest.fixture(scope="module")
def wh(tmp_path_factory: pytest.TempPathFactory, imported_files: WarehouseCache) -> Warehouse:
    folder = tmp_path_factory.mktemp("api")
    wh = warehouse.open(imported_files.copy(folder / "w.duckdb", sharing.GPU))
    statuses = [each.status for each in wh.import_(DDP, run="ddp")]
    assert statuses == ["imported", "imported", "ignored"]
    return wh


def test_an_answer_has_rows_columns_with_units_and_provenance(wh: Warehouse) -> None:
    answer = wh.scope(run="gpu").query("utilization")

    assert len(answer) == answer.n_rows == answer.arrow().num_rows == len(answer.rows()) == 2
    assert answer[0] == next(iter(answer)) == answer.arrow().to_pylist()[0]
    assert answer[-1]["device"] == 1
    (busy,) = [column for column in answer.columns if column.name == "busy_ns"]
    assert (busy.unit, busy.type) == ("ns", "BIGINT")
    assert answer.meta["query"] == "utilization@2"
    assert '"gpu"' in answer.meta["runs"]
    assert answer.arrow_reader().read_all() == answer.arrow()


@pytest.mark.slow
def test_a_scope_narrows_like_the_options(wh: Warehouse) -> None:
    ranks = wh.scope(run="ddp", rank="0,1").query("op_summary")
    assert {row["rank"] for row in ranks} == {0, 1}
    assert {row["rank"] for row in wh.scope(run="ddp", rank=1).query("op_summary")} == {1}
    late = wh.scope(run="gpu", start="50us").sql("SELECT min(ts + dur) AS least FROM slice")
    assert late.one()["least"] > 50_000
    with pytest.raises(ScopeError, match="nope"):
        wh.scope(run="nope").query("utilization")


def test_runs_and_traces_are_those_of_the_whole_warehouse(wh: Warehouse) -> None:
    assert [row["run"] for row in wh.runs()] == ["gpu", "ddp"]
    assert [row["run"] for row in wh.traces()] == ["gpu", "ddp", "ddp"]
    assert len(wh.scope(run="ddp").traces()) == 2


@pytest.mark.slow
def test_two_sides_are_compared_in_the_words_of_the_command(wh: Warehouse) -> None:
    rows = wh.compare("ddp/rank0", "ddp/rank1", by="ops")
    assert rows.meta["query"].startswith("compare_ops@")
    assert {row["status"] for row in rows} <= {"same", "changed", "added", "removed"}
    assert {row["measure"] for row in wh.compare("gpu", "ddp")} >= {"device_time"}
    with pytest.raises(ScopeError, match="nope"):
        wh.compare("gpu", "nope")


@pytest.mark.slow
def test_defects_are_found_and_links_rebuilt(wh: Warehouse) -> None:
    found = wh.scope(run="gpu").check()
    assert {"check_name", "severity", "remedy"} <= {column.name for column in found.columns}
    assert "negative_duration" in {row["check_name"] for row in found}
    done = {each.kind: each for each in wh.scope(run="gpu").link()}
    assert done["launch"].n_before == done["launch"].n_after > 0


def test_parameters_are_bound_and_checked(wh: Warehouse) -> None:
    hostile = "'; DROP TABLE run; --"
    (row,) = wh.sql("SELECT $a AS a, $n::BIGINT + 1 AS b", {"a": hostile, "n": 41})
    assert row == {"a": hostile, "b": 42}
    assert len(wh.scope(run="gpu").query("kernel_summary", top=1)) == 2
    with pytest.raises(UsageError, match="topp"):
        wh.query("kernel_summary", topp=1)
    with pytest.raises(UsageError, match="query 'utilisation' not found") as failed:
        wh.query("utilisation")
    assert "utilization" in str(failed.value.hint)


@pytest.mark.slow
def test_statements_may_be_perfetto_s(wh: Warehouse) -> None:
    gpu = wh.scope(run="gpu")
    counted = gpu.sql('SELECT count(*) AS n FROM slice WHERE name GLOB "cuda*"', dialect="perfetto")
    (plain,) = gpu.sql("SELECT count(*) AS n FROM slice WHERE name LIKE 'cuda%'")
    assert counted.one()["n"] == plain["n"] > 0
    with pytest.raises(UsageError, match="take no parameters"):
        gpu.sql("SELECT 1", {"a": 1}, dialect="perfetto")


def test_sql_only_reads_and_its_errors_are_ours(wh: Warehouse) -> None:
    for statement in ("DELETE FROM run", "SELECT 1; SELECT 2", "FROM read_csv('/etc/passwd')"):
        with pytest.raises(QueryError):
            wh.sql(statement)
    with pytest.raises(QueryError, match="nonsense"):
        wh.sql("SELECT nonsense FROM slice")


@pytest.mark.slow
def test_between_calls_others_can_write_and_within_a_block_they_wait(wh: Warehouse) -> None:
    program = "import duckdb, sys; duckdb.connect(sys.argv[1]).execute('CHECKPOINT')"

    def write() -> int:
        command = [sys.executable, "-c", program, str(wh.path)]
        return subprocess.run(command, capture_output=True, timeout=60).returncode

    wh.runs()
    assert write() == 0
    with wh:
        assert len(wh.runs()) == 2
        assert write() != 0
        with pytest.raises(UsageError, match="open for reading"):
            wh.import_(GPU)
    assert write() == 0


@pytest.mark.integration
def test_a_block_gives_the_same_rows(wh: Warehouse) -> None:
    seen = wh.scope(run="ddp")
    outside = seen.query("op_summary").rows()
    with seen:
        assert seen.query("op_summary").rows() == outside
        assert seen.query("op_summary").rows() == outside


def test_a_stream_hands_out_batches(wh: Warehouse) -> None:
    with wh.scope(run="all").stream("SELECT id FROM slice ORDER BY id") as reader:
        assert reader.schema.names == ["id"]
        n_rows = sum(batch.num_rows for batch in reader)
    assert n_rows == wh.scope(run="all").sql("SELECT count(*) AS n FROM slice").one()["n"]


@pytest.mark.integration
def test_a_notebook_shows_text_never_markup(tmp_path: Path) -> None:
    hostile = "</td><script>alert(1)</script>"
    wh = warehouse.open(tmp_path / "w.duckdb")
    wh.import_(GPU)
    shown = wh.sql("SELECT $x AS name, 1234567 AS n, NULL AS nothing", {"x": hostile})._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown
    assert "1,234,567" in shown


def test_long_answers_are_shortened_on_screen_only(wh: Warehouse) -> None:
    answer = wh.sql("SELECT range AS n FROM range(1000)")
    assert "(40 of 1000 rows)" in repr(answer)
    assert "40 of 1,000 rows" in answer._repr_html_()
    assert len(answer) == 1000


def test_no_rows_are_explained(wh: Warehouse) -> None:
    answer = wh.query("memory_peak")
    why = "0 rows. Of what the query reads, the scope has no memory events (PyTorch records them"
    assert why in repr(answer)
    assert why in answer._repr_html_()
    assert "0 of 0 rows" in wh.sql("SELECT 1 AS x WHERE false")._repr_html_()


def test_pandas_keeps_integers_and_what_is_not_installed_says_how_to_get_it(
    wh: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    for method in (wh.runs().df, wh.runs().pl):
        with pytest.raises(UsageError, match="is not installed") as failed:
            method()
        assert "pip install" in str(failed.value.hint)


def test_big_integers_survive_pandas(wh: Warehouse) -> None:
    pytest.importorskip("pandas")
    frame = wh.sql("SELECT unnest([9007199254740993, NULL])::BIGINT AS n").df()
    assert frame["n"][0] == 9007199254740993


def test_a_missing_file_is_an_error_of_the_first_query(tmp_path: Path) -> None:
    with pytest.raises(MissingDatabase, match=r"nothing\.duckdb"):
        warehouse.open(tmp_path / "nothing.duckdb").runs()


@pytest.mark.slow
def test_a_foreign_client_reads_the_same_rows(wh: Warehouse) -> None:
    with database.writer(wh.path) as writing:
        macros.store_macros(writing)
    with duckdb.connect(str(wh.path), read_only=True) as connection:
        rows = connection.sql("FROM utilization()").fetchall()
    assert rows == wh.scope(run="all").query("utilization").rows()


@pytest.mark.slow
def test_exports_have_a_method_for_each_command(wh: Warehouse, tmp_path: Path) -> None:
    gpu = wh.scope(run="gpu")

    written = gpu.export_perfetto(tmp_path / "gpu.pftrace", no_args=True)
    files = gpu.export_chrome(tmp_path / "gpu.json")
    tables = gpu.export_parquet(tmp_path / "lake")
    book = gpu.export_xlsx(tmp_path / "gpu.xlsx", "utilization", "top_kernels", top=3)
    page = gpu.export_html(tmp_path / "gpu.html", report="pytorch", slices=10)

    (n_slices,) = gpu.sql("SELECT count(*) AS n FROM slice").one().values()
    assert written.n_slices == n_slices
    assert [each.path for each in files] == [tmp_path / "gpu.json"]
    assert {each.name: each.n_rows for each in tables}["slice"] == n_slices
    assert book.path.stat().st_size and page.path.stat().st_size


@pytest.mark.slow
def test_an_exported_file_is_verified_as_by_the_command(wh: Warehouse, tmp_path: Path) -> None:
    wh.scope(run="gpu").export_perfetto(tmp_path / "a.pftrace")
    wh.scope(run="gpu").export_perfetto(tmp_path / "b.pftrace")
    with (tmp_path / "b.pftrace").open("ab") as file:
        file.write(b"x")

    same, changed = wh.verify(tmp_path / "a.pftrace", tmp_path / "b.pftrace")

    assert same.stands and not changed.stands


@pytest.mark.slow
def test_runs_are_tagged_pruned_dropped_and_copied(tmp_path: Path) -> None:
    wh = warehouse.open(tmp_path / "w.duckdb")
    wh.import_(GPU, run="gpu")
    wh.import_(DDP, run="ddp")

    assert wh.tag("baseline", run="gpu") == ("gpu",)
    assert [(each.name, each.run) for each in wh.tags()] == [("baseline", "gpu")]
    assert wh.prune(keep_last=1, keep_tagged=True) == ()
    assert wh.untag("baseline") == ("gpu",)
    assert wh.prune(keep_last=1, keep_tagged=True, dry_run=True) == ("gpu/trace",)
    assert wh.backup(tmp_path / "copy.duckdb") == (tmp_path / "copy.duckdb").stat().st_size
    assert wh.drop(run="ddp", trace="rank1") == ("ddp/rank1",)
    assert wh.info().n_traces == 2
    assert wh.vacuum().after == wh.path.stat().st_size
    assert len(warehouse.open(tmp_path / "copy.duckdb").traces()) == 3
    with pytest.raises(UsageError, match="nothing selected"):
        wh.drop()


def test_the_public_names_are_listed() -> None:
    assert {name: getattr(warehouse, name) is not None for name in warehouse.__all__} == {
        "QueryResult": True, "TwError": True, "Warehouse": True, "__version__": True, "open": True,
    }  # fmt: skip
