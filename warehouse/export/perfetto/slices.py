"""Reads the slices of an export in batches, in the order of the file.

Parts of the scope are sorted one after the other (`parts.py`). Slices whose packets must follow all
others (`arrows.sql`) come last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

from warehouse.export.perfetto import load
from warehouse.export.perfetto.parts import Part, divide

if TYPE_CHECKING:
    import duckdb

    from warehouse.export.presentation import Arguments

PIECE_ROWS = 16_384  # encoded at once
#: Sizes of pieces, and whether a batch ends; batches decide where new names are defined. DuckDB
#: divides its row groups so.
_SIZES = (*[(PIECE_ROWS, False)] * 3, (PIECE_ROWS, True), *[(PIECE_ROWS, False)] * 3, (8_192, True))
FLOW_LISTS = ("starts", "open_ends", "ends", "late_ends")

_DEFERRED_SLICES = "(SELECT slice_id AS id, track_id, ts FROM export_deferred)"
_DEFERRED_LANES = "(SELECT * FROM export_lane SEMI JOIN export_deferred USING (slice_id))"


@dataclass(frozen=True)
class SliceReader:
    """Reads the slices of `export_slice` with what belongs to them."""

    connection: duckdb.DuckDBPyConnection
    lift_ns: int  # added to all times
    has_lanes: bool
    has_arrows: bool
    has_args: bool
    stored_arguments: Sequence[tuple[Arguments, str]]  # encoders with their SELECT

    def pieces(self) -> Iterator[tuple[Any, bool]]:
        """Yields record batches of at most PIECE_ROWS rows, each with whether a batch ends."""
        return _regrouped(self._batches())

    def _batches(self) -> Iterator[Any]:
        lanes = "export_lane" if self.has_lanes else None
        for part in divide(self.connection, "export_slice", lanes):
            yield from self._read(part, is_deferred=False)
        if self.has_arrows:
            lanes = _DEFERRED_LANES if self.has_lanes else None
            for part in divide(self.connection, _DEFERRED_SLICES, lanes):
                yield from self._read(part, is_deferred=True)

    def _read(self, part: Part, *, is_deferred: bool) -> Iterator[Any]:
        query = self._query(part, is_deferred=is_deferred)
        yield from self.connection.sql(query).to_arrow_reader(PIECE_ROWS)

    def _query(self, part: Part, *, is_deferred: bool) -> str:
        joins, lane, conditions = [], "0", []
        if self.has_lanes:
            lane = "coalesce(l.lane, 0)"
            joins.append(
                f"LEFT JOIN (SELECT * FROM export_lane AS n WHERE {part.track_condition('n')}) AS l"
                " ON l.slice_id = s.id"
            )
            conditions.append(part.lane_condition("s", lane))
        arrows = [f"NULL AS {name}" for name in FLOW_LISTS] + ["false AS is_deferred"]
        if self.has_arrows:
            joins.append(load("arrow_lists", in_part=part.condition("a")))
            deferred = "coalesce(i.is_deferred, false)"
            arrows = ["o.starts", "i.open_ends", "i.ends", "i.late_ends"]
            arrows.append(f"{deferred} AS is_deferred")
            conditions.append(deferred if is_deferred else f"NOT {deferred}")
        category, names, columns = self._join_arguments(part, joins)
        return load(
            "slices",
            in_part=part.condition("e"),
            condition=" AND ".join(conditions) or "true",
            lane=lane,
            lift_ns=self.lift_ns,
            arrows=", ".join(arrows),
            argument_names=names,
            argument_columns=columns,
            category=category,
            args=load("args") if self.has_args else "NULL",
            joins="\n  ".join(joins),
        )

    def _join_arguments(self, part: Part, joins: list[str]) -> tuple[str, str, str]:
        """Joins stored arguments; returns the category, and the columns outside and inside."""
        category, names, columns = "s.category", "", ""
        if not self.stored_arguments:
            return category, names, columns
        ((first, last),) = self.connection.execute(
            f"SELECT min(id), max(id) FROM export_slice AS e WHERE {part.condition('e')}"
        ).fetchall()
        ids = f"slice_id BETWEEN {first} AND {last}"
        for n, (encoder, query) in enumerate(self.stored_arguments):
            category = encoder.category.format(arguments=f"a{n}", otherwise=category)
            joins.append(
                f"LEFT JOIN (SELECT * FROM ({query}) WHERE {ids}) AS a{n} ON a{n}.slice_id = s.id"
            )
            for name in self.connection.sql(query).columns[1:]:
                names += f', "{n}:{name}"'
                columns += f', a{n}."{name}" AS "{n}:{name}"'
        return category, names, columns


def _regrouped(batches: Iterator[Any]) -> Iterator[tuple[Any, bool]]:
    """Yields the rows in pieces of the sizes _SIZES, which do not depend on parts, each with
    whether it ends a batch; the last need not."""
    import pyarrow as pa

    kept: list[Any] = []
    n_kept = 0
    sizes = cycle(_SIZES)
    size, is_end = next(sizes)
    for batch in batches:
        if not batch.num_rows:
            continue
        kept.append(batch)
        n_kept += batch.num_rows
        while n_kept >= size:
            table = pa.Table.from_batches(kept)
            yield _one_batch(table.slice(0, size)), is_end
            kept = table.slice(size).to_batches()
            n_kept -= size
            size, is_end = next(sizes)
    if kept:
        yield _one_batch(pa.Table.from_batches(kept)), False


def _one_batch(table: Any) -> Any:
    return table.combine_chunks().to_batches()[0]
