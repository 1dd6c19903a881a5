"""Query files: headers, tokens, versions, macros, and the contracts of all queries we ship."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.metamorphic import install
from tests.support.sharing import integration, slow
from warehouse.errors import ConfigError, ContractError, QueryTimeout, UsageError
from warehouse.library import contract, header, library, lock, macros, structure, tokens
from warehouse.library.arguments import arguments
from warehouse.library.installed import Macros
from warehouse.library.library import Library, Query
from warehouse.library.parameter import sql_literal
from warehouse.query import execute
from warehouse.store import database

LIBRARY = library.load()
HEADER = """/* ---
name = "{name}"
version = {version}
title = "t"
grain = ["x"]
requires = {{ queries = [{calls}] }}
{more}
[[column]]
name = "x"
type = "BIGINT"
[changes]
{version} = "first"
--- */
"""


def text(name: str, sql: str, *, version: int = 1, calls: str = "", more: str = "") -> str:
    return HEADER.format(name=name, version=version, calls=calls, more=more) + sql


PARAMETER = '[param.n]\ntype = "BIGINT"\ndefault = 5\nmin = 1\nmax = 9'
OPTIONAL = '[param.n]\ntype = "BIGINT"\nnullable = true'


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A warehouse with two devices' worth of random work, held open: each test opens it again."""
    path = tmp_path_factory.mktemp("worked") / "w.duckdb"
    database.create_empty(path)
    source = random.Random(1)
    with duckdb.connect(str(path)) as writing:
        writing.execute(
            "INSERT INTO run (id, name, kind, created_at) "
            "VALUES (1, 'r', 'measured', now()::TIMESTAMP)"
        )
        writing.execute(
            "INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, "
            "tw_version, imported_at, base_ns, source_base_ns) "
            "VALUES (1, 1, 't', 0, 'kineto', 'k', 1, '0', now()::TIMESTAMP, 0, 0)"
        )
        for n in range(60):
            values = [n, n % 2, source.randrange(5000), source.randrange(300), f"k{n % 4}"]
            writing.execute(
                "INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, "
                "kind, class, stream) VALUES (?, 1, 0, ?, ?, ?, ?, 'kernel', 'compute', 0)",
                values,
            )
            writing.execute(
                "INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth) "
                "VALUES (?, 1, 0, ?, ?, 'cpu_op', ?, 0)",
                [n, n * 10, 5, f"op{n % 3}"],
            )
        writing.execute(
            "INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) "
            "SELECT id, trace_id, track_id, ts, dur, name FROM slice"
        )
    with database.Reader(path):
        yield path


