"""The diagnosis of a run: its findings, ranked by what they cost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warehouse import arrow
from warehouse.diagnose import bounds, findings
from warehouse.diagnose.findings import Finding, Unjudged
from warehouse.diagnose.prices import LEAST_COVERAGE, Prices
from warehouse.errors import QueryError
from warehouse.library.header import Column
from warehouse.query.result import QueryResult

if TYPE_CHECKING:
    from warehouse.query.session import Session

COLUMNS = (
    Column("finding", "VARCHAR", "text", "Kind of the finding: query finding_..."),
    Column("severity", "VARCHAR", "text",
           "high: at least 10 % of the time; medium: 2 %, or unknown; low; or not judged"),
    Column("subject", "VARCHAR", "text", "What it is about; NULL: not judged", nullable=True),
    Column("cost_ns", "DOUBLE", "ns", "What a repair would save; NULL: unknown", nullable=True),
    Column("cost_share", "DOUBLE", "ratio", "cost_ns by the measured time", nullable=True),
    Column("is_replayed", "BOOLEAN", "bool",
           "Whether cost_ns is of a replay, and at least half of the device time is covered; "
           "else it is an estimate, or most_ns if that is less"),
    Column("most_ns", "DOUBLE", "ns",
           "What a repair saves at most, from recorded times; NULL: no bound is known",
           nullable=True),
    Column("coverage", "DOUBLE", "ratio",
           "Share of the device time it could judge; NULL: all that was recorded", nullable=True),
    Column("location", "VARCHAR", "text", "Operator, module and Python function", nullable=True),
    Column("rank", "BIGINT", "count", "Rank it is about, if it is about one", nullable=True),
    Column("n_events", "BIGINT", "count",
           "Number of its events, on the rank with most of it; NULL: the subject lists them",
           nullable=True),
    Column("what_if", "VARCHAR", "text", "Change that was replayed; NULL: none", nullable=True),
    Column("evidence", "VARCHAR", "text", "Query that shows it, with its version and parameters"),
    Column("sentence", "VARCHAR", "text", "What was found, or why it was not judged"),
    Column("remedy", "VARCHAR", "text", "What to try", nullable=True),
)  # fmt: skip
NAME = "tw diagnose"  # of the rows, in manifests
#: Least share of the time -> severity.
SEVERITIES = ((0.1, "high"), (0.02, "medium"), (0.0, "low"))
_EXTENT = """
SELECT max(least(e.end_ns, w.to_ns) - greatest(e.start_ns, w.from_ns)) AS extent_ns
FROM trace_extent() AS e
CROSS JOIN time_window AS w
"""


@dataclass(frozen=True)
class Diagnosis:
    """The rows of `COLUMNS`, those that cost most first, and what they rest on."""

    rows: QueryResult
    measured_ns: float | None
    busy: tuple[float, float] | None  # shares of the time that devices are busy: least, most
    replay_error: float | None  # of the replay without changes
    problem: str | None  # why nothing was replayed


def diagnose(session: Session, step: int | None = None, *, replays: bool = True) -> Diagnosis:
    """Finds what makes the run in scope slow; costs of a report, without `replays`, are estimates.

    Raises QueryError if several runs are in scope, or nothing is recorded.
    """
    if len(session.seen.run_ids) != 1:
        raise QueryError("more than one run is in scope", hint="Choose one with --run.")
    found, unjudged = findings.collect(session, is_report=not replays)
    # Bounds are of the whole scope; what is removed before a time window may save time in it.
    if step is None and not (replays and session.seen.has_window):
        found = bounds.bounded(session, found, is_report=not replays)
    busy = [
        row["utilization"]
        for row in session.run("utilization", is_short=not replays).table().to_pylist()
    ]
    busy = [share for share in busy if share is not None]
    prices = _prices(session, found, step) if replays else Prices({}, None, None, None)
    measured = prices.measured_ns or prices.replayed_ns or _extent_ns(session)
    whole_ns = _extent_ns(session) if prices.are_of_step else None
    ranked = sorted(
        (_row(each, prices, measured, whole_ns) for each in found),
        key=lambda row: (-(row["cost_ns"] or 0), row["finding"], row["subject"]),
    )
    error = None
    if prices.replayed_ns and prices.measured_ns:
        error = prices.replayed_ns / prices.measured_ns - 1
    return Diagnosis(
        _result(session, [*ranked, *map(_unjudged, unjudged)], step),
        measured,
        (min(busy), max(busy)) if busy else None,
        error,
        prices.problem,
    )


def _prices(session: Session, found: Sequence[Finding], step: int | None) -> Prices:
    """The prices by a replay, whose modules are loaded only here."""
    from warehouse.diagnose import pricing
    from warehouse.replay import engines

    return pricing.price(session, engines.find("default"), found, step)


def _row(
    each: Finding, prices: Prices, measured: float | None, whole_ns: float | None
) -> dict[str, Any]:
    """The row of a finding. Prices are of one step if `whole_ns`, the time of the scope, is given.

    Estimates are of the whole scope: they are no cost of a step, but tell how severe it may be.
    """
    saved = prices.saved_ns.get(each.what_if) if each.what_if else None
    is_replayed = saved is not None and (each.coverage or 1) >= LEAST_COVERAGE
    estimate = each.estimate_ns if saved is None else saved
    cost = estimate if saved is not None or whole_ns is None else None
    share = None if cost is None or not measured else cost / measured
    compared = whole_ns if cost is None else measured
    return {
        **{column.name: getattr(each, column.name, None) for column in COLUMNS},
        "severity": _severity(estimate / compared if estimate is not None and compared else None),
        "cost_ns": None if cost is None else float(cost),
        "cost_share": share,
        "is_replayed": is_replayed,
        "what_if": each.what_if if saved is not None else None,
    }


def _unjudged(each: Unjudged) -> dict[str, Any]:
    return {
        **dict.fromkeys(column.name for column in COLUMNS),
        "finding": each.finding,
        "severity": "not judged",
        "is_replayed": False,
        "evidence": each.evidence,
        "sentence": each.reason,
    }


def _severity(share: float | None) -> str:
    if share is None:
        return "medium"
    return next(name for least, name in SEVERITIES if share >= least)


def _extent_ns(session: Session) -> float | None:
    """The time of the longest trace, within the time window."""
    (row,) = session.run(_EXTENT).table().to_pylist()
    return None if row["extent_ns"] is None else float(row["extent_ns"])


def _result(session: Session, rows: Sequence[dict[str, Any]], step: int | None) -> QueryResult:
    """The rows; `tw verify` diagnoses the run again (`warehouse.export.verify`)."""
    about = session.manifest(session.queries.find("traces"), {})
    about |= {
        "query": NAME,
        "title": "What makes the run slow",
        "query_hash": findings.contract(session),
        "parameters": json.dumps({} if step is None else {"step": step}),
    }
    return QueryResult(arrow.table_of(rows, COLUMNS), COLUMNS, about)
