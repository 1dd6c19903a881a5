"""Describes what rows were made from: query, parameters, scope, traces and program version."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from warehouse import __version__
from warehouse.store import migrate

if TYPE_CHECKING:
    import duckdb

    from warehouse.library.header import Value
    from warehouse.library.library import Query
    from warehouse.query.scope import Scope


def entries(
    query: Query,
    values: Mapping[str, Value],
    *,
    is_named: bool,
    seen: Scope,
    traces: Sequence[Mapping[str, object]],
    file_name: str,
) -> dict[str, str]:
    """Returns the manifest entries of a query's rows: all that is needed to compute them again.

    `is_named`: the library has the query; `traces` are those of the scope `seen`, as `traces`
    returns them; `file_name` is that of the warehouse.
    """
    # A user's file or a generated query is only identified by its text.
    return {
        "query": query.key or "",
        "title": query.header.title if query.header else "",
        "query_hash": query.digest,
        "statement": "" if is_named else query.standalone,
        "parameters": json.dumps(dict(values)),
        "runs": json.dumps(seen.run_names),
        "traces": json.dumps(traces),
        "window_ns": json.dumps([seen.from_ns, seen.to_ns]),
        "warehouse": file_name,
        "schema_version": str(migrate.latest_version()),
        "tw_version": __version__,
        "written_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def traces(connection: duckdb.DuckDBPyConnection) -> list[dict[str, object]]:
    """Returns the traces in scope: id, name, rank, and the SHA-256 of each source file."""
    rows = connection.execute("""
        SELECT t.id, t.name, t.rank, list(f.sha256 ORDER BY f.id)
        FROM trace AS t
        LEFT JOIN source_file AS f ON f.trace_id = t.id
        GROUP BY t.id, t.name, t.rank
        ORDER BY t.id
    """).fetchall()
    return [
        {"trace_id": trace_id, "name": name, "rank": rank, "sha256": sums}
        for trace_id, name, rank, sums in rows
    ]
