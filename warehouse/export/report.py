"""Reports: named lists of queries with titles and charts, for workbooks and pages.

A report is a TOML file in the folder `reports` of the library or of the user's queries:

    name = "pytorch"
    title = "PyTorch profile"
    [[section]]
    query = "utilization"                 # a library query, optionally with a version
    title = "Utilization"
    parameters = { bucket_ns = "span/200" }
    chart = { kind = "bar", label = ["rank"], values = ["utilization"], x = "…", rows = 20 }

`formats = ["nsys"]` beside the title makes it the default report of traces of these formats.
`span/N` is the length of the longest trace in scope divided by N. A chart is `bar` or `stack` (a
bar for each of the first `rows` rows, labelled by the columns `label`), `line` (over column `x`, a
line per label), `area` (such lines, stacked), or `heat` (a map for each of `values`: a row per
label, a column per `x`). On pages it may be `region`: rectangles from `x` to `x_end`, between
two `values`, coloured by the column `series`, described by `text`, on an axis up to `most`.

    [[figure]]                            # shown first: SQL over the rows of a section
    title = "Device busy"
    query = "utilization"
    unit = "ratio"
    sql = "SELECT run_id, sum(busy_ns) / sum(span_ns) AS value, NULL AS note FROM section …"

A section with `each`, a query, is repeated for each of its rows (with the values of `where`):
`{column}` in its title and `"$column"` in its parameters are replaced by values of the row. `only =
"workbook"` or `"page"` limits a section to that output; `headings` and `tab` are column titles and
tab colour in a workbook.
"""

from __future__ import annotations

import difflib
import itertools
import re
import tomllib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse import arrow, resources
from warehouse.ahead import ahead, together
from warehouse.errors import ContractError, UsageError
from warehouse.export.sections import KINDS, MAPS, Chart, Figure, FilledSection, Report, Section
from warehouse.library.arguments import arguments
from warehouse.query import comparison, emptiness, execute, rank_distribution
from warehouse.query.result import QueryResult
from warehouse.store import database

if TYPE_CHECKING:
    from warehouse.library.library import Library, Query
    from warehouse.query.session import Session

    Work = Callable[[Session], object]
    _Outcome = FilledSection | Exception

_AHEAD = 4  # sections that wait to be written, in any order
_SPAN = re.compile(r"span/([1-9][0-9]*)")


def folders(query_path: Iterable[Path]) -> list[Path]:
    """Returns the folders of reports, the user's first."""
    return [
        *(folder / "reports" for folder in query_path),
        resources.sql_folder("queries") / "reports",
    ]


def names(query_path: Iterable[Path] = ()) -> list[str]:
    """Returns the names of all reports."""
    found = [path.stem for folder in folders(query_path) for path in sorted(folder.glob("*.toml"))]
    return list(dict.fromkeys(found))


def load(name: str, query_path: Sequence[Path] = ()) -> Report:
    """Loads a report; raises UsageError for an unknown name, ContractError for an invalid file."""
    path = _path(name, query_path)
    if path is not None:
        return read(path)
    near = difflib.get_close_matches(name, names(query_path), n=1)
    known = ", ".join(names(query_path))
    hint = f"Did you mean {near[0]!r}?" if near else f"Available: {known}."
    raise UsageError(f"report {name!r} not found", hint=hint)


def _path(name: str, query_path: Sequence[Path]) -> Path | None:
    paths = (folder / f"{name}.toml" for folder in folders(query_path))
    return next((path for path in paths if path.is_file()), None)


