"""Keys of slice arguments in Perfetto, and the `args` table."""

from __future__ import annotations

import re
from itertools import combinations, pairwise

_PREFIXES = ("args.", "debug.")
_MOST_DOTS = 4
_INDEXES = re.compile(r"^(.*?)((?:\[\d+\])*)$", re.DOTALL)


def candidate_paths(key: str) -> list[str]:
    """Returns JSON paths that a key may denote, likeliest first; none for other kinds of keys.

    A dot may be part of a name or separate an object from its member, which is ambiguous:
    `args.est. occupancy` is one name, `args.shape.rows` may be two.
    """
    prefix = next((each for each in _PREFIXES if key.startswith(each)), None)
    if prefix is None:
        return []
    parts = key[len(prefix) :].split(".")
    places = range(1, len(parts))
    if len(parts) - 1 > _MOST_DOTS:  # too many ways to split: none, or at every dot
        cuts = [(), tuple(places)]
    else:
        cuts = [cut for count in range(len(parts)) for cut in combinations(places, count)]
    return [_path(parts, cut) for cut in cuts]


def _path(parts: list[str], cut: tuple[int, ...]) -> str:
    edges = [0, *cut, len(parts)]
    names = [".".join(parts[a:b]) for a, b in pairwise(edges)]
    return "$" + "".join(_member(each) for each in names)


def _member(name: str) -> str:
    found = _INDEXES.match(name)
    assert found is not None
    bare, indexes = found.groups()
    quoted = bare.replace("\\", "\\\\").replace('"', '\\"')
    return f'."{quoted}"{indexes}'


def slices_where(condition: str) -> str:
    """Selects slices for ARGS_OF_SLICES."""
    return (
        "SELECT id AS set_id, args_json FROM perfetto_source "
        f"WHERE args_json IS NOT NULL AND {condition}"
    )


def one_slice(set_id: str, args: str) -> str:
    """Arguments of a slice of an enclosing SELECT."""
    return f"SELECT {set_id} AS set_id, {args} AS args_json WHERE {args} IS NOT NULL"


#: The arguments of the slices selected by `{slices}`, one row per leaf value; then those of
#: processes and threads: their sort index. Lists and objects are flattened; null and empty values
#: have no row. The text of a real has at most 15 digits, as in SQLite.
ARGS_OF_SLICES = """
SELECT
  CAST(set_id * 65536 + place AS BIGINT) AS id,
  set_id AS arg_set_id,
  regexp_replace('args' || substr(
    regexp_replace(path, '("(?:[^"\\\\]|\\\\.)*")|\\[[0-9]+\\]', '\\1', 'g'), 2),
    '\\."((?:[^"\\\\]|\\\\.)*)"', '.\\1', 'g') AS flat_key,
  regexp_replace('args' || substr(path, 2), '\\."((?:[^"\\\\]|\\\\.)*)"', '.\\1', 'g') AS key,
  found.i AS int_value,
  found.t AS string_value,
  CASE WHEN found.i IS NULL THEN found.n END AS real_value,
  CASE
    WHEN kind = 'BOOLEAN' THEN 'bool'
    WHEN found.t IS NOT NULL THEN 'string'
    WHEN found.i IS NOT NULL THEN 'int'
    ELSE 'real'
  END AS value_type,
  CASE WHEN kind = 'BOOLEAN' THEN value ->> '$' ELSE sqlite_any_text(found) END AS display_value
FROM (
  SELECT
    chosen.set_id, j.id AS place, j.fullkey AS path, j.type AS kind, j.value,
    perfetto_value(j.value) AS found
  FROM (
    {slices}
  ) AS chosen, json_tree(chosen.args_json) AS j
  WHERE j.atom IS NOT NULL AND j.type <> 'NULL'
)
"""
ARGS_OF_PLACES = """
SELECT
  CAST(arg_set_id * 65536 AS BIGINT),
  arg_set_id, key, key, value, NULL, NULL, 'int', CAST(value AS VARCHAR)
FROM (
  SELECT -4 * id - 2 AS arg_set_id, 'process_sort_index_hint' AS key, sort_index AS value
  FROM process
  UNION ALL
  SELECT -4 * id - 3, 'thread_sort_index_hint', sort_index FROM thread
)
WHERE value IS NOT NULL
"""
