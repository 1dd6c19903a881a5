"""Checks a query's text without running it: one SELECT, known tables, its parameters, its scale.

Parsing takes longer than most queries, so only `tw queries check` and the tests come here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import sqlglot
from sqlglot import exp

from warehouse.library import required_rows, tokens
from warehouse.library.header import Header
from warehouse.library.library import BUILT_IN, Library, Query
from warehouse.store import catalog, migrate

#: sqlglot's trees; how its classes are typed differs from version to version.
Tree = Any

_CHANGES: tuple[Any, ...] = (
    exp.DDL,
    exp.DML,
    exp.Attach,
    exp.Command,
    exp.Copy,
    exp.Detach,
    exp.Drop,
    exp.Into,
    exp.Pragma,
    exp.Set,
    exp.Use,
)


def problems(query: Query, library: Library) -> list[str]:
    """All that is wrong with a query's text, a sentence each."""
    assert query.header is not None
    sql = tokens.statement(query.text)
    try:
        trees = sqlglot.parse(sql, read="duckdb")
    except sqlglot.errors.SqlglotError as error:
        return [f"does not parse: {str(error).splitlines()[0]}"]
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        return ["is not one SELECT"]
    tree = trees[0]
    nodes = list(tree.walk())
    return [
        *_schema(query.header),
        *_changes(nodes),
        *_tables(query, library, nodes),
        *_parameters(query, nodes),
        *_columns(query, tree, nodes),
        *_scale(query, library, tree),
        *_rewriting(query, tree),
    ]


def _schema(header: Header) -> Iterator[str]:
    if header.requires_schema > (latest := migrate.latest_version()):
        yield f"requires schema >={header.requires_schema}; this tw has version {latest}"


def _among(nodes: Iterable[Tree], *kinds: Any) -> Iterator[Tree]:
    """Those of some kinds. A walk over the tree for each question takes longer than parsing it."""
    return (node for node in nodes if isinstance(node, kinds))


def _changes(nodes: list[Tree]) -> Iterator[str]:
    # A query is itself no DDL or DML; anything of that kind inside it is.
    for node in _among(nodes, *_CHANGES):
        if not isinstance(node, exp.Query):
            yield f"does more than read: {node.sql(dialect='duckdb')[:60]}"


@cache
def known_tables() -> frozenset[str]:
    """The tables and views of the schema."""
    return frozenset(
        name
        for migration in migrate.migrations()
        for kind, name, _ in migrate.comments(migration.sql)
        if kind != "COLUMN"
    )


def _tables(query: Query, library: Library, nodes: list[Tree]) -> Iterator[str]:
    known = known_tables() | {cte.alias.lower() for cte in _among(nodes, exp.CTE)}
    called = set()
    for table in _among(nodes, exp.Table):
        if isinstance(table.this, exp.Func):
            called.add(table.this.name.lower())
        elif table.db:
            yield f"names a database or schema: {table.sql(dialect='duckdb')}"
        elif table.name.lower() not in known:
            yield f"reads {table.name}, which is not a table of the schema"
    for name in sorted(called - query.pins.keys()):
        yield f"calls {name}, which its header does not require"
    rows = query.header.requires_rows if query.header else ()
    required = {table for each in rows for table, _ in required_rows.alternatives(each)}
    for name in sorted(required - known_tables()):
        yield f"requires rows of {name}, which is not a table of the schema"
    for name in sorted(query.pins.keys() - called):
        yield f"requires {query.pins[name]} and does not call it"
    for key in query.pins.values():
        callee = library.queries.get(key)
        if callee is None:
            yield f"requires {key}: {library.why_absent(key)}"
        elif (
            callee.origin == BUILT_IN
            and callee.layer not in ("lib", "replay", "archive")
            and (query.header is None or query.header.alias_of != key)
        ):
            yield f"calls {key}; only queries in lib and replay are building blocks"


def _parameters(query: Query, nodes: list[Tree]) -> Iterator[str]:
    declared = {parameter.name: parameter.type for parameter in query.parameters}
    used = set()
    for node in _among(nodes, exp.Placeholder):
        used.add(node.name)
        cast = node.parent
        kind = cast.to.sql(dialect="duckdb") if isinstance(cast, exp.Cast) else None
        # DuckDB would infer the type of a bare parameter from each value.
        if node.name in declared and kind != _cast_name(declared[node.name]):
            yield f"uses ${node.name} without ::{declared[node.name]}"
    for name in sorted(used - declared.keys()):
        yield f"uses ${name}, which its header does not declare"
    for name in sorted(declared.keys() - used):
        yield f"declares the parameter {name} and does not use it"


