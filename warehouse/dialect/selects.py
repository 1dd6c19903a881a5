"""Translates SELECTs: result columns, grouping with bare columns, order, compounds, WITH."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from warehouse.dialect.aggregation import Aggregation, aggregates_in
from warehouse.dialect.errors import UnsupportedSql
from warehouse.dialect.parse import Tree
from warehouse.dialect.scope import Column, Grouping, Scope
from warehouse.dialect.sources import JoinClause, OwnFunction
from warehouse.dialect.values import (
    Type,
    Value,
    anything,
    common,
    integer,
    name,
    plain,
    real,
    text,
)

_COMPOUNDS = {exp.Union: "UNION", exp.Intersect: "INTERSECT", exp.Except: "EXCEPT"}


@dataclass
class Output:
    """A result column: name, value, and the text of the expression if it has no name."""

    name: str
    value: Value


class Selects(Aggregation):
    """Translates SELECT statements."""

    # Entry points

    def query(self, tree: Tree, scope: Scope | None = None) -> tuple[list[Column], str]:
        """Returns the columns and the SQL of a statement."""
        return self.subquery(tree, Scope() if scope is None else Scope(scope))

    def subquery(
        self, node: Tree, scope: Scope, limit: int = 0, *, is_source: bool = False
    ) -> tuple[list[Column], str]:
        """Translates a nested SELECT; `scope` encloses it."""
        while isinstance(node, (exp.Subquery, exp.Paren)) and not node.args.get("alias"):
            if node.args.get("limit") or node.args.get("order"):
                break
            node = node.this
        inside = scope if is_source else Scope(scope)
        columns, sql = self._any_query(node, inside, keep_args=is_source)
        if limit and not node.args.get("limit") and not _is_single(node):
            sql = f"SELECT * FROM ({sql}) LIMIT {limit}"
        return columns, sql

    def _any_query(self, node: Tree, scope: Scope, *, keep_args: bool) -> tuple[list[Column], str]:
        self.must_know_all_of(node)
        prefix = self._with(node, scope)
        if isinstance(node, exp.Select):
            columns, sql = self._select(node, scope, keep_args=keep_args)
        elif isinstance(node, exp.SetOperation):
            columns, sql = self._compound(node, scope)
        elif isinstance(node, exp.Values):
            columns, sql = self.values_of(node, scope)
        elif isinstance(node, exp.Subquery):
            columns, sql = self._any_query(node.this, scope, keep_args=False)
            sql = f"SELECT * FROM ({sql}){self._tail_of_compound(node, scope, columns)}"
        else:
            raise self.refuse(node, "only SELECT is supported here")
        return columns, prefix + sql

    def values_of(self, node: Tree, scope: Scope) -> tuple[list[Column], str]:
        """VALUES (…), (…): columns column1, column2, …"""
        rows = [
            [self.value(v, scope) for v in getattr(r, "expressions", [r])] for r in node.expressions
        ]
        if len({len(row) for row in rows}) != 1:
            raise self.refuse(node, "all rows of VALUES must have the same number of values")
        columns, turned = [], []
        for number_, column in enumerate(zip(*rows, strict=True), 1):
            values, kind = common(column)
            columns.append(Column(f"column{number_}", Type.INT if kind is Type.NULL else kind))
            turned.append([v.sql for v in values])
        lines = ", ".join(f"({', '.join(row)})" for row in zip(*turned, strict=True))
        names = ", ".join(name(c.name) for c in columns)
        return columns, f'SELECT * FROM (VALUES {lines}) AS "tw values"({names})'

    # WITH

    def _with(self, node: Tree, scope: Scope) -> str:
        found = node.args.get("with_") or node.args.get("with")
        if found is None:
            return ""
        parts = []
        scope.ctes = dict(scope.ctes)
        for cte in found.expressions:
            alias = cte.args["alias"]
            own = alias.name.lower()
            names = [c.name for c in alias.args.get("columns") or []]
            columns, sql = self._cte(cte.this, own, names, scope)
            scope.ctes[own] = columns
            shown = ", ".join(name(c.name) for c in _with_hidden(columns))
            parts.append(f"{name(own)}({shown}) AS ({sql})")
        return f"WITH RECURSIVE {', '.join(parts)} "

    def _cte(
        self, body: Tree, own: str, names: list[str], scope: Scope
    ) -> tuple[list[Column], str]:
        is_recursive = isinstance(body, exp.Union) and any(
            table.name.lower() == own for table in body.expression.find_all(exp.Table)
        )
        if not is_recursive:
            columns, sql = self.subquery(body, Scope(scope), is_source=True)
            return _renamed(columns, names), sql
        columns, _ = self.subquery(body.this, Scope(scope))
        columns = _renamed(columns, names)
        for _ in columns:  # each round can find another column of varying type
            scope.ctes[own] = columns
            arms, sql = self._compound(body, Scope(scope), tuple(c.type for c in columns))
            if [c.type for c in arms] == [c.type for c in columns]:
                break
            columns = [replace(c, type=a.type) for c, a in zip(columns, arms, strict=True)]
        return columns, sql

    # Compounds

    def _compound(
        self, node: Tree, scope: Scope, least: tuple[Type, ...] = ()
    ) -> tuple[list[Column], str]:
        arms = [self.subquery(arm, scope) for arm in (node.this, node.expression)]
        (left, _), (right, _) = arms
        if len(left) != len(right):
            raise self.refuse(
                node, f"SELECTs of {len(left)} and {len(right)} columns cannot be combined"
            )
        types = []
        for i, (a, b) in enumerate(zip(left, right, strict=True)):
            known = [Value("", c) for c in (a.type, b.type, *least[i : i + 1])]
            types.append(common(known)[1])
        word = next(w for kind, w in _COMPOUNDS.items() if isinstance(node, kind))
        word += "" if node.args.get("distinct", True) else " ALL"
        columns = [
            Column(c.name, Type.INT if t is Type.NULL else t)
            for c, t in zip(left, types, strict=True)
        ]
        sides = [_converted(own, sql, columns) for own, sql in arms]
        sql = f"({sides[0]}) {word} ({sides[1]})"
        tail = self._tail_of_compound(node, scope, columns)
        return columns, f"SELECT * FROM ({sql}){tail}" if tail else sql

    def _tail_of_compound(self, node: Tree, scope: Scope, columns: list[Column]) -> str:
        """ORDER BY and LIMIT of a compound refer to its columns."""
        aliases = {c.name.lower(): Value(name(c.name), c.type) for c in columns}
        inside = Scope(scope, aliases=aliases)
        outputs = [Output(c.name, aliases[c.name.lower()]) for c in columns]
        order = node.args.get("order")
        if order is None:
            return self._limit(node, scope)
        order = order.copy()
        for each in order.expressions:
            place = _place_in_compound(node, each.this)
            if place is not None:
                each.set("this", exp.column(columns[place].name))
        return f" ORDER BY {self._order(order, inside, outputs)}{self._limit(node, scope)}"

    # One SELECT

    def _select(self, node: Tree, scope: Scope, *, keep_args: bool) -> tuple[list[Column], str]:
        if node.args.get("distinct"):
            self.must_know_all_of(node.args["distinct"])
        self._must_not_name_stars(node)
        joined = self.sources(node, scope)
        self._collect_aliases(node, scope)
        where = node.args.get("where")
        condition = None if where is None else self.condition(where.this, scope)
        is_grouped = self._start_grouping(node, scope)
        outputs = self._outputs(node, scope)
        having = node.args.get("having")
        kept = None if having is None else self.condition(having.this, scope)
        order = self._order_clause(node, scope, outputs, joined, is_grouped=is_grouped)
        grouping, scope.grouping = scope.grouping, None
        hidden = [] if is_grouped or node.args.get("distinct") or not keep_args else outputs
        columns, selected = self._listed(outputs, hidden)
        parts = [f"SELECT {'DISTINCT ' if node.args.get('distinct') else ''}{selected}"]
        if joined:
            parts.append(f"FROM {self.from_clause(node, joined, scope)}")
        if condition is not None:
            parts.append(f"WHERE {condition}")
        if grouping is not None and grouping.keys:
            parts.append(f"GROUP BY {', '.join(grouping.keys)}")
        if kept is not None:
            parts.append(f"HAVING {kept}")
        sql = " ".join(parts) + order
        if grouping is not None:
            sql = self._fill_bare(sql, grouping, joined)
        return columns, sql + self._limit(node, scope)

    def _must_not_name_stars(self, node: Tree) -> None:
        """Raises UnsupportedSql for `*` with an alias, which was meant for another column."""
        for projection in node.expressions:
            if not (isinstance(projection, exp.Alias) and _is_star(projection.this)):
                continue
            star, own = projection.this.sql(dialect="sqlite"), projection.alias
            values = [e for e in node.expressions if isinstance(e, exp.Column) and not _is_star(e)]
            value = values[0].sql(dialect="sqlite") if len(values) == 1 else "value"
            raise self.refuse(
                projection,
                f"{star} is many columns and cannot be called {own}",
                f"Give the name to a value: {value} AS {own}, {star}",
            )

    def _collect_aliases(self, node: Tree, scope: Scope) -> None:
        """Registers aliases of result columns; SQLite allows them in WHERE, GROUP BY and HAVING."""
        for projection in node.expressions:
            if isinstance(projection, exp.Alias) and not aggregates_in(projection):
                own = projection.alias.lower()
                if not scope.holders(own) and own not in scope.aliases:
                    try:
                        scope.aliases[own] = plain(self.value(projection.this, scope))
                    except UnsupportedSql:  # uses an alias defined later
                        continue

    def _start_grouping(self, node: Tree, scope: Scope) -> bool:
        group = node.args.get("group")
        clauses = [*node.expressions, node.args.get("having"), node.args.get("order")]
        if group is None and not any(aggregates_in(c) for c in clauses if c is not None):
            return False
        keys, is_complex = dict[str, None](), False
        if group is not None:
            self.must_know_all_of(group)
        for key in [] if group is None else group.expressions:
            key = self._group_key(key, node, scope)
            value = plain(self.value(key, scope))
            is_complex = is_complex or not isinstance(key, exp.Column)
            if value.constant is None:
                keys[value.sql] = None
        scope.grouping = Grouping(tuple(keys), is_complex)
        if group is not None and not keys:
            scope.grouping.keys = ("()",)
        return True

    def _group_key(self, key: Tree, node: Tree, scope: Scope) -> Tree:
        """Resolves a column number or alias in GROUP BY."""
        if isinstance(key, exp.Literal) and not key.args.get("is_string"):
            place = int(key.this)
            if not 1 <= place <= len(node.expressions):
                raise self.refuse(key, f"GROUP BY column {place} not found")
            found = node.expressions[place - 1]
            return found.this if isinstance(found, exp.Alias) else found
        if isinstance(key, exp.Column) and not key.table and not scope.holders(key.name):
            for projection in node.expressions:
                if (
                    isinstance(projection, exp.Alias)
                    and projection.alias.lower() == key.name.lower()
                ):
                    return projection.this
        return key

    def _outputs(self, node: Tree, scope: Scope) -> list[Output]:
        outputs: list[Output] = []
        for projection in node.expressions:
            if _is_star(projection):
                outputs += self._star(projection, scope)
                continue
            value = self.value(projection, scope)
            if isinstance(projection, exp.Alias):
                own = projection.alias
                if not scope.holders(own):
                    scope.aliases[own.lower()] = plain(value)
            elif isinstance(projection, exp.Column):
                found = self.owner(projection, scope)
                own = found[1].name if found else projection.name
            else:
                own = projection.sql(dialect="sqlite")
            outputs.append(Output(own, value))
        return outputs

    def _star(self, node: Tree, scope: Scope) -> list[Output]:
        only = node.table if isinstance(node, exp.Column) else ""
        if only and scope.relation(only) is None:
            raise self.refuse(node, f"no such table in this SELECT: {only}")
        outputs = []
        for relation in scope.relations:
            if only and relation.alias.lower() != only.lower():
                continue
            for column in relation.columns:
                if not only and (relation.key, column.name.lower()) in scope.hidden:
                    continue
                value = relation.value(column)
                if not only and column.name.lower() in scope.merged:
                    value = scope.merged[column.name.lower()]
                if scope.grouping is not None and value.sql not in scope.grouping.keys:
                    value = replace(value, sql=scope.grouping.placeholder(value.sql), args=None)
                outputs.append(Output(column.name, value))
        if not outputs:
            raise self.refuse(node, "* requires a FROM clause")
        return outputs

    def _listed(self, outputs: list[Output], with_args: list[Output]) -> tuple[list[Column], str]:
        """Returns the SELECT list; equal names are numbered. Hidden columns carry arguments."""
        columns, parts, used = list[Column](), list[str](), set[str]()
        for output in outputs:
            value = plain(output.value)
            if value.type is Type.NULL:
                value = Value(f"CAST({value.sql} AS BIGINT)", Type.INT)
            own, count = output.name, 0
            while own.lower() in used:
                count += 1
                own = f"{output.name}_{count}"
            used.add(own.lower())
            hidden = None
            if value.args is not None and output in with_args:
                hidden = f"tw args {len(parts)}"
                parts.append(f"{value.args} AS {name(hidden)}")
            columns.append(Column(own, value.type, value.affinity, hidden))
            parts.append(f"{value.sql} AS {name(own)}")
        return columns, ", ".join(parts)

    # ORDER BY, LIMIT

    def _order_clause(
        self,
        node: Tree,
        scope: Scope,
        outputs: list[Output],
        joined: list[JoinClause],
        *,
        is_grouped: bool,
    ) -> str:
        order = node.args.get("order")
        if order is not None:
            return f" ORDER BY {self._order(order, scope, outputs)}"
        if scope.grouping is not None and scope.grouping.keys not in ((), ("()",)):
            return " ORDER BY " + ", ".join(f"{key} NULLS FIRST" for key in scope.grouping.keys)
        if is_grouped or node.args.get("distinct") or not node.args.get("limit") or not joined:
            return ""
        # LIMIT without ORDER BY relies on Perfetto's tables being in time order.
        first = joined[0].relation
        if first.base in ("slice", "instant", "counter", "counters"):
            keys = {"slice": ("ts", "tw depth", "id"), "instant": ("ts", "name")}
            used = keys.get(first.base, ("ts", "id"))
            return " ORDER BY " + ", ".join(first.hidden(key) for key in used)
        return ""

    def _order(self, order: Tree, scope: Scope, outputs: list[Output]) -> str:
        return ", ".join(
            self._ordered(each, self._order_value(each.this, scope, outputs))
            for each in order.expressions
        )

    def _order_value(self, node: Tree, scope: Scope, outputs: list[Output]) -> Value:
        """Resolves a column number, alias or expression in ORDER BY."""
        if isinstance(node, exp.Literal) and not node.args.get("is_string"):
            place = int(float(node.this))
            if not 1 <= place <= len(outputs):
                raise self.refuse(node, f"ORDER BY column {place} not found")
            return outputs[place - 1].value
        if isinstance(node, exp.Column) and not node.table:
            for output in outputs:
                if output.name.lower() == node.name.lower():
                    return output.value
        return self.value(node, scope)

    def _limit(self, node: Tree, scope: Scope) -> str:
        sql = ""
        limit, offset = node.args.get("limit"), node.args.get("offset")
        if limit is not None:
            count = integer(self.value(limit.expression, scope)).sql
            constant = self.value(limit.expression, scope).constant
            if not (isinstance(constant, int) and constant < 0):  # negative: all rows
                sql += f" LIMIT {count}"
        if offset is not None:
            sql += f" OFFSET greatest({integer(self.value(offset.expression, scope)).sql}, 0)"
        return sql

    # CREATE PERFETTO FUNCTION

    def own_function(self, node: Tree, called: str, scope: Scope) -> Value | None:
        """Translates a call of a function of the script to a subquery."""
        function = self.names.functions.get(called)
        if function is None:
            return None
        if function.columns[0].name:
            raise self.refuse(node, f"{called}() returns a table", "Use it in FROM.")
        arguments = [self.value(each, scope) for each in node.expressions]
        sql = self.own_body(function, arguments, node, scope)
        return Value(f"({sql})", function.columns[0].type)

    def own_body(
        self, function: OwnFunction, arguments: list[Value], call: Tree, scope: Scope
    ) -> str:
        if len(arguments) != len(function.parameters):
            raise self.refuse(
                call, f"{function.name}() requires {len(function.parameters)} arguments"
            )
        given = {
            parameter.lower(): converted(value, kind)
            for (parameter, kind), value in zip(function.parameters, arguments, strict=True)
        }
        inside = Scope(None, parameters=given)
        before, self.source = self.source, function.source
        try:
            columns, sql = self.subquery(function.body, inside, limit=not function.columns[0].name)
        finally:
            self.source = before
        declared = function.columns
        if len(columns) != len(declared):
            raise self.refuse(
                call, f"{function.name}() returns {len(columns)} columns, not {len(declared)}"
            )
        if not declared[0].name:
            declared = (replace(declared[0], name="value"),)
        return _converted(columns, sql, list(declared), rename=True)


def converted(value: Value, kind: Type) -> Value:
    """Converts a value to a declared type."""
    change = {Type.INT: integer, Type.REAL: real, Type.TEXT: text, Type.ANY: anything}
    found = change[kind](value)
    return replace(found, args=value.args)


def _converted(own: list[Column], sql: str, declared: list[Column], *, rename: bool = False) -> str:
    """Returns a SELECT that converts columns to declared types."""
    same = all(a.type is b.type for a, b in zip(own, declared, strict=True))
    if same and not rename:
        return sql
    parts = [
        f"{converted(Value(name(a.name), a.type), b.type).sql} AS {name(b.name)}"
        for a, b in zip(own, declared, strict=True)
    ]
    return f"SELECT {', '.join(parts)} FROM ({sql})"


def _renamed(columns: list[Column], names: list[str]) -> list[Column]:
    if not names:
        return columns
    return [replace(c, name=n) for c, n in zip(columns, names, strict=True)]


def _with_hidden(columns: list[Column]) -> list[Column]:
    """Returns all columns of a WITH table, in the order of its SELECT."""
    found = []
    for column in columns:
        if column.args is not None:
            found.append(Column(column.args, Type.TEXT))
        found.append(column)
    return found


def _place_in_compound(node: Tree, term: Tree) -> int | None:
    """The column of a compound that an ORDER BY term such as `s.name` repeats from a SELECT."""
    if isinstance(node, exp.Subquery):
        return _place_in_compound(node.this, term)
    if not isinstance(node, exp.Select):
        arms = (node.args.get("this"), node.args.get("expression"))
        found = (_place_in_compound(arm, term) for arm in arms if arm is not None)
        return next((place for place in found if place is not None), None)
    if not (isinstance(term, exp.Column) and term.table):
        return None
    selected = (each.this if isinstance(each, exp.Alias) else each for each in node.expressions)
    return next((place for place, each in enumerate(selected) if each == term), None)


def _is_star(node: Tree) -> bool:
    return isinstance(node, exp.Star) or (
        isinstance(node, exp.Column) and isinstance(node.this, exp.Star)
    )


def _is_single(node: Tree) -> bool:
    """Returns whether a SELECT always has at most one row: aggregates without GROUP BY."""
    return (
        isinstance(node, exp.Select)
        and node.args.get("group") is None
        and any(aggregates_in(e) for e in node.expressions)
    )