def read(path: Path) -> Report:
    """Parses a report file; raises ContractError naming file and section."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
        sections = tuple(_section(each) for each in values.pop("section"))
        figures = tuple(Figure(**each) for each in values.pop("figure", ()))
        formats = tuple(values.pop("formats", ()))
        return Report(sections=sections, formats=formats, figures=figures, **values)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, TypeError, KeyError, ValueError) as error:
        raise ContractError(f"{path}: invalid report: {error}") from None


def _section(values: dict[str, Any]) -> Section:
    given: dict[str, Any] | None = values.pop("chart", None)
    if given is None:
        return Section(**values)
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in given.items()
    }
    chart = Chart(**fields)
    if chart.kind not in KINDS:
        raise ValueError(f"{values.get('query')}: chart.kind must be one of {', '.join(KINDS)}")
    return Section(**values, chart=chart)


def choose(
    session: Session, queries: Sequence[str], parameters: Mapping[str, str], name: str | None
) -> Report:
    """Returns the report of the given queries, the named one, that of the formats in scope, or
    `pytorch`."""
    if queries and name:
        raise UsageError(
            "QUERIES and --report cannot be combined", hint="A report has its own queries."
        )
    if queries:
        return of_queries(queries, parameters, session.queries)
    if parameters:
        raise UsageError("-p cannot be combined with a report", hint="-p applies to QUERIES.")
    return load(name, session.place.query_path) if name else _usual(session)


def _usual(session: Session) -> Report:
    """Returns the default report of the formats in scope."""
    rows = session.connection.execute("SELECT DISTINCT format FROM trace").fetchall()
    formats = {str(format) for (format,) in rows}
    for name in names(session.place.query_path):
        with suppress(ContractError):  # an invalid report of the user may be irrelevant here
            path = _path(name, session.place.query_path)
            if formats and path is not None and formats <= _formats(path):
                return read(path)
    return load("pytorch", session.place.query_path)


def _formats(path: Path) -> set[str]:
    """The formats of which a report is the default, without parsing its sections."""
    try:
        head, _, _ = path.read_text(encoding="utf-8").partition("\n[[")
        return set(tomllib.loads(head).get("formats", ()))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, TypeError):
        return set(read(path).formats)


def of_queries(queries: Iterable[str], parameters: Mapping[str, str], library: Library) -> Report:
    """Returns a report of named queries; each gets the parameters it declares."""
    sections = []
    used: set[str] = set()
    for name in queries:
        query = library.find(name)
        known = {each.name for each in query.parameters}
        mine = {key: value for key, value in parameters.items() if key in known}
        used |= mine.keys()
        assert query.header is not None
        sections.append(Section(str(query.key), query.header.name, mine))
    for name in parameters.keys() - used:
        raise UsageError(f"no query has a parameter {name!r}")
    return Report("queries", "Queries", tuple(sections), is_short=False)


def fill(
    session: Session, report: Report, target: str | None = None, *, all_ranks: bool = False
) -> Iterator[FilledSection]:
    """Runs the sections in order, except those for other outputs than `target`.

    Rows of many ranks are shown as a distribution, unless `all_ranks` or the user selects ranks.
    Raises QueryError, UsageError.
    """
    sections = [each for each in report.sections if each.only in (None, target)]
    repeated = _forgetting(session, list(_repeated(session, sections)))
    yield from _filled(session, report, repeated, all_ranks)


def _forgetting(session: Session, sections: Sequence[Section]) -> Iterator[Section]:
    """Yields the sections, and drops rows of blocks that no later one needs if memory is limited:
    what does not fit into it is written to the disk and read again."""
    for place, section in enumerate(sections):
        if session.place.memory_limit is not None:
            session.forget_rows(needed_by={each.query for each in sections[place:]})
        yield section


def _filled(
    session: Session, report: Report, sections: Iterable[Section], all_ranks: bool
) -> Iterator[FilledSection]:
    for section in sections:
        query = session.queries.find(section.query)
        values = {key: _value(session, value) for key, value in section.parameters.items()}
        layout = None if all_ranks or session.selection.ranks else _layout(session, query, section)
        is_summary = layout is not None and _needs_no_order(session, report, section)
        rows = _rows(session, query, values, report.is_short, in_any_order=is_summary)
        shown = None if layout is None else rank_distribution.of_rows(rows, layout)
        if is_summary and shown is None and rows.n_rows > 1:  # they are shown, in their order
            rows.release()
            rows = _rows(session, query, values, report.is_short)
        reason = "" if rows.n_rows else emptiness.reason(session, query)
        yield FilledSection(section, rows, shown, reason)


def _needs_no_order(session: Session, report: Report, section: Section) -> bool:
    """Whether only a distribution of the rows is shown: no map, and no figure of the first ones.

    Of several traces of a rank, it shows the first of equal ones.
    """
    is_map = section.chart is not None and section.chart.kind in MAPS
    has_figure = any(each.query == section.query for each in report.figures)
    ranks = {trace["rank"] for trace in session.traces}
    return not is_map and not has_figure and len(ranks) == len(session.traces)


def _rows(
    session: Session,
    query: Query,
    values: Mapping[str, Any],
    is_short: bool,
    *,
    in_any_order: bool = False,
) -> QueryResult:
    """The rows of a query, which is not run if the scope lacks what it requires: planning a query
    takes as long without rows."""
    if _is_lacking(session, query):
        assert query.header is not None
        columns, given = query.header.columns, arguments(query, values)
        return QueryResult(arrow.table_of([], columns), columns, session.entries(query, given))
    if is_short and session.stores_rows and execute.is_plain(query):
        return session.stored(query, values, in_any_order=in_any_order)
    result = session.run(query, values, is_short=is_short)
    return QueryResult(result.table(), result.columns, session.entries(query, result.parameters))


def _is_lacking(session: Session, query: Query) -> bool:
    """Whether the scope lacks what a query requires; a comparison has a scope of its own."""
    if session.seen != session.chosen or not execute.is_plain(query):
        return False
    is_comparison = any(each.unit == comparison.UNIT for each in query.parameters)
    return not is_comparison and bool(emptiness.lacking(session, query))


def fill_ahead(
    session: Session,
    report: Report,
    target: str,
    *,
    all_ranks: bool = False,
    before: Sequence[Work] = (),
) -> Generator[FilledSection]:
    """Runs the sections as `fill` does, each while the caller writes the one before it.

    Queries run two at a time, in sessions of the same scope, if they may. With limited memory, a
    section is run when the caller asks for it: rows of fewer sections are held at a time. `before`
    the sections, up to two other things are done in a session, too. The session is in use until the
    last section is out, or this is closed.
    """
    if report.is_short and session.place.runs_two_at_a_time:
        sections = _two_at_a_time(session, report, target, all_ranks, before)
        next(sections)
        return sections
    arrow.leave_pandas_unloaded()
    sections = _after(before, session, report, target, all_ranks)
    if session.place.memory_limit is not None:
        return sections
    return ahead(sections, 1, session.connection.interrupt)


def _after(
    before: Iterable[Work], session: Session, report: Report, target: str, all_ranks: bool
) -> Generator[FilledSection]:
    for work in before:
        work(session)
    yield from fill(session, report, target, all_ranks=all_ranks)


def _two_at_a_time(
    session: Session, report: Report, target: str, all_ranks: bool, before: Sequence[Work]
) -> Generator[Any]:
    """Runs the sections on two connections, each on the one that is free: most time of a short
    query is spent in planning it, which one core does.

    Yields None when queries have started, so that the caller can load its modules meanwhile, then
    the sections.
    """
    chosen = [each for each in report.sections if each.only in (None, target)]
    sections = list(_repeated(session, chosen))
    left = iter(enumerate(sections))

    def run(one: Session, works: Iterable[Work]) -> Iterator[tuple[int, _Outcome]]:
        for work in works:
            work(one)
        arrow.leave_pandas_unloaded()
        for place, section in left:
            yield place, _outcome(one, report, section, all_ranks)

    with session.beside() as other:
        parts = ((session, before[:1]), (other, before[1:]))
        streams = [(run(one, works), one.connection.interrupt) for one, works in parts]
        with closing(together(streams, _AHEAD)) as outcomes:
            yield None
            yield from _in_order(outcomes)


def _outcome(session: Session, report: Report, section: Section, all_ranks: bool) -> _Outcome:
    """The section with its rows, or why it has none: an error is raised at its place."""
    try:
        (filled,) = _filled(session, report, [section], all_ranks)
    except Exception as error:  # noqa: BLE001 - raised again in the consumer
        return error
    return filled


def _in_order(outcomes: Iterable[tuple[int, _Outcome]]) -> Iterator[FilledSection]:
    """Yields sections that come by place in any order; raises the error of one at its place."""
    waiting: dict[int, _Outcome] = {}
    place = 0
    for at, outcome in outcomes:
        waiting[at] = outcome
        while place in waiting:
            found = waiting.pop(place)
            if isinstance(found, Exception):
                raise found
            yield found
            place += 1


def _layout(session: Session, query: Query, section: Section) -> rank_distribution.Layout | None:
    """The layout of the distribution over many ranks, by the first value of the chart."""
    layout = rank_distribution.of_session(session, query)
    if layout is None or section.chart is None:
        return layout
    return layout.by(section.chart.values[0])


def _repeated(session: Session, sections: Iterable[Section]) -> Iterator[Section]:
    """Expands sections with `each`; adjacent ones of the same query alternate, row by row.

    `{column}` in a title and `"$column"` in parameters are replaced by values of the row.
    """
    for each, group in itertools.groupby(sections, key=lambda section: section.each):
        if each is None:
            yield from group
            continue
        same = list(group)
        rows = session.run(session.queries.find(each)).table().to_pylist()
        for row, section in itertools.product(rows, same):
            if all(row[name] == value for name, value in section.where.items()):
                yield _of_row(section, row)


def _of_row(section: Section, row: Mapping[str, Any]) -> Section:
    values = {
        name: row[value[1:]] if isinstance(value, str) and value.startswith("$") else value
        for name, value in section.parameters.items()
    }
    return replace(section, title=section.title.format_map(row), parameters=values, each=None)


def _value(session: Session, value: Any) -> Any:
    """Resolves a parameter value: `span/N` becomes ns, at least 1."""
    found = _SPAN.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return value
    (span_ns,) = database.one(
        session.connection, "SELECT coalesce(max(end_ts - start_ts), 1)::BIGINT FROM trace"
    )
    return max(1, int(span_ns) // int(found[1]))


def missing(report: Report, library: Library) -> list[str]:
    """Returns a message for each query or column of a report that does not exist."""
    queries = {section.query for section in report.sections}
    problems = [
        f"{figure.title}: no section {figure.query}"
        for figure in report.figures
        if figure.query not in queries
    ]
    for section in report.sections:
        try:
            header = library.find(section.query).header
            if section.each:
                library.find(section.each)
        except UsageError as error:
            problems.append(f"{section.title}: {error.message}")
            continue
        assert header is not None
        columns = {column.name for column in header.columns}
        chart = section.chart
        used = list(chart.columns) if chart else []
        used += section.headings
        problems += [f"{section.title}: no column {each}" for each in used if each not in columns]
    return problems
