"""A page about a replay: a bar for each change, and the rows of ranks and steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from warehouse.export.page import data, page
from warehouse.export.sections import Chart, FilledSection, Section
from warehouse.library.header import Column
from warehouse.query.result import QueryResult

if TYPE_CHECKING:
    from warehouse.query.session import Session

_COLUMNS = (
    Column("what_if", "VARCHAR", "text", "The changes"),
    Column("predicted_ns", "DOUBLE", "ns", "Time of the slowest rank"),
    Column("change", "DOUBLE", "ratio", "Against the replay without changes", nullable=True),
)


def values(session: Session, rows: QueryResult, slowest: Mapping[str, float]) -> page.Values:
    """Returns the values of the page: `rows` of a replay, and the slowest rank's time in ns.

    `slowest` begins with the time without changes.
    """
    meta = {**rows.meta, "title": "Time of the slowest rank, without and with the changes"}
    whole = FilledSection(
        Section(
            "replay", "Predicted time",
            chart=Chart("bar", label=("what_if",), values=("predicted_ns",), rows=200),
        ),
        QueryResult(_table(slowest), _COLUMNS, meta),
    )  # fmt: skip
    meta = {**rows.meta, "title": "Measured, replayed and predicted time by rank and step"}
    details = FilledSection(
        Section("replay", "Ranks and steps"), QueryResult(rows.arrow(), rows.columns, meta)
    )
    sections = [page.joined([data.section(each)]) for each in (whole, details)]
    return page.about(session, "Replay", sections)


def _table(slowest: Mapping[str, float]) -> Any:
    import pyarrow as pa

    times = list(slowest.values())
    changes = [time / times[0] - 1 if times[0] else None for time in times]
    return pa.table({
        "what_if": pa.array(slowest, pa.string()), "predicted_ns": pa.array(times, pa.float64()),
        "change": pa.array(changes, pa.float64()),
    })  # fmt: skip
