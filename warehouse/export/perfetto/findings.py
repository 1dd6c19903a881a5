"""Findings of a run as instants on a track of their own, with cost, remedy and evidence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from warehouse import arrow
from warehouse.export.perfetto import load
from warehouse.export.perfetto.query_tracks import QueryTrack
from warehouse.library.header import Column

if TYPE_CHECKING:
    from warehouse.query.session import Session

_COLUMNS = (
    Column("place", "BIGINT", "count", "Place in the order of costs"),
    Column("subject", "VARCHAR", "text", "What it is about"),
    Column("rank", "BIGINT", "count", "Rank it is about, if it is about one", nullable=True),
    Column("title", "VARCHAR", "text", "Its kind and cost"),
    Column("args_json", "VARCHAR", "text", "Arguments of the instant"),
)
_EXPRESSIONS = {
    "label": "'findings'", "trace": "trace_id", "device": "NULL", "track": "NULL",
    "start": "ts", "length": "0", "title": "title", "args": "args_json",
    "category": "'finding'", "phase": "'i'",
}  # fmt: skip


def read(opened: Session) -> QueryTrack:
    """Returns the findings of the run in scope, with estimated costs; those that cost most first.

    Raises QueryError if several runs are in scope.
    """
    from warehouse.diagnose import diagnosis

    found = diagnosis.diagnose(opened, replays=False).rows
    rows = [row for row in found if row["subject"] is not None]
    table = arrow.table_of([_row(place, row) for place, row in enumerate(rows)], _COLUMNS)
    opened.connection.register("found", table)
    drawn = opened.connection.sql(load("finding_places")).to_arrow_table()
    opened.connection.unregister("found")
    return QueryTrack("findings", None, None, drawn, _EXPRESSIONS)


def _row(place: int, row: dict[str, Any]) -> dict[str, Any]:
    from warehouse.diagnose import text

    shown = {
        "severity": row["severity"],
        "cost": text.cost(row),
        "about": text.about(row),
        "remedy": row["remedy"],
        "evidence": f"tw query {row['evidence']}",
    }
    return {
        "place": place,
        "subject": row["subject"],
        "rank": row["rank"],
        "title": f"{row['finding'].replace('_', ' ')}: {shown['cost']}",
        "args_json": json.dumps(shown, ensure_ascii=False),
    }
