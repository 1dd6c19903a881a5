"""SQL files avoid functions of DuckDB whose cost grows with the square of the rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path for folder in ("queries", "importers", "schema") for path in (ROOT / folder).rglob("*.sql")
)
_CALL = re.compile(r"\bcount\(", re.IGNORECASE)
_FILTER = re.compile(r"\s*FILTER\s*\(", re.IGNORECASE)
_OVER = re.compile(r"\s*OVER\s+(?:(?P<name>\w+)|(?P<open>\())", re.IGNORECASE)


def closing(text: str, start: int) -> int:
    """The place after the parenthesis that closes the one before `start`."""
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(text[start], 0)
        start += 1
    return start


def window(text: str, over: re.Match[str]) -> str:
    """The window of an OVER clause, which may be named."""
    start = over.end()
    if name := over["name"]:
        (named,) = re.finditer(rf"\b{name}\s+AS\s*\(", text)
        start = named.end()
    return text[start : closing(text, start)]


def running_counts(text: str) -> Iterator[str]:
    """Counts with a filter over ordered windows: count(*) FILTER (…) OVER (ORDER BY …)."""
    for call in _CALL.finditer(text):
        behind = closing(text, call.end())
        if condition := _FILTER.match(text, behind):
            behind = closing(text, condition.end())
            over = _OVER.match(text, behind)
            if over and "ORDER BY" in window(text, over).upper():
                yield text[call.start() : behind]


def test_counts_of_what_came_before_have_no_filter() -> None:
    """DuckDB counts all rows of the window again for each row; it does not with CASE: 400,000 rows
    take 47 CPU seconds, and 0.2."""
    found = [f"{path}: {text}" for path in FILES for text in running_counts(path.read_text())]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "SELECT count(*) FILTER (WHERE a = (b)) OVER (PARTITION BY c ORDER BY d) FROM t",
        "SELECT count(a) FILTER (b) OVER before FROM t WINDOW before AS (ORDER BY c)",
    ],
)
def test_a_running_count_with_a_filter_is_found(text: str) -> None:
    assert len(list(running_counts(text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "SELECT count(*) FILTER (a) OVER (PARTITION BY b) FROM t",
        "SELECT count(CASE WHEN a THEN 1 END) OVER (ORDER BY b) FROM t",
        "SELECT count(*) FILTER (a) FROM t",
    ],
)
def test_other_counts_are_not_found(text: str) -> None:
    assert list(running_counts(text)) == []
