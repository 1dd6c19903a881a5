"""Every written file says what it was made from, and `tw verify` says whether it still stands."""

from __future__ import annotations

import base64
import json
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from tests.support.sharing import DDP, GPU, WarehouseCache, integration, kept_open, slow
from warehouse.export import manifest
from warehouse.ingest import pipeline
from warehouse.library.header import Column
from warehouse.query import digest, lineage
from warehouse.query.result import QueryResult
from warehouse.store import database

if TYPE_CHECKING:
    from tests.conftest import Tw

KINETO = Path(__file__).parents[1] / "data" / "kineto"
ROWS = ("csv", "tsv", "json", "jsonl", "md", "txt", "parquet", "arrow")
#: Written as CSV is, with the same file beside it.
ALIKE = ("tsv", "json", "jsonl", "md", "txt", "arrow")
#: Rows are written by default; files of timelines stand in tests/export/test_predicted.py, too.
MORE = ("pftrace", "parquet", "html", "xlsx", "json.gz", "lake")
#: How each kind of file is written, by what its name ends in.
WRITE = {
    **dict.fromkeys(ROWS, ("query", "kernel_summary")),
    "xlsx": ("export", "xlsx", "kernel_summary", "utilization"),
    "html": ("export", "html", "kernel_summary"),
    "pftrace": ("export", "perfetto"),
    "json.gz": ("export", "chrome"),
    "lake": ("export", "parquet"),
}


KINDS = [
    slow(kind) if kind in ALIKE else integration(kind) if kind in MORE else kind for kind in WRITE
]


@pytest.fixture(scope="module")
def imported(imported_files: WarehouseCache) -> Path:
    """One recording of a GPU in the run `gpu`; then one of two ranks."""
    return imported_files.file(GPU, DDP)


@pytest.fixture(scope="module")
def reversed_order(imported_files: WarehouseCache) -> Path:
    """The same recordings, imported elsewhere and in another order."""
    return imported_files(DDP, GPU)


@pytest.fixture
def db(imported: Path, tmp_path: Path) -> Path:
    path = tmp_path / "traces.duckdb"
    path.write_bytes(imported.read_bytes())
    return path


def written(tw: Tw, kind: str, *more: str) -> Path:
    """A file of the run `gpu`, in the working folder."""
    path = Path(f"out.{kind}")
    ran = tw(*WRITE[kind], "--run", "gpu", "-o", path, *more)
    assert ran.code == 0, ran.err
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_every_kind_says_what_made_it_and_stands(tw: Tw, db: Path, kind: str) -> None:
    path = written(tw, kind)
    made = manifest.read(path)

    assert (list(made.runs), made.warehouse) == (["gpu"], "traces.duckdb")
    assert len(made.traces[0]["sha256"][0]) == 64
    ran = tw("verify", path)
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "Match.")


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory, data_dir: Path) -> Iterator[Path]:
    """An execution trace and the timeline of the same process."""
    path = tmp_path_factory.mktemp("verify_graph") / "w.duckdb"
    case = data_dir / "chakra" / "own_gpu_cnn"
    files = [case / "kineto.json.gz", case / "host_et.json.gz"]
    pipeline.import_paths(files, db=path, options=pipeline.Options(run="cnn", rank=0, jobs=1))
    with kept_open(path):
        yield path


@pytest.mark.integration
@pytest.mark.parametrize(
    ("arguments", "made"),
    [
        (("execution-trace", "-o", "et.json"), "et.json"),
        slow(("chakra-etplus", "-o", "plus.json.gz"), "plus.json.gz"),
        slow(("chakra-etplus", "-o", "folder", "--set", "chakra-1.0"), "folder"),
        slow(("chakra-et", "-o", "one.et", "--set", "chakra-1.0"), "one.et"),
        slow(("chakra-et", "--set", "chakra-1.0"), "cnn.0.et"),
        integration(("dot", "--root", "aten::linear", "-o", "part.dot"), "part.dot"),
    ],
)
def test_graphs_stand_too(tw: Tw, linked: Path, arguments: tuple[str, ...], made: str) -> None:
    ran = tw("export", *arguments, "--db", linked)
    assert ran.code == 0, ran.err
    checked = tw("verify", made, "--db", linked)

    assert checked.code == 0, checked.out


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory, data_dir: Path) -> Iterator[Path]:
    """A capture of a TPU."""
    path = tmp_path_factory.mktemp("verify_tpu") / "w.duckdb"
    case = data_dir / "bigtpu" / "aks_m1_1core" / "input"
    pipeline.import_paths([case], db=path, options=pipeline.Options(run="tpu", jobs=1))
    with kept_open(path):
        yield path


