"""Writes a diagnosis as text for a terminal: what costs most first."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from warehouse.query.terminal.table import coloured
from warehouse.query.terminal.units import duration, percent
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.diagnose.diagnosis import Diagnosis

LEAST_SHARE = 0.02  # of the findings that are shown
WIDTH = 100  # columns of text that is not for a terminal
_INDENT = "     "


def lines(
    found: Diagnosis,
    run: str,
    width: int,
    *,
    scope: str = "",
    has_all: bool = False,
    is_coloured: bool = False,
) -> Iterator[str]:
    """Yields the lines of the text, of at most `width` columns where words allow it.

    The commands that show the evidence have the options `scope`. Findings below `LEAST_SHARE` of
    the time are counted, unless `has_all`. Severities are coloured if `is_coloured`.
    """
    rows = shown(found, has_all=has_all)
    yield from _wrapped(headline(found, run), width, "")
    for n, row in enumerate(rows, 1):
        yield ""
        yield from _finding(n, row, width, is_coloured=is_coloured)
        yield f"{_INDENT}See: tw query {row['evidence']} {scope}".rstrip()
    if not rows:
        yield f"No finding costs {percent(LEAST_SHARE)} of the time or more."
    if n_small := len(shown(found, has_all=True)) - len(rows):
        yield ""
        yield f"{counted(n_small, 'finding')} below {percent(LEAST_SHARE)} of the time (--all)."
    yield from _unjudged(found, width)


def shown(found: Diagnosis, *, has_all: bool) -> list[dict[str, Any]]:
    """The findings that the text shows."""
    rows = [row for row in found.rows if row["severity"] != "not judged"]
    return [row for row in rows if has_all or row["severity"] != "low"]


def headline(found: Diagnosis, run: str) -> str:
    """The headline about the run as a whole."""
    text = f"Run {run}"
    if found.measured_ns is not None:
        text += f": {duration(found.measured_ns)}"
    if found.busy is not None:
        least, most = map(percent, found.busy)
        text += f", devices busy {least if least == most else f'{least} to {most}'}"
    if found.problem is not None:
        return f"{text}. Costs are estimates from recorded times: no replay, as {found.problem}."
    if found.replay_error is None:
        return f"{text}."
    return (
        f"{text}. Costs by replay, which without changes is off by {percent(found.replay_error)}."
    )


def _finding(n: int, row: dict[str, Any], width: int, *, is_coloured: bool) -> Iterator[str]:
    severity = f"({row['severity']})"
    head = _wrapped(f"{n:2}.  {row['finding']}: {cost(row)} {severity}", width, _INDENT)
    for line in head:
        if is_coloured and line.endswith(severity):
            yield line.removesuffix(severity) + f"({coloured(row['severity'])})"
        else:
            yield line
    yield from _wrapped(_INDENT + about(row), width, _INDENT)
    yield from _wrapped(f"{_INDENT}Try: {row['remedy']}.", width, _INDENT)


def cost(row: dict[str, Any]) -> str:
    """The cost of a finding, relative and absolute: 12.3 %, 45.67 ms; estimates and bounds say so.

    An estimate is followed by what the cost is at most, if that is known.
    """
    if row["cost_ns"] is None:
        return "unknown cost"
    amount = duration(row["cost_ns"])
    share = "" if row["cost_share"] is None else f"{percent(row['cost_share'])}, "
    if row["is_replayed"]:
        return f"{share}{amount}"
    if is_most(row):
        return f"at most {share}{amount}"
    most = "" if row["most_ns"] is None else f" (at most {duration(row['most_ns'])})"
    return f"estimated {share}{amount}{most}"


def is_most(row: dict[str, Any]) -> bool:
    """Whether the cost of a finding is a bound, which holds, not an estimate, nor replayed."""
    is_known = row["most_ns"] is not None and not row["is_replayed"]
    return bool(is_known and row["cost_ns"] >= row["most_ns"])


def about(row: dict[str, Any]) -> str:
    """What was found, how often, and where, as a sentence."""
    count = f"{row['n_events']:,} ×" if row["n_events"] else ""
    where = f" in {row['location']}" if row["location"] else ""
    return f"{row['sentence']}: {count} {row['subject']}{where}.".replace(":  ", ": ")


def _unjudged(found: Diagnosis, width: int) -> Iterator[str]:
    rows = [row for row in found.rows if row["severity"] == "not judged"]
    names: dict[str, list[str]] = {}
    for row in rows:
        names.setdefault(row["sentence"], []).append(row["finding"])
    if rows:
        yield ""
        yield "Not judged:"
    for reason, findings in names.items():
        yield from _wrapped(f"  {', '.join(findings)}: {reason}", width, "    ")


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
