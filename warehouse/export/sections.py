"""Parts of reports: sections, their charts, and sections with the rows to show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from warehouse.query.rank_distribution import STATISTICS, RankDistribution
from warehouse.query.result import QueryResult

if TYPE_CHECKING:
    import pyarrow as pa

KINDS = ("bar", "stack", "line", "area", "heat", "region")
OVER_X = ("line", "area")
MAPS = ("heat", "region")  # not among the charts of a workbook
_MIDDLE = ("median", "max")  # bars of items of which each rank has many


@dataclass(frozen=True)
class Mark:
    """A row of a line chart that is marked with a text."""

    row: int
    text: str


@dataclass(frozen=True)
class Chart:
    """How rows are drawn; names are columns of the query.

    A `heat` chart has a map for each of `values`: a row for each `label`, a column for each `x`.
    A `region` is a rectangle from `x` to `x_end`, between two `values`, coloured by `series`.
    A `waterfall`, which reports cannot choose, leads from one side of a comparison to the other.
    """

    kind: str
    label: tuple[str, ...]
    values: tuple[str, ...]
    x: str | None = None
    rows: int = 40  # bars at most
    start: int = 0  # number of rows before the first bar
    none: str | None = None  # label of rows without one: a total, or others
    of_runs: bool = False  # each row is a run, with its name in the column `run`
    level: tuple[str, ...] = ()  # of `values`: lines that are interrupted where they change
    marks: tuple[Mark, ...] = ()
    x_end: str | None = None  # of regions
    series: str | None = None  # of regions: the column that names what a colour means
    text: tuple[str, ...] = ()  # of regions: columns that say what they are
    most: str | None = None  # of regions: the column with the end of the axis of `values`
    total: str = ""  # of a waterfall: the total that its changes add up to

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the query that the chart shows."""
        single = (self.x, self.x_end, self.series, self.most)
        return (*self.label, *self.values, *self.text, *(each for each in single if each))


@dataclass(frozen=True)
class Section:
    """One query of a report."""

    query: str
    title: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    chart: Chart | None = None
    each: str | None = None  # a query: the section is repeated for each of its rows
    where: Mapping[str, Any] = field(default_factory=dict)  # values that rows of `each` must have
    only: str | None = None  # workbook or page: omitted elsewhere
    headings: Mapping[str, str] = field(default_factory=dict)  # of columns in a workbook
    tab: str | None = None  # colour of its tab in a workbook


@dataclass(frozen=True)
class Figure:
    """A key figure: SQL over the rows of a section, named `section`; see `key_figures`."""

    title: str
    query: str  # that of the section
    unit: str
    sql: str  # returns run_id, value, note


@dataclass(frozen=True)
class Report:
    """A named list of queries."""

    name: str
    title: str
    sections: tuple[Section, ...]
    help: str = ""
    formats: tuple[str, ...] = ()  # default report of traces of these formats
    is_short: bool = True  # its queries return few rows
    figures: tuple[Figure, ...] = ()
    findings: bool = False  # whether it begins with findings


@dataclass(frozen=True)
class FilledSection:
    """A section with its rows."""

    section: Section
    result: QueryResult
    distribution: RankDistribution | None = None  # shown in place of the rows of many ranks
    reason: str = ""  # why there are no rows

    @property
    def rows(self) -> QueryResult:
        """The rows to show."""
        return self.distribution.rows if self.distribution else self.result

    @cached_property
    def chart(self) -> Chart | None:
        """The chart of the rows to show, with the run in its labels if there are several."""
        drawn = self.section.chart
        if drawn is not None and drawn.kind in MAPS:
            return drawn
        if drawn is not None and self.distribution is not None:
            drawn = of_distribution(drawn, self.distribution)
        return by_run(self.rows, drawn) if drawn is not None else None


def by_run(result: QueryResult, chart: Chart) -> Chart:
    """Adds the run to labels if there are several runs."""
    if chart.of_runs or "run_id" not in result.schema.names:
        return chart
    # Unlike `unique`, this needs no functions of Arrow, whose loading takes longer.
    if len(set(result.arrow().column("run_id").to_pylist())) < 2:
        return chart
    return replace(chart, label=("run_id", *chart.label))


def stretches(keys: Sequence[Any]) -> Iterator[tuple[int, int, Any]]:
    """Yields start, end and key of rows of equal keys that follow each other."""
    start = 0
    for end in range(1, len(keys) + 1):
        if end == len(keys) or keys[end] != keys[start]:
            yield start, end, keys[start]
            start = end


def label_rows(table: pa.Table, chart: Chart) -> list[tuple[Any, ...]]:
    """Returns the values of the label columns of each row; empty tuples without label."""
    if not chart.label:
        return [()] * table.num_rows
    return list(zip(*(table.column(name).to_pylist() for name in chart.label), strict=True))


def series_name(chart: Chart, label: str, value: str) -> str:
    """Returns the name of a line: its label, and its column if the chart has several."""
    return ": ".join(filter(None, (label, value if len(chart.values) > 1 else "")))


def label(chart: Chart, row: Sequence[Any]) -> str:
    """Returns the label of a bar or line: text as it is, numbers with the name of their column.
    `row` has the values of `chart.label`."""
    labels = [(n, v) for n, v in zip(chart.label, row, strict=True) if v is not None]
    parts = [v if isinstance(v, str) else f"{n.removesuffix('_id')} {v}" for n, v in labels]
    if all(name == "run_id" for name, _ in labels):  # which by_run adds before all others
        parts.append(chart.none or " · ".join(f"{n} ?" for n in chart.label if n != "run_id"))
    return " · ".join(parts)


def of_distribution(drawn: Chart, shown: RankDistribution) -> Chart | None:
    """Returns the chart of a distribution over ranks; None where it has no column to draw.

    Bars of ranks become bars of statistics and outliers; bars of other things on each rank, bars of
    their median and maximum; lines of ranks, lines of the statistics.
    """
    names = shown.rows.schema.names
    values = tuple(each for each in drawn.values if each in names)
    if shown.measure is None:
        # Statistics of parts do not add up, so stacks are of ranks only.
        start = len(STATISTICS) if drawn.kind == "stack" else 0
        label = ("over_ranks", "rank")
        return replace(drawn, label=label, values=values, start=start) if values else None
    if shown.measure != drawn.values[0] or (drawn.x is not None and drawn.x not in names):
        return None
    keys = names[: names.index("n_ranks")]
    label = tuple(each for each in keys if each not in ("run_id", drawn.x))
    if drawn.kind in OVER_X:  # statistics do not add up to an area
        return replace(drawn, kind="line", label=label, values=tuple(STATISTICS))
    return replace(drawn, kind="bar", label=label, values=_MIDDLE)
