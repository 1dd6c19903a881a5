"""The text report of `tw compare`: tables of query rows; only formatting, no computation."""

from __future__ import annotations

import math
import textwrap
from typing import Any

from warehouse.query import encoding
from warehouse.query.terminal.names import shortened, without_middle

Row = dict[str, Any]
_NAME_WIDTH, _LEAST_NAME_WIDTH = 56, 24
#: Columns that are left out first where a table is wider than the terminal.
_SPARE = (
    "n A", "n B", "of all", "p", "status", "95 % interval", "waits A", "waits B", "rank A", "step A"
)  # fmt: skip
_SHOWN_STEPS = 10
_MOST_RATIO = 10.0
_RANK_COLUMNS = (
    "work A",
    "work B",
    "change",
    "waits A",
    "waits B",
    "causes A",
    "causes B",
    "change",
)


def report(sides: dict[str, str], tables: dict[str, list[Row]], width: int | None = None) -> str:
    """Returns the text; `sides` holds the names of A and B, `tables` rows by table.

    `many_ranks`, where it has rows, is the distribution of those by rank. Tables fit a terminal of
    `width` characters, or have all columns.
    """
    summary = tables["summary"]
    written = ReportLines(width)
    written.lines += [*_heading(sides, summary), *map(_note, tables["notes"]), ""]
    written.table(_summary(summary))
    written.lines += _slowest(tables["rank"])
    written.section("Device work that changed most", _kernels(tables["kernel"]))
    written.lines += _by_chance(tables["kernel"])
    written.section("Operators that changed most", _ops(tables["op"]))
    moved = [row for row in tables["collective"] if row["status"] in ("added", "removed", "rate")]
    if moved:
        written.section("Collectives added, removed or of another number", _collectives(moved))
    written.section("Ranks, by the waiting they cause in collectives", _of_ranks(tables))
    if any(row["status"] == "both" for row in tables["step"]):
        written.section("Steps, by number and time", _steps(tables["step"]))
    lines = [
        part for line in [*written.lines, *written.left_out()] for part in _wrapped(line, width)
    ]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _wrapped(line: str, width: int | None) -> list[str]:
    """A line, or several where it is a sentence wider than the terminal."""
    if width is None or len(line) <= width:
        return [line]
    return textwrap.wrap(line, max(width, _LEAST_NAME_WIDTH), subsequent_indent="  ")


class ReportLines:
    """The lines of the report; tables are fitted to the width of the terminal."""

    def __init__(self, width: int | None) -> None:
        self.width = width
        self.lines: list[str] = []
        self._spared: dict[str, None] = {}

    def section(self, title: str, cells: list[list[str]]) -> None:
        if len(cells) > 1:
            self.lines += ["", title]
            self.table(cells)

    def table(self, cells: list[list[str]]) -> None:
        for name in _SPARE:
            if self.width is None or _least_width(cells) <= self.width:
                break
            kept = [n for n, header in enumerate(cells[0]) if header != name]
            if len(kept) < len(cells[0]):
                cells = [[row[n] for n in kept] for row in cells]
                self._spared[name] = None
        self.lines += _aligned(_with_names(cells, self._name_width(cells)))

    def _name_width(self, cells: list[list[str]]) -> int:
        if self.width is None:
            return _NAME_WIDTH
        room = self.width - (_least_width(cells) - _LEAST_NAME_WIDTH)
        return min(_NAME_WIDTH, max(_LEAST_NAME_WIDTH, room))

    def left_out(self) -> list[str]:
        if not self._spared:
            return []
        names = ", ".join(self._spared)
        return ["", f"Columns that do not fit: {names}; pipes and files have all columns."]


def _least_width(cells: list[list[str]]) -> int:
    """The width of a table with its names as short as they may be."""
    widths = _widths(cells)
    return sum(widths) - widths[0] + min(widths[0], _LEAST_NAME_WIDTH) + 2 * (len(widths) - 1)


def _with_names(cells: list[list[str]], width: int) -> list[list[str]]:
    """The rows with their first cell in at most `width` characters; different ones stay different.

    A row's only cell is a sentence, which stays as it is.
    """
    names = shortened((row[0] for row in cells if any(row[1:])), width)
    return [[names[row[0]] if any(row[1:]) else row[0], *row[1:]] for row in cells]


def _note(row: Row) -> str:
    end = ": not compared." if row["topic"] == "not_compared" else "."
    return f"{encoding.printable(row['note'])}{end}"


def _heading(sides: dict[str, str], rows: list[Row]) -> list[str]:
    row = rows[0]
    lines = [
        f"{name.upper()}: {encoding.printable(text)} "
        f"({_count(row[f'n_traces_{name}'], 'trace')}, {_count(row[f'n_steps_{name}'], 'step')})"
        for name, text in sides.items()
    ]
    if all(row["basis"] is None for row in rows):
        return [*lines, "Nothing is compared."]
    return [*lines, f"Changes are B minus A, of {_means(rows)}.", *_spread(rows)]


