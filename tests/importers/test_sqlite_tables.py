"""Tables of SQLite files are read from their pages; Python's sqlite3 judges what they hold."""

import gzip
import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.fuzz.family import families
from tests.support.sharing import slow
from tw_importers.sqlite_tables import BLOB, INTEGER, REAL, TEXT, Database, Kind
from warehouse.errors import CorruptTrace, TraceError, TwError
from warehouse.ingest import pipeline
from warehouse.ingest.decode import Settings, scratch_connection
from warehouse.ingest.importer import Scratch
from warehouse.ingest.streams import TraceStream
from warehouse.store import catalog, database

KINDS: dict[str, Kind] = {"n": INTEGER, "x": REAL, "t": TEXT}


def make(path: Path, *statements: str, page_size: int = 4096, encoding: str = "UTF-8") -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA page_size = {page_size}")
        connection.execute(f"PRAGMA encoding = '{encoding}'")
        connection.executescript(";".join(statements))
        connection.commit()
    return path


def read(path: Path, table: str, kinds: dict[str, Kind]) -> list[tuple[object, ...]]:
    with Database(path) as database:
        found = [tuple(row.values()) for row in database.rows(table, kinds)]
        assert database.problems == []
    return found


def random_value(source: random.Random) -> object:
    return source.choice(
        [
            None,
            0,
            1,
            source.randint(-300, 300),
            source.randint(-(1 << 63), (1 << 63) - 1),
            source.getrandbits(source.randint(1, 62)),
            -source.getrandbits(source.randint(1, 62)),
        ]
    )


@pytest.mark.parametrize("page_size", [512, 4096, 65536])
@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_random_rows_are_read_as_sqlite_reads_them(
    tmp_path: Path, page_size: int, encoding: str
) -> None:
    source = random.Random(page_size)
    path = make(tmp_path / "a.db", "CREATE TABLE a (n INTEGER, x REAL, t TEXT)",
                page_size=page_size, encoding=encoding)  # fmt: skip
    rows = [
        (
            random_value(source),
            source.choice([None, 0.0, 1.5, -1e300, float(source.randint(-9, 9))]),
            source.choice([None, "", "ä€𝄞", "long " * source.randint(1, 1000), "x" * 300]),
        )
        for _ in range(400)
    ]
    with closing(sqlite3.connect(path)) as connection:
        connection.executemany("INSERT INTO a VALUES (?, ?, ?)", rows)
        connection.execute("DELETE FROM a WHERE rowid % 7 = 0")
        connection.commit()
        expected = connection.execute("SELECT n, x, t FROM a ORDER BY rowid").fetchall()
    assert read(path, "a", KINDS) == expected


@pytest.mark.parametrize("n_headers", [1, 3, 40])
@pytest.mark.parametrize("n_odd", [0, 30, 4000])
def test_rows_of_few_headers_and_of_many_are_read_as_sqlite_reads_them(
    tmp_path: Path, n_headers: int, n_odd: int
) -> None:
    """Headers follow the sizes of the numbers; those many rows share are read together."""
    source = random.Random(n_headers + n_odd)
    columns = "a INTEGER, b INTEGER, c, d INTEGER"
    path = make(tmp_path / "a.db", f"CREATE TABLE a (id INTEGER PRIMARY KEY, {columns})")
    shapes = [[random_value(source) for _ in range(4)] for _ in range(n_headers)]
    rows = [(same_size(each, source) for each in source.choice(shapes)) for _ in range(4000)]
    odd = [(*(random_value(source) for _ in range(3)), 2.0) for _ in range(n_odd)]
    with closing(sqlite3.connect(path)) as connection:
        for row in source.sample([*map(tuple, rows), *odd], 4000 + n_odd):
            connection.execute("INSERT INTO a (a, b, d, c) VALUES (?, ?, ?, ?)", row)
        connection.execute("DELETE FROM a WHERE id % 9 = 0")
        connection.execute("ALTER TABLE a ADD COLUMN e INTEGER DEFAULT 5")
        connection.execute("INSERT INTO a (e) SELECT id FROM a WHERE id < 500")
        connection.commit()
        expected = connection.execute("SELECT id, c, a, d, NULL, b FROM a ORDER BY id").fetchall()
        added = connection.execute("SELECT e FROM a ORDER BY id").fetchall()
    assert read(path, "a", dict.fromkeys(["id", "c", "a", "d", "none", "b"], INTEGER)) == expected
    assert read(path, "a", {"e": INTEGER}) == added


