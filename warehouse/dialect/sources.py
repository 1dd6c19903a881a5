"""Translates FROM: tables, views, subqueries, table functions and joins."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from warehouse.dialect import catalogue
from warehouse.dialect.arguments import ARGS_OF_PLACES, ARGS_OF_SLICES, one_slice, slices_where
from warehouse.dialect.comparisons import compare
from warehouse.dialect.errors import UnsupportedSql
from warehouse.dialect.expressions import Expressions
from warehouse.dialect.parse import Tree
from warehouse.dialect.scope import Column, Relation, Scope
from warehouse.dialect.values import Type, Value, integer, literal, name


@dataclass(frozen=True)
class OwnFunction:
    """A CREATE PERFETTO FUNCTION: parameters with types, result columns, SELECT."""

    name: str
    parameters: tuple[tuple[str, Type], ...]
    columns: tuple[Column, ...]  # one column without a name for a scalar function
    body: Tree
    source: str


@dataclass
class Names:
    """Objects created by earlier statements."""

    views: dict[str, tuple[str, list[Column]]] = field(default_factory=dict)  # name → key, columns
    functions: dict[str, OwnFunction] = field(default_factory=dict)
    uses_arrows: bool = False


@dataclass
class JoinClause:
    """A source and its join with those before it."""

    relation: Relation
    node: Tree | None  # the JOIN; None for the first
    kind: str = ""  # "", CROSS JOIN, JOIN, LEFT JOIN, …
    condition: str | None = None


_EVERY_SET = "true"


class Sources(Expressions):
    """Extends expressions by tables."""

    def __init__(self, source: str, names: Names) -> None:
        self.source = source
        self.names = names
        self._used_keys: set[str] = set()

    # Sources

    def sources(self, select: Tree, scope: Scope) -> list[JoinClause]:
        """Registers all sources of a SELECT in its scope; join conditions are translated later."""
        first = select.args.get("from_") or select.args.get("from")
        if first is None:
            return []
        joined = [JoinClause(self._relation(first.this, scope), None)]
        scope.relations.append(joined[0].relation)
        for nested in first.this.args.get("joins") or []:
            joined.append(self._next(nested, scope))
        for join in select.args.get("joins") or []:
            joined.append(self._next(join, scope))
            for nested in join.this.args.get("joins") or []:
                joined.append(self._next(nested, scope))
        return joined

    def _next(self, join: Tree, scope: Scope) -> JoinClause:
        self.must_know_all_of(join)
        relation = self._relation(join.this, scope)
        side = str(join.args.get("side") or "").upper()
        kind = f"{side} JOIN" if side else "JOIN"
        using = [identifier.name for identifier in join.args.get("using") or []]
        if str(join.args.get("method") or "").upper() == "NATURAL":
            using = [c.name for c in relation.columns if scope.holders(c.name)]
        parts = [self._merge(column, relation, side, scope, join) for column in using]
        scope.relations.append(relation)
        if not parts and join.args.get("on") is None:
            return JoinClause(
                relation, join, kind if side else "CROSS JOIN", "true" if side else None
            )
        return JoinClause(relation, join, kind, " AND ".join(parts) or None)

    def _merge(self, column: str, right: Relation, side: str, scope: Scope, join: Tree) -> str:
        """Returns the condition of a USING column, and merges both columns into one."""
        mine = right.find(column)
        holders = scope.holders(column)
        if mine is None or not holders:
            raise self.refuse(join, f"USING requires a column {column} on both sides")
        before = scope.merged.get(column.lower()) or holders[0][0].value(holders[0][1])
        after = right.value(mine)
        scope.hidden.add((right.key, mine.name.lower()))
        merged = before
        if side == "RIGHT":
            merged = after
        elif side == "FULL":
            merged = Value(f"coalesce({before.sql}, {after.sql})", before.type, before.affinity)
        if merged is before and before.args is None and after.args is not None and not side:
            merged = after
        scope.merged[column.lower()] = merged
        return compare("=", before, after).sql

    def _relation(self, node: Tree, scope: Scope) -> Relation:
        self.must_know_all_of(node)
        if isinstance(node, exp.Subquery):
            return self._derived(node, scope)
        if isinstance(node, exp.Values):
            columns, sql = self.values_of(node, scope)
            return Relation(
                node.alias or "values", self.key(node.alias or "values"), columns, f"({sql})"
            )
        if not isinstance(node, exp.Table):
            raise self.refuse(node, "this source is not supported")
        if isinstance(node.this, exp.Anonymous):
            return self._function(node, scope)
        if node.db:
            raise self.refuse(node, f"no such schema: {node.db}")
        return self._table(node, scope)

    def _derived(self, node: Tree, scope: Scope) -> Relation:
        inner = node.this
        if isinstance(inner, exp.Table):  # a table in parentheses
            return self._relation(inner, scope)
        columns, sql = self.subquery(
            inner, Scope(scope.outer, parameters=scope.parameters, ctes=scope.ctes), is_source=True
        )
        alias = node.alias or ""
        return Relation(alias, self.key(alias or "subquery"), columns, f"({sql})")

    def _table(self, node: Tree, scope: Scope) -> Relation:
        table, alias = node.name, node.alias or node.name
        columns = scope.cte(table)
        if columns is not None:
            return Relation(alias, self.key(alias), columns, name(table.lower()))
        if table.lower() in self.names.views:
            key, columns = self.names.views[table.lower()]
            return Relation(alias, self.key(alias), columns, name(key))
        base = catalogue.ALIASES.get(table.lower(), table.lower())
        if base not in catalogue.TABLES:
            raise self._no_such_table(node)
        sql = "" if base == "args" else f"perfetto_{base}"
        return Relation(alias, self.key(alias), catalogue.TABLES[base], sql, base)

    def _no_such_table(self, node: Tree) -> UnsupportedSql:
        table = node.name.lower()
        if table in catalogue.TABLE_FUNCTIONS:
            return self.refuse(
                node, f"{node.name} requires an argument", f"Write {table}(slice_id)."
            )
        known = [*catalogue.TABLES, *self.names.views]
        near = difflib.get_close_matches(table, known, n=1, cutoff=0.6)
        hint = catalogue.INSTEAD.get(table) or (f"Did you mean {near[0]}?" if near else None)
        return self.refuse(
            node,
            f"no such table: {node.name}",
            hint
            or "Only Perfetto's tables are available; for the warehouse's tables omit --dialect.",
        )

    def _function(self, node: Tree, scope: Scope) -> Relation:
        call = node.this
        called = str(call.this).lower()
        alias = node.alias or called
        # Arguments can refer to sources to the left, as in SQLite.
        arguments = [self.value(each, scope) for each in call.expressions]
        if called in self.names.functions:
            function = self.names.functions[called]
            sql = self.own_body(function, arguments, call, scope)
            columns = list(function.columns)
        elif called in catalogue.TABLE_FUNCTIONS:
            if len(arguments) != 1:
                raise self.refuse(call, f"{called} requires the id of a slice")
            make, columns = catalogue.TABLE_FUNCTIONS[called]
            self.names.uses_arrows |= called.endswith("_flow")
            sql = make(integer(arguments[0]).sql)
        else:
            raise self.refuse(call, f"the table function {called} is not supported")
        return Relation(alias, self.key(alias), columns, f"({sql})", is_lateral=True)

    def own_body(
        self, function: OwnFunction, arguments: list[Value], call: Tree, scope: Scope
    ) -> str:
        raise NotImplementedError

    def values_of(self, node: Tree, scope: Scope) -> tuple[list[Column], str]:
        raise NotImplementedError

    def key(self, alias: str) -> str:
        """Returns a unique name for a source, which no inner SELECT can shadow."""
        key, count = alias.lower(), 1
        while key in self._used_keys:
            count += 1
            key = f"{alias.lower()} {count}"
        self._used_keys.add(key)
        return key

    # FROM as text

    def from_clause(self, select: Tree, joined: list[JoinClause], scope: Scope) -> str:
        """Returns the FROM clause with all joins; requires all sources to be registered."""
        parts: list[str] = []
        for each in joined:
            on = each.node.args.get("on") if each.node is not None else None
            conditions = [each.condition] if each.condition else []
            if on is not None:
                conditions.append(self.condition(on, scope))
            relation = each.relation
            sql = relation.sql
            if relation.base == "args":
                sql = self._args(relation, select, joined, scope)
            source = f"{'LATERAL ' if relation.is_lateral and parts else ''}{sql}"
            text = f"{source} AS {name(relation.key)}"
            if parts:
                kind = each.kind if conditions or each.kind != "JOIN" else "CROSS JOIN"
                text = f"{kind} {text}"
                if kind != "CROSS JOIN":
                    text += f" ON {' AND '.join(conditions)}"
            parts.append(text)
        return " ".join(parts)

    def _args(self, args: Relation, select: Tree, joined: list[JoinClause], scope: Scope) -> str:
        """Returns the table of arguments, restricted to slices that the SELECT can use: arguments
        are stored as JSON, and parsing all of a large warehouse takes minutes."""
        outer = self._outer_set(args, select, scope)
        if outer is not None and outer.args is not None:
            return f"({ARGS_OF_SLICES.format(slices=one_slice(outer.sql, outer.args))})"
        restrictions = list(self._restrictions(args, select, joined, scope))
        chosen = " AND ".join(restrictions) or _EVERY_SET
        slices = ARGS_OF_SLICES.format(slices=slices_where(chosen.replace("\x01", "id")))
        places = ARGS_OF_PLACES + f" AND {chosen.replace(chr(1), 'arg_set_id')}"
        return f"({slices} UNION ALL {places})"

    def _outer_set(self, args: Relation, select: Tree, scope: Scope) -> Value | None:
        """Returns the arg_set_id of a slice of an enclosing SELECT that WHERE compares with."""
        for conjunct in _conjuncts(select.args.get("where")):
            if not isinstance(conjunct, exp.EQ):
                continue
            sides = (conjunct.this, conjunct.expression)
            for mine, other in (sides, sides[::-1]):
                if self._is_set_of(mine, args, scope) and isinstance(other, exp.Column):
                    found = self.resolve(other, scope)
                    if found is not None and found[1] is not scope:
                        return self.value(other, scope)
        return None

    def _restrictions(
        self, args: Relation, select: Tree, joined: list[JoinClause], scope: Scope
    ) -> Iterator[str]:
        """Yields conditions on the arg_set_id (written \\x01) implied by the SELECT."""
        plain_joins = all(j.kind in ("", "JOIN", "CROSS JOIN", "LEFT JOIN") for j in joined)
        if not plain_joins:
            return
        inner = [j for j in joined if j.kind != "LEFT JOIN"]
        conjuncts = list(_conjuncts(select.args.get("where")))
        for each in joined:
            if each.node is not None and (each in inner or each.relation is args):
                conjuncts += _conjuncts(each.node.args.get("on"))
        for conjunct in conjuncts:
            yield from self._restriction(conjunct, args, select, inner, scope)
        for each in joined:
            using = (
                []
                if each.node is None
                else [u.name.lower() for u in each.node.args.get("using") or []]
            )
            if "arg_set_id" in using and (each in inner or each.relation is args):
                others = [r for r, _ in scope.holders("arg_set_id") if r is not args]
                if args is each.relation or (others and others[0] is each.relation):
                    yield from self._of_sibling(others[:1], select, inner, scope)

    def _restriction(
        self, conjunct: Tree, args: Relation, select: Tree, inner: list[JoinClause], scope: Scope
    ) -> Iterator[str]:
        if isinstance(conjunct, exp.In) and self._is_set_of(conjunct.this, args, scope):
            yield from self._among(conjunct, scope)
            return
        if not isinstance(conjunct, exp.EQ):
            return
        sides = (conjunct.this, conjunct.expression)
        for mine, other in (sides, sides[::-1]):
            if not self._is_set_of(mine, args, scope):
                continue
            owner = self.owner(other, scope)
            if owner is not None:
                yield from self._of_sibling([owner[0]], select, inner, scope)
            else:
                arg_set_id = integer(self.value(other, scope)).sql
                if not self._uses_siblings(arg_set_id, scope):
                    yield f"\x01 = {arg_set_id}"
            return

    def _among(self, conjunct: Tree, scope: Scope) -> Iterator[str]:
        query = conjunct.args.get("query")
        if query is not None:
            columns, sql = self.subquery(query, scope)
            is_plain = len(columns) == 1 and columns[0].type is Type.INT
            if is_plain and not self._uses_siblings(sql, scope):
                yield f"\x01 IN ({sql})"
            return
        members = [integer(self.value(m, scope)).sql for m in conjunct.expressions]
        if members and not self._uses_siblings(" ".join(members), scope):
            yield f"\x01 IN ({', '.join(members)})"

    def _is_set_of(self, node: Tree, args: Relation, scope: Scope) -> bool:
        owner = self.owner(node, scope)
        return owner is not None and owner[0] is args and owner[1].name == "arg_set_id"

    def _uses_siblings(self, sql: str, scope: Scope) -> bool:
        """Returns whether translated SQL uses a column of this SELECT; its keys are unique."""
        return any(f"{name(relation.key)}." in sql for relation in scope.relations)

    def _of_sibling(
        self, siblings: list[Relation], select: Tree, inner: list[JoinClause], scope: Scope
    ) -> Iterator[str]:
        """Yields a restriction to the slices that satisfy the conditions on slices."""
        for sibling in siblings:
            if sibling.base not in ("slice", "thread_slice", "process_slice", "instant"):
                continue
            if not any(j.relation is sibling for j in inner):
                continue
            conditions = []
            clauses = [select.args.get("where")]
            clauses += [j.node.args.get("on") for j in inner if j.node is not None]
            for clause in clauses:
                for conjunct in _conjuncts(clause):
                    if self._is_only_of(conjunct, sibling, scope):
                        conditions.append(self.condition(conjunct, scope))
            if conditions:
                yield (
                    f"\x01 IN (SELECT arg_set_id FROM {sibling.sql} AS {name(sibling.key)} "
                    f"WHERE {' AND '.join(conditions)})"
                )

    def _is_only_of(self, node: Tree, relation: Relation, scope: Scope) -> bool:
        if node.find(exp.Query, exp.Anonymous, exp.Window):
            return False
        columns = list(node.find_all(exp.Column))
        owners = [self.owner(column, scope) for column in columns]
        return bool(columns) and all(o is not None and o[0] is relation for o in owners)

    def argument_of_any_set(self, which: Value, key: str) -> Value:
        arg_set_id = integer(which).sql
        keys = [key]
        if key.startswith("debug."):
            keys.append("args." + key[len("debug.") :])
        chosen = ARGS_OF_SLICES.format(slices=slices_where(f"id = {arg_set_id}"))
        places = ARGS_OF_PLACES + f" AND arg_set_id = {arg_set_id}"
        found = (
            "CASE WHEN int_value IS NOT NULL THEN sqlite_any_of_int(int_value) "
            "WHEN string_value IS NOT NULL THEN sqlite_any_of_text(string_value) "
            "ELSE sqlite_any_of_real(real_value) END"
        )
        among = ", ".join(literal(each).sql for each in keys)
        sql = f"(SELECT {found} FROM ({chosen} UNION ALL {places}) WHERE key IN ({among}) LIMIT 1)"
        return Value(sql, Type.ANY)


def _conjuncts(clause: Any) -> Iterator[Tree]:
    """Returns the conjuncts of a condition."""
    if clause is None:
        return
    if isinstance(clause, (exp.Where, exp.Paren)):
        yield from _conjuncts(clause.this)
    elif isinstance(clause, exp.And):
        yield from _conjuncts(clause.this)
        yield from _conjuncts(clause.expression)
    else:
        yield clause