def _spread(rows: list[Row]) -> list[str]:
    """The basis of p and q, and the outliers among the steps."""
    judged = next((row for row in rows if row["p"] is not None), None)
    if judged is None:
        return []
    lines = [
        "p, q and 95 % intervals apply to these recordings; the spread between runs is unknown."
    ]
    if judged["spread"] == "runs":
        lines = ["p, q and 95 % intervals are based on the spread between runs."]
    far = [f"{side.upper()} {found}" for side in "ab" if (found := judged[f"outliers_{side}"])]
    if far:
        lines.append(f"Steps far from the median ({judged['measure']}): {'; '.join(far)}.")
    return lines


def _means(rows: list[Row]) -> str:
    """The units that the figures are means over: steps, recordings, or both."""
    ranks = " and rank" if max(rows[0]["n_traces_a"], rows[0]["n_traces_b"]) > 1 else ""
    per_step = f"means per step{ranks}"
    whole = [row["measure"] for row in rows if row["basis"] == "trace"]
    if not whole:
        return per_step
    per_trace = "means per recording (not both sides have steps of known work)"
    if all(row["basis"] != "step" for row in rows):
        return per_trace
    return f"{per_step}; of {', '.join(whole)} {per_trace}"


def _summary(rows: list[Row]) -> list[list[str]]:
    cells = [["measure", "A", "B", "change", "%", "95 % interval", "p", "q"]]
    for row in rows:
        show = _time if row["unit"] == "ns" else _number
        a, b = row["basis_a"], row["basis_b"]
        if row["measure"].endswith("_outside") and (row["total_a"] or row["total_b"]):
            totals = " and ".join(_sum(show, row[f"total_{side}"]) for side in "ab")
            cells.append([f"{row['measure']}: {totals} in all, not compared"] + [""] * 7)
        if a is None or b is None or not (a or b):
            continue
        cells.append([
            row["measure"], show(a), show(b), _signed(show, b - a), _percent(row), _interval(row),
            _chance(row["p"]), _chance(row["q"]),
        ])  # fmt: skip
    return cells


def _interval(row: Row) -> str:
    """The interval of the typical change, relative to the typical step of A."""
    if row["p"] is None or not row["typical_a"]:
        return ""
    return " to ".join(_bound(row[f"change_{end}"] / row["typical_a"]) for end in ("low", "high"))


def _bound(ratio: float) -> str:
    """A bound of an interval; of few steps it may be far beyond anything that could be meant."""
    if abs(ratio) < _MOST_RATIO:
        return f"{ratio:+.1%}"
    return f"{'<' if ratio < 0 else '>'} {math.copysign(_MOST_RATIO, ratio):+.0%}"


def _sum(show: Any, total: float | None) -> str:
    return "none" if total is None else str(show(total))


def _percent(row: Row, key: str = "change_ratio") -> str:
    return "" if row[key] is None else f"{row[key] + 0.0:+.1%}"  # 0.0 turns -0.0 into 0.0


def _kernels(rows: list[Row]) -> list[list[str]]:
    cells = [["name", "status", "n A", "n B", "A", "B", "change", "%", "of all", "p", "q"]]
    for row in rows:
        if row["status"] in ("outside", "not_compared"):
            continue
        cells.append([
            _kernel(row), row["status"], _number(row["rate_a"]),
            _number(row["rate_b"]), _time(row["per_unit_a_ns"]), _time(row["per_unit_b_ns"]),
            _signed(_time, row["change_ns"]), _percent(row), _percent(row, "share_of_change"),
            _chance(row["p"]), _chance(row["q"]),
        ])  # fmt: skip
        if row["status"] == "renamed":
            by = f" (matched by {row['match_rule']}, {row['op_name']})" if row["op_name"] else ""
            was = without_middle(_listed(row["name_a"]), _NAME_WIDTH)
            cells.append([f"  was {was}{encoding.printable(by)}"] + [""] * 10)
    return cells


def _by_chance(rows: list[Row]) -> list[str]:
    """The expected number of rows with p below 0.05 if nothing differs."""
    n_tested = max((row["n_tested"] for row in rows), default=0)
    if not n_tested:
        return []
    return [f"Of {n_tested:,} rows tested, up to {0.05 * n_tested:.1f} have p < 0.05 by chance; "
            "q allows for it."]  # fmt: skip


def _ops(rows: list[Row]) -> list[list[str]]:
    cells = [["name", "status", "n A", "n B", "self change", "p", "q", "device change", "of all",
              "p", "q"]]  # fmt: skip
    for row in rows:
        if row["status"] in ("outside", "not_compared"):
            continue
        cells.append([
            encoding.printable(row["name"]), row["status"],
            _number(row["rate_a"]), _number(row["rate_b"]),
            _signed(_time, row["self_change_ns"]), _chance(row["self_p"]),
            _chance(row["self_q"]),
            _signed(_time, row["device_change_ns"]), _percent(row, "share_of_device_change"),
            _chance(row["device_p"]), _chance(row["device_q"]),
        ])  # fmt: skip
    return cells


