"""Translates aggregates, window functions, and bare columns beside aggregates."""

from __future__ import annotations

import re

from sqlglot import exp

from warehouse.dialect import aggregates
from warehouse.dialect.parse import Tree
from warehouse.dialect.scope import Grouping, Scope
from warehouse.dialect.sources import JoinClause, Sources
from warehouse.dialect.values import Type, Value, once, plain

_BARE = re.compile("\x00(\\d+)\x00")


class Aggregation(Sources):
    """Extends expressions by aggregates, windows and ordering."""

    def is_aggregate(self, node: Tree, called: str) -> bool:
        return is_aggregate(node)

    def aggregate(self, node: Tree, scope: Scope, tail: str, *, in_window: bool = False) -> Value:
        """A call of an aggregate; `tail` is its FILTER and OVER."""
        called = str(node.this).lower()
        grouping = scope.grouping
        if not in_window:
            if grouping is None:
                raise self.refuse(node, f"misuse of the aggregate {called}()")
            if scope.aggregate_depth:
                raise self.refuse(node, f"{called}() inside an aggregate")
            scope.aggregate_depth += 1
        try:
            arguments, distinct, order = self._aggregate_arguments(node, scope)
        finally:
            if not in_window:
                scope.aggregate_depth -= 1
        if called in ("group_concat", "string_agg"):
            return aggregates.concatenation(arguments, distinct, order, tail)
        least, most, make = {**aggregates.WINDOW_FUNCTIONS, **aggregates.AGGREGATES}[called]
        if not least <= len(arguments) <= most:
            raise self.refuse(node, f"wrong number of arguments to {called}(): {len(arguments)}")
        if called in ("min", "max") and grouping is not None and not in_window:
            grouping.extremes.append((called, arguments[0]))
        return make(arguments, distinct, tail)

    def _aggregate_arguments(self, node: Tree, scope: Scope) -> tuple[list[Value], str, str]:
        distinct, order, arguments = "", "", []
        for each in node.expressions:
            if isinstance(each, exp.Star):
                continue
            if isinstance(each, exp.Distinct):
                distinct = "DISTINCT "
                arguments += [self.value(e, scope) for e in each.expressions]
                continue
            if isinstance(each, exp.Order):
                listed = [self._ordered(o, self.value(o.this, scope)) for o in each.expressions]
                order = f" ORDER BY {', '.join(listed)}"
                each = each.this
            arguments.append(self.value(each, scope))
        return arguments, distinct, order

    def filtered(self, node: Tree, scope: Scope) -> Value:
        """aggregate(…) FILTER (WHERE …)"""
        return self.aggregate(node.this, scope, self._filter_tail(node, scope))

    def _filter_tail(self, node: Tree, scope: Scope) -> str:
        scope.aggregate_depth += 1
        try:
            condition = self.condition(node.expression.this, scope)
        finally:
            scope.aggregate_depth -= 1
        return f" FILTER (WHERE {condition})"

    def window(self, node: Tree, scope: Scope) -> Value:
        """A call with OVER."""
        call, tail = node.this, ""
        if isinstance(call, exp.Filter):
            tail = f" FILTER (WHERE {self.condition(call.expression.this, scope)})"
            call = call.this
        if not isinstance(call, exp.Anonymous):
            raise self.refuse(node, "this window is not supported")
        called = str(call.this).lower()
        if called not in aggregates.WINDOW_FUNCTIONS and not is_aggregate(call):
            raise self._unknown_function(call, called)
        definition = self._window_definition(node, scope)
        tail += f" OVER ({definition})"
        return self.aggregate(call, scope, tail, in_window=True)

    def _window_definition(self, node: Tree, scope: Scope) -> str:
        base = node.args.get("alias")
        select = node.find_ancestor(exp.Select)
        if base is not None and select is not None:
            for named in select.args.get("windows") or []:
                if named.this.name.lower() == base.name.lower():
                    inner = self._window_definition(named, scope)
                    own = self._window_parts(node, scope)
                    return " ".join(part for part in (inner, own) if part)
            raise self.refuse(node, f"no such window: {base.name}")
        return self._window_parts(node, scope)

    def _window_parts(self, node: Tree, scope: Scope) -> str:
        parts = []
        if node.args.get("partition_by"):
            keys = [plain(self.value(each, scope)) for each in node.args["partition_by"]]
            parts.append("PARTITION BY " + ", ".join(k.sql for k in keys))
        order = node.args.get("order")
        if order is not None:
            listed = [self._ordered(o, self.value(o.this, scope)) for o in order.expressions]
            parts.append("ORDER BY " + ", ".join(listed))
        spec = node.args.get("spec")
        if spec is not None:
            self.must_know_all_of(spec)
            start = self._edge(spec, "start", scope)
            end = self._edge(spec, "end", scope) if spec.args.get("end") else "CURRENT ROW"
            parts.append(f"{str(spec.args.get('kind')).upper()} BETWEEN {start} AND {end}")
        return " ".join(parts)

    def _edge(self, spec: Tree, which: str, scope: Scope) -> str:
        edge, side = spec.args.get(which), str(spec.args.get(f"{which}_side") or "")
        shown = edge if isinstance(edge, str) else plain(self.value(edge, scope)).sql
        return f"{shown} {side}".strip().upper() if isinstance(edge, str) else f"{shown} {side}"

    def _fill_bare(self, sql: str, grouping: Grouping, joined: list[JoinClause]) -> str:
        """Translates bare columns (neither grouped nor aggregated): their values are those of one
        row of the group, that of the min() or max() if there is one, else the first."""
        if not grouping.bare:
            return sql
        fields = ", ".join(f"'b{i}': {each}" for i, each in enumerate(grouping.bare))
        row = f"{{{fields}}}"
        keys = [
            j.relation.value(c).sql
            for j in joined[:1]
            for c in map(j.relation.find, ("ts", "id"))
            if c is not None
        ]
        first = f"arg_min({row}, ({', '.join([*keys, '0'])}))" if keys else f"first({row})"
        chosen = first
        if grouping.extremes:
            which, value = grouping.extremes[0]
            value = plain(value)
            compared = once("sqlite_key({})", value.sql) if value.type is Type.ANY else value.sql
            signs = [f"-({key})" if which == "max" else key for key in keys]
            key = f"({', '.join([compared, *signs, '0'])})"
            found = f"arg_{which}({row}, {key}) FILTER (WHERE {value.sql} IS NOT NULL)"
            chosen = f"coalesce({found}, {first})"
        return _BARE.sub(lambda m: f"({chosen}).b{m.group(1)}", sql)

    def _ordered(self, node: Tree, value: Value) -> str:
        """Orders as SQLite: NULL before numbers before texts."""
        value = plain(value)
        self.must_know_all_of(node)
        direction = "DESC" if node.args.get("desc") else "ASC"
        nulls = "FIRST" if node.args.get("nulls_first") else "LAST"
        if value.type is Type.NULL or value.constant is not None:  # DuckDB rejects constants
            return f"coalesce({value.sql}, {value.sql}) {direction}"
        if value.type is not Type.ANY:
            return f"{value.sql} {direction} NULLS {nulls}"
        key = once("sqlite_key({})", value.sql)
        first = f"({value.sql} IS NULL) {'DESC' if nulls == 'FIRST' else 'ASC'}"
        kind = f"(({value.sql}).t IS NOT NULL) {direction}"
        rest = ", ".join(f"({key}).{part} {direction}" for part in "nit")
        return f"{first}, {kind}, {rest}"


def is_aggregate(node: Tree) -> bool:
    """Whether a call aggregates: min and max of several arguments do not."""
    called = str(node.this).lower()
    if called in ("min", "max"):
        return len(node.expressions) == 1
    return called in aggregates.AGGREGATES or called in ("group_concat", "string_agg")


def aggregates_in(node: Tree) -> bool:
    """Whether an expression contains an aggregate, outside of windows and nested SELECTs."""
    if isinstance(node, exp.Query):
        return False
    if isinstance(node, exp.Anonymous) and is_aggregate(node):
        return True
    if isinstance(node, exp.Window):
        inside = [node.this.args.get("expressions"), node.args.get("partition_by")]
        parts = [p for each in inside for p in each or []] + [node.args.get("order")]
        return any(aggregates_in(part) for part in parts if part is not None)
    return any(aggregates_in(child) for child in node.iter_expressions())