@pytest.mark.integration
@pytest.mark.parametrize(
    ("format", "made"),
    [slow("tpu-summary", "summary.txt"), ("tpu-registers", "registers")],
)
def test_text_files_of_tpu_captures_stand_too(
    tw: Tw, capture: Path, format: str, made: str
) -> None:
    assert tw("export", format, "--db", capture).code == 0
    checked = tw("verify", made, "--db", capture)

    assert checked.code == 0, checked.out


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [slow(("compare", "gpu", "ddp")), ("check", "all")], ids=["compare", "check"]
)
def test_reports_for_people_stand_and_name_their_queries(
    tw: Tw, db: Path, command: tuple[str, ...]
) -> None:
    tw(*command, "--format", "report", "-o", "report.txt")
    stood = tw("verify", "report.txt")
    tw("drop", "--run", "ddp", "--yes")
    gone = tw("verify", "report.txt")

    assert (stood.code, gone.code) == (0, 1), stood.out
    assert "contract" not in stood.out


@pytest.mark.integration
@pytest.mark.parametrize("kind", ["csv", *map(slow, ("xlsx", "parquet", "html"))])
def test_numbers_that_are_other_now_do_not_stand(tw: Tw, db: Path, kind: str) -> None:
    path = written(tw, kind)
    with database.writer(db) as connection:
        connection.execute("UPDATE slice SET dur = dur + 1 WHERE category = 'kernel'")
        connection.execute("UPDATE gpu_op SET dur = dur + 1 WHERE kind = 'kernel'")
    ran = tw("verify", path)

    assert ran.code == 1
    assert "kernel_summary" in ran.out
    assert "differs" in ran.out
    assert ran.out.endswith("Mismatch.\n")


@pytest.mark.parametrize("kind", ["csv", *map(slow, ("pftrace", "parquet", "xlsx", "html"))])
def test_a_trace_that_is_gone_is_named(tw: Tw, db: Path, kind: str) -> None:
    path = written(tw, kind)
    tw("drop", "--run", "gpu", "--yes")
    ran = tw("verify", path)

    assert ran.code == 1
    assert "not in traces.duckdb: trace" in ran.out


@pytest.mark.integration
@pytest.mark.parametrize(
    "kind", ["parquet", "pftrace", *map(slow, ("html", "csv", "xlsx", "json.gz"))]
)
def test_the_same_traces_in_another_warehouse_give_the_same_numbers(
    tw: Tw, db: Path, reversed_order: Path, kind: str
) -> None:
    path = written(tw, kind)

    assert tw("verify", path, "--db", reversed_order).code == 0


@pytest.mark.slow
def test_tables_with_ids_are_verified_where_they_were_written(
    tw: Tw, db: Path, reversed_order: Path
) -> None:
    path = written(tw, "lake")
    ran = tw("verify", path, "--db", reversed_order)

    assert ran.code == 1
    assert (
        "cannot be verified  its trace ids are other ones here; verify it in the warehouse"
        in ran.out
    )


@pytest.mark.parametrize("kind", ["csv", *map(slow, ("lake", "pftrace", "json.gz"))])
def test_a_file_that_was_changed_does_not_stand(tw: Tw, db: Path, kind: str) -> None:
    path = written(tw, kind)
    changed = next(path.rglob("*.parquet")) if path.is_dir() else path
    changed.write_bytes(changed.read_bytes() + b"\n")
    ran = tw("verify", path)

    assert ran.code == 1
    assert "changed after it was written" in ran.out


@pytest.mark.integration
def test_rows_that_were_changed_in_a_columnar_file_do_not_stand(tw: Tw, db: Path) -> None:
    from pyarrow import parquet

    path = written(tw, "parquet")
    table = parquet.read_table(path)
    parquet.write_table(table.slice(1), path)

    assert tw("verify", path).code == 1


