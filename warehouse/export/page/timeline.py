"""Builds the timeline of a page: tracks, their longest slices, and buckets of the others.

The queries `timeline_track`, `timeline_slice` and `timeline_shade` select the rows; this module
packs their columns: starts as differences, names and categories as indexes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from warehouse import arrow
from warehouse.export import presentation
from warehouse.export.page import arguments, counters, links, predicted
from warehouse.export.page.data import TEXT_LENGTH, cut
from warehouse.query import emptiness
from warehouse.query.selection import LISTED_RANKS

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.query.session import Session

MAX_SLICES = 30_000
_MAX_BUCKETS = 120_000  # over all rows of the timeline
_BUCKETS_A_ROW = 6_000
_NAMES_LENGTH = 4_000_000  # characters, of all names together
_SHORTEST_NAME = 100  # minimum length when many names are shortened
Whole = np.ndarray[Any, np.dtype[np.int64]]


def of_ranks(session: Session, max_slices: int, *, all_ranks: bool) -> dict[str, Any]:
    """Returns the timeline of the scope; of many ranks, only those that represent them.

    Predicted runs are drawn below the measured ones, with the critical paths of both. `ranks` holds
    the ranks drawn, by the reason why they are, if not all are.
    """
    with predicted.beside_measured(session):
        return _of_ranks(session, max_slices, all_ranks=all_ranks)


def _of_ranks(session: Session, max_slices: int, *, all_ranks: bool) -> dict[str, Any]:
    n_ranks = len({trace["rank"] for trace in session.traces} - {None})
    if all_ranks or session.selection.ranks or n_ranks <= LISTED_RANKS:
        return timeline(session, max_slices)
    rows = _table(session, "timeline_rank", {"max_ranks": LISTED_RANKS}).to_pylist()
    window_ns = session.seen.from_ns, session.seen.to_ns
    with session.on_traces([row["trace_id"] for row in rows], window_ns):
        drawn = timeline(session, max_slices)
    reasons: dict[str, list[int]] = {row["reason"]: [] for row in rows}
    for row in rows:
        reasons[row["reason"]].append(row["rank"])
    return {**drawn, "ranks": reasons, "n_ranks": n_ranks}


def timeline(session: Session, max_slices: int = MAX_SLICES) -> dict[str, Any]:
    """Returns the timeline of the scope; without slices there are no tracks."""
    limit: dict[str, object] = {"max_slices": max_slices}
    tracks = _table(session, "timeline_track", limit)
    rows = tracks.to_pylist()
    if not rows:
        return {"tracks": []}
    start_ns, end_ns = _extent(session, rows)
    bucket_ns = _bucket_ns(rows, end_ns - start_ns)
    slices = _table(session, "timeline_slice", limit)
    shade = _table(session, "timeline_shade", {**limit, "bucket_ns": bucket_ns})
    names, name_of = _numbered(slices.column("name"))
    categories, category_of = _numbered(slices.column("category"), shade.column("category"))
    shown = _slices(slices, name_of, category_of[: slices.num_rows])
    _add(rows, "slices", slices, shown | {"index": _indexes(session, rows, slices, limit)})
    _add(rows, "shade", shade, _shade(shade, bucket_ns, category_of[slices.num_rows :]))
    predicted.add_paths(session, rows)
    for each in presentation.of_scope(session.connection).values():
        if each.listed_category:
            _colour_engines(rows, categories, each.listed_category)
    found = {
        "tracks": rows,
        "names": names,
        "categories": categories,
        "bucket_ns": bucket_ns,
        "start_ns": start_ns,
        "end_ns": end_ns,
        "n_slices": sum(row["n_slices"] for row in rows),
        "n_shown": slices.num_rows,
        "has_window": session.seen.has_window,
    }
    links.add(session, found)
    arguments.add(session, found)
    counters.add(session, found)
    return found


def _indexes(
    session: Session, rows: list[dict[str, Any]], slices: pa.Table, limit: Mapping[str, object]
) -> Whole:
    """Returns the row of each slice in the list of its engine; -1 for slices that are not listed.

    Adds the name of that list, as in a workbook, to the tracks.
    """
    found = np.full(slices.num_rows, -1, dtype=np.int64)
    for row in rows:
        row["list"] = None
    if emptiness.lacking(session, session.queries.find("timeline_command")):
        return found
    commands = _table(session, "timeline_command", limit)
    lists = dict(
        zip(*(commands.column(n).to_pylist() for n in ("track_id", "list_name")), strict=True)
    )
    for row in rows:
        row["list"] = lists.get(row["track_id"])
    ids, listed_ids = _whole(slices, "slice_id"), _whole(commands, "slice_id")
    order = np.argsort(ids)
    found[order[np.searchsorted(ids, listed_ids, sorter=order)]] = _whole(commands, "list_index")
    return found


def _colour_engines(rows: list[dict[str, Any]], categories: list[str], listed: str) -> None:
    """Replaces the category of listed slices by their engine, so that engines differ in colour."""
    if listed not in categories or not any(row["list"] for row in rows):
        return
    plain = categories.index(listed)
    engines = sorted({row["list"].partition("_")[0] for row in rows if row["list"]})
    categories[plain : plain + 1] = engines[:1]
    categories += engines[1:]
    for row in rows:
        if not row["list"]:
            continue
        number = categories.index(row["list"].partition("_")[0])
        for key in ("slices", "shade"):
            part = row[key]["category"]
            row[key]["category"] = [number if each == plain else each for each in part]


def _table(session: Session, query: str, parameters: Mapping[str, object]) -> pa.Table:
    return session.run(session.queries.find(query), parameters, is_short=True).table()


def _extent(session: Session, rows: list[dict[str, Any]]) -> tuple[int, int]:
    """Returns first start and last end in ns, limited by the time window."""
    seen = session.seen
    start = min(row["start_ns"] for row in rows)
    end = max(row["end_ns"] for row in rows)
    if seen.from_ns is not None:
        start = max(start, seen.from_ns)
    if seen.to_ns is not None:
        end = min(end, seen.to_ns)
    return start, max(end, start + 1)


def _bucket_ns(rows: list[dict[str, Any]], span_ns: int) -> int:
    """Returns the bucket width in ns: each row of the timeline has its own buckets."""
    n_rows: int = sum(row["n_levels"] for row in rows if row["n_shown"] < row["n_slices"])
    n_buckets = max(50, min(_BUCKETS_A_ROW, _MAX_BUCKETS // max(1, n_rows)))
    return max(1, math.ceil(span_ns / n_buckets))


def _numbered(*columns: pa.ChunkedArray) -> tuple[list[str], Whole]:
    """The different texts of columns, and the place of each row's among them; NULL becomes ''."""
    given = list(itertools.chain(*(column.to_pylist() for column in columns)))
    if any(column.null_count for column in columns):
        given = [text or "" for text in given]
    texts, codes = arrow.coded(given)
    length = max(_SHORTEST_NAME, min(TEXT_LENGTH, _NAMES_LENGTH // max(1, len(texts))))
    return [cut(text, length) for text in texts], codes


def _whole(table: pa.Table, name: str) -> Whole:
    return table.column(name).to_numpy()  # type: ignore[no-any-return]


def _slices(table: pa.Table, name_of: Whole, category_of: Whole) -> dict[str, Whole]:
    """Returns columns under their names in the page; ids without the trace part."""
    return {
        "start": _whole(table, "start_ns"),
        "dur": _whole(table, "dur_ns"),
        "depth": _whole(table, "depth"),
        "name": name_of,
        "category": category_of,
        "id": _whole(table, "slice_id") & 0xFFFFFFFF,
        "unfinished": _whole(table, "is_unfinished").astype(np.int64),
    }


def _shade(table: pa.Table, bucket_ns: int, category_of: Whole) -> dict[str, Whole]:
    """Returns bucket columns: buckets numbered from time 0, shares in 1/1000, at least 1."""
    share = np.ceil(_whole(table, "busy_share") * 1000).astype(np.int64)
    return {
        "bucket": _whole(table, "bucket_start_ns") // bucket_ns,
        "depth": _whole(table, "depth"),
        "n": _whole(table, "n_slices"),
        "share": share,
        "category": category_of,
    }


def _add(
    rows: list[dict[str, Any]], key: str, table: pa.Table, columns: Mapping[str, Whole]
) -> None:
    """Adds the columns' values to their tracks; rows of a track are contiguous."""
    track_ids = _whole(table, "track_id")
    order = np.argsort(track_ids, kind="stable")
    sorted_ids = track_ids[order]
    for row in rows:  # a loop over tracks, not slices
        first, last = np.searchsorted(sorted_ids, [row["track_id"], row["track_id"] + 1])
        mine = order[first:last]
        part = {name: column[mine] for name, column in columns.items()}
        for name in ("start", "bucket"):
            if name in part:
                part[name] = np.diff(part[name], prepend=0)
        row[key] = {name: values.tolist() for name, values in part.items()}
