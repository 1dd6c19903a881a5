"""Adds the arguments of drawn slices to a timeline: those of the longest slices, within a budget.

Slices with the same keys share them; a value that is the same for all of them is stored once.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from warehouse.export import presentation
from warehouse.export.page.links import Whole, differences, of_slices, places, slice_ids
from warehouse.export.sections import stretches

if TYPE_CHECKING:
    from warehouse.query.session import Session

BUDGET = 800_000  # characters of all values
_VALUE = 300  # characters of one value

# Text is parsed only of slices that are drawn.
_ARGUMENTS = """
WITH drawn AS MATERIALIZED (
  SELECT s.id, s.dur, {args}::VARCHAR AS args_json
  FROM slice AS s
  SEMI JOIN slice_chosen AS c ON c.id = s.id
  {joins}
),
arg AS (
  SELECT
    id,
    greatest(dur, 0) AS dur,
    json_keys(args_json) AS keys,
    list_transform(
      json_extract(args_json, '$.*')::VARCHAR[],
      lambda x: CASE WHEN len(x) > {value} THEN left(x, {value}) || ' …' ELSE x END
    ) AS args
  FROM drawn
  WHERE starts_with(ltrim(args_json), '{{')
    AND args_json <> '{{}}'
)
SELECT
  id,
  CASE WHEN bytes <= {budget} THEN to_json(keys)::VARCHAR END AS keys_json,
  CASE WHEN bytes <= {budget} THEN args END AS args,
  bytes <= {budget} AS is_within
FROM (
  SELECT
    *,
    sum(len(array_to_string(args, '')) + 3 * len(args)) OVER (
      ORDER BY dur DESC, id ROWS UNBOUNDED PRECEDING
    ) AS bytes
  FROM arg
)
ORDER BY is_within DESC, keys, id
"""


def add(session: Session, timeline: dict[str, Any], budget: int = BUDGET) -> None:
    """Adds `arguments`, by the set of their keys, and how many slices have others left out."""
    ids = slice_ids(timeline["tracks"])
    args, joins = "s.args_json", ""
    for n, each in enumerate(presentation.of_scope(session.connection).values()):
        encoder = each.arguments() if each.arguments is not None else None
        if encoder and (query := encoder.json_query(session.connection)):
            joins += f" LEFT JOIN ({query}) AS a{n} ON a{n}.slice_id = s.id"
            args = f"coalesce(a{n}.args_json::VARCHAR, {args})"
    sql = _ARGUMENTS.format(args=args, joins=joins, value=_VALUE, budget=budget)
    table = of_slices(session, ids, sql)
    is_within = table.column("is_within").to_numpy()
    n_within = int(is_within.sum())
    timeline["n_arguments_left_out"] = len(is_within) - n_within
    numbers = places(ids, np.argsort(ids), table.column("id").to_numpy())
    within = table.slice(0, n_within)
    lists = within.column("args").combine_chunks()
    # Value by value: lists in lists take four times as long to convert.
    ends, values = lists.offsets.to_pylist(), lists.values.to_pylist()
    timeline["arguments"] = [
        _set(json.loads(keys), numbers[first:last], values[ends[first] : ends[last]])
        for first, last, keys in stretches(within.column("keys_json").to_pylist())
    ]


def _set(keys: list[str], numbers: Whole, values: list[str]) -> dict[str, Any]:
    """Returns slices with the same keys as columns, in the order of their numbers.

    `values` are all of the first slice, then all of the next.
    """
    order = np.argsort(numbers)
    n_keys = len(values) // len(numbers)
    columns = (values[place::n_keys] for place in range(n_keys))
    return {
        "keys": keys,
        "of": differences(numbers[order]),
        "values": [_in_order(column, order) for column in columns],
    }


def _in_order(column: list[str], order: Whole) -> str | list[str]:
    """The values of a column in an order, or the only one."""
    if column.count(column[0]) == len(column):
        return column[0]
    return [column[place] for place in order.tolist()]
