"""Writes a report as one self-contained HTML file: tables, charts and a timeline.

Styles and scripts are files in this folder. Data is embedded as escaped JSON; a content security
policy blocks all other scripts and all requests; text of traces never becomes markup.

Modules that use NumPy are imported in functions: it loads while the first queries run.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from warehouse import arrow, files
from warehouse.errors import UsageError
from warehouse.export import manifest, report
from warehouse.export.key_figures import KeyFigures
from warehouse.export.sections import Report, Section
from warehouse.query import session
from warehouse.query.selection import Selection
from warehouse.wording import counted

_FOLDER = Path(__file__).parent
SCRIPTS = (
    "vendor/echarts.common.min.js",
    "format.js",
    "tables.js",
    "heat.js",
    "regions.js",
    "charts.js",
    "timeline_data.js",
    "timeline_links.js",
    "timeline_arguments.js",
    "timeline_counters.js",
    "timeline_area.js",
    "timeline_paint.js",
    "timeline_text.js",
    "timeline.js",
    "page.js",
)
STYLES = ("page.css",)
_LICENCES = ("vendor/echarts-NOTICE", "vendor/echarts-LICENSE", "vendor/echarts-LICENSE-d3")
_MADE_BY = ("warehouse", "schema_version", "tw_version", "written_at")
_NAMED_RUNS = 3  # of one side; more are counted
_APART = ("timeline", "timeline_json", "origin")  # have their own elements
Values = dict[str, Any]
ReportChoice = tuple[Sequence[str], Mapping[str, str], str | None]


@dataclass(frozen=True)
class PageSummary:
    """Sizes of a page: rows and slices shown and in total."""

    path: Path
    n_bytes: int
    n_sections: int
    n_rows: int  # of all tables
    n_rows_shown: int
    n_slices: int
    n_slices_shown: int


def of_session(
    opened: session.Session, chosen: Report, max_slices: int, *, all_ranks: bool = False
) -> Values:
    """Returns the values of a page about the scope."""
    made, figures = _PageParts(), KeyFigures.without_findings(opened, chosen)
    drawn: Values = {}
    runs: Values = {}

    def draw(one: session.Session) -> None:
        from warehouse.export.page import timeline

        arrow.leave_pandas_unloaded()
        found = timeline.of_ranks(one, max_slices, all_ranks=all_ranks)
        drawn.update(timeline=found, timeline_json=as_json(found))  # now: queries run meanwhile
        if one.place.memory_limit is None:  # else rows of blocks for the sections would be dropped
            runs.update(_runs(one))

    filled = _filled(opened, chosen, made, all_ranks, figures, (draw, figures.find))
    with closing(filled):
        sections = [joined([each]) for each in filled]
    return {
        **about(opened, chosen.title, sections, figures, runs),
        "origin": made.manifest_json(),
        **drawn,
    }


def about(
    opened: session.Session,
    title: str,
    sections: list[Values],
    figures: KeyFigures | None = None,
    runs: Values | None = None,
) -> Values:
    """Returns the values of a page of the given sections, without a timeline."""
    names = opened.seen.run_names
    name = ", ".join(names) if len(names) <= _NAMED_RUNS else counted(len(names), "run")
    return {
        "title": title,
        "sides": [_side(opened, name, figures, runs)],
        "made": _made(opened),
        "sections": sections,
        "timeline": {},
    }


def of_two(
    place: session.Place,
    selection: Selection,
    compared: tuple[str, str],
    given: ReportChoice,
    max_slices: int,
    *,
    all_ranks: bool = False,
) -> Values:
    """Returns the values of a page on two runs: differences, then both sides of each section.

    `compared` are runs as in a selection, or traces as RUN/TRACE; `given` holds the arguments of
    `report.choose` after the session.
    """
    from warehouse.export.page import compared as differences
    from warehouse.export.page import timeline

    if selection.runs:
        raise UsageError(
            "--run and --compare cannot be combined", hint="--compare selects both runs."
        )
    sides, filled, made = [], [], _PageParts()
    selections = [_of_side(place, selection, name) for name in compared]
    both = _of_both(place, selections)
    with session.opened(place, both) as opened:
        chosen = report.choose(opened, *given)  # the same report for both sides
    for name, own in zip(compared, selections, strict=True):
        with session.opened(place, own) as opened:
            figures = KeyFigures.of(opened, chosen)
            filled.append(list(_filled(opened, chosen, made, all_ranks, figures)))
            sides.append(_side(opened, name, figures))
    with session.opened(place, both) as opened:
        queries = report.of_queries(
            differences.TITLES, {"a": compared[0], "b": compared[1]}, opened.queries
        )
        between = list(_filled(opened, differences.titled(queries), made, all_ranks))
        sections = [joined([differences.changes_first(each)]) for each in between]
        sections += [joined(pair) for pair in zip(*filled, strict=True)]
        return {
            "origin": made.manifest_json(),
            "title": f"{chosen.title}: {compared[0]} and {compared[1]}",
            "sides": sides,
            "made": _made(opened),
            "sections": sections,
            "n_differences": len(between),
            "verdict": differences.verdict(between),
            "timeline": timeline.of_ranks(opened, max_slices, all_ranks=all_ranks),
        }


def _of_side(place: session.Place, selection: Selection, name: str) -> Selection:
    """A side of a comparison; what no RUN/TRACE has this name is taken for a run."""
    of_run = replace(selection, runs=(name,))
    if "/" not in name:
        return of_run
    with session.opened(place, Selection(runs=("all",))) as opened:
        rows = opened.run("compare_side", {"a": name, "b": name}).rows()
        names = {run for (run,) in opened.connection.execute("SELECT name FROM run").fetchall()}
    if not rows or name in names:
        return of_run
    traces = tuple(str(trace_id) for side, trace_id in rows if side == "a")
    return replace(selection, runs=("all",), traces=traces)


def _of_both(place: session.Place, sides: Sequence[Selection]) -> Selection:
    """The runs of both sides or, if one is a trace, the traces of both."""
    if not any(each.traces for each in sides):
        return replace(sides[0], runs=tuple(run for each in sides for run in each.runs))
    trace_ids: set[int] = set()
    for each in sides:
        with session.opened(place, each) as opened:
            trace_ids.update(opened.seen.trace_ids)
    return replace(sides[0], runs=("all",), traces=tuple(map(str, sorted(trace_ids))))


class _PageParts:
    """Manifest entries and parts of a page."""

    def __init__(self) -> None:
        self.abouts: list[Mapping[str, str]] = []
        self.parts: list[manifest.Part] = []

    def manifest_json(self) -> str | None:
        return manifest.of(self.abouts, "html", self.parts).to_json() if self.parts else None


def _filled(
    opened: session.Session,
    chosen: Report,
    made: _PageParts,
    all_ranks: bool,
    figures: KeyFigures | None = None,
    before: Sequence[Callable[[session.Session], None]] = (),
) -> Generator[Values]:
    ahead = report.fill_ahead(opened, chosen, "page", all_ranks=all_ranks, before=before)
    with closing(ahead) as sections:
        from warehouse.export.page import data

        for filled in figures.collected(sections) if figures else sections:
            made.abouts.append(filled.result.meta)
            made.parts.append(manifest.of_result(filled.result))
            section = data.section(filled)
            filled.result.release()
            yield section


def joined(sides: Any) -> Values:
    """Returns a section of one or two sides, with common values stated once.

    Columns differ where only one side has many ranks.
    """
    first = sides[0]
    shared: tuple[str, ...] = ("title", "about", "query", "hash")
    if all(each["columns"] == first["columns"] for each in sides):
        shared += ("columns",)
    return {
        **{key: first[key] for key in shared},
        "sides": [{key: each[key] for key in each if key not in shared} for each in sides],
    }


def _runs(opened: session.Session) -> Values:
    from warehouse.export.page import data

    (filled,) = report.fill(opened, Report("runs", "", (Section("runs", "Runs"),)))
    return data.section(filled)


def _side(
    opened: session.Session, name: str, figures: KeyFigures | None, runs: Values | None = None
) -> Values:
    """Returns the runs of a side, with their key figures."""
    from warehouse.export.page import data

    return {
        "name": name,
        "runs": runs or _runs(opened),
        "findings": _findings(figures),
        "figures": [
            {"run_id": each.run_id, "title": each.figure.title, "unit": each.figure.unit,
             "value": each.value, "note": data.cut(each.note), "query": each.figure.query}
            for each in (figures.in_order() if figures else ())
        ],
        **_traces_and_window(opened),
    }  # fmt: skip


def _findings(figures: KeyFigures | None) -> Values | None:
    from warehouse.diagnose import text
    from warehouse.export.page import data

    if figures is None or figures.findings is None:
        return None
    found = figures.findings
    return {
        "note": found.note,
        "rows": [
            {
                "finding": row["finding"].replace("_", " "),
                "severity": row["severity"],
                "cost": text.cost(dict(row)),
                "about": data.cut(text.about(dict(row))),
                "remedy": row["remedy"],
                "evidence": found.evidence(row),
            }
            for row in found.rows
        ],
    }


def _traces_and_window(opened: session.Session) -> Values:
    return {
        "traces": opened.traces,
        "window_ns": [opened.seen.from_ns, opened.seen.to_ns],
        "damage": opened.seen.damage,
    }


def _made(opened: session.Session) -> Values:
    meta = opened.manifest(opened.queries.find("runs"), {})
    return {key: meta[key] for key in _MADE_BY}


def write(values: Mapping[str, Any], path: Path) -> PageSummary:
    """Writes the page atomically; raises ExportError."""
    from warehouse.export.page import data

    content = page(values).encode()
    with files.whole_file(path) as file:
        file.write(content)
    sides = [side for section in values["sections"] for side in section["sides"]]
    return PageSummary(
        path,
        n_bytes=len(content),
        n_sections=len(values["sections"]),
        n_rows=sum(side["n_rows"] for side in sides),
        n_rows_shown=sum(min(side["n_rows"], data.ROWS) for side in sides),
        n_slices=values["timeline"].get("n_slices", 0),
        n_slices_shown=values["timeline"].get("n_shown", 0),
    )


def page(values: Mapping[str, Any]) -> str:
    """The text of the page."""
    scripts = [_text(name) for name in SCRIPTS]
    parts = {
        "policy": _policy(scripts),
        "title": html.escape(values["title"]),
        "styles": "\n".join(_text(name) for name in STYLES),
        "scripts": "\n".join(f"<script>{each}</script>" for each in scripts),
        "report": as_json({key: values[key] for key in values if key not in _APART}),
        "origin": (values.get("origin") or "{}").replace("<", "\\u003c"),
        "timeline": values.get("timeline_json") or as_json(values["timeline"]),
        "licences": html.escape("\n\n".join(_text(name) for name in _LICENCES)),
    }
    # In one pass: inserted text is not substituted again.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _text("page.html"))


def as_json(values: object) -> str:
    """Returns JSON for a script element: without `<` it can neither end nor nest one."""
    text = json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _policy(scripts: list[str]) -> str:
    """Returns a content security policy that allows only these scripts."""
    sums = (hashlib.sha256(each.encode()).digest() for each in scripts)
    hashes = " ".join(f"'sha256-{base64.b64encode(each).decode()}'" for each in sums)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
