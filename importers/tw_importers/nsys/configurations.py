"""Stores what launches of one kernel have in common once, not with each launch.

Kernels have two dozen columns, most of which are equal in all launches of one. Storing a column of
a million rows takes as long as reading it, so the combinations of these columns are a table of
their own, `kernel_configuration`, whose rows `kernel.configuration_n` names. Equal combinations
may be several rows: batches of rows are taken one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from tw_importers.sqlite_tables import Database, Kind
from warehouse.ingest import batches as written
from warehouse.ingest.importer import Scratch

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]
Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]
_SLOT_BITS = 17  # several times the rows of a batch: few combinations share a slot
_FACTOR = 0x9E3779B97F4A7C15


def load(
    database: Database,
    scratch: Scratch,
    table: str,
    columns: Mapping[str, Kind],
    own: Sequence[str],
) -> None:
    """Creates `kernel` and `kernel_configuration` of whole numbers; `own` are those of `kernel`."""
    spool = scratch.folder / "kernel_configuration.arrow"
    shared = [name for name in columns if name not in own]
    rows = _split(database.batches(table, columns), own, shared, spool)
    schema = pa.schema([(name, pa.int64()) for name in [*own, "configuration_n"]])
    # The combinations are written to a file meanwhile: in the worst case they are as many.
    _create(scratch, "kernel", schema, rows)
    with pa.memory_map(str(spool)) as file:
        combinations = pa.ipc.open_stream(file)
        _create(scratch, "kernel_configuration", combinations.schema, combinations)
    spool.unlink()


def _create(
    scratch: Scratch, table: str, schema: pa.Schema, rows: Iterable[pa.RecordBatch]
) -> None:
    statement = f"CREATE TABLE {table} AS FROM kernel_rows"
    written.run(scratch.connection, statement, "kernel_rows", schema, rows)


def _split(
    batches: pa.RecordBatchReader, own: Sequence[str], shared: Sequence[str], spool: Path
) -> Iterator[pa.RecordBatch]:
    """Yields the own columns of rows, and which combination they have; writes combinations."""
    n_before = 0
    schema = pa.schema([(name, pa.int64()) for name in shared])
    with pa.OSFile(str(spool), "wb") as file, pa.ipc.new_stream(file, schema) as writer:
        for batch in batches:
            columns = [Column.of(batch.column(name)) for name in shared]
            first, combination = combinations(columns, batch.num_rows)
            arrays = [column.at(first) for column in columns]
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
            arrays = [*(batch.column(name) for name in own), pa.array(combination + n_before)]
            yield pa.RecordBatch.from_arrays(arrays, [*own, "configuration_n"])
            n_before += len(first)


@dataclass
class Column:
    """Whole numbers, 0 where they are NULL."""

    values: Numbers
    is_null: Flags | None  # None: none is

    @staticmethod
    def of(array: pa.Array) -> Column:
        bits, content = array.buffers()
        if array.null_count == len(array):
            return Column(np.zeros(len(array), np.int64), np.ones(len(array), bool))
        values = np.frombuffer(content, np.int64)[array.offset : array.offset + len(array)]
        if not array.null_count:
            return Column(values, None)
        places = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")
        is_null = places[array.offset : array.offset + len(array)] == 0
        return Column(np.where(is_null, 0, values), is_null)

    def at(self, rows: Numbers) -> pa.Array:
        """The values of some rows."""
        mask = None if self.is_null is None else self.is_null[rows]
        return pa.array(self.values[rows], mask=mask)

    def varying(self) -> Iterator[Numbers | Flags]:
        """Values and flags, those of each that are not all the same."""
        for each in (self.values, self.is_null):
            if each is not None and not (each == each[0]).all():
                yield each


def combinations(columns: Sequence[Column], n_rows: int) -> tuple[Numbers, Numbers]:
    """The rows whose combinations stand for all, and for each row the number of its own.

    A combination whose slot another one has is a combination in every row.
    """
    rows = np.arange(n_rows)
    varying = [each for column in columns if n_rows for each in column.varying()]
    slot = _slots(varying, n_rows)
    first_of_slot = np.empty(1 << _SLOT_BITS, np.int64)
    first_of_slot[slot[::-1]] = rows[::-1]
    first = first_of_slot[slot]
    is_equal = np.ones(n_rows, bool)
    for each in varying:
        is_equal &= each[first] == each
    first = np.where(is_equal, first, rows)
    stands = np.zeros(n_rows, bool)
    stands[first] = True
    return np.flatnonzero(stands), (np.cumsum(stands) - 1)[first]


def _slots(varying: Sequence[Numbers | Flags], n_rows: int) -> Numbers:
    """A number below 2 ** _SLOT_BITS for each row: equal for equal rows, mostly different else."""
    total = np.zeros(n_rows, np.uint64)
    for each in varying:
        total += each.astype(np.uint64)
        total *= np.uint64(_FACTOR)
        total ^= total >> np.uint64(32)
    return (total >> np.uint64(64 - _SLOT_BITS)).astype(np.int64)
