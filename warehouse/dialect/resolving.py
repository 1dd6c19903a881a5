"""Resolves column names."""

from __future__ import annotations

import difflib

from sqlglot import exp

from warehouse.dialect.errors import UnsupportedSql, at_node
from warehouse.dialect.parse import Tree
from warehouse.dialect.scope import Column, Relation, Scope
from warehouse.dialect.values import Value


class Resolving:
    """Base class of the translators: the user's text, name resolution and errors."""

    source: str

    def refuse(self, node: Tree, message: str, hint: str | None = None) -> UnsupportedSql:
        return at_node(self.source, node, message, hint)

    def resolve(self, node: Tree, scope: Scope) -> tuple[Value, Scope] | None:
        """Returns a column's value and its SELECT."""
        for level in scope.chain():
            found = self._resolve_in(node, level)
            if found is not None:
                return found, level
        return None

    def _resolve_in(self, node: Tree, level: Scope) -> Value | None:
        if node.table:
            relation = level.relation(node.table)
            column = relation and relation.find(node.name)
            return relation.value(column) if relation and column else None
        if node.name.lower() in level.merged:
            return level.merged[node.name.lower()]
        holders = level.holders(node.name)
        if len(holders) > 1:
            names = " and ".join(relation.alias for relation, _ in holders)
            raise self.refuse(
                node,
                f"ambiguous column name: {node.name} is in {names}",
                f"Write {holders[0][0].alias}.{node.name}.",
            )
        if holders:
            relation, column = holders[0]
            return relation.value(column)
        return level.aliases.get(node.name.lower())

    def owner(self, node: Tree, scope: Scope) -> tuple[Relation, Column] | None:
        """Returns the table of this SELECT that a plain column belongs to."""
        if not isinstance(node, exp.Column):
            return None
        if node.table:
            relation = scope.relation(node.table)
            column = relation and relation.find(node.name)
            return (relation, column) if relation and column else None
        holders = scope.holders(node.name)
        return holders[0] if holders else None

    def is_double_quoted(self, identifier: Tree) -> bool:
        start = identifier.meta.get("start")
        return bool(identifier.args.get("quoted")) and (
            start is not None and self.source[start : start + 1] == '"'
        )

    def no_such_column(self, node: Tree, scope: Scope) -> UnsupportedSql:
        shown = f"{node.table}.{node.name}" if node.table else node.name
        near = difflib.get_close_matches(node.name, scope.known_columns(), n=1, cutoff=0.6)
        if node.table and not any(level.relation(node.table) for level in scope.chain()):
            return self.refuse(node, f"no such table in this SELECT: {node.table}")
        return self.refuse(
            node, f"no such column: {shown}", f"Did you mean {near[0]}?" if near else None
        )
