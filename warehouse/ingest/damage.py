"""Describes what of a source could not be read: the mark of a damaged trace."""

from __future__ import annotations

from collections.abc import Sequence

from warehouse.ingest.importer import Problem

_ENDS = ("truncated_gzip", "truncated")  # the first of several counts: they have one cause


def describe(problems: Sequence[Problem]) -> str | None:
    """One sentence without full stop on the problems found while reading; None if none lost bytes.

    Problems found later, by SQL, concern records that were read.
    """
    lost = [problem for problem in problems if problem.severity == "error"]
    ends = [problem for kind in _ENDS for problem in lost if problem.kind == kind]
    clauses = [_clause(problem) for problem in lost if problem.kind not in _ENDS]
    if ends:
        clauses.append(f"the file ends early{_place(ends[0])}")
    return "; ".join(clauses) or None


def _clause(problem: Problem) -> str:
    first = problem.meaning.partition(";")[0].removeprefix("the file: ")
    if problem.count == 1:
        return first + _place(problem)
    place = "" if problem.offset is None else f", first at byte {problem.offset:,}"
    return f"{first} ({problem.count:,}{place})"


def _place(problem: Problem) -> str:
    return "" if problem.offset is None else f" at byte {problem.offset:,}"
