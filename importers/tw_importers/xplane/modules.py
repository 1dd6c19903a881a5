"""Reads the compiled modules in a profile: what their instructions are, and are compiled from.

Modules are statistics of the names of events in a plane of their own. Computations are decoded one
at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import pyarrow as pa

from tw_importers.protobuf.wire import fields
from tw_importers.xplane.messages import messages
from warehouse.errors import CorruptTrace

PLANE: Final = "/host:metadata"
INSTRUCTION: Final = pa.schema(
    [
        ("program_id", pa.int64()),
        ("name", pa.string()),
        ("opcode", pa.string()),
        ("fusion_kind", pa.string()),
        ("is_base_dilated", pa.bool_()),
        ("is_window_dilated", pa.bool_()),
        ("op_type", pa.string()),
        ("op_name", pa.string()),
        ("source_file", pa.string()),
        ("source_line", pa.int64()),
    ]
)
_NO_PROGRAM: Final = 1 << 63  # from here on, ids of programs are not stored
_MODULE_STATISTICS: Final = ("Hlo Proto", "hlo_proto")
_HLO_MODULE, _MODULE_COMPUTATION, _MODULE_FRAMES = 1, 3, 17


class Modules:
    """The instructions of the modules that were read, and how many modules are damaged."""

    def __init__(self) -> None:
        self._batches: list[pa.RecordBatch] = []
        self.n_damaged = 0

    def add(self, entries: Iterable[Any], keys: Mapping[int, str]) -> None:
        """Adds the modules of some names of events; `keys`: names of statistics by their ids.

        Modules have the id of their program as a statistic, or, in older files, as their number.
        """
        for entry in entries:
            stats = {keys.get(stat.metadata_id): stat for stat in entry.value.stats}
            stated = stats.get("program_id")
            program = entry.key if stated is None else stated.int64 or stated.uint64
            if program >= _NO_PROGRAM:
                continue
            for module in (stats[name].bytes for name in _MODULE_STATISTICS if name in stats):
                try:
                    self._module(program, memoryview(module))
                except CorruptTrace:
                    self.n_damaged += 1

    def _module(self, program: int, data: memoryview) -> None:
        rows = []
        for field in fields(data, 0, len(data)):
            if field.number == _HLO_MODULE:
                rows += [(program, *row) for row in _instructions(data[field.value : field.end])]
        if rows:
            columns = [list(column) for column in zip(*rows, strict=True)]
            self._batches.append(pa.record_batch(columns, schema=INSTRUCTION))

    def table(self) -> pa.Table:
        """A row for each instruction."""
        return pa.Table.from_batches(self._batches, INSTRUCTION)


def _instructions(module: memoryview) -> Iterator[tuple[Any, ...]]:
    """The columns of INSTRUCTION behind the program."""
    lines: list[tuple[str | None, int]] = []
    places = []
    for field in fields(module, 0, len(module)):
        if field.number == _MODULE_FRAMES:
            lines = _lines(messages().decode("Frames", module, field.value, field.end))
        elif field.number == _MODULE_COMPUTATION:
            places.append((field.value, field.end))
    for place in places:
        for each in messages().decode("Computation", module, *place).instructions:
            dimensions, metadata = each.window.dimensions, each.metadata
            file, line = _text(metadata.source_file), metadata.source_line
            if file is None and 0 < metadata.stack_frame_id <= len(lines):
                file, line = lines[metadata.stack_frame_id - 1]
            yield (
                _text(each.name),
                _text(each.opcode),
                _text(each.fusion_kind),
                any(one.base_dilation > 1 for one in dimensions),
                any(one.window_dilation > 1 for one in dimensions),
                _text(metadata.op_type),
                _text(metadata.op_name),
                file,
                line,
            )


def _lines(stacks: Any) -> list[tuple[str | None, int]]:
    """File and line of each frame of a stack; they refer to each other by numbers from 1 on."""
    files = [None, *map(_text, stacks.files)]
    locations = [
        (files[each.file_id] if 0 < each.file_id < len(files) else None, each.line)
        for each in stacks.locations
    ]
    return [
        locations[each.location_id - 1] if 0 < each.location_id <= len(locations) else (None, 0)
        for each in stacks.frames
    ]


def _text(value: bytes) -> str | None:
    return value.decode(errors="replace") or None
