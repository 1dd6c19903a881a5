"""What-ifs: queries from the nodes and edges of a replay to changed ones, one after another.

A what-if is written as a call, `scale(name = "*Conv2D*", ratio = 0.5)`. It is the query
`what_if_scale`, which returns the nodes, or `what_if_scale_edge`, which returns the edges; both if
both exist. A query `what_if_scale_problem` returns why the change is impossible.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from warehouse.errors import QueryError, UsageError
from warehouse.library.library import Query
from warehouse.replay import suggest
from warehouse.replay.graph import Graph

_PREFIX = "what_if_"
#: Ending of a query that looks for problems of a change.
_PROBLEM = "_problem"
_SELECTING_WORK = ("class", "stream")  # of nodes that are device work
_CALL = re.compile(r"\s*([a-z][a-z0-9_]*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_NEUTRAL = re.compile(r"1(\.0*)?|0(\.0*)?(ns|us|ms|s)?")
#: The last argument of a sweep is the one with several values.
_SWEEP = re.compile(r"\s*([a-z]\w*)\s*\((.*=)([^=()]*)\)\s*", re.DOTALL)
_ARGUMENT = re.compile(r"""\s*([a-z]\w*)\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^,"']+?)\s*(?:,|$)""")


#: Values that are read as they are without quotes.
_PLAIN = re.compile(r"""[^\s,"'](?:[^,"']*[^\s,"'])?""")


@dataclass(frozen=True)
class WhatIf:
    """A change by name, with its arguments as text."""

    name: str
    arguments: Mapping[str, str]
    #: As it was written, for errors; empty if it was not.
    text: str = field(default="", compare=False)

    @property
    def written(self) -> str:
        """The text that the user wrote."""
        return self.text or str(self)

    def __str__(self) -> str:
        """The call, which `parse` reads back."""
        arguments = ", ".join(f"{key} = {_quoted(value)}" for key, value in self.arguments.items())
        return f"{self.name}({arguments})"


def parse(text: str) -> WhatIf:
    """Parses a call; raises UsageError."""
    match = _CALL.fullmatch(text)
    if match is None:
        raise UsageError(
            f"what-if {text!r} is not a call",
            hint='Write it as scale(name = "*Conv2D*", ratio = 0.5).',
        )
    name, rest = match.groups()
    return WhatIf(name, dict(_arguments(text, rest or "")), text.strip())


def sweep(text: str) -> list[WhatIf]:
    """Parses a call of which one argument has several values, as in link(latency_ns = 1us,2us).

    Returns a what-if for each value; raises UsageError.
    """
    match = _SWEEP.fullmatch(text)
    values = [value for value in (match[3].split(",") if match else []) if value.strip()]
    if match is None or len(values) < 2:
        raise UsageError(
            f"sweep {text!r} does not list values",
            hint="Separate values of the last argument by commas: link(bandwidth_ratio = 0.5,1,2).",
        )
    name, before, _ = match.groups()
    return [parse(f"{name}({before}{value.strip()})") for value in values]