@cache
def _cast_name(kind: str) -> str:
    return exp.DataType.build(kind, dialect="duckdb").sql(dialect="duckdb")


def _columns(query: Query, tree: Tree, nodes: list[Tree]) -> Iterator[str]:
    assert query.header is not None
    declared = [column.name for column in query.header.columns]
    if tree.is_star:
        yield "returns *: name the columns"
    elif tree.named_selects != declared:
        yield f"returns {', '.join(tree.named_selects)}; its header declares {', '.join(declared)}"
    # Callers order the rows of building blocks. What is in the archive was
    # one, or was judged when it was released.
    is_ordered = query.layer in ("lib", "archive") or query.header.alias_of is not None
    if not is_ordered and tree.args.get("order") is None:
        yield "has no ORDER BY"
    for identifier in _among(nodes, exp.Identifier):
        is_argument = isinstance(identifier.parent, exp.PropertyEQ)
        if identifier.name.lower().startswith("p_") and not is_argument:
            yield f"names something {identifier.name}: such names are macro arguments"


def _scale(query: Query, library: Library, tree: Tree) -> Iterator[str]:
    """Contradictions between the text and the declared scale; tests compare the rows."""
    assert query.header is not None
    scale = query.header.scale
    if scale == "once" and query.layer != "lib":
        yield "is not a building block: its scale is not once"
    if scale == "sql":
        yield from _translation(query)
    if scale not in ("trace", "run"):
        return
    if any(parameter.unit == "side" for parameter in query.header.parameters):
        yield f"compares runs: its scale is not {scale}"
    if tree.args.get("limit") is not None or tree.args.get("offset") is not None:
        yield f"limits all rows together: its scale is not {scale}"
    if isinstance(tree, exp.Select) and _is_one_row(tree):
        yield f"returns one row for all traces: its scale is not {scale}"
    if scale == "trace" and _is_of_run(query.header):
        yield "has rows of a run, by its grain: its scale is not trace"
    for key in query.pins.values():
        callee = library.queries.get(key)
        if scale == "trace" and callee and callee.header and callee.header.scale == "run":
            yield f"calls {key}, whose rows are those of a run: its scale is not trace"


def _is_of_run(header: Header) -> bool:
    """Whether the grain has the run, and refers to nothing that only one trace of it has."""
    units = {column.name: column.unit or "" for column in header.columns}
    others = (units.get(name, "") for name in header.grain if name != "run_id")
    return "run_id" in header.grain and not any(unit.startswith("ref ") for unit in others)


def _translation(query: Query) -> Iterator[str]:
    """Why a query is not translated into Spark's SQL, if it is not."""
    from warehouse.dialect.errors import UnsupportedSql
    from warehouse.dialect.spark import translated
    from warehouse.spark.order import ordered

    assert query.header is not None
    names, text = [column.name for column in query.header.columns], tokens.statement(query.text)
    try:
        for sql in (text, ordered(text, names).sql):  # the second returns what orders it, too
            translated(sql, catalog.stored_columns())
    except (LookupError, UnsupportedSql) as error:
        reason = str(error).splitlines()[0]
        yield f"is not translated into Spark's SQL: {reason}: its scale is not sql"


def _is_one_row(tree: Tree) -> bool:
    """Whether a SELECT aggregates all rows, without GROUP BY."""
    if tree.args.get("group") is not None:
        return False
    of_rows = (each for select in tree.selects for each in select.find_all(exp.AggFunc))
    return any(each.find_ancestor(exp.Window, exp.Subquery) is None for each in of_rows)


def _rewriting(query: Query, tree: Tree) -> Iterator[str]:
    """The token-wise rewriting must give the tree that rewriting `tree` itself gives."""
    body = tokens.macro_body(query.text, query.pins)
    if body == tokens.statement(query.text):
        return
    expected = tree.transform(lambda node: _rewritten(node, query.pins), copy=False)
    if sqlglot.parse_one(body, read="duckdb") != expected:
        yield "is rewritten wrongly: write its parameters and calls more plainly"


def _rewritten(node: Tree, pins: dict[str, str]) -> Tree:
    if isinstance(node, exp.Placeholder):
        return exp.column(f"p_{node.name}")
    if isinstance(node, exp.Anonymous) and node.name.lower() in pins:
        pinned = exp.to_identifier(pins[node.name.lower()], quoted=True)
        # A node that was replaced is not looked into again: its arguments are rewritten here.
        arguments = [
            each.transform(lambda part: _rewritten(part, pins), copy=False)
            for each in node.expressions
        ]
        return exp.Anonymous(this=pinned, expressions=arguments)
    return node
