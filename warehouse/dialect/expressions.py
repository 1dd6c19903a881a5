"""Translates expressions of SQLite's grammar to DuckDB."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import exp

from warehouse.dialect import comparisons, patterns
from warehouse.dialect.arguments import candidate_paths
from warehouse.dialect.errors import UnsupportedSql, offset_of
from warehouse.dialect.functions import FUNCTIONS, INSTEAD
from warehouse.dialect.grammar import unknown_parts
from warehouse.dialect.parse import Tree
from warehouse.dialect.resolving import Resolving
from warehouse.dialect.scope import Column, Scope
from warehouse.dialect.values import (
    Type,
    Value,
    anything,
    common,
    integer,
    literal,
    number,
    once,
    once_both,
    plain,
    real,
    text,
    truth,
    without_affinity,
)

_OPERATORS = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
    exp.Is: "IS NOT DISTINCT FROM",
}
_ARITHMETIC = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}
_ANY_ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod"}
_BITWISE = {
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseLeftShift: "<<",
    exp.BitwiseRightShift: ">>",
}


class Expressions(Resolving):
    """Translates a tree to a Value; subclasses translate aggregates and subqueries."""

    def value(self, node: Tree, scope: Scope) -> Value:
        """Translates an expression of this SELECT."""
        if scope.grouping is not None and not scope.aggregate_depth:
            key = self._as_key(node, scope)
            if key is not None:
                return key
        self.must_know_all_of(node)
        for kind, visit in self._visitors.items():
            if isinstance(node, kind):
                return visit(self, node, scope)
        raise self.refuse(node, f"{_named(node)} is not supported here")

    def _as_key(self, node: Tree, scope: Scope) -> Value | None:
        """Returns the expression if the SELECT groups by it."""
        if scope.grouping is None or isinstance(node, (exp.Literal, exp.Null)):
            return None
        if node.find(exp.Anonymous, exp.Query) and not scope.grouping.has_complex_keys:
            return None
        grouping, scope.grouping = scope.grouping, None
        try:
            found = self.value(node, scope)
        except UnsupportedSql:
            return None
        finally:
            scope.grouping = grouping
        return found if plain(found).sql in grouping.keys else None

    def must_know_all_of(self, node: Tree) -> None:
        """Raises UnsupportedSql for nodes with arguments that are not translated."""
        unknown = unknown_parts(node)
        if unknown:
            raise self.refuse(node, f"{', '.join(unknown)} is not supported here")

    def condition(self, node: Tree, scope: Scope) -> str:
        return truth(self.value(node, scope))

    # Names and constants

    def _column(self, node: Tree, scope: Scope) -> Value:
        if isinstance(node.this, exp.Star):
            raise self.refuse(node, "* is not a value")
        if node.name.startswith("$"):
            return self._parameter(node, scope)
        found = self.resolve(node, scope)
        if found is None:
            if not node.table and self.is_double_quoted(node.this):
                return literal(node.name)
            raise self.no_such_column(node, scope)
        value, owner = found
        if value is owner.aliases.get(node.name.lower()):
            return value
        if owner.grouping is not None and not owner.aggregate_depth:
            if value.sql in owner.grouping.keys:
                return value
            bare = owner.grouping.placeholder(value.sql)
            hidden = None if value.args is None else owner.grouping.placeholder(value.args)
            return Value(bare, value.type, value.affinity, args=hidden)
        return value

    def _literal(self, node: Tree, scope: Scope) -> Value:
        if node.args.get("is_string"):
            return literal(str(node.this))
        written = str(node.this).replace("_", "")
        if written.lower().startswith("0x"):
            return literal(int(written, 16))
        if written.isdigit() and int(written) < 2**63:
            return literal(int(written))
        return literal(float(written))

    def _null(self, node: Tree, scope: Scope) -> Value:
        return literal(None)

    def _boolean(self, node: Tree, scope: Scope) -> Value:
        return literal(int(bool(node.this)))

    def _parameter(self, node: Tree, scope: Scope) -> Value:
        own = node.name.lstrip("$")
        found = scope.parameter(own)
        if found is None:
            raise self.refuse(node, f"${own} has no value here")
        return found

    # Operators

    def _paren(self, node: Tree, scope: Scope) -> Value:
        return self.value(node.this, scope)

    def _arithmetic(self, node: Tree, scope: Scope) -> Value:
        operator = _ARITHMETIC[type(node)]
        left = number(self.value(node.this, scope))
        right = number(self.value(node.expression, scope))
        if Type.ANY in (left.type, right.type):
            if Type.REAL in (left.type, right.type) and operator != "%":
                return self._of_reals(operator, real(left), real(right))
            name = f"sqlite_any_{_ANY_ARITHMETIC[operator]}"
            sides = once_both(f"{name}({{}}, {{}})", anything(left).sql, anything(right).sql)
            return Value(sides, Type.ANY)
        if left.type is Type.INT and right.type is Type.INT:
            if operator in "/%":
                name = "sqlite_int_div" if operator == "/" else "sqlite_int_mod"
                return Value(f"{name}({left.sql}, {right.sql})", Type.INT)
            return Value(f"({left.sql} {operator} {right.sql})", Type.INT)
        if operator == "%":
            whole = f"sqlite_int_mod({integer(left).sql}, {integer(right).sql})"
            return Value(f"CAST({whole} AS DOUBLE)", Type.REAL)
        return self._of_reals(operator, real(left), real(right))

    def _of_reals(self, operator: str, left: Value, right: Value) -> Value:
        if operator == "/":
            return Value(f"sqlite_real_div({left.sql}, {right.sql})", Type.REAL)
        return Value(f"({left.sql} {operator} {right.sql})", Type.REAL)

    def _negated(self, node: Tree, scope: Scope) -> Value:
        inner = node.this
        if isinstance(inner, exp.Literal) and str(inner.this) == "9223372036854775808":
            return Value("(-9223372036854775807 - 1)", Type.INT)
        value = number(self.value(inner, scope))
        if value.type is Type.ANY:
            return Value(once("sqlite_any_sub(sqlite_any_of_int(0), {})", value.sql), Type.ANY)
        constant = None
        if isinstance(value.constant, (int, float)):
            constant = -value.constant
        return Value(f"(-{value.sql})", value.type, constant=constant)

    def _bits(self, node: Tree, scope: Scope) -> Value:
        left, right = (integer(self.value(n, scope)) for n in (node.this, node.expression))
        return Value(f"({left.sql} {_BITWISE[type(node)]} {right.sql})", Type.INT)

    def _bit_not(self, node: Tree, scope: Scope) -> Value:
        return Value(f"(~{integer(self.value(node.this, scope)).sql})", Type.INT)

    def _joined_text(self, node: Tree, scope: Scope) -> Value:
        left, right = (text(self.value(n, scope)) for n in (node.this, node.expression))
        return Value(f"({left.sql} || {right.sql})", Type.TEXT)

    def _comparison(self, node: Tree, scope: Scope) -> Value:
        left, right = self._sides(node, scope)
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Boolean):
            sql = f"({truth(left)} IS {'TRUE' if node.expression.this else 'FALSE'})"
            return Value(sql, Type.BOOL)
        if isinstance(node, exp.Is) and right.type is Type.NULL:
            return Value(f"({plain(left).sql} IS NULL)", Type.BOOL)
        return comparisons.compare(_OPERATORS[type(node)], left, right)

    def _beside(self, node: Tree, subject: Tree, scope: Scope) -> Value:
        """Returns the operand compared with `subject`: if that is a key of args, names in protobuf
        traces are converted to those in JSON."""
        value = self.value(node, scope)
        owner = self.owner(subject, scope)
        if (
            owner is not None
            and owner[0].base == "args"
            and owner[1].name in ("key", "flat_key")
            and isinstance(value.constant, str)
            and value.constant.startswith("debug.")
        ):
            return literal("args." + value.constant.removeprefix("debug."))
        return value

    def _sides(self, node: Tree, scope: Scope) -> tuple[Value, Value]:
        if isinstance(node.this, exp.Tuple) or isinstance(node.expression, exp.Tuple):
            raise self.refuse(
                node, "row values are not supported", "Compare the columns one by one."
            )
        left, right = node.this, node.expression
        return self._beside(left, right, scope), self._beside(right, left, scope)

    def _both(self, node: Tree, scope: Scope) -> Value:
        word = "AND" if isinstance(node, exp.And) else "OR"
        left, right = (self.condition(n, scope) for n in (node.this, node.expression))
        return Value(f"({left} {word} {right})", Type.BOOL)

    def _not(self, node: Tree, scope: Scope) -> Value:
        return Value(f"(NOT {self.condition(node.this, scope)})", Type.BOOL)

    def _between(self, node: Tree, scope: Scope) -> Value:
        subject = self.value(node.this, scope)
        low, high = (self.value(node.args[side], scope) for side in ("low", "high"))
        first = comparisons.compare(">=", subject, low)
        second = comparisons.compare("<=", subject, high)
        return Value(f"({first.sql} AND {second.sql})", Type.BOOL)

    def _in(self, node: Tree, scope: Scope) -> Value:
        subject = self.value(node.this, scope)
        query = node.args.get("query")
        if query is None and node.args.get("field") is not None:
            raise self.refuse(
                node, "IN with a table's name is not supported", "Write IN (SELECT …)."
            )
        if query is None:
            members = [self._beside(member, node.this, scope) for member in node.expressions]
            return comparisons.membership(subject, members)
        columns, sql = self.subquery(query, scope)
        if len(columns) != 1:
            raise self.refuse(node, f"IN requires one column, this SELECT returns {len(columns)}")
        member = Value('"tw in"."tw member"', columns[0].type, columns[0].affinity)
        subject = plain(subject)
        compared = comparisons.compare("=", subject, member).sql
        left, _, right = compared[1:-1].partition(" = ")
        return Value(
            f'({left} IN (SELECT {right} FROM ({sql}) AS "tw in"("tw member")))', Type.BOOL
        )

    def _like(self, node: Tree, scope: Scope) -> Value:
        escape = None
        if isinstance(node, exp.Escape):
            escape = str(node.expression.this)
            node = node.this
            if not isinstance(node, exp.Like):
                raise self.refuse(node, "ESCAPE is only supported with LIKE")
        subject = text(self.value(node.this, scope))
        pattern = self._beside(node.expression, node.this, scope)
        sql = patterns.like(subject.sql, pattern, escape)
        return Value(f"(NOT {sql})" if node.args.get("negate") else sql, Type.BOOL)

    def _glob(self, node: Tree, scope: Scope) -> Value:
        subject = text(self.value(node.this, scope))
        pattern = self._beside(node.expression, node.this, scope)
        if pattern.type is Type.NULL:
            return Value("CAST(NULL AS BOOLEAN)", Type.BOOL)
        if pattern.constant is None:
            raise self.refuse(
                node.expression, "GLOB needs a pattern that is a constant", "LIKE takes any."
            )
        return Value(patterns.glob(subject.sql, str(pattern.constant)), Type.BOOL)

    def _regexp(self, node: Tree, scope: Scope) -> Value:
        subject, pattern = (text(self.value(n, scope)) for n in (node.this, node.expression))
        return Value(f"regexp_matches({subject.sql}, {pattern.sql})", Type.BOOL)

    def _cast(self, node: Tree, scope: Scope) -> Value:
        value = self.value(node.this, scope)
        kind = node.args["to"].sql(dialect="sqlite").upper()
        if "INT" in kind or kind == "LONG":
            return Value(integer(value).sql, Type.INT, Type.INT)
        if any(part in kind for part in ("CHAR", "CLOB", "TEXT", "STRING")):
            return Value(text(value).sql, Type.TEXT, Type.TEXT)
        if any(part in kind for part in ("REAL", "FLOA", "DOUB")):
            return Value(real(value).sql, Type.REAL, Type.REAL)
        if "BLOB" in kind or "BYTES" in kind:
            raise self.refuse(node, f"CAST to {kind} is not supported")
        found = number(value)
        return Value(found.sql, found.type, Type.INT if found.type is Type.INT else Type.REAL)

    def _case(self, node: Tree, scope: Scope) -> Value:
        subject = None if node.this is None else self.value(node.this, scope)
        conditions = []
        for arm in node.args["ifs"]:
            if subject is None:
                conditions.append(self.condition(arm.this, scope))
            else:
                conditions.append(
                    comparisons.compare("=", subject, self.value(arm.this, scope)).sql
                )
        results = [self.value(arm.args["true"], scope) for arm in node.args["ifs"]]
        default = node.args.get("default")
        results.append(literal(None) if default is None else self.value(default, scope))
        values, kind = common(results)
        arms = " ".join(f"WHEN {c} THEN {v.sql}" for c, v in zip(conditions, values, strict=False))
        return Value(f"CASE {arms} ELSE {values[-1].sql} END", kind)

    def _collate(self, node: Tree, scope: Scope) -> Value:
        if node.expression.name.lower() == "binary":
            return self.value(node.this, scope)
        raise self.refuse(node, "COLLATE is not supported", "Compare lower(x) with lower(y).")

    # Subqueries and calls

    def _scalar_query(self, node: Tree, scope: Scope) -> Value:
        columns, sql = self.subquery(node, scope, limit=1)
        if len(columns) != 1:
            raise self.refuse(
                node,
                f"a scalar subquery must return one column, this SELECT returns {len(columns)}",
            )
        return Value(f"({sql})", columns[0].type, columns[0].affinity)

    def _exists(self, node: Tree, scope: Scope) -> Value:
        _, sql = self.subquery(node.this, scope)
        return Value(f"EXISTS ({sql})", Type.BOOL)

    def _call(self, node: Tree, scope: Scope) -> Value:
        name = str(node.this).lower()
        if name in ("printf", "format"):
            return self._printf(node, scope)
        if name == "extract_arg":
            return self._extract_arg(node, scope)
        if self.is_aggregate(node, name):
            return self.aggregate(node, scope, "")
        made = self.own_function(node, name, scope)
        if made is not None:
            return made
        function = FUNCTIONS.get(name)
        if function is None:
            raise self._unknown_function(node, name)
        arguments = [self.value(each, scope) for each in node.expressions]
        if not function.takes(len(arguments)):
            raise self.refuse(node, f"wrong number of arguments to {name}(): {len(arguments)}")
        return without_affinity(function.make(arguments))

    def _unknown_function(self, node: Tree, name: str) -> UnsupportedSql:
        from warehouse.dialect.aggregates import AGGREGATES, WINDOW_FUNCTIONS

        if name in WINDOW_FUNCTIONS:
            return self.refuse(node, f"{name}() requires OVER (…)")
        known = [*FUNCTIONS, *AGGREGATES, "extract_arg", "printf", "group_concat"]
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
        hint = INSTEAD.get(name) or (f"Did you mean {near[0]}?" if near else None)
        return self.refuse(node, f"the function {name}() is not supported", hint)

    def _printf(self, node: Tree, scope: Scope) -> Value:
        arguments = [self.value(each, scope) for each in node.expressions]
        if not arguments or not isinstance(arguments[0].constant, str):
            raise self.refuse(node, "printf requires a constant format")
        return patterns.printf(
            arguments[0].constant,
            arguments[1:],
            lambda what: self.refuse(node, f"{what} is not supported in printf"),
        )

    def _extract_arg(self, node: Tree, scope: Scope) -> Value:
        if len(node.expressions) != 2:
            raise self.refuse(node, "extract_arg requires an arg_set_id and a key")
        which, key = (self.value(each, scope) for each in node.expressions)
        if not isinstance(key.constant, str):
            raise self.refuse(
                node, "extract_arg needs a key that is a constant", "Or join with args."
            )
        if which.args is None:
            return self.argument_of_any_set(which, key.constant)
        paths = [literal(path).sql for path in candidate_paths(key.constant)]
        if not paths:
            return Value("CAST(NULL AS BIGINT)", Type.NULL)
        found = ", ".join(f"json_extract({which.args}, {path})" for path in paths)
        sql = f"coalesce({found})" if len(paths) > 1 else found
        return Value(once("perfetto_value({})", sql), Type.ANY)

    # Columns of the SELECT

    def subquery(
        self, node: Tree, scope: Scope, limit: int = 0, *, is_source: bool = False
    ) -> tuple[list[Column], str]:
        raise NotImplementedError

    def is_aggregate(self, node: Tree, name: str) -> bool:
        raise NotImplementedError

    def aggregate(self, node: Tree, scope: Scope, tail: str) -> Value:
        raise NotImplementedError

    def window(self, node: Tree, scope: Scope) -> Value:
        raise NotImplementedError

    def filtered(self, node: Tree, scope: Scope) -> Value:
        raise NotImplementedError

    def own_function(self, node: Tree, name: str, scope: Scope) -> Value | None:
        raise NotImplementedError

    def argument_of_any_set(self, which: Value, key: str) -> Value:
        raise NotImplementedError

    def _window(self, node: Tree, scope: Scope) -> Value:
        return self.window(node, scope)

    def _filter(self, node: Tree, scope: Scope) -> Value:
        return self.filtered(node, scope)

    def _alias(self, node: Tree, scope: Scope) -> Value:
        return self.value(node.this, scope)

    _visitors: ClassVar[dict[Any, Callable[[Any, Tree, Scope], Value]]] = {
        exp.Paren: _paren,
        exp.Column: _column,
        exp.Literal: _literal,
        exp.Null: _null,
        exp.Boolean: _boolean,
        exp.Parameter: _parameter,
        exp.Placeholder: _parameter,
        (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod): _arithmetic,
        exp.Neg: _negated,
        tuple(_BITWISE): _bits,
        exp.BitwiseNot: _bit_not,
        exp.DPipe: _joined_text,
        tuple(_OPERATORS): _comparison,
        (exp.And, exp.Or): _both,
        exp.Not: _not,
        exp.Between: _between,
        exp.In: _in,
        (exp.Like, exp.Escape): _like,
        exp.Glob: _glob,
        exp.RegexpLike: _regexp,
        exp.Cast: _cast,
        exp.Case: _case,
        exp.Collate: _collate,
        exp.Exists: _exists,
        exp.Query: _scalar_query,
        exp.Window: _window,
        exp.Filter: _filter,
        exp.Anonymous: _call,
        exp.Alias: _alias,
    }


def _named(node: Tree) -> str:
    """Returns the name of a grammar element for messages."""
    if offset_of(node) is None:
        return f"{type(node).__name__} ({node.sql(dialect='sqlite')[:40]})"
    return f"`{node.sql(dialect='sqlite')[:40]}`"