@pytest.fixture
def connection(worked: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The same, locked."""
    with database.Reader(worked) as reader:
        yield reader.connection


@pytest.mark.slow
def test_all_queries_keep_their_contracts() -> None:
    assert contract.check(LIBRARY) == []


def test_no_contract_changed_without_a_new_version() -> None:
    assert lock.problems(LIBRARY, lock.read(lock.lock_path())) == []


def test_the_changelog_is_written_from_the_headers() -> None:
    lines = contract.changelog(LIBRARY).splitlines()

    for name, query in LIBRARY.newest.items():
        assert query.header is not None
        first = lines.index(f"## {name}") + 4
        versions = sorted(query.header.changes, reverse=True)
        assert lines[first : first + len(versions)] == [
            f"- version {version}: {query.header.changes[version]}" for version in versions
        ]


def parameters_of(query: Query) -> dict[str, Any]:
    samples: dict[str, Any] = {"BIGINT": 1, "DOUBLE": 0.5, "VARCHAR": "x", "BOOLEAN": True}
    samples |= {f"{name}[]": [value] for name, value in samples.items()}
    samples |= {p.name: int(p.min) for p in query.parameters if p.min is not None and p.min >= 1}
    return {
        p.name: p.default if p.has_default else samples.get(p.name, samples[p.type])
        for p in query.parameters
    }


#: Those that `test_metamorphic.py` does not run, both ways and on more rows.
NOT_PUBLIC = [
    key
    for key, query in sorted(LIBRARY.queries.items())
    if query.layer in ("lib", "link", "compare")
]


#: What links is run as a statement; a macro of it nobody calls.
CALLED = [
    slow(key) if LIBRARY.queries[key].layer == "link" or n % 16 else key
    for n, key in enumerate(NOT_PUBLIC)
]


@pytest.mark.parametrize("key", CALLED)
def test_a_query_and_its_macro_give_equal_rows(
    connection: duckdb.DuckDBPyConnection, key: str
) -> None:
    query = LIBRARY.queries[key]
    values = parameters_of(query)

    bound = execute.run(connection, query, values, library=LIBRARY, kept=set()).rows()
    positions = [p.name for p in query.parameters if not p.has_default]
    defaults = execute.run(
        connection,
        f'FROM "{key}"({", ".join(sql_literal(values[name]) for name in positions)})',
        library=LIBRARY,
        kept=set(),
    ).rows()

    if query.layer == "lib":  # building blocks promise no order
        bound, defaults = (sorted(rows, key=repr) for rows in (bound, defaults))
    assert bound == defaults


@pytest.mark.slow
@pytest.mark.parametrize("key", NOT_PUBLIC)
def test_a_macro_takes_every_argument_by_name(
    connection: duckdb.DuckDBPyConnection, key: str
) -> None:
    query = LIBRARY.queries[key]
    values = parameters_of(query)
    given = ", ".join(f"p_{name} := ${name}" for name in values)

    bound = execute.run(connection, query, values, library=LIBRARY, kept=set()).rows()
    statement = f'FROM "{key}"({given})'
    macro = execute.run(connection, statement, values, library=LIBRARY, kept=set()).rows()

    assert sorted(bound, key=repr) == sorted(macro, key=repr)


#: The rows of the others are checked on random traces and recordings.
KEYS = [
    slow(key) if key not in NOT_PUBLIC or n % 6 else integration(key) if n % 24 else key
    for n, key in enumerate(sorted(LIBRARY.queries))
]


@pytest.mark.parametrize("key", KEYS)
def test_rows_keep_the_contract(connection: duckdb.DuckDBPyConnection, key: str) -> None:
    query = LIBRARY.queries[key]
    install(connection, query, Macros(), set())

    assert contract.check_rows(connection, query, parameters_of(query)) == []


@pytest.mark.slow
def test_macros_can_be_stored_for_other_clients(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    database.create_empty(path)
    with duckdb.connect(str(path)) as writing:
        macros.install(writing, temp=False)

    with duckdb.connect(str(path), read_only=True) as foreign:
        assert foreign.execute("FROM utilization()").fetchall() == []
        assert foreign.execute('FROM "utilization@2"()').fetchall() == []
        assert foreign.sql("FROM what_if_batch(2)").columns[:2] == ["node_id", "run_id"]
        with pytest.raises(duckdb.Error, match="run `tw query what_if_batch`"):
            foreign.execute("FROM what_if_batch(2)")


def test_tokens_are_the_sql_again() -> None:
    sql = """/* $a */ SELECT 'it''s $b', "q$c", $$ $d $$, E'\\' $e', $f::BIGINT -- $g
        , 1.5e-3, a--b
        /b, $tag$ ' $tag$ FROM x;"""

    assert "".join(token.text for token in tokens.split(sql)) == sql
    assert tokens.parameters(sql) == ["f"]


def test_layout_comments_and_case_do_not_change_a_statement() -> None:
    assert tokens.normalise("select A,b from T -- c\n;") == tokens.normalise(
        "/* c */ SELECT a, b\nFROM t"
    )
    assert tokens.normalise("SELECT 'A'") != tokens.normalise("SELECT 'a'")
    assert tokens.normalise('SELECT "A"') != tokens.normalise('SELECT "a"')


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a FROM t ORDER BY f(a), b -- LIMIT 1", "SELECT a FROM t "),
        ("SELECT a FROM t ORDER BY a LIMIT 3", None),
        ("SELECT row_number() OVER (ORDER BY a) FROM t", None),
        ("SELECT list_sort([(SELECT 1 ORDER BY 1)]), 'ORDER BY' FROM t", None),
        ("FROM (FROM t ORDER BY a LIMIT 3) ORDER BY a", "FROM (FROM t ORDER BY a LIMIT 3) "),
    ],
)
def test_only_the_order_of_all_rows_is_left_out(sql: str, expected: str | None) -> None:
    assert tokens.unordered(sql) == (expected or sql)


