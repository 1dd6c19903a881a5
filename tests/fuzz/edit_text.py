"""Edits of text by its lines, and of CSV by its cells and headers."""

from __future__ import annotations

import random

from tests.fuzz.edit_bytes import NUMBERS

_CELLS = (
    *(str(number).encode() for number in NUMBERS),
    b"", b" ", b"nan", b"inf", b"-inf", b"1e400", b"-1e400", b"1.5", b"0x", b"0x1f", b"0xg",
    b"\xff", b'"', b'""', b'"a', b'a"', b'"a,b"', b'"a\nb"', b"\0", b"\xef\xbb\xbf",
    b"9" * 30, b"9" * 400, b"Agent 9", b"long " * 400, b"1,5", b"NULL", b"None", b"=1+1",
    b"\xc3\xa4", b"1 2", b"+1", b"1_0",
)  # fmt: skip
_ENDS = (b"\n", b"\r\n", b"\r", b"\n\n", b"")


def edit(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """The text with one edit; `other` is a text that lines and cells are taken from."""
    lines, others = data.split(b"\n"), other.split(b"\n")
    return b"\n".join(rng.choice(_EDITS)(lines, rng, others))


Lines = list[bytes]


def set_cell(lines: Lines, rng: random.Random, others: Lines) -> Lines:
    return _with_cells(
        lines, rng, lambda cells, n: [*cells[:n], rng.choice(_CELLS), *cells[n + 1 :]]
    )


def set_cells(lines: Lines, rng: random.Random, others: Lines) -> Lines:
    """Values at their limits in many cells, of which each has its own check."""
    for _ in range(rng.randrange(3, 12)):
        lines = set_cell(lines, rng, others)
    return lines


def take_cell(lines: Lines, rng: random.Random, others: Lines) -> Lines:
    cell = rng.choice(rng.choice(others).split(b","))
    return _with_cells(lines, rng, lambda cells, n: [*cells[:n], cell, *cells[n + 1 :]])


def drop_cell(lines: Lines, rng: random.Random, others: Lines) -> Lines:
    return _with_cells(lines, rng, lambda cells, n: [*cells[:n], *cells[n + 1 :]])


def repeat_cell(lines: Lines, rng: random.Random, others: Lines) -> Lines:
    return _with_cells(lines, rng, lambda cells, n: [*cells[:n], cells[n], *cells[n:]])


def swap_cells(lines: Lines, rng: random.Random, others: Lines) -> Lines:
    def swapped(cells: Lines, n: int) -> Lines:
        at = rng.randrange(len(cells))
        cells[n], cells[at] = cells[at], cells[n]
        return cells

    return _with_cells(lines, rng, swapped)


def _with_cells(lines: Lines, rng: random.Random, change: object) -> Lines:
    """One line, often the first, with its cells changed."""
    at = 0 if rng.random() < 0.25 else rng.randrange(len(lines))
    cells = lines[at].split(b",")
    assert callable(change)
    return [*lines[:at], b",".join(change(cells, rng.randrange(len(cells)))), *lines[at + 1 :]]


def drop_column(lines: Lines, rng: random.Random, others: Lines) -> Lines:
    """A column of all lines."""
    n = rng.randrange(lines[0].count(b",") + 1)
    cells = (line.split(b",") for line in lines)
    return [b",".join([*each[:n], *each[n + 1 :]]) for each in cells]


def drop_line(lines: Lines, rng: random.Random, others: Lines) -> Lines:
    at = rng.randrange(len(lines))
    return [*lines[:at], *lines[at + 1 :]]


def repeat_line(lines: Lines, rng: random.Random, others: Lines) -> Lines:
    at = rng.randrange(len(lines))
    return [*lines[:at], lines[at], *lines[at:]]


def take_line(lines: Lines, rng: random.Random, others: Lines) -> Lines:
    at = rng.randrange(len(lines) + 1)
    return [*lines[:at], rng.choice(others), *lines[at:]]


def swap_lines(lines: Lines, rng: random.Random, others: Lines) -> Lines:
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return lines


def cut_line(lines: Lines, rng: random.Random, others: Lines) -> Lines:
    """The text ends within a line."""
    at = rng.randrange(len(lines))
    return [*lines[:at], lines[at][: rng.randrange(len(lines[at]) + 1)]]


def end_lines(lines: Lines, rng: random.Random, others: Lines) -> Lines:
    return (rng.choice(_ENDS)).join(lines).split(b"\n")


def set_number(lines: Lines, rng: random.Random, others: Lines) -> Lines:
    """A number after `=`, as logs and profiles have them."""
    at = rng.randrange(len(lines))
    key, equals, value = lines[at].rpartition(b"=")
    if equals:
        rest = value.partition(b",")[2]
        lines[at] = key + equals + rng.choice(_CELLS) + (b"," + rest if rest else b"")
    return lines


_EDITS = (
    set_cell, set_cell, set_cells, take_cell, drop_cell, repeat_cell, swap_cells, drop_column,
    drop_line, repeat_line, take_line, swap_lines, cut_line, end_lines, set_number,
)  # fmt: skip
