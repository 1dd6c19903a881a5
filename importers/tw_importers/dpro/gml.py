"""Reads graphs in GML as NetworkX writes them: nodes with labels, and edges between them.

Grammar: Himsolt, "GML: A portable Graph File Format" (1997); labels are HTML-escaped.
"""

from __future__ import annotations

import graphlib
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from warehouse.errors import CorruptTrace

_TOKEN = re.compile(r'\s*(?:#[^\n]*\n\s*)*("[^"]*"|\[|\]|[^\s\[\]"]+)')
_MAX_DEPTH = 64
_NAMED = 6  # nodes of a cycle in an error


@dataclass
class Graph:
    """Labels of the nodes in their order, and edges as pairs of positions in it."""

    labels: list[str] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)


def parse(text: str) -> Graph:
    """Returns the graph; raises CorruptTrace with the offset of what is not GML."""
    tokens = _tokens(text)
    for key, offset in tokens:
        if key == "graph":
            _expect(tokens, "[", offset)
            return _graph(list(_pairs(tokens, offset)))
        _skip_value(tokens, offset)
    raise CorruptTrace("no graph found", hint="Write it with networkx.write_gml.", offset=0)


def check_order(graph: Graph) -> None:
    """Raises CorruptTrace if nodes depend on each other, and names them."""
    before: dict[int, list[int]] = {}
    for start, end in graph.edges:
        before.setdefault(end, []).append(start)
    try:
        graphlib.TopologicalSorter(before).prepare()
    except graphlib.CycleError as error:
        cycle = [graph.labels[place] for place in error.args[1]][::-1]
        shown = " -> ".join([*cycle[:_NAMED], "..."] if len(cycle) > _NAMED else cycle)
        raise CorruptTrace(
            f"nodes of the graph depend on each other: {shown}",
            hint="Write the graph again; an operator cannot wait for what follows it.",
        ) from None


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    end = 0
    while found := _TOKEN.match(text, end):
        yield found.group(1), found.start(1)
        end = found.end()
    if text[end:].strip():
        raise CorruptTrace("a text has no closing quote", hint=_HINT, offset=end)


_HINT = "The file may be cut; copy or write it again."


def _next(tokens: Iterator[tuple[str, int]], offset: int) -> tuple[str, int]:
    try:
        return next(tokens)
    except StopIteration:
        raise CorruptTrace("the graph ends early", hint=_HINT, offset=offset) from None


def _expect(tokens: Iterator[tuple[str, int]], expected: str, offset: int) -> None:
    token, at = _next(tokens, offset)
    if token != expected:
        raise CorruptTrace(
            f"{expected} expected, not {' '.join(token[:40].split())}", hint=_HINT, offset=at
        )


def _skip_value(tokens: Iterator[tuple[str, int]], offset: int) -> None:
    token, at = _next(tokens, offset)
    if token == "[":
        _skip_list(tokens, at)


def _skip_list(tokens: Iterator[tuple[str, int]], offset: int) -> None:
    depth = 1
    while depth:
        token, offset = _next(tokens, offset)
        depth += (token == "[") - (token == "]")
        if depth > _MAX_DEPTH:
            raise CorruptTrace(f"lists nested more than {_MAX_DEPTH} deep", offset=offset)


#: A node or an edge: its kind, its plain values, and where it begins.
_Element = tuple[str, dict[str, str], int]


def _pairs(tokens: Iterator[tuple[str, int]], offset: int) -> Iterator[_Element]:
    """The nodes and edges of the graph; other keys are skipped."""
    while True:
        key, offset = _next(tokens, offset)
        if key == "]":
            return
        if key in ("node", "edge"):
            _expect(tokens, "[", offset)
            yield key, _values(tokens, offset), offset
        else:
            _skip_value(tokens, offset)


def _values(tokens: Iterator[tuple[str, int]], offset: int) -> dict[str, str]:
    values: dict[str, str] = {}
    while True:
        key, offset = _next(tokens, offset)
        if key == "]":
            return values
        value, offset = _next(tokens, offset)
        if value == "[":
            _skip_list(tokens, offset)
        else:
            values[key] = value


def _graph(elements: list[_Element]) -> Graph:
    # One pass in Python: GML is neither JSON nor columns, and graphs have thousands of nodes.
    graph, places = Graph(), dict[str, int]()
    for kind, values, offset in elements:
        if kind == "node":
            number, label = values.get("id"), values.get("label")
            if number is None:
                raise CorruptTrace("a node has no id", hint=_HINT, offset=offset)
            places[number] = len(graph.labels)
            graph.labels.append(html.unescape((label or number).strip('"')))
    for kind, values, offset in elements:
        if kind == "edge":
            ends = places.get(values.get("source", "")), places.get(values.get("target", ""))
            if ends[0] is None or ends[1] is None:
                raise CorruptTrace("an edge names no node of the graph", hint=_HINT, offset=offset)
            graph.edges.append((ends[0], ends[1]))
    return graph
