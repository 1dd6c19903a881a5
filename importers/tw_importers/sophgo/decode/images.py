"""Register images as Arrow tables: what each command is, and its fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from tw_importers.sophgo.decode.chip import Chip
from tw_importers.sophgo.decode.cut import cut
from tw_importers.sophgo.decode.fields import column, field_columns, gather
from tw_importers.sophgo.decode.registers import Engine, Numbers, engine

_HEAD_BYTES = 8  # identify the command
_BATCH = 1 << 15  # images


@dataclass(frozen=True)
class Defect:
    """Where reading the images of a stream stopped; the rest of it was skipped."""

    kind: str  # unknown_command: no such command; image_cut: the stream ends within one
    offset: int  # bytes from the beginning of the buffer
    n_bytes: int  # skipped


@dataclass(frozen=True)
class Images:
    """Images found in a buffer, not yet decoded, and the skipped parts of their streams."""

    buffer: bytes | memoryview
    engine: Engine
    numbers: dict[str, Numbers]  # columns with the position of an image
    starts: Numbers  # bytes from the beginning of the buffer
    commands: Numbers  # index into engine.commands
    functions: Numbers
    defects: list[Defect] = field(default_factory=list)

    def reader(self) -> pa.RecordBatchReader:
        """The decoded images, some at a time: in text they take many times their bytes."""
        batches = (self._batch(n) for n in range(0, len(self.starts), _BATCH))
        return pa.RecordBatchReader.from_batches(self._batch(0, 0).schema, batches)

    @property
    def table(self) -> pa.Table:
        """All of them at once."""
        return self.reader().read_all()

    def _batch(self, first: int, n: int = _BATCH) -> pa.RecordBatch:
        some = slice(first, first + n)
        numbers = {name: _plain(values[some]) for name, values in self.numbers.items()}
        commands, functions = self.commands[some], self.functions[some]
        named = _named(self.engine, self.starts[some], commands, functions)
        fields = field_columns(self.buffer, self.engine, self.starts[some], commands)
        return pa.record_batch({**numbers, **named, **fields})


def decode_streams(
    buffer: bytes | memoryview, chip: Chip, engine_name: str, bounds: Iterable[tuple[int, int]]
) -> Images:
    """The images of streams in a buffer, each a (begin, end) in bytes, one image after the other.

    `engine_name` is TIU, GDMA, SDMA or CDMA. Columns:

    - `stream` counts the bounds and `number` the images of a stream, both from 0;
    - `offset`: where in the buffer the image begins, bytes;
    - `command`: what the original calls its type;
    - `image_name`: what the original calls the function of an image, which it prints for TIU;
      the images of other engines it calls as command words;
    - `type_code`, `function_code`: to look up in `name_table`, code `word`;
    - `formula`: how operations are counted (metrics.sql), or NULL;
    - fields, NULL where the layout has none: `TIU_FIELDS` or `DMA_FIELDS` of fields.py;
    - `registers_json`: all fields by name, in the order the original prints them in.
    """
    images = _images_of(chip, engine_name)
    view = memoryview(buffer)
    found, streams, defects = [], [], []
    for n, (begin, end) in enumerate(bounds):
        one = cut(view[begin:end], images)
        places = np.stack([one.starts + begin, one.commands, one.functions])
        found.append(places)
        streams.append(np.stack([np.full(len(one.starts), n), np.arange(len(one.starts))]))
        if one.defect:
            offset = begin + one.defect_offset
            defects.append(Defect(one.defect, offset, end - offset))
    stream, number = _joined(streams, 2)
    numbers = {"stream": stream, "number": number}
    starts, commands, functions = _joined(found, 3)
    return Images(buffer, images, numbers, starts, commands, functions, defects)


def decode_images(
    buffer: bytes | memoryview, chip: Chip, engine_name: str, starts: Numbers, ends: Numbers
) -> Images:
    """The first image of each of the stretches `starts` to `ends` of a buffer, in bytes.

    Columns as `decode_streams`, without `number`; `stream` counts the stretches. Those without a
    whole image are missing, and are among the defects.
    """
    images = _images_of(chip, engine_name)
    ends = np.minimum(ends, len(buffer))
    has_head = np.flatnonzero(ends - starts >= _HEAD_BYTES)
    low, high = gather(buffer, starts[has_head], 2).astype(np.uint64).T
    keys = np.zeros(len(starts), np.int64)
    keys[has_head] = images.keys(low | high << np.uint64(32))
    commands = images.command_of_key[keys]
    is_recognised = (commands >= 0) | (ends - starts < _HEAD_BYTES)
    lengths = np.array([c.layout.n_bytes for c in images.commands], np.int64)[commands]
    at = np.flatnonzero(is_recognised & (starts + np.maximum(lengths, _HEAD_BYTES) <= ends))
    defects = [
        Defect(
            "image_cut" if is_recognised[n] else "unknown_command",
            int(starts[n]),
            int(ends[n] - starts[n]),
        )
        for n in np.setdiff1d(np.arange(len(starts)), at)  # few, or none
    ]
    functions = images.function_of_key[keys[at]]
    return Images(buffer, images, {"stream": at}, starts[at], commands[at], functions, defects)


def _images_of(chip: Chip, name: str) -> Engine:
    images = engine(chip, name)
    if images is None:
        raise ValueError(f"{chip.name} has no register images of {name}")
    return images


def _joined(parts: Sequence[np.ndarray], n_rows: int) -> np.ndarray:
    return np.concatenate([np.empty((n_rows, 0), np.int64), *parts], axis=1)


def _plain(values: Numbers) -> pa.Array:
    return column(values, np.ones(len(values), bool))


def _named(
    images: Engine, starts: Numbers, commands: Numbers, functions: Numbers
) -> dict[str, pa.Array]:
    commands_known = images.commands
    return {
        "offset": _plain(starts),
        "command": _texts([c.name for c in commands_known], commands),
        "image_name": _image_names(images, commands, functions),
        "type_code": _plain(np.array([c.type_code for c in commands_known], np.int64)[commands]),
        "function_code": _plain(functions),
        "formula": _texts([c.formula for c in commands_known], commands),
    }


def _texts(texts: Sequence[str | None], index: Numbers) -> pa.Array:
    """`texts[index]`, NULL where the text is None."""
    return pa.array(texts, pa.string()).take(_plain(index))


def _image_names(images: Engine, commands: Numbers, functions: Numbers) -> pa.Array:
    width = 1 << images.key["function"].width
    names = [c.functions.get(f) for c in images.commands for f in range(width)]
    return _texts(names, commands * width + functions)
