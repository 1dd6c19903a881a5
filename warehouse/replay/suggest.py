"""What a what-if that changes nothing could have changed in this run: hints for its error."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

#: Arguments that select nodes, and the condition of each.
SELECTING = {
    "name": "name GLOB ?",
    "kind": "kind GLOB ?",
    "rank": "(? IN ('-1', rank::VARCHAR))",
}
_N_NAMES = 3
_N_CHARACTERS = 60  # of a name
_N_COMPARED = 2000  # names
_LIKENESS = 0.6  # of a word of a name to a pattern
_WORD = re.compile(r"[A-Za-z0-9]+")
_KINDS = "SELECT DISTINCT kind FROM node ORDER BY kind"
_RANKS = "SELECT DISTINCT rank FROM node WHERE rank IS NOT NULL ORDER BY rank"
_NAMES = "SELECT name FROM node GROUP BY name ORDER BY sum(dur_ns) DESC, name"


def matches(connection: duckdb.DuckDBPyConnection, given: Mapping[str, str]) -> bool:
    """Whether any node matches all of these arguments."""
    condition = " AND ".join(SELECTING[key] for key in given) or "true"
    found = connection.execute(
        f"SELECT 1 FROM node WHERE {condition} LIMIT 1", list(given.values())
    ).fetchall()
    return bool(found)


def values_like(connection: duckdb.DuckDBPyConnection, given: Mapping[str, str]) -> str:
    """The values that nodes have, of each argument that matches none."""
    wrong = [key for key in given if not matches(connection, {key: given[key]})]
    if not wrong:
        return f"Each of {' and '.join(given)} matches nodes, but none matches all of them."
    found = []
    if "name" in wrong:
        names = _column(connection, _NAMES)
        found.append(f"Names are {_listed(_closest(given['name'], names))}, and others")
    if "kind" in wrong:
        found.append(f"kinds are {_listed(_column(connection, _KINDS))}")
    if "rank" in wrong:
        found.append(f"ranks are {_listed(_column(connection, _RANKS)) or 'not recorded'}")
    text = "; ".join(found)
    return f"{text[:1].upper()}{text[1:]} (`tw query replay_node`)."


def applicable(connection: duckdb.DuckDBPyConnection, applies_to: Sequence[str]) -> str:
    """The nodes that the change applies to, and the kinds of nodes that the run has."""
    kinds = f"This run has nodes of kinds {_listed(_column(connection, _KINDS))}."
    return " ".join([*(f"It applies to {each}." for each in applies_to[:1]), kinds])


def _closest(pattern: str, names: Sequence[str]) -> list[str]:
    """The names most like the pattern, or the first; names are in order of their time."""
    words = [word.lower() for word in _WORD.findall(pattern)]

    def likeness(name: str) -> float:
        there = [word.lower() for word in _WORD.findall(name)]
        ratios = (difflib.SequenceMatcher(None, a, b).ratio() for a in words for b in there)
        return max(ratios, default=0.0)

    like = [name for name in names[:_N_COMPARED] if likeness(name) >= _LIKENESS]
    found = sorted(like, key=likeness, reverse=True) or names
    return [name if len(name) <= _N_CHARACTERS else f"{name[:_N_CHARACTERS]}…"
            for name in found[:_N_NAMES]]  # fmt: skip


def _listed(values: Sequence[str]) -> str:
    return ", ".join(values)


def _column(connection: duckdb.DuckDBPyConnection, sql: str) -> list[str]:
    rows: list[tuple[Any, ...]] = connection.execute(sql).fetchall()
    return [str(value) for (value,) in rows]
