"""Adds the links between slices of a timeline: launches, waits, peers of collectives.

Slices are numbered in the order of the tracks and of their slices. A launching call that is too
short to be drawn is an `end`, with its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warehouse import arrow
from warehouse.export.page.data import cut

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.query.session import Session

_MOST = 20_000  # links of a page
_MOST_ENDS = 3_000  # launches of the longest device work by calls that are not drawn
Whole = np.ndarray[Any, np.dtype[np.int64]]

# Links by containment are visible as nesting. Those of a kind follow each other.
_LINKS = """
SELECT kind, from_id, to_id
FROM link
SEMI JOIN slice_chosen AS drawn ON drawn.id = link.to_id
WHERE link_set = 'default'
  AND kind NOT IN ('step', 'annotation', 'python', 'module')
  AND NOT (kind = 'op_launch' AND coalesce(rule, '') = 'containment')
ORDER BY kind <> 'launch', kind <> 'op_device', kind <> 'collective_peer', kind, to_id, from_id
"""
_ENDS = """
SELECT s.id, s.track_id, s.ts, greatest(s.dur, 0) AS dur, s.depth, s.name
FROM slice AS s
SEMI JOIN slice_chosen AS call ON call.id = s.id
ORDER BY s.id
"""


def add(session: Session, timeline: dict[str, Any]) -> None:
    """Adds `links` of slices that are drawn, and `ends`, their launching calls that are not."""
    tracks = timeline["tracks"]
    ids = slice_ids(tracks)
    rows = of_slices(session, ids, _LINKS)
    kinds, codes = arrow.coded(rows.column("kind").to_pylist())
    launch = [place for place, kind in enumerate(kinds) if kind == "launch"]
    from_ids, to_ids = (rows.column(name).to_numpy() for name in ("from_id", "to_id"))
    order = np.argsort(ids)
    sources, targets = places(ids, order, from_ids), places(ids, order, to_ids)
    both = np.flatnonzero((sources >= 0) & (targets >= 0))[:_MOST]
    timeline["links"] = [
        {
            "kind": kind,
            "from": differences(sources[mine]),
            "to": differences(targets[mine]),
        }
        for code, kind in enumerate(kinds)
        if len(mine := both[codes[both] == code])
    ]
    loose = np.flatnonzero(np.isin(codes, launch) & (sources < 0) & (targets >= 0))
    durations = np.concatenate([np.asarray(track["slices"]["dur"], np.int64) for track in tracks])
    longest = np.argsort(-durations[targets[loose]], kind="stable")[:_MOST_ENDS]
    loose = loose[np.sort(longest)]
    if len(loose):
        timeline["ends"] = _ends(session, timeline, from_ids[loose], targets[loose])


def _ends(
    session: Session, timeline: dict[str, Any], call_ids: Whole, targets: Whole
) -> dict[str, Any]:
    """Returns the calls with these ids as columns, with the slice that each launched."""
    calls = of_slices(session, call_ids, _ENDS)
    column = {name: calls.column(name) for name in calls.column_names}
    order = np.argsort(call_ids, kind="stable")
    found = np.searchsorted(column["id"].to_numpy(), call_ids[order])
    names = {name: place for place, name in enumerate(timeline["names"])}
    tracks = {track["track_id"]: place for place, track in enumerate(timeline["tracks"])}
    texts = [cut(text or "") for text in column["name"].to_pylist()]
    for text in texts:  # of few distinct calls
        if text not in names:
            names[text] = len(timeline["names"])
            timeline["names"].append(text)
    numbers = np.array([names[text] for text in texts], np.int64)
    places = np.array([tracks[each] for each in column["track_id"].to_pylist()], np.int64)
    ends = {
        "to": targets[order],
        "start": np.diff(column["ts"].to_numpy()[found], prepend=0),
        "dur": column["dur"].to_numpy()[found],
        "depth": column["depth"].to_numpy()[found],
        "track": places[found],
        "name": numbers[found],
    }
    return {name: values.tolist() for name, values in ends.items()}


def of_slices(session: Session, ids: Whole, sql: str) -> pa.Table:
    """Returns the rows of a statement that reads the ids of slices from `slice_chosen`."""
    import pyarrow as pa

    # As a parameter, a list of ids is converted one by one.
    session.connection.register("slice_chosen", pa.table({"id": pa.array(ids)}))
    try:
        return arrow.rows_of(session.connection, sql)
    finally:
        session.connection.unregister("slice_chosen")


def slice_ids(tracks: list[dict[str, Any]]) -> Whole:
    """Returns the ids of drawn slices by their number."""
    return np.concatenate(
        [
            np.asarray(track["slices"]["id"], np.int64) + (track["trace_id"] << 32)
            for track in tracks
        ]
    )


def places(ids: Whole, order: Whole, sought: Whole) -> Whole:
    """Returns the place of each sought id in `ids`; -1 if it is not there."""
    at = np.minimum(np.searchsorted(ids, sought, sorter=order), len(ids) - 1)
    return np.where(ids[order[at]] == sought, order[at], -1)


def differences(values: Whole) -> list[int]:
    """Returns the first value, and each other without the one before it."""
    return np.diff(values, prepend=0).tolist()  # type: ignore[no-any-return]
