"""Adds counters to a timeline: device busy, exposed communication, queues, memory, bandwidth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warehouse.export.page.data import thinned
from warehouse.export.page.links import differences
from warehouse.store import database

if TYPE_CHECKING:
    from warehouse.query.session import Session

_BUCKETS, _FEWEST_BUCKETS = 400, 50  # of a counter; with many traces fewer
_TRACES = 4  # with all buckets
_ALIKE = 4  # counters of one trace and kind, as of streams: those with the greatest values
_MOST = 400  # counters of a page


@dataclass(frozen=True)
class _Kind:
    """Counters of a query: a column, named by others; `needs` is a table with rows."""

    query: str
    column: str
    name: str
    needs: str = "gpu_op"
    places: str = "'device ' || device"
    is_bucketed: bool = True


_KINDS = (
    _Kind("utilization_over_time", "utilization", "busy"),
    _Kind("exposed_communication_over_time", "exposed_share", "exposed comm."),
    _Kind(
        "queue_length_over_time", "mean_queue_length", "queue",
        places="'device ' || device, 'stream ' || stream",
    ),
    _Kind(
        "memory_timeline", "allocated_bytes", "allocated", "memory_event",
        "device_kind, device_ordinal", is_bucketed=False,
    ),
    _Kind(
        "memory_timeline", "reserved_bytes", "reserved", "memory_event",
        "device_kind, device_ordinal", is_bucketed=False,
    ),
    _Kind(
        "memcpy_bandwidth_over_time", "bandwidth_gb_per_s", "bandwidth",
        places="'device ' || device, direction, CASE WHEN direction IS NULL THEN kind END",
    ),
)  # fmt: skip
_VALUES = """
SELECT trace_id, rank, label, starts, list_values
FROM (
  SELECT
    trace_id,
    any_value(rank) AS rank,
    concat_ws(' ', {name}, {places}) AS label,
    list({start} ORDER BY {start}) AS starts,
    list("{column}" ORDER BY {start}) AS list_values,
    max("{column}") AS greatest
  FROM counter_row
  WHERE "{column}" IS NOT NULL
  GROUP BY trace_id, label
)
QUALIFY row_number() OVER (PARTITION BY trace_id ORDER BY greatest DESC, label) <= {alike}
ORDER BY trace_id, label
"""


def add(session: Session, timeline: dict[str, Any]) -> None:
    """Adds `counters` with their values from an instant on; those of buckets end at 0."""
    n_traces = len({track["trace_id"] for track in timeline["tracks"]})
    n_buckets = max(_FEWEST_BUCKETS, _BUCKETS * _TRACES // max(_TRACES, n_traces))
    bucket_ns = max(1, math.ceil((timeline["end_ns"] - timeline["start_ns"]) / n_buckets))
    found = [each for kind in _KINDS for each in _of_kind(session, kind, bucket_ns)]
    timeline["counters"] = found[:_MOST]


def _of_kind(session: Session, kind: _Kind, bucket_ns: int) -> Iterator[dict[str, Any]]:
    # What is not recorded has no rows, and a query takes time without rows, too.
    if not all(database.one(session.connection, f"SELECT EXISTS (FROM {kind.needs})")):
        return
    query = session.queries.find(kind.query)
    parameters = {"bucket_ns": bucket_ns} if kind.is_bucketed else {}
    result = session.run(query, parameters, is_short=True)
    unit = next(each.unit for each in result.columns if each.name == kind.column)
    sql = _VALUES.format(
        name=f"'{kind.name}'", places=kind.places, column=kind.column, alike=_ALIKE,
        start="bucket_start_ns" if kind.is_bucketed else "ts",
    )  # fmt: skip
    session.connection.register("counter_row", result.table())
    rows = session.connection.execute(sql).fetchall()
    session.connection.unregister("counter_row")
    for trace_id, rank, label, starts, values in rows:
        start, value = np.array(starts, np.int64), np.array(values, np.float64)
        if kind.is_bucketed:
            start, value = _ended(start, value, bucket_ns)
        kept = thinned(value)
        yield {
            "trace_id": trace_id,
            "rank": rank,
            "name": label,
            "unit": unit,
            "start": differences(start[kept]),
            "value": [_short(each) for each in value[kept].tolist()],
        }


def _ended(
    start: np.ndarray[Any, np.dtype[np.int64]],
    value: np.ndarray[Any, np.dtype[np.float64]],
    bucket_ns: int,
) -> tuple[np.ndarray[Any, np.dtype[np.int64]], np.ndarray[Any, np.dtype[np.float64]]]:
    """Adds a 0 where a bucket ends that no other follows at once."""
    ends = start + bucket_ns
    last = np.flatnonzero(np.append(start[1:] != ends[:-1], True))
    return np.insert(start, last + 1, ends[last]), np.insert(value, last + 1, 0.0)


def _short(value: float) -> float:
    """Whole numbers as they are, others with four digits."""
    return int(value) if value.is_integer() else float(f"{value:.4g}")
