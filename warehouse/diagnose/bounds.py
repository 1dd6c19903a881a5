"""Bounds of what repairs save, from recorded times (query saving_limit), without a replay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from warehouse.diagnose.findings import Finding, change

if TYPE_CHECKING:
    from warehouse.query.session import Session

QUERY = "saving_limit"


def bounded(
    session: Session, findings: Sequence[Finding], *, is_report: bool = False
) -> list[Finding]:
    """The findings with what their changes save at most; of other changes no bound is known."""
    if not any(each.what_if for each in findings):
        return list(findings)
    subjects = sorted({each.subject for each in findings if each.what_if and each.subject})
    rows = session.run(QUERY, {"subjects": subjects or [""]}, is_short=is_report).table()
    most = {
        change(row["what_if"], row["subject"] or "", row["rank"]): float(row["most_ns"])
        for row in rows.to_pylist()
    }
    return [replace(each, most_ns=most.get(each.what_if or "")) for each in findings]
