"""The differences of two sides on a page: a verdict, tables with changes beside names, charts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from warehouse.errors import TwError
from warehouse.export.sections import Chart, Report
from warehouse.query.slower import Judgement, judge

_SUMMARY = "compare_summary"
TITLES = {
    _SUMMARY: "Comparison",
    "compare_notes": "Notes on the comparison",
    "compare_ranks": "Ranks compared",
    "compare_steps": "Steps compared",
    "compare_kernels": "Kernels compared",
    "compare_ops": "Operators compared",
    "compare_collectives": "Collectives compared",
}
_LARGEST = 14  # contributions in a chart; the others are one bar
_CONTRIBUTIONS = {
    "compare_kernels": Chart(
        "waterfall", ("kernel_name",), ("change_ns", "per_unit_a_ns", "per_unit_b_ns"),
        rows=_LARGEST, total="device time",
    ),
    "compare_ops": Chart(
        "waterfall", ("name",), ("self_change_ns", "self_per_unit_a_ns", "self_per_unit_b_ns"),
        rows=_LARGEST, total="operator time",
    ),
}  # fmt: skip
#: First columns of tables: the compared subject, its change, both sides.
_FIRST = {
    _SUMMARY: "measure change change_ratio basis_a basis_b basis",
    "compare_ranks": "rank_a rank_b work_change_ns work_a_ns work_b_ns wait_change_ns wait_a_ns "
    "wait_b_ns",
    "compare_steps": "step_a step_b host_change_ns host_change_ratio host_a_ns host_b_ns "
    "device_change_ns device_change_ratio device_a_ns device_b_ns status",
    "compare_kernels": "kernel_name change_ns change_ratio per_unit_a_ns per_unit_b_ns "
    "share_of_change status",
    "compare_ops": "name self_change_ns self_change_ratio self_per_unit_a_ns self_per_unit_b_ns "
    "share_of_self_change status",
    "compare_collectives": "kind data_type message_bytes group_size change_ns change_ratio "
    "per_unit_a_ns per_unit_b_ns status",
}
_CHANGE = re.compile(r"(\w+_)?change(_ns|_ratio)?")
Values = dict[str, Any]


def titled(differences: Report) -> Report:
    """Returns comparison queries with readable titles, and charts of what contributes."""
    sections = (
        replace(each, title=TITLES[each.title], chart=_CONTRIBUTIONS.get(each.title))
        for each in differences.sections
    )
    return replace(differences, sections=tuple(sections))


def changes_first(section: Values) -> Values:
    """Returns a section whose columns begin with names and changes, which are marked."""
    names = [column["name"] for column in section["columns"]]
    first = _FIRST.get(section["query"].split("@")[0], "").split()
    order = [*map(names.index, first), *(n for n, name in enumerate(names) if name not in first)]
    columns = [section["columns"][place] for place in order]
    return {
        **section,
        "columns": [
            {**each, "change": True} if _is_change(each["name"]) else each for each in columns
        ],
        "values": [section["values"][place] for place in order],
    }


def _is_change(name: str) -> bool:
    return bool(_CHANGE.fullmatch(name)) and not name.startswith("share_of")


def verdict(sections: Sequence[Values]) -> Values:
    """Returns whether the second side is slower, with the figures of both.

    `sections` are those of the comparison; its summary decides, as for `tw compare
    --fail-if-slower`.
    """
    summary = next(each for each in sections if each["query"].split("@")[0] == _SUMMARY)
    names = [column["name"] for column in summary["columns"]]
    rows = [dict(zip(names, row, strict=True)) for row in zip(*summary["values"], strict=True)]
    try:
        judged = judge(rows, 0)
    except TwError:
        reasons = sorted({row["not_compared"] for row in rows if row["not_compared"]})
        return {"kind": "unknown", "reasons": reasons}
    row = next(each for each in rows if each["measure"] == judged.measure)
    return {"kind": _kind(judged), "reasons": _reasons(judged), **_judged(row, judged)}


def _kind(judged: Judgement) -> str:
    interval = judged.interval
    if not judged.ratio or (interval is not None and interval[0] <= 0 <= interval[1]):
        return "equal"
    return "slower" if judged.ratio > 0 else "faster"


def _judged(row: Mapping[str, Any], judged: Judgement) -> Values:
    return {
        "measure": judged.measure.replace("_", " "),
        "basis": judged.basis,
        "unit": row["unit"],
        "ratio": judged.ratio,
        "interval": list(judged.interval) if judged.interval else None,
        "a": row["basis_a"],
        "b": row["basis_b"],
    }


def _reasons(judged: Judgement) -> list[str]:
    """What the verdict does not cover: the sentences of the judgement but its first."""
    _, *others = judged.sentences()
    return [each.removeprefix("WARNING: ") for each in others]
