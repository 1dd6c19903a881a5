"""Adds the arguments of drawn slices to a timeline: those of the longest slices, within a budget.

Slices with the same keys share them; a value that is the same for all of them is stored once.
"""

from __future__ import annotations

import itertools
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from warehouse.export import presentation
from warehouse.export.page.links import differences, of_slices, places, slice_ids

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
  CASE WHEN bytes <= {budget} THEN keys END AS keys,
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
    rows = zip(
        (tuple(keys) for keys in table.column("keys").slice(0, n_within).to_pylist()),
        numbers.tolist(),
        table.column("args").to_pylist(),
        strict=False,
    )
    # A loop over rows, at most the drawn slices: their keys differ.
    timeline["arguments"] = [
        _set(keys, list(same)) for keys, same in itertools.groupby(rows, itemgetter(0))
    ]


def _set(keys: tuple[str, ...], rows: list[tuple[Any, int, list[str]]]) -> dict[str, Any]:
    """Returns slices with the same keys as columns, in the order of their numbers."""
    rows.sort(key=itemgetter(1))
    columns = zip(*(values for _, _, values in rows), strict=True)
    return {
        "keys": keys,
        "of": differences(np.array([number for _, number, _ in rows], np.int64)),
        "values": [column[0] if len(set(column)) == 1 else column for column in columns],
    }