def same_size(value: object, source: random.Random) -> object:
    """Another number that SQLite stores in as many bytes, near enough."""
    if not isinstance(value, int) or value in (0, 1):
        return value
    return value ^ source.getrandbits(max(1, abs(value).bit_length() - 2))


@pytest.mark.parametrize(
    "definition",
    [
        "id INTEGER PRIMARY KEY, n INT",
        '"id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, n INT -- a comment, with a comma',
        "id INTEGER, n INT, PRIMARY KEY (id)",
        "id INT PRIMARY KEY, n INT",
        "id INTEGER PRIMARY KEY DESC, n INT",
        "[id] INTEGER CHECK (id > 0), `n` DECIMAL(10, 2) DEFAULT (1), UNIQUE (id, n)",
        "id INTEGER, half INT AS (id / 2), n INT",
        "id INTEGER, half INT AS (id / 2) STORED, n INT",
        "id INTEGER CHECK (CAST(id AS TEXT) <> ''), n INT DEFAULT (CAST('1' AS INT))",
        "id INTEGER, n INT, PRIMARY KEY (ID)",
        "id INTEGER, n INT, PRIMARY KEY (id DESC)",
        "id INTEGER, n INT, CONSTRAINT k PRIMARY KEY (id COLLATE binary ASC) ON CONFLICT REPLACE",
        "id UNSIGNED INTEGER, n INT, PRIMARY KEY (id)",
        "\"id\" 'INTEGER' PRIMARY KEY, n INT",
    ],
)
def test_columns_are_those_of_the_definition(tmp_path: Path, definition: str) -> None:
    path = make(
        tmp_path / "a.db", f"CREATE TABLE a ({definition}\n)",
        "INSERT INTO a (id, n) VALUES (7, 70), (9, 90)",
    )  # fmt: skip
    assert read(path, "a", {"ID": INTEGER, "n": INTEGER}) == [(7, 70), (9, 90)]


def test_a_column_added_later_is_null_in_older_rows_and_a_missing_one_in_all(
    tmp_path: Path,
) -> None:
    path = make(
        tmp_path / "a.db", "CREATE TABLE a (n INTEGER)", "INSERT INTO a VALUES (1)",
        "ALTER TABLE a ADD COLUMN m INTEGER", "INSERT INTO a VALUES (2, 3)",
    )  # fmt: skip
    kinds: dict[str, Kind] = {"m": INTEGER, "none": TEXT, "n": INTEGER}
    assert read(path, "a", kinds) == [(None, None, 1), (3, None, 2)]
    assert read(path, "no_such_table", kinds) == []


def test_rows_older_than_a_column_say_its_default(tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.db", "CREATE TABLE a (n INTEGER)", "INSERT INTO a VALUES (1)",
        "ALTER TABLE a ADD COLUMN i INTEGER DEFAULT 7",
        "ALTER TABLE a ADD COLUMN t TEXT NOT NULL DEFAULT 'it''s'",
        "ALTER TABLE a ADD COLUMN x REAL DEFAULT -1.5",
        "ALTER TABLE a ADD COLUMN h INTEGER DEFAULT 0x10",
        "ALTER TABLE a ADD COLUMN b INTEGER DEFAULT TRUE",
        "ALTER TABLE a ADD COLUMN z INTEGER DEFAULT NULL",
        "INSERT INTO a VALUES (2, 3, 'q', 4, 5, 6, 8)",
    )  # fmt: skip
    kinds: dict[str, Kind] = {"i": INTEGER, "t": TEXT, "x": REAL, "h": INTEGER, "b": INTEGER,
                              "z": INTEGER, "n": INTEGER}  # fmt: skip
    assert read(path, "a", kinds) == [
        (7, "it's", -1.5, 16, 1, None, 1), (3, "q", 4.0, 5, 6, 8, 2)
    ]  # fmt: skip