def _arguments(text: str, rest: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    end = 0
    while rest[end:].strip():
        match = _ARGUMENT.match(rest, end)
        if match is None:
            raise UsageError(
                f"what-if {text!r}: arguments end at {rest[end:].strip()!r}",
                hint="Write arguments as NAME = VALUE, separated by commas.",
            )
        if match[1] in dict(found):
            raise UsageError(
                f"what-if {text!r}: argument {match[1]!r} is given twice", hint="Give it once."
            )
        found.append((match[1], _unquoted(match[2])))
        end = match.end()
    return found


def _quoted(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)


def _unquoted(value: str) -> str:
    if value.startswith('"'):
        return str(json.loads(value))
    return value[1:-1] if value.startswith("'") else value


def apply(graph: Graph, what_if: WhatIf) -> None:
    """Changes the graph.

    Raises UsageError if there is nothing to change, QueryError if the run does not allow it.
    """
    queries = _queries(graph, what_if)
    _must_be_values(what_if, queries)
    before = graph.digest()
    refuse(graph, what_if)
    for table, query in queries:
        rows = graph.rows(query, what_if.arguments)
        if table == "node":
            _must_match(graph, what_if)
        graph.replace(table, rows)
    if graph.digest() == before and not _may_change_nothing(graph, what_if):
        raise UsageError(
            f"what-if {what_if.written} changes nothing", hint=_hint(graph, what_if, queries)
        )


def _hint(graph: Graph, what_if: WhatIf, queries: Sequence[tuple[str, Query]]) -> str:
    """What the change applies to."""
    if any(key in what_if.arguments for key in _SELECTING_WORK):
        return graph.device_work()
    headers = [query.header for _, query in queries if query.header]
    return suggest.applicable(
        graph.connection, [each.applies_to for each in headers if each.applies_to]
    )


def refuse(graph: Graph, what_if: WhatIf) -> None:
    """Raises QueryError for the first problem of a change, if a query looks for them."""
    query = graph.queries.newest.get(f"{_PREFIX}{what_if.name}{_PROBLEM}")
    if query is None:
        return
    for row in graph.rows(query, what_if.arguments).to_pylist():
        raise QueryError(row["problem"], hint=row["remedy"])


def _must_be_values(what_if: WhatIf, queries: Sequence[tuple[str, Query]]) -> None:
    """Raises UsageError for an argument that is missing, of another type, or out of bounds."""
    for parameter in (each for _, query in queries for each in query.parameters):
        given = what_if.arguments.get(parameter.name)
        try:
            if given is not None:
                parameter.convert(given)
            elif not parameter.has_default:
                raise UsageError(f"parameter {parameter.name} has no value")
        except UsageError as error:
            raise UsageError(
                f"what-if {what_if.written}: {error.message}",
                hint=f"Write {what_if.name}({parameter.name} = {parameter.example}).",
            ) from None


def _may_change_nothing(graph: Graph, what_if: WhatIf) -> bool:
    """Whether graphs stay as they are: by a factor of 1, by 0 more, or as ranks are equal, or as
    many as recorded.
    """
    if what_if.name == "world_size":
        return graph.has("collective", "bucket", "SEND")
    return what_if.name == "equal_ranks" or any(
        _NEUTRAL.fullmatch(value)
        for name, value in what_if.arguments.items()
        if name not in suggest.SELECTING and name not in _SELECTING_WORK
    )


def _must_match(graph: Graph, what_if: WhatIf) -> None:
    """Raises UsageError if the arguments that select nodes select none."""
    given = {key: what_if.arguments[key] for key in suggest.SELECTING if key in what_if.arguments}
    if not suggest.matches(graph.connection, given):
        raise UsageError(
            f"what-if {what_if.written} matches no node",
            hint=suggest.values_like(graph.connection, given),
        )


def queries_of(graph: Graph, what_if: WhatIf) -> list[Query]:
    """The queries that a what-if applies."""
    return [query for _, query in _queries(graph, what_if)]


def _queries(graph: Graph, what_if: WhatIf) -> list[tuple[str, Query]]:
    """The queries of a what-if with the tables that they return."""
    found = []
    for table, name in (("node", what_if.name), ("edge", f"{what_if.name}_edge")):
        query = graph.queries.newest.get(_PREFIX + name)
        if query is not None:
            found.append((table, query))
    if not found:
        known = sorted({
            name.removeprefix(_PREFIX).removesuffix("_edge")
            for name in graph.queries.newest
            if name.startswith(_PREFIX) and not name.endswith(_PROBLEM)
        })  # fmt: skip
        raise UsageError(
            f"what-if {what_if.name!r} not found", hint=f"What-ifs: {', '.join(known)}."
        )
    declared = {each.name for _, query in found for each in query.parameters}
    unknown = sorted(what_if.arguments.keys() - declared)
    if unknown:
        raise UsageError(
            f"what-if {what_if.name} has no argument {unknown[0]!r}",
            hint=f"Its arguments: {', '.join(sorted(declared)) or 'none'}.",
        )
    return found
