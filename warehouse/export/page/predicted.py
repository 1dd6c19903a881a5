"""Adds to the timeline of predicted runs: the measured runs, and the critical paths of both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from warehouse.query import scope

if TYPE_CHECKING:
    from warehouse.query.session import Session

_IDS = "SELECT id FROM trace WHERE kind = 'timeline'"
_MEASURED = """
SELECT m.id
FROM {stored}trace AS m
JOIN prediction AS p ON p.parent_run_id = m.run_id
WHERE m.kind = 'timeline'
  AND EXISTS (FROM trace AS t WHERE t.rank IS NOT DISTINCT FROM m.rank AND t.run_id = p.run_id)
"""


@contextmanager
def beside_measured(session: Session) -> Iterator[None]:
    """While open, the measured runs of predicted runs in scope are in scope, too: equal ranks."""
    ids = _traces(session, _IDS)
    stored = scope.stored(session.connection)
    measured = _traces(session, _MEASURED.format(stored=stored))
    if measured <= ids:
        yield
        return
    with session.on_traces(ids | measured, (session.seen.from_ns, session.seen.to_ns)):
        yield


def _traces(session: Session, sql: str) -> set[int]:
    return {int(id) for (id,) in session.connection.execute(sql).fetchall()}


def add_paths(session: Session, tracks: list[dict[str, Any]]) -> None:
    """Adds the critical path to its tracks, and puts ranks of a prediction below the measured."""
    rows = session.run(session.queries.find("predicted_path"), is_short=True).table()
    if not rows.num_rows:
        return
    tracks.sort(key=lambda track: (track["rank"] is None, track["rank"], track["run_id"]))
    ids, start, dur = (rows.column(n).to_numpy() for n in ("track_id", "start_ns", "dur_ns"))
    order = np.lexsort((start, ids))
    for track in tracks:
        mine = order[np.isin(ids[order], track["track_id"])]
        if len(mine):
            starts = np.diff(start[mine], prepend=0)
            track["path"] = {"start": starts.tolist(), "dur": dur[mine].tolist()}
