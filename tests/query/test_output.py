"""Output is an API: one row of every awkward type, byte for byte, in every format."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from tests.support.sharing import integration, kept_open
from warehouse import files
from warehouse.errors import ExportError, QueryError, UsageError
from warehouse.library import library
from warehouse.query import encoding, execute
from warehouse.query.execute import Result
from warehouse.store import database

LIBRARY = library.load()
AWKWARD = """
    SELECT
      9007199254740993 AS big,
      170141183460469231731687303715884105727 AS huge,
      'nan'::DOUBLE AS nan,
      'inf'::DOUBLE AS inf,
      0.1::DOUBLE AS tenth,
      NULL AS nothing,
      '' AS empty,
      'a,"b"' || chr(10) || '|ü' AS text,
      [1, NULL] AS list,
      {'a': 1.5::DECIMAL(4, 1)} AS struct,
      MAP {'k': 1} AS map,
      INTERVAL 1 DAY AS interval,
      'x\\x00'::BLOB AS blob,
      TIMESTAMP_NS '2024-01-02 03:04:05.123456789' AS ts,
      DATE '2024-01-02' AS day,
      'e'::ENUM ('e') AS enum,
      true AS yes,
      1 AS big
"""
PLAIN = "SELECT 1 AS n, 'a|b' AS name UNION ALL SELECT 20, NULL ORDER BY n"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("output") / "w.duckdb"
    database.create_empty(path)
    with kept_open(path):
        yield path


@pytest.fixture
def connection(empty: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with database.Reader(empty) as reader:
        yield reader.connection


def written(connection: duckdb.DuckDBPyConnection, sql: str, format: str, **options: Any) -> bytes:
    target = io.BytesIO()
    with execute.run(connection, sql, library=LIBRARY) as result:
        encoding.write(result, format, target, **options)
    return target.getvalue()


GOLDEN = {
    "csv": (
        '"big","huge","nan","inf","tenth","nothing","empty","text","list","struct","map",'
        '"interval","blob","ts","day","enum","yes","big_1"\n'
        '9007199254740993,"170141183460469231731687303715884105727",nan,inf,0.1,,"",'
        '"a,""b""\n|ü","[1,null]","{""a"":1.5}","{""k"":1}","0 months 1 days 0 ns","7800",'
        '"2024-01-02 03:04:05.123456789","2024-01-02","e",true,1\n'
    ),
    "jsonl": (
        '{"big":9007199254740993,"huge":170141183460469231731687303715884105727,"nan":null,'
        '"inf":null,"tenth":0.1,"nothing":null,"empty":"","text":"a,\\"b\\"\\n|ü","list":[1,null],'
        '"struct":{"a":1.5},"map":{"k":1},"interval":"0 months 1 days 0 ns","blob":"7800",'
        '"ts":"2024-01-02 03:04:05.123456789","day":"2024-01-02","enum":"e","yes":true,"big_1":1}\n'
    ),
}


@pytest.mark.parametrize("format", GOLDEN)
def test_awkward_values_are_written_exactly(
    connection: duckdb.DuckDBPyConnection, format: str
) -> None:
    assert written(connection, AWKWARD, format).decode() == GOLDEN[format]


def test_json_is_a_list_of_objects(connection: duckdb.DuckDBPyConnection) -> None:
    rows = json.loads(written(connection, PLAIN, "json"))

    assert rows == [{"n": 1, "name": "a|b"}, {"n": 20, "name": None}]
    assert written(connection, PLAIN + " LIMIT 0", "json") == b"[]\n"


def test_tsv_is_separated_by_tabs(connection: duckdb.DuckDBPyConnection) -> None:
    assert written(connection, PLAIN, "tsv") == b'"n"\t"name"\n1\t"a|b"\n20\t\n'


def test_markdown_keeps_its_columns_apart(connection: duckdb.DuckDBPyConnection) -> None:
    assert written(connection, PLAIN, "markdown").decode().splitlines() == [
        "| n | name |",
        "| ---: | --- |",
        "| 1 | a\\|b |",
        "| 20 |  |",
    ]


def test_a_table_is_aligned(connection: duckdb.DuckDBPyConnection) -> None:
    assert written(connection, PLAIN, "table").decode().splitlines() == [
        " n  name",
        "──  ────",
        " 1  a|b",
        "20  NULL",
    ]


def test_a_table_counts_the_rows_it_does_not_show(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    target = io.BytesIO()

    with execute.run(connection, "FROM range(200000)", library=LIBRARY) as result:
        shown = encoding.write(result, "table", target, max_rows=2)

    assert (shown, result.n_rows, target.getvalue().count(b"\n")) == (2, 200_000, 4)


def test_a_table_is_the_same_without_arrow(connection: duckdb.DuckDBPyConnection) -> None:
    sql = """
        SELECT n, 'nan'::DOUBLE / n AS nan, 0.1::DOUBLE * n AS part, chr(27) || 'ü' AS text,
          NULL::VARCHAR AS nothing, n > 2 AS is_more, n::INTEGER AS small, -n * 1125899906842 AS big
        FROM range(66000) AS r(n)
        WHERE n < $below::BIGINT
    """
    for below, n_rows in ((66_000, 66_000), (0, 0)):
        target = io.BytesIO()

        with execute.run(connection, sql.replace("$below", str(below)), as_tuples=True) as result:
            shown = encoding.write(result, "table", target, max_rows=100)

        assert (shown, result.n_rows) == (min(n_rows, 100), n_rows)
        assert target.getvalue() == written(
            connection, sql.replace("$below", str(below)), "table", max_rows=100
        )


def test_a_name_cannot_command_the_terminal(connection: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT chr(27) || '[2J' || chr(10) || chr(8238) AS name"

    assert "\\x1b[2J\\n\\u202e" in written(connection, sql, "table").decode()


def test_a_long_name_is_shortened_in_tables_only(connection: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT repeat('a', 500) || 'z' AS name"

    shown = written(connection, sql, "table").decode().splitlines()[2]

    assert (len(shown), shown[0], shown[-1]) == (80, "a", "z")
    assert len(written(connection, sql, "markdown")) > 500


def test_parquet_has_all_types_and_says_where_it_comes_from(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    data = written(connection, AWKWARD, "parquet", metadata={"query": "x@1"})

    table = parquet.read_table(io.BytesIO(data))

    assert table.schema.metadata[b"tw.query"] == b"x@1"
    row = table.drop_columns(["ts"]).to_pylist(maps_as_pydicts="strict")[0]
    assert (row["big"], row["huge"], row["map"]) == (9007199254740993, 2**127 - 1, {"k": 1})
    assert row["interval"] == "0 months 1 days 0 ns"


def test_columnar_columns_have_units_and_meanings(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    table = ipc.open_file(io.BytesIO(written(connection, "utilization", "arrow"))).read_all()

    assert table.schema.field("busy_ns").metadata == {
        b"unit": b"ns",
        b"description": b"Time in which any operation runs",
    }


@pytest.mark.parametrize("format", encoding.FORMATS)
def test_no_rows_are_written_too(connection: duckdb.DuckDBPyConnection, format: str) -> None:
    data = written(connection, AWKWARD + " LIMIT 0", format)

    # Lines of JSON have no heading: no rows are no bytes.
    assert (data == b"") is (format == "jsonl")


@pytest.mark.parametrize(
    "format", [each if each in ("csv", "arrow") else integration(each) for each in encoding.FORMATS]
)
def test_many_batches_are_one_result(connection: duckdb.DuckDBPyConnection, format: str) -> None:
    data = written(connection, "SELECT range AS n FROM range(150000)", format, max_rows=-1)

    if format == "parquet":
        assert parquet.read_table(io.BytesIO(data)).num_rows == 150_000
    elif format == "arrow":
        assert ipc.open_file(io.BytesIO(data)).read_all().num_rows == 150_000
    else:
        assert data.count(b"149999") == 1
        assert data.count(b"\n") in range(150_000, 150_003)


@pytest.mark.parametrize(
    ("path", "given", "default", "format"),
    [
        (None, None, None, "table"),
        (None, None, "csv", "csv"),
        (Path("a.parquet"), None, "csv", "parquet"),
        (Path("a.NDJSON"), None, None, "jsonl"),
        (Path("a.csv"), "json", None, "json"),
        (Path("a"), "json", None, "json"),
    ],
)
def test_the_format_comes_from_option_name_or_default(
    path: Path | None, given: str | None, default: str | None, format: str
) -> None:
    assert encoding.format_of(path, given, default) == format


def test_a_name_that_says_no_format_is_refused() -> None:
    with pytest.raises(UsageError, match=r"cannot infer the format from 'a\.xyz'"):
        encoding.format_of(Path("a.xyz"), None)


HOSTILE = [
    "SELECT DATE '10000-01-01' AS a", "SELECT [TIMESTAMP '10000-01-01'] AS a",
    "SELECT union_value(k := 1) AS a", "SELECT MAP {[1]: 2} AS a", "SELECT [{}] AS a",
    "FROM test_all_types()",
]  # fmt: skip


@pytest.mark.parametrize("format", encoding.FORMATS)
def test_every_type_has_a_text(connection: duckdb.DuckDBPyConnection, format: str) -> None:
    found = [written(connection, sql, format, max_rows=-1) for sql in HOSTILE]
    if format == "jsonl":
        assert [json.loads(line)["a"] for line in found[:5]] == [
            "10000-01-01", ["10000-01-01 00:00:00.000000"], 1, {"[1]": 2}, [{}],
        ]  # fmt: skip
        assert len(found[5].splitlines()) == 3
    elif format == "parquet":
        tables = [parquet.read_table(io.BytesIO(each)) for each in found]
        assert [each.num_rows for each in tables] == [1, 1, 1, 1, 1, 3]
        assert tables[2].column("a").to_pylist() == ["1"]


def test_values_without_a_python_class_are_texts(connection: duckdb.DuckDBPyConnection) -> None:
    rows = execute.run(connection, HOSTILE[0], library=LIBRARY).rows()
    assert rows == [("10000-01-01",)]
    assert len(execute.run(connection, HOSTILE[-1], library=LIBRARY).rows()) == 3


@pytest.mark.parametrize("sql", ["UPDATE EXTENSIONS", "SELECT '\ud800'", "SELECT 1; SELECT 2"])
def test_a_hostile_statement_is_one_sentence(
    connection: duckdb.DuckDBPyConnection, sql: str
) -> None:
    with pytest.raises(QueryError, match=r"read-only|character 9 .*U\+D800|expected one statement"):
        execute.run(connection, sql, library=LIBRARY)


def test_spreadsheets_find_no_formulas(connection: duckdb.DuckDBPyConnection) -> None:
    """OWASP's list of first characters; numbers stay numbers, other formats stay as they are."""
    texts = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "a=1", "", "'=1"]
    values = ", ".join(f"($${text}$$, -1, ['='], -1.5)" for text in texts)
    sql = f'SELECT a AS "=h", b, c, d FROM (VALUES {values}) AS t(a, b, c, d)'

    safe = written(connection, sql, "csv", is_csv_safe=True).decode()
    rows = list(csv.reader(io.StringIO(safe, newline="")))

    assert rows[0] == ["'=h", "b", "c", "d"]
    assert [row[0] for row in rows[1:]] == [*(f"'{text}" for text in texts[:7]), *texts[7:]]
    assert {tuple(row[1:]) for row in rows[1:]} == {("-1", '["="]', "-1.5")}
    plain = written(connection, sql, "csv").decode()
    assert [row[0] for row in csv.reader(io.StringIO(plain, newline=""))] == ["=h", *texts]
    as_json = written(connection, sql, "json", is_csv_safe=True)
    assert as_json == written(connection, sql, "json")


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"old")

    with pytest.raises(RuntimeError), files.whole_file(path) as file:
        file.write(b"half")
        raise RuntimeError

    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["rows.csv"]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(ExportError, match="cannot be written"),
        files.whole_file(tmp_path / "absent" / "rows.csv"),
    ):
        pass


def test_a_result_knows_its_columns(connection: duckdb.DuckDBPyConnection) -> None:
    with execute.run(connection, PLAIN, library=LIBRARY) as result:
        assert isinstance(result, Result)
        assert [(column.name, column.type) for column in result.columns] == [
            ("n", "INTEGER"),
            ("name", "VARCHAR"),
        ]
        assert result.schema.field("n").type == pa.int32()
