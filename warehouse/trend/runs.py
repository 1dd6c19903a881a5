"""Chooses the runs of a trend by their tags, and puts them in order of time or of a tag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse.errors import ScopeError

if TYPE_CHECKING:
    from warehouse.query.session import Session


@dataclass(frozen=True)
class Run:
    """A run, its traces in scope, and what its place in the order follows from."""

    id: int
    name: str
    trace_ids: tuple[int, ...]
    at: str


#: Times before 2000 count from the start of a machine; only times of all runs can be compared.
_RUNS = """
WITH found AS (
  SELECT
    r.id,
    r.name,
    r.kind,
    list(t.id ORDER BY t.id) AS trace_ids,
    min(CASE WHEN t.base_ns > 946684800000000000 THEN t.base_ns + coalesce(t.start_ts, 0) END)
      AS recorded_ns,
    r.created_at
  FROM run AS r
  JOIN trace AS t ON t.run_id = r.id
  GROUP BY r.id, r.name, r.kind, r.created_at
),
timed AS (
  SELECT
    *,
    CASE WHEN count(recorded_ns) OVER () = count(*) OVER ()
      THEN make_timestamp(recorded_ns // 1000) ELSE created_at END AS time
  FROM found
)
SELECT id, name, kind, trace_ids, strftime(time, '%Y-%m-%d %H:%M:%S')
FROM timed
ORDER BY time, id
"""


def of_scope(session: Session, by: str | None, where: Mapping[str, str]) -> list[Run]:
    """Returns the runs in scope that have all tags `key=value` of `where`, in order.

    The order is that of the time of recording, if all have one, else of import; or of the value of
    the tag `by`, as numbers if all are. Predicted runs are in scope only where runs are named.
    """
    tags = _tags(session)
    found = [
        Run(run_id, name, tuple(trace_ids), at)
        for run_id, name, kind, trace_ids, at in session.connection.execute(_RUNS).fetchall()
        if (kind == "measured" or _are_named(session.selection.runs))
        and all(tags.get(run_id, {}).get(key) == value for key, value in where.items())
    ]
    if by is None:
        return found
    keyed = [(tags[run.id][by], run) for run in found if by in tags.get(run.id, {})]
    if found and not keyed:
        raise ScopeError(f"no run has a tag {by}=VALUE", hint=f"`tw tag {by}=VALUE --run RUN`.")
    order = _order([value for value, _ in keyed])
    ranked = sorted(zip(order, keyed, strict=True), key=lambda each: each[0])
    return [Run(run.id, run.name, run.trace_ids, value) for _, (value, run) in ranked]


def _are_named(runs: Sequence[str]) -> bool:
    return bool(runs) and "all" not in runs


def _tags(session: Session) -> dict[int, dict[str, str]]:
    """The values of tags key=value, by run and key."""
    values: dict[int, dict[str, str]] = {}
    for run_id, name in session.connection.execute("SELECT run_id, name FROM tag").fetchall():
        key, equals, value = name.partition("=")
        if equals:
            values.setdefault(run_id, {})[key] = value
    return values


def _order(values: Sequence[str]) -> Sequence[float | str]:
    try:
        return [float(value) for value in values]
    except ValueError:
        return values
