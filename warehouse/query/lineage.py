"""Describes what rows were made from: query, parameters, scope, traces and program version."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from warehouse import __version__
from warehouse.store import migrate

if TYPE_CHECKING:
    import duckdb

    from warehouse.library.header import Value
    from warehouse.library.library import Library, Query
    from warehouse.query.scope import Scope

_MAX_BYTES = 16 << 20  # of the texts of queries in a manifest


def entries(
    query: Query,
    values: Mapping[str, Value],
    *,
    library: Library,
    seen: Scope,
    traces: Sequence[Mapping[str, object]],
    file_name: str,
) -> dict[str, str]:
    """Returns the manifest entries of a query's rows: all that is needed to compute them again.

    `queries` holds the texts of a library query and of all it calls; `traces` are those of the
    scope `seen`, as `traces` returns them; `file_name` is that of the warehouse.
    """
    is_named = library.queries.get(query.key or "") is query
    # A user's file or a generated query is only identified by its text.
    return {
        "query": query.key or "",
        "title": query.header.title if query.header else "",
        "query_hash": query.digest,
        "statement": "" if is_named else query.standalone,
        "queries": pack(library.closure([query])) if is_named else "",
        "parameters": json.dumps(dict(values)),
        "runs": json.dumps(seen.run_names),
        "traces": json.dumps(traces),
        "window_ns": json.dumps([seen.from_ns, seen.to_ns]),
        "warehouse": file_name,
        "schema_version": str(migrate.latest_version()),
        "tw_version": __version__,
        "written_at": datetime.now(UTC).isoformat(timespec="seconds"),
        **({"damage": seen.damage} if seen.damage else {}),
    }


def traces(connection: duckdb.DuckDBPyConnection) -> list[dict[str, object]]:
    """Returns the traces in scope: id, name, rank, the SHA-256 of each source file, and damage."""
    rows = connection.execute("""
        SELECT t.id, t.name, t.rank, list(f.sha256 ORDER BY f.id), any_value(t.damage)
        FROM trace AS t
        LEFT JOIN source_file AS f ON f.trace_id = t.id
        GROUP BY t.id, t.name, t.rank
        ORDER BY t.id
    """).fetchall()
    return [
        {"trace_id": trace_id, "name": name, "rank": rank, "sha256": sums}
        | ({"damage": damage} if damage else {})
        for trace_id, name, rank, sums, damage in rows
    ]


def pack(queries: Iterable[Query]) -> str:
    """Returns the texts of queries by pinned name, compressed, as ASCII."""
    return pack_texts({str(query.key): query.standalone for query in queries})


def pack_texts(texts: Mapping[str, str]) -> str:
    """Returns texts by name, compressed, as ASCII; empty for none."""
    if not texts:
        return ""
    return base64.b64encode(zlib.compress(json.dumps(texts).encode(), 9)).decode()


def unpack(packed: str) -> dict[str, str]:
    """Returns the texts by pinned name; raises ValueError if they are damaged or too large."""
    if not packed:
        return {}
    try:
        inflate = zlib.decompressobj()
        content = inflate.decompress(base64.b64decode(packed, validate=True), _MAX_BYTES)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if inflate.unconsumed_tail:
        raise ValueError("texts of queries are too large")
    texts = json.loads(content)
    if not isinstance(texts, dict):
        raise ValueError("texts of queries are not named")
    return {str(key): str(text) for key, text in texts.items()}
