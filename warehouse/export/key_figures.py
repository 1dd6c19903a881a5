"""Key figures and findings: what a page and a workbook begin with.

Findings are what makes the run slow, with estimates of what their repair would save: to price
them by replay, as `tw diagnose` does, takes longer than the whole report.

A report declares key figures (`warehouse.export.report`): each is SQL over the rows of one of its
sections, named `section`, that returns columns run_id, value and note (text or NULL). A figure
without a row, or with a value that is NULL, is not shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import duckdb

from warehouse.errors import ContractError
from warehouse.export.sections import Figure, FilledSection, Report
from warehouse.query.selection import options_of
from warehouse.store import database

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.query.session import Session

_FINDINGS = 5  # shown


@dataclass(frozen=True)
class FigureValue:
    """A key figure of a run."""

    figure: Figure
    run_id: int
    value: float
    note: str


@dataclass(frozen=True)
class Findings:
    """Findings, the costliest first, with a headline about the run."""

    rows: Sequence[Mapping[str, Any]]  # of `warehouse.diagnose.diagnosis.COLUMNS`
    note: str
    heading: str = "Estimate"  # of what they cost
    scope: str = ""  # options that select what was judged

    def evidence(self, row: Mapping[str, Any]) -> str:
        """The query that shows a finding, with arguments of `tw query`."""
        return f"{row['evidence']} {self.scope}".rstrip()


@dataclass
class KeyFigures:
    """The key figures of a report, complete when its sections are filled, and its findings.

    Without `of`, findings are those of `find`, which may run beside the sections.
    """

    figures: Sequence[Figure]
    run_names: Mapping[int, str]
    values: list[FigureValue] = field(default_factory=list)
    findings: Findings | None = None
    has_findings: bool = False

    @classmethod
    def of(cls, session: Session, report: Report) -> KeyFigures:
        """The key figures of the runs in scope, with findings."""
        made = cls.without_findings(session, report)
        made.find(session)
        return made

    @classmethod
    def without_findings(cls, session: Session, report: Report) -> KeyFigures:
        """The key figures of the runs in scope; the findings of the report are added later."""
        runs = session.connection.execute("SELECT id, name FROM run").fetchall()
        return cls(report.figures, dict(runs), has_findings=report.findings)

    def find(self, session: Session) -> None:
        """Adds the findings, if the report has them; they are of a single run."""
        if self.has_findings and len(self.run_names) == 1:
            self.findings = _findings(session, *self.run_names.values())

    def collected(self, sections: Iterable[FilledSection]) -> Iterator[FilledSection]:
        """Yields the sections, their figures computed; raises ContractError for invalid SQL."""
        if not self.figures:
            yield from sections
            return
        with database.scratchpad() as connection:
            for filled in sections:
                chosen = [each for each in self.figures if each.query == filled.section.query]
                if chosen and filled.result.n_rows:
                    self.values += of_rows(connection, chosen, filled.result.arrow())
                yield filled

    def run_name(self, run_id: int) -> str:
        """The name of a run, if there are several."""
        return self.run_names.get(run_id, "") if len(self.run_names) > 1 else ""

    def in_order(self) -> list[FigureValue]:
        """The figures by run, in the order of the report."""
        places = {figure: place for place, figure in enumerate(self.figures)}
        return sorted(self.values, key=lambda each: (each.run_id, places[each.figure]))


def _findings(session: Session, run: str) -> Findings | None:
    """The findings of the run in scope that may matter; None if nothing can be judged."""
    from warehouse.diagnose import diagnosis, text

    rows = [each for each in diagnosis.diagnose(session, replays=False).rows if each["subject"]]
    shown = [each for each in rows if (each["cost_share"] or 0) >= text.LEAST_SHARE]
    if not shown:
        return None
    n_more = len(rows) - len(shown[:_FINDINGS])
    more = f" It lists {n_more} more, too." if n_more else ""
    options = scope_of(session, run)
    return Findings(
        shown[:_FINDINGS],
        "Costs follow from recorded times: other work may hide what is estimated, and no repair "
        f"saves more than a bound (at most). tw diagnose {options} replays the run without each "
        f"finding, and says what that would save.{more}",
        scope=options,
    )


def scope_of(session: Session, run: str) -> str:
    """Options of commands that select the same of a run, whichever was imported last."""
    seen = session.seen
    return options_of(
        replace(session.selection, runs=(run,), from_ns=seen.from_ns, to_ns=seen.to_ns)
    )


def of_rows(
    connection: duckdb.DuckDBPyConnection, figures: Sequence[Figure], rows: pa.Table
) -> Iterator[FigureValue]:
    """Yields the figures that rows of their section have."""
    connection.register("section", rows)
    for figure in figures:
        try:
            found = connection.sql(
                f"SELECT run_id::BIGINT, value::DOUBLE, note::VARCHAR FROM ({figure.sql})"
            ).fetchall()
        except duckdb.Error as error:
            first = str(error).splitlines()[0]
            raise ContractError(f"figure {figure.title!r} of the report: {first}") from None
        for run_id, value, note in found:
            if value is not None:
                yield FigureValue(figure, run_id, value, note or "")
    connection.unregister("section")
