"""Describes what rows were made from: query, parameters, scope, traces and program version."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from warehouse import __version__
from warehouse.store import migrate

if TYPE_CHECKING:
    import duckdb

    from warehouse.library.library import Library, Query
    from warehouse.library.parameter import Value
    from warehouse.query.scope import Scope

_MAX_BYTES = 16 << 20  # of the texts of queries in a manifest


class Entries(Mapping[str, str]):
    """The manifest entries of a query's rows; texts are packed when they are read.

    Those of all queries of a report are packed together: compressing them takes a millisecond each.
    """

    def __init__(self, others: Mapping[str, str], texts: Mapping[str, str]) -> None:
        self._others, self.texts = others, texts

    @cached_property
    def _packed(self) -> str:
        return pack_texts(self.texts)

    def __getitem__(self, key: str) -> str:
        return self._packed if key == "queries" else self._others[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._others)

    def __len__(self) -> int:
        return len(self._others)


def texts_of(about: Mapping[str, str]) -> Mapping[str, str]:
    """The texts of queries in manifest entries, by pinned name."""
    return about.texts if isinstance(about, Entries) else unpack(about.get("queries", ""))


def entries(
    query: Query,
    values: Mapping[str, Value],
    *,
    library: Library,
    seen: Scope,
    traces: Sequence[Mapping[str, object]],
    file_name: str,
) -> Entries:
    """Returns the manifest entries of a query's rows: all that is needed to compute them again.

    `queries` holds the texts of a library query and of all it calls; `traces` are those of the
    scope `seen`, as `traces` returns them; `file_name` is that of the warehouse.
    """
    is_named = library.queries.get(query.key or "") is query
    # A user's file or a generated query is only identified by its text.
    others = {
        "query": query.key or "",
        "title": query.header.title if query.header else "",
        "query_hash": query.digest,
        "statement": "" if is_named else query.standalone,
        "queries": "",  # in its place
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
    called = library.closure([query]) if is_named else []
    return Entries(others, {str(each.key): each.standalone for each in called})


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