@pytest.mark.slow
def test_scope_window_parameters_and_statements_are_made_again(tw: Tw, db: Path) -> None:
    window = ("--from", "30us", "--to", "100us")
    bucket = ("-p", "bucket_ns=10us")
    tw("query", "utilization_over_time", "--run", "gpu", *window, *bucket, "-o", "a.csv")
    statement = "SELECT name, sum(dur) FROM slice GROUP BY name"
    tw("query", "-c", statement, "--rank", "1", "--run", "ddp", "-o", "b.jsonl")
    tw("query", "--dialect", "perfetto", "-c", "SELECT count(*) AS n FROM slice", "-o", "c.csv")
    tw("query", "compare_summary", "-p", "a=gpu", "-p", "b=ddp", "-o", "d.csv")

    for name in ("a.csv", "b.jsonl", "c.csv", "d.csv"):
        ran = tw("verify", name)
        assert ran.code == 0, ran.out


def test_a_changed_query_is_reported(tw: Tw, db: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    text = (
        '/* ---\nname = "mine"\nversion = 1\ntitle = "t"\ngrain = []\n{}'
        '[changes]\n1 = "first"\n--- */\nSELECT {} AS n\n'
    )
    column = '[[column]]\nname = "n"\ntype = "INTEGER"\nunit = "count"\nhelp = "n"\n'
    (own / "mine.sql").write_text(text.format(column, 1))
    assert tw("query", "mine", "--query-path", own, "-o", "a.csv").code == 0
    (own / "mine.sql").write_text(text.format(column, 2))
    ran = tw("verify", "a.csv", "--query-path", own)

    assert ran.code == 1
    assert "1 row then, 1 now" in ran.out
    (own / "mine.sql").write_text(text.format(column.replace("count", "ns"), 1))
    assert "the contract of the query has changed" in tw("verify", "a.csv", "--query-path", own).out


@pytest.mark.integration
def test_a_removed_version_is_regenerated_by_the_text_in_the_manifest(
    tw: Tw, db: Path, tmp_path: Path
) -> None:
    """Of the query and of what it calls; older files without texts are answered by a sentence."""
    own = tmp_path / "own"
    own.mkdir()
    text = (
        '/* ---\nname = "{name}"\nversion = {version}\ntitle = "t"\ngrain = []\n{requires}'
        'columns = ["n_slices"]\n[column.n_slices]\ntype = "BIGINT"\nunit = "count"\n'
        '[changes]\n{version} = "v"\n--- */\nSELECT {sql} AS n_slices FROM {source}\n'
    )
    base = {"name": "counted", "version": 1, "requires": "", "source": "slice"}
    (own / "counted.sql").write_text(text.format(**base, sql="count(*)"))
    mine = {"name": "mine", "source": "counted()", "sql": "n_slices"}
    requires = 'requires = { queries = ["counted@1"] }\n'
    (own / "mine.sql").write_text(text.format(**mine, version=1, requires=requires))
    for name in ("a.csv", "a.parquet", "a.arrow"):
        assert tw("query", "mine", "--run", "gpu", "--query-path", own, "-o", name).code == 0
    older = json.loads(Path("a.csv.origin.json").read_text()) | {"queries": ""}

    (own / "counted.sql").unlink()
    (own / "mine.sql").write_text(
        text.format(**mine | {"source": "slice", "sql": "max(id)"}, version=2, requires="")
    )
    for name in ("a.csv", "a.parquet", "a.arrow"):
        ran = tw("verify", name, "--query-path", own)
        assert ran.code == 0, ran.out
        assert "mine@1 is not in the library of this tw" in ran.out
    Path("a.csv.origin.json").write_text(json.dumps(older))
    ran = tw("verify", "a.csv", "--query-path", own)
    assert ran.code == 1
    assert "query mine@1 was removed; the current version is mine@2" in ran.out


def test_queries_of_a_manifest_are_read_with_care() -> None:
    """They come from a file that anybody may have written."""
    packed = lineage.pack_texts({"a@1": "SELECT 1"})

    assert lineage.unpack(packed) == {"a@1": "SELECT 1"}
    assert lineage.unpack("") == {}
    bomb = base64.b64encode(zlib.compress(b"[" * (64 << 20), 9)).decode()
    for damaged in (packed[:-8], "?", bomb, base64.b64encode(zlib.compress(b"[1]")).decode()):
        with pytest.raises(ValueError, match=r".+"):
            lineage.unpack(damaged)


def test_a_query_of_a_file_outside_the_library_is_kept_as_text(
    tw: Tw, db: Path, tmp_path: Path
) -> None:
    own = tmp_path / "mine.sql"
    own.write_text("SELECT count(*) AS n FROM slice")
    assert tw("query", own, "-o", "a.csv").code == 0
    own.unlink()
    ran = tw("verify", "a.csv")

    assert (ran.code, "contract" in ran.out) == (0, False), ran.out


@pytest.mark.slow
def test_several_files_stand_only_if_all_do(tw: Tw, db: Path) -> None:
    first, second = written(tw, "csv"), written(tw, "jsonl")
    assert tw("verify", first, second).code == 0
    second.write_bytes(b"{}\n")
    ran = tw("verify", first, second, "--json")

    assert ran.code == 1
    assert [json.loads(line)["stands"] for line in ran.out.splitlines()] == [True, False]


@pytest.mark.integration
def test_machines_can_read_the_findings(tw: Tw, db: Path) -> None:
    path = written(tw, "csv")
    found = json.loads(tw("verify", path, "--json").out)

    assert found["stands"] is True
    assert found["findings"] == [
        {"part": found["origin"]["parts"][0]["query"], "state": "stands", "reason": None}
    ]


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.xlsx", "a.html", "a.pftrace", "folder"])
def test_a_file_that_says_nothing_is_refused_in_one_sentence(
    tw: Tw, db: Path, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.mkdir() if name == "folder" else path.write_bytes(b"anything")
    ran = tw("verify", path)

    assert ran.code == 2
    assert "has no manifest" in ran.err


def test_a_workbook_that_defines_entities_is_refused(tw: Tw, db: Path) -> None:
    path = written(tw, "xlsx")
    with zipfile.ZipFile(path) as book:
        files = {each: book.read(each) for each in book.namelist()}
    bomb = b'<!DOCTYPE a [<!ENTITY b "bbbb">]>'
    files["xl/workbook.xml"] = files["xl/workbook.xml"].replace(
        b"<workbook", bomb + b"<workbook", 1
    )
    with zipfile.ZipFile(path, "w") as book:
        for each, content in files.items():
            book.writestr(each, content)

    assert tw("verify", path).code == 2


# The digest


def digest_of(table: pa.Table, units: tuple[str | None, ...] = ()) -> str:
    units = units or (None,) * table.num_columns
    columns = tuple(Column(n, "", u) for n, u in zip(table.column_names, units, strict=True))
    return digest.of(QueryResult(table, columns, {}))


TABLE = pa.table({"name": ["a", "b", None], "n": [1, 2, 2], "x": [0.1, None, 1e300]})


def test_the_digest_does_not_depend_on_order_or_pieces() -> None:
    pieces = pa.concat_tables([TABLE.slice(2), TABLE.slice(0, 1), TABLE.slice(1, 1)])

    assert digest_of(pieces) == digest_of(TABLE)


@pytest.mark.parametrize(
    "other",
    [
        TABLE.slice(1),
        pa.concat_tables([TABLE, TABLE.slice(0, 1)]),
        pa.concat_tables([TABLE, TABLE.slice(0, 1), TABLE.slice(0, 1)]),
        TABLE.set_column(0, "name", pa.array(["a", "b", ""])),
        TABLE.set_column(0, "name", pa.array(["a", "b", "NULL"])),
        TABLE.set_column(1, "n", pa.array([1, 2, 3])),
        TABLE.set_column(2, "x", pa.array([0.1000001, None, 1e300])),
    ],
)
def test_the_digest_of_other_rows_is_another(other: pa.Table) -> None:
    assert digest_of(other) != digest_of(TABLE)


def test_the_digest_leaves_out_ids_and_the_last_digits_of_fractions() -> None:
    moved = TABLE.set_column(1, "n", pa.array([7, 8, 9]))
    units = (None, "ref trace.id", None)
    assert digest_of(moved, units) == digest_of(TABLE, units)

    summed = TABLE.set_column(2, "x", pa.array([0.1 + 1e-17, None, 1e300]))
    assert digest_of(summed) == digest_of(TABLE)