def test_numbers_without_a_declared_type_are_what_they_say(tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.db", "CREATE TABLE a (n, t)",
        "INSERT INTO a VALUES ('123', 1234567890123456789), (' -5 ', 2.0), "
        "('9223372036854775808', 1e300)",
    )  # fmt: skip
    with Database(path) as database:
        rows = [tuple(row.values()) for row in database.rows("a", {"n": INTEGER, "t": TEXT})]
        assert rows == [(123, "1234567890123456789"), (-5, "2"), (None, "1e+300")]
        assert [each.count for each in database.problems] == [1]


def test_tables_without_rowids_are_told_and_not_taken_for_empty(tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.db", "CREATE TABLE w (n INTEGER PRIMARY KEY) WITHOUT ROWID",
        "CREATE VIRTUAL TABLE f USING fts5(t)",
    )  # fmt: skip
    with Database(path) as database:
        assert [(each.kind, each.example) for each in database.problems if each.example] == [
            ("unreadable_table", "w, f_idx, f_config")
        ]


def test_a_journal_kept_for_the_next_transaction_holds_nothing_back(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", "CREATE TABLE a (n INTEGER)")
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode = persist")
        writer.execute("INSERT INTO a VALUES (1)")
        writer.commit()
    journal = path.with_name("a.db-journal")
    assert journal.stat().st_size > 0
    assert read(path, "a", {"n": INTEGER}) == [(1,)]
    journal.write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(504))
    with pytest.raises(TraceError, match="not in the file yet, but in its journal"):
        Database(path)


def test_a_page_whose_rows_are_all_broken_gives_none(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", "CREATE TABLE a (n INTEGER)", "INSERT INTO a VALUES (77)",
                page_size=512)  # fmt: skip
    content = bytearray(path.read_bytes())
    cell = content.rindex(b"\x03\x01\x02\x01\x4d")
    content[cell] = 0x7F  # longer than its page
    path.write_bytes(content)
    with Database(path) as database:
        assert database.rows("a", {"n": INTEGER}) == []
        assert [each.kind for each in database.problems] == ["damaged_row"]


def test_values_of_another_type_than_asked_for_are_null_and_counted(tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.db", "CREATE TABLE a (n, t)",
        "INSERT INTO a VALUES (1, 5), ('x', 2.5), (3.0, 'y'), (2.5, NULL), (x'00', x'41')",
    )  # fmt: skip
    with Database(path) as database:
        rows = database.rows("a", {"n": INTEGER, "t": TEXT})
        assert [tuple(row.values()) for row in rows] == [
            (1, "5"), (None, "2.5"), (3, "y"), (None, None), (None, "A"),
        ]  # fmt: skip
        assert [(each.kind, each.count) for each in database.problems] == [("mistyped_value", 3)]


def test_blobs_are_read_byte_for_byte(tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.db", "CREATE TABLE a (b)",
        "INSERT INTO a VALUES (x'00ff80'), (NULL), ('t'), (7), (x'')",
    )  # fmt: skip
    with Database(path) as database:
        rows = database.rows("a", {"b": BLOB})
        assert [row["b"] for row in rows] == [b"\0\xff\x80", None, b"t", None, b""]
        assert [(each.kind, each.count) for each in database.problems] == [("mistyped_value", 1)]