def test_a_call_is_pinned_and_a_column_of_that_name_is_not() -> None:
    sql = "SELECT busy.x, 'busy(' FROM Busy (p_n := $n) AS busy, s.busy(1)"

    body = tokens.macro_body(sql, {"busy": "busy@3"})

    assert body == "SELECT busy.x, 'busy(' FROM \"busy@3\" (p_n := p_n) AS busy, s.busy(1)"


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ("SELECT 1", "has no header"),
        ("/* ---\nname = \n--- */ SELECT 1", "the header is not valid TOML"),
        ('/* ---\nname = "x"\n--- */ SELECT 1', "the header lacks 'version'"),
        (text("X", "SELECT 1"), "is not in lower_snake_case"),
        (text("x", "SELECT 1", version=0), "invalid version 0: expected an integer from 1"),
        (text("x", "SELECT 1", more="titel = 1"), "did you mean 'title'"),
        (text("x", "SELECT 1", more='[param.n]\ntype = "INT"'), "type 'INT' is not one of"),
        (text("x", "SELECT 1", more='[param.n]\ntype = "BIGINT"\ndefault = "a"'), "default of"),
        (text("x", "SELECT 1", calls='"y"'), "write it pinned"),
        (
            text("x", "SELECT 1").replace("{ queries", '{ schema = "1", queries'),
            "the least version",
        ),
        (text("x", "SELECT 1").replace('["x"]', '["z"]'), "grain 'z' is not a column"),
        (text("x", "SELECT 1").replace('"x"\ntype', '"p_x"\ntype'), "macro arguments"),
        (text("x", "SELECT 1").replace('1 = "first"', '2 = "later"'), "does not say what version"),
    ],
)
def test_a_wrong_header_is_explained(broken: str, message: str) -> None:
    with pytest.raises(ContractError) as failure:
        header.parse(broken, "x.sql")

    assert failure.value.message.startswith("x.sql")
    assert message in failure.value.message


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        (text("x", "SELECT 1::BIGINT AS x; SELECT 2"), "is not one SELECT"),
        (text("x", "DELETE FROM slice"), "is not one SELECT"),
        (text("x", "SELECT (("), "does not parse"),
        (text("x", "SELECT 1::BIGINT AS x").replace("{ queries", '{ schema = ">=9999", queries'),
         "requires schema >=9999"),
        (text("x", "WITH d AS (DELETE FROM slice RETURNING id) SELECT id AS x FROM d ORDER BY 1"),
         "does more than read"),
        (text("x", "SELECT id AS x FROM slce ORDER BY 1"), "reads slce, which is not a table"),
        (text("x", "SELECT id AS x FROM w.slice ORDER BY 1"), "names a database or schema"),
        (text("x", "SELECT x FROM device_op() ORDER BY 1"), "calls device_op, which its header"),
        (text("x", "SELECT id AS x FROM slice ORDER BY 1", calls='"device_op@1"'),
         "requires device_op@1 and does not call it"),
        (text("x", "SELECT x FROM utilization() ORDER BY 1", calls='"utilization@2"'),
         "only queries in lib and replay are building blocks"),
        (text("x", "SELECT $m::BIGINT AS x ORDER BY 1"), "uses $m, which its header does not"),
        (text("x", "SELECT $n AS x ORDER BY 1", more=PARAMETER), "uses $n without ::BIGINT"),
        (text("x", "SELECT 1::BIGINT AS x ORDER BY 1", more=PARAMETER), "does not use it"),
        (text("x", "SELECT * FROM slice ORDER BY 1"), "returns *"),
        (text("x", "SELECT id FROM slice ORDER BY 1"), "returns id; its header declares x"),
        (text("x", "SELECT id AS x FROM slice"), "has no ORDER BY"),
        (text("x", "WITH a AS (SELECT id AS p_id FROM slice) SELECT p_id AS x FROM a ORDER BY 1"),
         "names something p_id"),
        (text("x", "SELECT id AS x FROM slice ORDER BY 1 LIMIT 3", more='scale = "run"'),
         "limits all rows together: its scale is not run"),
        (text("x", "SELECT max(id) AS x FROM slice ORDER BY 1", more='scale = "trace"'),
         "returns one row for all traces: its scale is not trace"),
        (text("x", "SELECT $n::VARCHAR AS x FROM slice ORDER BY 1",
              more='scale = "run"\nparam.n = { type = "VARCHAR", unit = "side" }'),
         "compares runs: its scale is not run"),
        (text("x", "SELECT from_id AS x FROM replay_edge() ORDER BY 1", calls='"replay_edge@5"',
              more='scale = "trace"'), "whose rows are those of a run: its scale is not trace"),
        (text("x", "SELECT run_id, id AS x FROM trace ORDER BY 1",
              more='scale = "trace"\n[[column]]\nname = "run_id"\ntype = "BIGINT"'
              ).replace('grain = ["x"]', 'grain = ["run_id", "x"]'),
         "has rows of a run, by its grain: its scale is not trace"),
        (text("x", "SELECT id AS x FROM slice ORDER BY 1", more='scale = "once"'),
         "is not a building block: its scale is not once"),
    ],
)  # fmt: skip
def test_a_broken_promise_of_a_text_is_found(query: str, problem: str) -> None:
    found = structure.problems(Query(query, header.parse(query, "x.sql"), layer="summary"), LIBRARY)

    assert any(problem in each for each in found), found


