"""Arguments supported per node type of a parsed statement; others raise UnsupportedSql.

Ignoring an unknown flag of sqlglot could change the meaning: an unread `negate` would invert a
condition.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from warehouse.dialect.parse import Tree

_BINARY = "this expression typed safe"
_KNOWN: dict[Any, str] = {
    exp.Select: "expressions from_ from joins where group having order limit offset distinct "
    "with_ with windows",
    exp.SetOperation: "this expression distinct order limit offset with_ with",
    exp.Subquery: "this alias with_ with order limit offset joins",
    exp.Table: "this alias db catalog joins",
    exp.Join: "this on using side kind method",
    exp.Distinct: "expressions",
    exp.Group: "expressions",
    exp.Order: "this expressions",
    exp.Ordered: "this desc nulls_first",
    exp.Window: "this partition_by order spec alias over",
    exp.WindowSpec: "kind start start_side end end_side",
    exp.Filter: "this expression",
    exp.Column: "this table",
    exp.In: "this expressions query field",
    exp.Between: "this low high",
    exp.Case: "this ifs default",
    exp.Cast: "this to",
    exp.Anonymous: "this expressions",
    exp.Like: f"{_BINARY} negate",
    exp.Not: "this",
    exp.Binary: _BINARY,
}


def unknown_parts(node: Tree) -> list[str]:
    """Returns the names of unsupported arguments of a node."""
    for kind, known in _KNOWN.items():
        if isinstance(node, kind):
            return sorted({key for key, part in node.args.items() if part} - set(known.split()))
    return []