def test_views_triggers_indexes_and_virtual_tables_are_no_tables(tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.db",
        "CREATE TABLE a (n INTEGER)",
        "INSERT INTO a VALUES (1)",
        "CREATE VIEW v AS SELECT load_extension('evil') AS n",
        "CREATE TRIGGER tr AFTER INSERT ON a BEGIN SELECT 1; END",
        "CREATE INDEX i ON a (n)",
        "CREATE TABLE w (n INTEGER PRIMARY KEY) WITHOUT ROWID",
        "CREATE VIRTUAL TABLE f USING fts5(t)",
    )
    with Database(path) as database:
        assert "a" in database.tables
        assert not {"v", "tr", "i", "w", "f"} & set(database.tables)
        assert database.rows("v", {"n": INTEGER}) == []


SQLITE = [name for name, family in families().items() if family.structure == "sqlite"]


def rows_of(path: Path, db: Path) -> dict[str, object]:
    """All rows that an import of one file adds, but for its name, bytes and times."""
    (outcome,) = pipeline.import_paths([path], db=db, options=pipeline.Options(run="r"))
    assert outcome.status == "imported", outcome
    with database.Reader(db) as reader:
        return {
            name: reader.connection.execute(
                f'SELECT count(*), bit_xor(hash(COLUMNS(*))) FROM "{name}"'
            ).fetchall()
            for name in ("slice", "track", "gpu_op", "launch", "link", "gpu_memory_op", "device")
            if name in catalog.trace_tables(reader.connection) or name == "link"
        }


@pytest.mark.slow
@pytest.mark.parametrize("name", [SQLITE[0], *map(slow, SQLITE[1:])])
def test_triggers_and_views_of_a_profile_are_never_run(tmp_path: Path, name: str) -> None:
    """A hostile export: a view for every name that is not a table, triggers on all tables."""
    plain, hostile = tmp_path / "plain.db", tmp_path / "hostile.db"
    content = next(iter(families()[name].seeds()[0].values()))
    plain.write_bytes(content)
    hostile.write_bytes(content)
    with closing(sqlite3.connect(hostile)) as connection:
        tables = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table'"
        ).fetchall()
        for n, (table,) in enumerate(tables):
            if not table.startswith("sqlite_"):
                connection.execute(
                    f'CREATE TRIGGER "t{n}" AFTER INSERT ON "{table}" '
                    "BEGIN SELECT load_extension('evil'); END"
                )
        connection.execute(
            "CREATE VIEW evil AS SELECT writefile('evil', 'x'), readfile('/etc/passwd')"
        )
        connection.commit()

    assert rows_of(hostile, tmp_path / "h.duckdb") == rows_of(plain, tmp_path / "p.duckdb")
    assert {path.name for path in tmp_path.iterdir()} == {
        "plain.db", "hostile.db", "h.duckdb", "p.duckdb",
    }  # fmt: skip