def test_declared_types_must_be_exact(connection: duckdb.DuckDBPyConnection) -> None:
    query = library.from_text(text("x", "SELECT 1 AS x"))

    assert contract.types(connection, query) == [
        "column x is of type INTEGER, declared is x BIGINT"
    ]


def test_rows_that_break_the_header_are_counted(connection: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT unnest([1, 1, NULL, -1])::BIGINT AS x"
    query = library.from_text(text("x", sql).replace('"BIGINT"', '"BIGINT"\ncheck = ">= 0"'))

    assert contract.check_rows(connection, query) == [
        'grain ("x") not unique: 1 value with several rows',
        "NULL in x: 1 row",
        "check x >= 0 violated: 1 row",
    ]


def folder_with(path: Path, **queries: str) -> Path:
    path.mkdir()
    for name, sql in queries.items():
        (path / f"{name.replace('__', '@')}.sql").write_text(sql)
    return path


def own(path: Path, **queries: str) -> Library:
    made = Library()
    made.add_folder(folder_with(path, **queries), "own")
    return made


def test_old_versions_stay_at_hand(tmp_path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    made = own(
        tmp_path / "q",
        base__1=text("base", "SELECT 1::BIGINT AS x"),
        base=text("base", "SELECT 2::BIGINT AS x", version=2),
        old=text("old", "SELECT x FROM base()", calls='"base@1"'),
        new=text("new", "SELECT x FROM base()", calls='"base@2"'),
    )

    answers = {
        name: execute.run(connection, name, library=made).rows()
        for name in ("base", "base@1", "old", "new", "FROM base()", "FROM old()")
    }

    assert answers == {
        "base": [(2,)],
        "base@1": [(1,)],
        "old": [(1,)],
        "new": [(2,)],
        "FROM base()": [(2,)],
        "FROM old()": [(1,)],
    }


def test_the_first_lines_of_a_header_say_which_query_it_is() -> None:
    for query in LIBRARY.queries.values():
        assert query.header is not None
        assert header.peek(query.sql) == (query.header.name, query.header.version)


def test_our_headers_are_read_only_for_the_queries_that_are_asked(tmp_path: Path) -> None:
    folder = tmp_path / "queries" / "summary"
    folder.parent.mkdir()
    broken = text("broken", "SELECT 1::BIGINT AS x").replace("grain = ", "grown = ")
    folder_with(folder, good=text("good", "SELECT 1::BIGINT AS x"), broken=broken)

    made = Library()
    made.add_folder(folder.parent, library.BUILT_IN)

    assert made.resolve("good").header is not None
    with pytest.raises(ContractError, match=r"broken\.sql: .*unknown key 'grown'"):
        _ = made.resolve("broken").header


def test_a_digest_covers_the_contract_and_not_the_text() -> None:
    query = text("x", "SELECT 1::BIGINT AS x", more=PARAMETER)
    digests = [
        library.from_text(each).digest
        for each in (
            query,
            query.replace("SELECT 1", "SELECT 2").replace('title = "t"', 'title = "u"'),
            query.replace("max = 9", "max = 10"),
            query.replace('type = "BIGINT"\n[changes]', 'type = "BIGINT"\nunit = "ns"\n[changes]'),
            text("x", "SELECT 1::BIGINT AS x", more=PARAMETER, version=2),
        )
    ]

    assert digests[0] == digests[1]
    assert len(set(digests)) == 4
    assert all(each.startswith("contract=") for each in digests)
    assert library.from_text("SELECT 1").digest == library.from_text("select  1 -- one").digest
    assert library.from_text("SELECT 1").digest.startswith("text=")


def test_queries_may_not_call_each_other_in_a_circle(tmp_path: Path) -> None:
    made = own(
        tmp_path / "q",
        a=text("a", "SELECT x FROM b()", calls='"b@1"'),
        b=text("b", "SELECT x FROM a()", calls='"a@1"'),
    )

    with pytest.raises(ContractError, match="in a cycle: a@1 → b@1 → a@1"):
        made.closure(made.queries.values())


def built_in(folder: Path, **queries: str) -> Library:
    """The queries as those of the program, which are the ones that are locked."""
    folder.mkdir()
    folder_with(folder / "summary", **queries)
    made = Library()
    made.add_folder(folder, library.BUILT_IN)
    return made


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"x"\ntype = "BIGINT"', '"x"\ntype = "DOUBLE"', "column x DOUBLE, was x BIGINT"),
        ('"x"\ntype = "BIGINT"', '"x"\ntype = "BIGINT"\nunit = "ns"',
         "column x BIGINT [ns], was x BIGINT"),
        ("[changes]", '[[column]]\nname = "y"\ntype = "BIGINT"\n[changes]', "column y added"),
        ("default = 5", "default = 6",
         "parameter n BIGINT = 6 >= 1 <= 9, was n BIGINT = 5 >= 1 <= 9"),
        ("[param.n]", "[param.m]", "parameter m added; parameter n removed"),
        ('grain = ["x"]', "grain = []", "grain is , was x"),
    ],
)  # fmt: skip
def test_the_lock_says_which_part_of_a_contract_changed(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    query = text("x", "SELECT 1::BIGINT AS x", more=PARAMETER)
    path = tmp_path / "LOCK.toml"

    assert lock.write(built_in(tmp_path / "then", x=query), path) == ["x@1"]
    changed = built_in(tmp_path / "now", x=query.replace(old, new))

    assert lock.problems(changed, lock.read(path)) == [
        f"x@1: contract changed without a new version: {problem}"
    ]
    assert lock.write(changed, path) == []  # a locked contract stays
    assert lock.problems(changed, lock.read(path)) != []


def test_texts_may_change_within_a_version(tmp_path: Path) -> None:
    query = text("x", "SELECT 1::BIGINT AS x")
    path = tmp_path / "LOCK.toml"
    lock.write(built_in(tmp_path / "then", x=query), path)
    now = built_in(tmp_path / "now", x=query.replace("SELECT 1", "SELECT 2 - 1"))

    assert lock.problems(now, lock.read(path)) == []


def test_a_new_version_replaces_the_removed_one_in_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "LOCK.toml"
    lock.write(built_in(tmp_path / "1", x=text("x", "SELECT 1::BIGINT AS x")), path)
    second = built_in(tmp_path / "2", x=text("x", "SELECT 1::BIGINT AS x", version=2))

    assert lock.problems(second, lock.read(path)) == [
        "x@2: is not in LOCK.toml; add it with --write-lock"
    ]
    assert lock.write(second, path) == ["x@2"]
    assert list(lock.read(path)) == ["x@2"]
    without = built_in(tmp_path / "3", y=text("y", "SELECT 1::BIGINT AS x"))
    assert "x@2: is in LOCK.toml and has no file" in lock.problems(without, lock.read(path))


def test_a_lock_with_a_version_twice_is_one_error(tmp_path: Path) -> None:
    """As a merge leaves it that took the lines of both sides."""
    path = tmp_path / "LOCK.toml"
    path.write_text('["a@1"]\ngrain = []\ncolumns = []\n["a@1"]\ngrain = []\ncolumns = []\n')

    with pytest.raises(ContractError, match=r"LOCK.toml cannot be read: .* line 4") as failure:
        lock.read(path)

    assert failure.value.hint is not None
    assert "--write-lock" in failure.value.hint


def test_a_removed_version_is_answered_by_the_current_one(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    made = own(
        tmp_path / "q",
        base=text("base", "SELECT 2::BIGINT AS x", version=2),
        caller=text("caller", "SELECT x FROM base()", calls='"base@1"'),
    )

    with pytest.raises(UsageError) as failure:
        made.find("base@1")
    assert failure.value.message == "query base@1 was removed; the current version is base@2"
    with pytest.raises(UsageError, match="query base@3 not found; the newest version is base@2"):
        made.find("base@3")
    with pytest.raises(ContractError, match="caller@1 requires base@1: query base@1 was removed"):
        execute.run(connection, "caller", library=made)


def test_a_query_the_database_refuses_is_a_problem_of_that_query_alone(tmp_path: Path) -> None:
    made = own(
        tmp_path / "q",
        bad=text("bad", "SELECT no_such_column::BIGINT AS x FROM slice ORDER BY 1"),
        caller=text("caller", "SELECT x FROM bad() ORDER BY 1", calls='"bad@1"'),
        fine=text("fine", "SELECT id AS x FROM slice ORDER BY 1"),
    )

    (problem,) = [each for each in contract.check(made) if each.startswith(("bad", "cal", "fine"))]

    assert problem.startswith("bad@1: ")
    assert "no_such_column" in problem


def test_a_query_the_database_refuses_ends_in_one_sentence(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    made = own(tmp_path / "q", bad=text("bad", "SELECT no_such_column::BIGINT AS x FROM slice"))

    with pytest.raises(ContractError, match=r"the query bad@1 does not work: .*column") as failure:
        execute.run(connection, "FROM bad()", library=made)

    assert failure.value.hint is not None
    assert "bad.sql" in failure.value.hint


def test_a_missing_folder_of_queries_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="absent not found"):
        library.load([tmp_path / "absent"])


@pytest.mark.parametrize(
    ("more", "given", "value"),
    [
        (PARAMETER, {}, 5),
        (PARAMETER, {"n": "7"}, 7),
        (PARAMETER, {"n": 7}, 7),
        (OPTIONAL, {}, None),
        (OPTIONAL, {"n": "null"}, None),
        (OPTIONAL, {"n": "9223372036854775807"}, 2**63 - 1),
        ('[param.n]\ntype = "BIGINT"\nunit = "ns"', {"n": "1.5ms"}, 1_500_000),
        ('[param.n]\ntype = "DOUBLE"', {"n": "0.5"}, 0.5),
        ('[param.n]\ntype = "BOOLEAN"', {"n": "False"}, False),
        ('[param.n]\ntype = "VARCHAR"', {"n": "1"}, "1"),
        ('[param.n]\ntype = "VARCHAR[]"', {"n": "a,b"}, ["a", "b"]),
        ('[param.n]\ntype = "BIGINT[]"', {"n": [1, 2]}, [1, 2]),
    ],
)
def test_a_parameter_has_its_declared_type(
    more: str, given: dict[str, object], value: object
) -> None:
    query = library.from_text(text("x", "SELECT 1", more=more))

    assert arguments(query, given) == {"n": value}


@pytest.mark.parametrize(
    ("more", "given", "message"),
    [
        (PARAMETER, {"m": "1"}, "has no parameter 'm'"),
        (PARAMETER, {"n": "0"}, "must be at least 1"),
        (PARAMETER, {"n": 10}, "must be at most 9"),
        (PARAMETER, {"n": "1.5"}, "must be of type BIGINT"),
        (PARAMETER, {"n": 1.5}, "must be of type BIGINT"),
        (PARAMETER, {"n": True}, "must be of type BIGINT"),
        (PARAMETER, {"n": None}, "must be of type BIGINT"),
        (OPTIONAL, {"n": "9223372036854775808"}, "must be of type BIGINT"),
        ('[param.n]\ntype = "BIGINT"', {}, "parameter n has no value"),
        ('[param.n]\ntype = "BIGINT"\nunit = "ns"', {"n": "soon"}, "must be of type BIGINT"),
        ('[param.n]\ntype = "DOUBLE"', {"n": "nan"}, "must be of type DOUBLE"),
        ('[param.n]\ntype = "BOOLEAN"', {"n": "maybe"}, "must be of type BOOLEAN"),
        ('[param.n]\ntype = "VARCHAR"', {"n": 1}, "must be of type VARCHAR"),
        ('[param.n]\ntype = "BIGINT[]"', {"n": 1}, "must be of type BIGINT[]"),
    ],
)
def test_a_wrong_parameter_is_refused(more: str, given: dict[str, object], message: str) -> None:
    query = library.from_text(text("x", "SELECT 1", more=more))

    with pytest.raises(UsageError) as failure:
        arguments(query, given)

    assert message in failure.value.message


def test_a_statement_without_a_header_takes_numbers_and_text() -> None:
    query = library.from_text("SELECT $a, $b, $c, $d")

    values = arguments(query, {"a": "1", "b": "1.5", "c": "inf", "d": "null"})
    assert values == {"a": 1, "b": 1.5, "c": "inf", "d": None}


def test_the_connection_serves_again_after_a_timeout(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    endless = "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range = 1"

    with pytest.raises(QueryTimeout):
        execute.run(connection, endless, library=LIBRARY, timeout_s=0.2).rows()

    assert execute.run(connection, "SELECT 1", library=LIBRARY).rows() == [(1,)]


def test_a_result_left_early_frees_the_connection(connection: duckdb.DuckDBPyConnection) -> None:
    with execute.run(connection, "FROM range(10000000)", library=LIBRARY) as result:
        first = next(result.batches())

    assert first.num_rows > 0
    assert execute.run(connection, "SELECT 1", library=LIBRARY).rows() == [(1,)]


def test_versions_in_the_archive_stay_callable() -> None:
    """The fixture `versions` keeps version 1 of a building block for a query that pins it."""
    made = Library()
    made.add_folder(Path(__file__).parent / "versions", library.BUILT_IN)

    assert contract.check(made) == []
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE slice AS SELECT 1::BIGINT AS id, 5::BIGINT AS dur")
        names = ("pinned_to_old", "pinned_to_new", "long_slice", "long_slice@1", "long_slice@2")
        rows = {name: execute.run(connection, name, library=made).rows() for name in names}

    assert rows == {
        "pinned_to_old": [],
        "pinned_to_new": [(1,)],
        "long_slice": [(1,)],
        "long_slice@1": [],
        "long_slice@2": [(1,)],
    }


def test_no_query_hides_a_table_from_those_it_calls() -> None:
    """DuckDB resolves the tables of a macro where it is called: a name given there comes first."""
    name = re.compile(r"(?:^|WITH )(\w+) AS (?:MATERIALIZED )?\($", re.MULTILINE)
    read = re.compile(r"\b(?:FROM|JOIN)\s+(\w+)\b(?!\s*[(.])")
    tables = structure.known_tables()
    own, reads = {}, {}
    for key, query in LIBRARY.queries.items():
        sql = tokens.statement(query.text)
        own[key] = set(name.findall(sql)) & tables
        reads[key] = (set(read.findall(sql)) & tables) - own[key]

    def below(key: str, seen: set[str]) -> set[str]:
        found: set[str] = set()
        for callee in set(LIBRARY.queries[key].pins.values()) - seen:
            seen.add(callee)
            found |= reads[callee] | below(callee, seen)
        return found

    hidden = {key: own[key] & below(key, set()) for key in own if own[key]}
    assert {key: names for key, names in hidden.items() if names} == {}