def _collectives(rows: list[Row]) -> list[list[str]]:
    unit = rows[0]["basis"]
    cells = [
        ["kind", "status", "ranks", "type", "bytes", "n A", "n B", f"A per {unit}", f"B per {unit}"]
    ]
    for row in rows:
        cells.append([
            row["kind"], row["status"], _known(row["group_size"]), row["data_type"] or "",
            _known(row["message_bytes"]), _number(row["n_a"]), _number(row["n_b"]),
            f"{row['rate_a']:.4g}", f"{row['rate_b']:.4g}",
        ])  # fmt: skip
    return cells


def _known(value: int | None) -> str:
    return "" if value is None else _number(value)


def _steps(rows: list[Row]) -> list[list[str]]:
    cells = [["rank A", "rank B", "step A", "step B", "host A", "host B", "%", "device A",
              "device B", "%"]]  # fmt: skip
    for row in rows[:_SHOWN_STEPS]:
        ranks = [_id(row["rank_a"]), _id(row["rank_b"])]
        cells.append([
            *ranks, _id(row["step_a"]), _id(row["step_b"]),
            _time(row["host_a_ns"]), _time(row["host_b_ns"]), _percent(row, "host_change_ratio"),
            _time(row["device_a_ns"]), _time(row["device_b_ns"]),
            _percent(row, "device_change_ratio"),
        ])  # fmt: skip
    if len(rows) > _SHOWN_STEPS:
        cells.append([f"... {len(rows):,} in total; --by step shows all"] + [""] * 9)
    return cells


def _slowest(rows: list[Row]) -> list[str]:
    """A sentence on the rank that causes most waiting more than before, if one does."""
    row = rows[0] if rows else {}
    if len(rows) < 2 or (row["caused_wait_change_ns"] or 0) <= 0:
        return []
    more, work = (_signed(_time, row[f"{name}_change_ns"]) for name in ("caused_wait", "work"))
    of = "per step" if row["basis"] == "step" else "in all"
    rank = f"Rank {_id(row['rank_b'])} of B"
    return ["", f"{rank} makes the others wait {more} {of}; its own device work: {work}."]


def _of_ranks(tables: dict[str, list[Row]]) -> list[list[str]]:
    many = tables.get("many_ranks")
    return _many_ranks(many) if many else _ranks(tables["rank"])


def _ranks(rows: list[Row]) -> list[list[str]]:
    """Own work, waiting and the waiting of the others per step; nothing for a single rank."""
    cells = [["rank A", "rank B", *_RANK_COLUMNS]]
    for row in rows if len(rows) > 1 else []:
        cells.append(_rank(_id(row["rank_a"]), _id(row["rank_b"]), row))
    return cells[: 1 + _SHOWN_STEPS]


def _many_ranks(rows: list[Row]) -> list[list[str]]:
    """The same as statistics over the ranks, and the ranks farthest from the median."""
    cells = [["", "rank B", *_RANK_COLUMNS]]
    cells += [_rank(row["over_ranks"], _id(row["rank"]), row) for row in rows]
    return [*cells, ["--by rank --all-ranks lists all"] + [""] * (len(cells[0]) - 1)]


def _rank(first: str, second: str, row: Row) -> list[str]:
    return [
        first, second, _time(row["work_a_ns"]), _time(row["work_b_ns"]),
        _signed(_time, row["work_change_ns"]), _time(row["wait_a_ns"]), _time(row["wait_b_ns"]),
        _time(row["caused_wait_a_ns"]), _time(row["caused_wait_b_ns"]),
        _signed(_time, row["caused_wait_change_ns"]),
    ]  # fmt: skip


def _widths(cells: list[list[str]]) -> list[int]:
    return [max(len(row[n]) for row in cells if any(row[1:])) for n in range(len(cells[0]))]


def _aligned(cells: list[list[str]]) -> list[str]:
    """Aligns the first column left, the others right; a row's only cell may be longer."""
    widths = _widths(cells)
    return [
        "  ".join(
            cell.ljust(width) if n == 0 else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    ]


def _kernel(row: Row) -> str:
    """The short name of a kernel, which is unique among those of both sides, or its full name."""
    return encoding.printable(row["kernel_name"] or _listed(row["name_b"] or row["name_a"]))


def _listed(names: str) -> str:
    """The first of joined names, and how many more there are."""
    first, *others = names.split(" + ")
    return encoding.printable(first) + (f" + {len(others)} more" if others else "")


def _time(ns: float | None) -> str:
    if ns is None:
        return ""
    for size, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if abs(ns) >= size:
            return f"{ns / size:.3f} {unit}"
    return f"{ns:.0f} ns"


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _signed(show: Any, value: float | None) -> str:
    if value is None:
        return ""
    return f"+{show(value)}" if value > 0 else show(value)


def _chance(p: float | None) -> str:
    if p is None:
        return ""
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _id(number: int | None) -> str:
    return "" if number is None else str(number)
