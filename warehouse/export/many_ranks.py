"""Sections of reports on jobs of many ranks: distributions over the ranks in place of their rows.

A chart with a bar for each rank shows the statistics and the outliers instead; one with bars for
other things on each rank, their median and maximum; one with a line for each rank, a line for each
statistic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from warehouse.export.sections import Chart
from warehouse.query import rank_distribution
from warehouse.query.rank_distribution import STATISTICS, RankDistribution

if TYPE_CHECKING:
    from warehouse.library.library import Query
    from warehouse.query.result import QueryResult
    from warehouse.query.session import Session

_MIDDLE = ("median", "max")  # bars of each thing that ranks have many of


def distribution(
    session: Session, query: Query, result: QueryResult, chart: Chart | None
) -> RankDistribution | None:
    """Returns the distribution by the chart's first value; None where rows are shown as they are:
    few ranks, ranks selected by the user, or rows that are not by rank."""
    layout = None if session.selection.ranks else rank_distribution.of_session(session, query)
    if layout is None:
        return None
    if chart is not None:
        layout = layout.by(chart.values[0])
    return rank_distribution.of_rows(result, layout)


def chart(drawn: Chart | None, shown: RankDistribution) -> Chart | None:
    """Returns the chart of a distribution; None if its measure is not in the chart."""
    if drawn is None or "rank" not in drawn.label:
        return drawn if drawn is not None and shown.measure is None else None
    names = shown.rows.schema.names
    if shown.measure is None:
        values = tuple(each for each in drawn.values if each in names)
        return replace(drawn, label=("over_ranks", "rank"), values=values) if values else None
    if shown.measure not in drawn.values or (drawn.x and drawn.x not in names):
        return None
    label = _keys(names, drawn)
    if drawn.kind == "line":
        return replace(drawn, label=label, values=tuple(STATISTICS))
    return replace(drawn, kind="bar", label=label, values=_MIDDLE)


def _keys(names: Sequence[str], drawn: Chart) -> tuple[str, ...]:
    """Returns the keys of a distribution but the chart's x: its columns before `n_ranks`."""
    return tuple(each for each in names[: names.index("n_ranks")] if each != drawn.x)
