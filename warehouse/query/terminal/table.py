"""Lays out rows as a table of the width of a terminal.

Ids are hidden, headings are broken at underscores, names are shortened; if that does not suffice,
columns are left out: first those without values, then details (`_DETAIL`), then others, each from
the right.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from warehouse.library.header import Column
from warehouse.query import encoding
from warehouse.query.terminal import names, units

_GAP = "  "
_MIN_NAME = 24  # characters; names are not shortened below that
_MAX_NAME = 80
_WRAPPED_NAMES = 3  # lines of a heading
_STYLES = {
    "error": "31", "warning": "33", "note": "2", "high": "31", "medium": "33", "low": "2",
    "added": "32", "removed": "31",
}  # fmt: skip
_COLOURED = ("severity", "status")
#: Names of columns that matter least: extremes and spread of what has a sum or median, places in
#: time, flags, what figures are relative to, and groups that a name belongs to.
_DETAIL = re.compile(
    r"(.*_)?(min|max|mean|p\d+|stddev)_ns|(.*_)?(start|end)_ns|is_\w+|n_names|relative_\w+|peak_\w+_per_s"
    r"|\w+_source|min|max|mean|p\d+|stddev|(kernel|op)_category|input_types|model"
)
_FIGURES = ("ns", "byte", "byte/s", "ratio", "1/s")
#: Columns of ids that tell rows apart where runs or traces are mixed.
_MIXED = ("run_id", "trace_id")


@dataclass(frozen=True)
class View:
    """How to show rows on a terminal."""

    width: int
    has_ids: bool = False
    columns: tuple[str, ...] = ()  # to show, in this order; empty: all but ids
    is_coloured: bool = False


@dataclass
class _Cells:
    """One column: its heading and texts."""

    column: Column
    texts: list[str]
    is_empty: bool  # holds no value
    heading: list[str] = field(default_factory=list)

    @property
    def is_text(self) -> bool:
        return not encoding.is_number(self.column.type)

    @property
    def n_content(self) -> int:
        return max(map(len, self.texts), default=0)

    @property
    def width(self) -> int:
        return max([self.n_content, *map(len, self.heading)])


@dataclass(frozen=True)
class Layout:
    """A table as text, and the columns that did not fit."""

    text: str
    left_out: tuple[str, ...]

    def note(self, remedy: str, width: int) -> str:
        """Names the columns that are left out, and how to see them."""
        names = f"Columns that do not fit: {', '.join(self.left_out)}; {remedy}"
        return textwrap.fill(names, max(40, width), subsequent_indent="  ")


def lay_out(columns: Sequence[Column], rows: Sequence[Sequence[Any]], view: View) -> Layout:
    """Lays out rows of values; `columns` give names, types and units."""
    chosen = _chosen(columns, rows, view)
    cells = [_Cells(columns[n], *_texts(columns, rows, n)) for n in chosen]
    if len(rows) == 1 and len(cells) > 1:
        return Layout(_transposed(cells, view), ())
    left_out = _fit(cells, view)
    return Layout(_lines(cells, view), left_out)


def _chosen(columns: Sequence[Column], rows: Sequence[Sequence[Any]], view: View) -> list[int]:
    """The places of the columns to show."""
    places = {column.name: n for n, column in enumerate(columns)}
    if view.columns:
        return [places[name] for name in view.columns]
    if view.has_ids:
        return list(range(len(columns)))
    found = [
        n
        for n, column in enumerate(columns)
        if not _is_id(column) or (column.name in _MIXED and _differs(rows, n, places))
    ]
    if "kernel_name" in places and "name" in places:
        found = [n for n in found if n != places["name"]]  # unique by kernel_name
    return found or list(range(len(columns)))


def _is_id(column: Column) -> bool:
    """Whether a column holds ids that this warehouse gave."""
    return (column.unit or "").startswith("ref ") or column.name in _MIXED


def _differs(rows: Sequence[Sequence[Any]], n: int, places: dict[str, int]) -> bool:
    """Whether rows are of several runs, or of several traces that no rank tells apart."""
    of_rank = places.get("rank")
    if places.keys() & {"run", "trace"}:
        return False
    if of_rank is None or n == places.get("run_id"):
        return len({row[n] for row in rows}) > 1
    traces = {(row[n], row[of_rank]) for row in rows}
    return len(traces) > len({rank for _, rank in traces})


def _texts(
    columns: Sequence[Column], rows: Sequence[Sequence[Any]], n: int
) -> tuple[list[str], bool]:
    column = columns[n]
    unit_of = _unit_of(columns, column)
    texts = [encoding.printable(units.shown(row[n], unit_of(row), column.name)) for row in rows]
    return texts, all(row[n] is None for row in rows)


def _unit_of(columns: Sequence[Column], column: Column) -> Callable[[Sequence[Any]], str | None]:
    """The unit of a value: of its column, or of the row where the unit is a column, too."""
    unit = column.unit
    if unit is None and column.name.endswith("_ns"):
        unit = "ns"
    place = {f"see {each.name}": n for n, each in enumerate(columns)}.get(unit or "")
    if place is None:
        return lambda row: unit
    return lambda row: row[place]


def _fit(cells: list[_Cells], view: View) -> tuple[str, ...]:
    """Makes the columns fit the width; returns the names of those left out."""
    for each in cells:
        each.heading = [each.column.name]
    if view.columns and _total(cells) <= view.width:  # chosen to be read
        return ()
    for each in cells:
        if each.is_text and each.n_content > _MAX_NAME:
            _shorten(each, _MAX_NAME)
    if _total(cells) <= view.width:
        return ()
    for each in cells:
        each.heading = _broken(each)
    all_names = [each.column.name for each in cells]
    while _total(cells, is_least=True) > view.width and len(cells) > 1:
        cells.remove(_least_needed(cells))
    _shorten_names(cells, view.width)
    shown = {each.column.name for each in cells}
    return tuple(name for name in all_names if name not in shown)


def _least_needed(cells: Sequence[_Cells]) -> _Cells:
    """The column to leave out next; never the one that says what a row is about, nor the last
    figure."""
    kept = (_subject(cells), _only_figure(cells))
    spare = [each for each in reversed(cells) if all(each is not one for one in kept)]
    empty = (each for each in spare if each.is_empty)
    return next(itertools.chain(empty, filter(_is_detail, spare), spare))


def _is_detail(cells: _Cells) -> bool:
    return _DETAIL.fullmatch(cells.column.name) is not None


def _subject(cells: Sequence[_Cells]) -> _Cells:
    """The column that says what a row is about: the widest text, else the first."""
    texts = [each for each in cells if each.is_text and not _is_detail(each)]
    return max(texts, key=lambda each: each.n_content) if texts else cells[0]


def _only_figure(cells: Sequence[_Cells]) -> _Cells | None:
    """The column of times, bytes, rates or shares if a single one is left beside others."""
    figures = [each for each in cells if _is_figure(each)]
    return figures[0] if len(figures) == 1 and len(cells) > 2 else None


def _is_figure(cells: _Cells) -> bool:
    unit = cells.column.unit or ""
    is_measure = unit in _FIGURES or cells.column.name.endswith("_ns")
    return is_measure and not cells.is_text and not cells.is_empty and not _is_detail(cells)


def _total(cells: Sequence[_Cells], *, is_least: bool = False) -> int:
    """The width of the table; with `is_least`, after shortening all names."""
    widths = (_least(each) if is_least else each.width for each in cells)
    return sum(widths) + len(_GAP) * (len(cells) - 1)


def _least(cells: _Cells) -> int:
    if not cells.is_text:
        return cells.width
    return max([min(cells.n_content, _MIN_NAME), *map(len, cells.heading)])


def _shorten_names(cells: Sequence[_Cells], width: int) -> None:
    """Shortens the widest names until the table fits."""
    limits = {id(each): each.width for each in cells if each.is_text}
    excess = _total(cells) - width
    while excess > 0:
        wide = [each for each in cells if limits.get(id(each), 0) > _least(each)]
        if not wide:
            break
        limits[id(max(wide, key=lambda each: limits[id(each)]))] -= 1
        excess -= 1
    for each in cells:
        if each.is_text and limits[id(each)] < each.n_content:
            _shorten(each, limits[id(each)])


def _shorten(cells: _Cells, width: int) -> None:
    short = names.shortened(cells.texts, width)
    cells.texts = [short[text] for text in cells.texts]


def _broken(cells: _Cells) -> list[str]:
    """A heading in up to three lines, broken at underscores, as narrow as its values allow."""
    parts = cells.column.name.split("_")
    parts = [f"{part}_" for part in parts[:-1]] + parts[-1:]
    for width in range(max(1, cells.n_content), len(cells.column.name) + 1):
        lines = _filled(parts, width)
        if len(lines) <= _WRAPPED_NAMES and max(map(len, lines)) <= width:
            return lines
    return [cells.column.name]


def _filled(parts: Sequence[str], width: int) -> list[str]:
    lines = [""]
    for part in parts:
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return lines


def _lines(cells: Sequence[_Cells], view: View) -> str:
    n_head = max(len(each.heading) for each in cells)
    columns = []
    for each in cells:
        head = [""] * (n_head - len(each.heading)) + each.heading
        padded = [_padded(text, each) for text in (*head, "─" * each.width, *each.texts)]
        if view.is_coloured and each.column.name in _COLOURED:
            padded = [coloured(text) for text in padded]
        columns.append(padded)
    lines = (_GAP.join(line).rstrip() for line in zip(*columns, strict=True))
    return "".join(f"{line}\n" for line in lines)


def _padded(text: str, cells: _Cells) -> str:
    return text.ljust(cells.width) if cells.is_text else text.rjust(cells.width)


def coloured(text: str) -> str:
    """Returns a severity or a status in its colour, other text as it is."""
    style = _STYLES.get(text.strip())
    return f"\x1b[{style}m{text}\x1b[0m" if style else text


def _transposed(cells: Sequence[_Cells], view: View) -> str:
    """One row: a line for each column, with what it means where there is room."""
    n_name = max(len(each.column.name) for each in cells)
    n_text = min(max(each.n_content for each in cells), _MAX_NAME)
    lines = []
    for each in cells:
        (text,) = each.texts
        line = f"{each.column.name.ljust(n_name)}{_GAP}{text.ljust(n_text)}"
        room = view.width - len(line) - len(_GAP)
        about = encoding.printable(each.column.help)
        lines.append(f"{line}{_GAP}{about}" if 0 < len(about) <= room else line)
    return "".join(f"{line.rstrip()}\n" for line in lines)