def test_a_file_that_a_program_writes_is_refused_by_a_sentence(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", "CREATE TABLE a (n INTEGER)")
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = wal")
        writer.execute("INSERT INTO a VALUES (1)")
        with pytest.raises(TraceError, match="changes that are not in the file yet") as caught:
            Database(path)
        assert caught.value.hint is not None


def test_a_file_that_is_locked_is_refused_by_a_sentence(tmp_path: Path) -> None:
    # A lock of this very process would not be one to itself.
    path = make(tmp_path / "a.db", "CREATE TABLE a (n INTEGER)")
    ready, done = os.pipe(), os.pipe()
    if not (child := os.fork()):
        with closing(sqlite3.connect(path, isolation_level=None)) as writer:
            writer.execute("BEGIN EXCLUSIVE")
            os.write(ready[1], b"x")
            os.read(done[0], 1)
        os._exit(0)
    os.read(ready[0], 1)
    try:
        with pytest.raises(TraceError, match="locked by a program that writes it"):
            Database(path)
    finally:
        os.write(done[1], b"x")
        os.waitpid(child, 0)


@pytest.mark.parametrize(
    "content",
    [b"SQLite format 3\0", b"SQLite format 3\0" + bytes(84), b"SQLite format 3\0" * 300, b"x"],
)
def test_what_is_no_database_is_refused_by_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(content)
    with pytest.raises(CorruptTrace):
        Database(path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with inner pages, long texts and several tables."""
    path = make(
        tmp_path_factory.mktemp("whole") / "a.db",
        "CREATE TABLE a (n INTEGER, x REAL, t TEXT)",
        "CREATE TABLE b (n INTEGER PRIMARY KEY, t TEXT)",
        "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 400) "
        "INSERT INTO a SELECT i * i * i, i / 3.0, "
        "CASE i % 50 WHEN 0 THEN printf('%.*c', 2000, 'y') ELSE 't' || i END FROM s",
        "INSERT INTO b SELECT n, t FROM a",
        page_size=512,
    )
    return path.read_bytes()


def damaged(whole: bytes, source: random.Random) -> bytes:
    """Some bytes changed, pages swapped, or the end cut off."""
    data = bytearray(whole)
    for _ in range(source.randint(1, 8)):
        kind = source.random()
        if kind < 0.6:
            data[source.randrange(len(data))] = source.randrange(256)
        elif kind < 0.8:
            # Where headers, cell pointers and page numbers are.
            page = source.randrange(len(data) // 512) * 512
            data[page + source.randrange(16)] = source.choice([0, 1, 2, 5, 10, 13, 127, 255])
        elif kind < 0.95:
            one, other = (source.randrange(len(data) // 512) * 512 for _ in range(2))
            data[one : one + 512] = data[other : other + 512]
        else:
            del data[source.randrange(100, len(data)) :]
    return bytes(data)


@pytest.mark.integration
def test_damaged_files_give_rows_and_counts_or_a_sentence(whole: bytes, tmp_path: Path) -> None:
    source = random.Random(1)
    path = tmp_path / "a.db"
    for _ in range(60):
        path.write_bytes(damaged(whole, source))
        try:
            with Database(path) as database:
                n_rows = sum(len(database.rows(table, KINDS)) for table in database.tables)
                assert n_rows <= 10 * 800
        except TwError:
            continue


def test_a_file_that_lacks_its_end_gives_what_is_there_unless_read_strictly(
    whole: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(whole[: len(whole) // 2])
    with Database(path) as database:
        assert 0 < len(database.rows("a", KINDS)) < 400
        assert "truncated" in {problem.kind for problem in database.problems}
    with pytest.raises(CorruptTrace, match="truncated"):
        Database(path, is_strict=True)


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Scratch]:
    folder = tmp_path / "scratch"
    folder.mkdir()
    with closing(scratch_connection(folder, Settings())) as connection:
        yield Scratch(folder, connection)


def test_a_file_that_is_cut_while_it_is_read_is_refused_by_a_sentence(
    whole: bytes, tmp_path: Path, scratch: Scratch
) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(whole)
    with Database(path) as database:
        os.truncate(path, len(whole) // 2)
        with pytest.raises(CorruptTrace, match="another program cut the file to"):
            database.rows("a", KINDS)
        with pytest.raises(CorruptTrace, match="another program cut the file to"):
            database.load(scratch, "a", "a", KINDS)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_plain_file_is_read_in_place_and_a_packed_one_from_a_copy(
    whole: bytes, tmp_path: Path, scratch: Scratch, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(pack(whole))
    with path.open("rb") as stored:
        stream = TraceStream(stored, "a.db", path=path)
        content = scratch.file_of(stream)
    assert (content == path) == (pack is bytes)
    assert content.read_bytes() == whole
    assert stream.n_content_bytes == len(whole)
    assert stream.n_stored_bytes == path.stat().st_size


def test_a_table_becomes_one_of_the_scratch_database(
    whole: bytes, tmp_path: Path, scratch: Scratch
) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(whole)
    with Database(path) as database:
        database.load(scratch, "loaded", "b", {"n": INTEGER, "t": TEXT, "none": INTEGER})
    row = scratch.connection.execute(
        "SELECT count(*), max(n), max(length(t)), count(none) FROM loaded"
    ).fetchone()
    assert row == (400, 400**3, 2000, 0)
