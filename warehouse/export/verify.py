"""Verifies exported files: regenerates their contents from the manifest and compares digests.

Traces are identified by the SHA-256 of their files, so re-imported traces match. Queries run in the
version that made the file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse.errors import TwError
from warehouse.export import manifest
from warehouse.export.manifest import Manifest, Part
from warehouse.query import digest, session
from warehouse.query.result import QueryResult
from warehouse.query.selection import Selection
from warehouse.wording import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.library.library import Query
    from warehouse.query.session import Place, Session

STANDS, DIFFERS, UNKNOWN = "stands", "differs", "cannot be verified"
Export = Callable[["Session", Path, Mapping[str, Any]], object]


@dataclass(frozen=True)
class Finding:
    """The result for one part of a file; `reason` is None if it matches without remark."""

    part: str
    state: str
    reason: str | None = None


@dataclass(frozen=True)
class Verification:
    """The manifest of a file and the findings of its verification."""

    origin: Manifest
    findings: tuple[Finding, ...]

    @property
    def stands(self) -> bool:
        return all(each.state == STANDS for each in self.findings)


def verify(place: Place, path: Path) -> Verification:
    """Verifies a file; raises UsageError if it has no manifest, DatabaseError."""
    made = manifest.read(path)
    changed = made.sha256 is not None and manifest.sha256(path) != made.sha256
    with session.opened(place, Selection(runs=("all",))) as opened:
        ids, missing = _traces(opened, made)
        findings = [Finding(path.name, DIFFERS, "the file was changed after it was written")]
        findings = findings if changed else []
        if missing:
            reason = f"not in {place.path.name}: {', '.join(missing)}"
            findings.append(Finding("traces", UNKNOWN, reason))
        elif made.parts:
            findings += [_part(opened, each, ids, path, made) for each in made.parts]
        else:
            findings.append(_export(opened, made, ids))
    return Verification(made, tuple(findings))


def _traces(opened: Session, made: Manifest) -> tuple[dict[int, int], list[str]]:
    """Maps trace ids of the manifest to current ones; also returns names of missing traces."""
    now = {
        tuple(sums): trace_id
        for trace_id, sums in opened.connection.execute(
            "SELECT trace_id, list(sha256 ORDER BY id) FROM source_file GROUP BY trace_id"
        ).fetchall()
    }
    ids, missing = {}, []
    for trace in made.traces:
        found = now.get(tuple(trace["sha256"]))
        if found is None:
            missing.append(str(trace["name"]))
        else:
            ids[int(trace["trace_id"])] = found
    return ids, missing


def _part(
    opened: Session, part: Part, ids: Mapping[int, int], path: Path, made: Manifest
) -> Finding:
    name = part.query or "statement"
    try:
        query = _query(opened, part)
        opened.choose_traces([ids[each] for each in part.trace_ids], part.window_ns)
        result = opened.run(query, part.parameters, dialect=part.dialect)
        answer = QueryResult(result.table(), result.columns, {})
    except TwError as error:
        return Finding(name, UNKNOWN, error.message)
    then, n_then = part.digest, part.n_rows
    if then is None:
        table = _rows_of(path, made.format)
        n_then = table.num_rows
        if table.num_columns == answer.arrow().num_columns:
            then = digest.of(QueryResult(table, answer.columns, {}))
    if digest.of(answer) == then:
        return Finding(name, STANDS, _remark(opened, query, part))
    counts = f"{counted(n_then or 0, 'row')} then, {answer.n_rows:,} now"
    remark = _remark(opened, query, part) or f"written by tw {made.tw_version}"
    return Finding(name, DIFFERS, f"{counts}; {remark}")


def _query(opened: Session, part: Part) -> Query:
    from warehouse.library import library
    from warehouse.query import quality

    if part.query.partition("@")[0] == quality.COMBINED:
        known = quality.checks(opened.queries)
        names = [each for each in known if f'"{quality.PREFIX}{each}@' in part.statement]
        return quality.combined(opened.queries, names)
    return library.from_text(part.statement) if part.statement else opened.queries.find(part.query)


def _remark(opened: Session, query: Query, part: Part) -> str | None:
    # Programs before contracts were locked kept a hash of texts, which says nothing of contracts.
    kind = part.query_hash.partition("=")[0]
    if kind in ("contract", "text") and query.digest != part.query_hash:
        return "the contract of the query has changed"
    newest = opened.queries.newest.get(part.query.partition("@")[0])
    if not part.statement and newest is not None and str(newest.key) != part.query:
        return f"newer version available: {newest.key}"
    return None


def _rows_of(path: Path, format: str) -> pa.Table:
    """Reads the rows of a columnar file."""
    if format == "parquet":
        from pyarrow import parquet

        return parquet.read_table(path)
    from pyarrow import ipc

    with ipc.open_file(path) as file:
        return file.read_all()


def _export(opened: Session, made: Manifest, ids: Mapping[int, int]) -> Finding:
    """Regenerates a trace export and compares its SHA-256."""
    from warehouse.export import registry

    if not registry.is_registered(made.format):
        return Finding(made.format, UNKNOWN, f"no exporter {made.format!r} is installed")
    opened.choose_traces(ids.values(), made.options["window_ns"])
    with tempfile.TemporaryDirectory(prefix="tw-verify-") as folder:
        try:
            target = registry.regenerate(opened, made, Path(folder))
        except TwError as error:
            return Finding(made.format, UNKNOWN, error.message)
        if target.exists() and manifest.sha256(target) == made.sha256:
            return Finding(made.format, STANDS)
    return Finding(made.format, DIFFERS, f"contents differ; written by tw {made.tw_version}")
