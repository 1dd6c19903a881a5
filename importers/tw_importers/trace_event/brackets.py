"""Matches ends to begins by name, for threads on which begins or ends were lost.

Python rather than SQL: each end searches the stack of what is open and may close several begins.
"""

from __future__ import annotations

import itertools
import operator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import duckdb

_MISMATCHED = """
SELECT DISTINCT trace_n, pid, id_key FROM bracket WHERE is_mismatched
"""
_MARKS = """
SELECT b.trace_n, b.pid, b.id_key, b.seq, b.ts_ns, b.step = 1, b.name, b.cat
FROM bracket AS b
JOIN mismatched_thread AS t
  ON t.trace_n = b.trace_n AND t.pid IS NOT DISTINCT FROM b.pid
  AND t.id_key IS NOT DISTINCT FROM b.id_key
WHERE b.is_on_thread
ORDER BY b.trace_n, b.pid, b.id_key, b.ts_ns, b.seq
"""
_UPDATE = """
UPDATE bracket
SET end_seq = m.end_seq, dur = coalesce(m.end_ns - ts_ns, -1), is_unmatched_end = m.is_unmatched_end
FROM matched_end AS m
WHERE m.seq = bracket.seq
"""
_ROWS = 1 << 16  # of one fetch


class Mark(NamedTuple):
    """A begin or an end of one thread; missing names and categories agree with any."""

    seq: int
    ts: int  # ns
    is_begin: bool
    name: str | None
    category: str | None

    def agrees(self, begin: Mark) -> bool:
        return (self.name is None or begin.name is None or self.name == begin.name) and (
            self.category is None or begin.category is None or self.category == begin.category
        )


class End(NamedTuple):
    """How a begin ends, or whether an end closes a begin."""

    seq: int
    end_seq: int | None  # None if it ends with a slice around it, or never
    end_ns: int | None
    is_unmatched_end: bool


def match_ends(marks: Iterable[Mark]) -> Iterator[End]:
    """Matches the marks of one thread, in the order of time, as trace_processor does.

    An end closes the last open begin of its name and category, and all begins inside it; it is
    unmatched where none is open.
    """
    stack: list[Mark] = []
    # Open begins by name and category: an end that closes none is found without a search.
    n_open: dict[tuple[str | None, str | None], int] = {}
    for mark in marks:
        if mark.is_begin:
            stack.append(mark)
            n_open[mark[3:]] = n_open.get(mark[3:], 0) + 1
            continue
        if not (stack and mark.agrees(stack[-1])) and not _closes_any(mark, n_open):
            yield End(mark.seq, None, None, True)
            continue
        inside: list[Mark] = []
        while not mark.agrees(begin := stack.pop()):
            n_open[begin[3:]] -= 1
            inside.append(begin)
        n_open[begin[3:]] -= 1
        yield End(begin.seq, mark.seq, mark.ts, False)
        yield End(mark.seq, None, None, False)
        yield from (End(each.seq, None, mark.ts, False) for each in inside)
    yield from (End(begin.seq, None, None, False) for begin in stack)


def _closes_any(end: Mark, n_open: Mapping[tuple[str | None, str | None], int]) -> bool:
    """Whether an open begin agrees with an end (`Mark.agrees`)."""
    if end.name is None or end.category is None:  # rare; agrees with many
        return any(n and end.agrees(end._replace(name=a, category=b))
                   for (a, b), n in n_open.items())  # fmt: skip
    keys = itertools.product((end.name, None), (end.category, None))
    return any(n_open.get(key) for key in keys)


def rematch_threads(connection: duckdb.DuckDBPyConnection) -> None:
    """Rematches threads on which an end would close a begin of another name or category."""
    connection.execute(f"CREATE TABLE mismatched_thread AS {_MISMATCHED}")
    if not connection.execute("SELECT 1 FROM mismatched_thread LIMIT 1").fetchall():
        return
    import pyarrow as pa

    types = (pa.int64(), pa.int64(), pa.int64(), pa.bool_())
    schema = pa.schema(list(zip(End._fields, types, strict=True)))
    ends = _ends(connection)
    parts = iter(lambda: [end._asdict() for end in itertools.islice(ends, _ROWS)], [])
    batches = (pa.RecordBatch.from_pylist(part, schema) for part in parts)
    connection.register("streamed_end", pa.RecordBatchReader.from_batches(schema, batches))
    connection.execute("CREATE TABLE matched_end AS FROM streamed_end")
    connection.unregister("streamed_end")
    connection.execute(_UPDATE)


def _ends(connection: duckdb.DuckDBPyConnection) -> Iterator[End]:
    cursor = connection.cursor()
    rows = cursor.execute(_MARKS)
    fetched = (row for part in iter(lambda: rows.fetchmany(_ROWS), []) for row in part)
    for _, thread in itertools.groupby(fetched, operator.itemgetter(0, 1, 2)):
        yield from match_ends(Mark(*row[3:]) for row in thread)
    cursor.close()
