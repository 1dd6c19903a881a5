"""Fields of register images as columns.

All images of one layout are one matrix of 32-bit words, and a field is a few bit operations on
its columns. A field that a layout has not is NULL. All fields of an image together, in the
manual's order, are a JSON text.
"""

from __future__ import annotations

import functools
import json
from typing import Any

import numpy as np
import pyarrow as pa

from tw_importers.sophgo.decode.registers import Engine, Field, Layout, Numbers

Words = np.ndarray[Any, np.dtype[np.uint32]]
Wide = np.ndarray[Any, np.dtype[np.uint64]]

_AXES = "nchw"
_TENSORS = (("result", "res0"), ("operand0", "opd0"), ("operand1", "opd1"))
_SIDES = ("src", "dst")
#: The columns and what each is called in the layouts; no layout has two of one column's.
TIU_FIELDS: dict[str, tuple[str, ...]] = {
    "command_dependency": ("cmd_id_dep",),
    "n_operands": ("tsk_opd_num",),
    "result_precision": ("opt_res0_prec",),
    "operand0_precision": ("opt_opd0_prec",),
    "operand1_precision": ("opt_opd1_prec",),
    "operand2_precision": ("opt_opd2_prec",),
    "has_constant_operand2": ("opt_opd2_const",),
    "is_left_transposed": ("opt_left_tran",),
    **{f"{name}_{a}": (f"{short}_{a}",) for name, short in _TENSORS for a in _AXES},
    **{f"{name}_address": (f"{short}_addr",) for name, short in _TENSORS},
    "immediate": ("imm",),
}
DMA_FIELDS: dict[str, tuple[str, ...]] = {
    "command_dependency": ("cmd_id_dep",),
    "data_format": ("src_data_format",),
    "fill_constant": ("fill_constant_en",),
    "constant": ("constant_value", "constant_value_l32"),
    "length": ("cmd_length",),
    **{f"{side}_{a}_size": (f"{side}_{a}size",) for side in _SIDES for a in _AXES},
    **{f"{side}_{a}_stride": (f"{side}_{a}stride",) for side in _SIDES for a in _AXES},
    **{f"{side}_address_low": (f"{side}_start_addr_l32",) for side in _SIDES},
    **{
        f"{side}_address_high": (f"{side}_start_addr_h13", f"{side}_start_addr_h8")
        for side in _SIDES
    },
}
_TEXT_TYPE = pa.large_string()
_TEXT = functools.partial(pa.scalar, type=_TEXT_TYPE)
_WIDE = {"immediate"}  # 64 bits; all others fit in 32


def extract(words: Words, bits: Field) -> Wide:
    """The value of a field in every row of a matrix of words."""
    first, shift = divmod(bits.offset, 32)
    last = (bits.offset + bits.width - 1) // 32
    value = words[:, first].astype(np.uint64) >> np.uint64(shift)
    for n in range(first + 1, last + 1):
        value |= words[:, n].astype(np.uint64) << np.uint64(32 * (n - first) - shift)
    return value & np.uint64((1 << bits.width) - 1)


def gather(buffer: bytes | memoryview, starts: Numbers, n_words: int) -> Words:
    """A row of `n_words` words from every byte offset; they must lie in the buffer."""
    rows = np.empty((len(starts), n_words), np.uint32)
    for rest in range(4):  # so that words can be taken as such wherever they begin
        here = np.flatnonzero(starts % 4 == rest)
        if len(here):
            words = np.frombuffer(buffer, "<u4", (len(buffer) - rest) // 4, rest)
            rows[here] = words[(starts[here] // 4)[:, None] + np.arange(n_words)]
    return rows


def field_columns(
    buffer: bytes | memoryview, engine: Engine, starts: Numbers, commands: Numbers
) -> dict[str, pa.Array]:
    """The fields of every image, which begins at its byte of `starts`, and `registers_json`."""
    fields_of_engine = TIU_FIELDS if engine.name == "TIU" else DMA_FIELDS
    values = {name: np.zeros(len(starts), np.uint64) for name in fields_of_engine}
    is_present = {name: np.zeros(len(starts), bool) for name in fields_of_engine}
    texts, places = [pa.array([], _TEXT_TYPE)], [np.empty(0, np.int64)]
    for layout, rows in _by_layout(engine, commands):
        words = gather(buffer, starts[rows], layout.n_bytes // 4)
        fields = {name: extract(words, bits) for name, bits in layout.fields.items()}
        texts.append(_json(fields))
        places.append(rows)
        for name, candidates in fields_of_engine.items():
            if found := next((c for c in candidates if c in fields), None):
                values[name][rows], is_present[name][rows] = fields[found], True
    order = np.argsort(np.concatenate(places))
    whole = np.ones(len(starts), bool)
    columns = {
        name: column(values[name], is_present[name], name in _WIDE) for name in fields_of_engine
    }
    columns["registers_json"] = pa.concat_arrays(texts).take(column(order, whole))
    return columns


def _json(fields: dict[str, Wide]) -> pa.Array:
    """An object of all fields for every row: the texts between the values, and the values.

    Most fields are the same in all rows, and so part of the text.
    """
    parts: list[pa.Scalar | pa.Array] = []
    text, comma = "{", ""
    for name, values in fields.items():
        text += f"{comma}{json.dumps(name, ensure_ascii=False)}: "
        comma = ", "
        if (values == values[0]).all():
            text += str(values[0])
            continue
        numbers = column(values, np.ones(len(values), bool), is_wide=True)
        parts += [_TEXT(text), numbers.cast(_TEXT_TYPE)]
        text = ""
    if not parts:
        return pa.repeat(_TEXT(text + "}"), len(values))
    import pyarrow.compute as pc  # loading it would cost every import of a small file of any kind

    return pc.binary_join_element_wise(*parts, _TEXT(text + "}"), _TEXT(""))


def _by_layout(engine: Engine, commands: Numbers) -> list[tuple[Layout, Numbers]]:
    layouts = {c.layout.name: c.layout for c in engine.commands}
    of_command = np.array([list(layouts).index(c.layout.name) for c in engine.commands], np.int64)
    found = of_command[commands]
    parts = ((layout, np.flatnonzero(found == n)) for n, layout in enumerate(layouts.values()))
    return [(layout, rows) for layout, rows in parts if len(rows)]


def column(
    values: Numbers | Wide, is_present: np.ndarray[Any, np.dtype[np.bool_]], is_wide: bool = False
) -> pa.Array:
    """Integers as an Arrow column. From buffers: pa.array() of NumPy imports pandas if it can."""
    numbers = np.ascontiguousarray(values, np.uint64 if is_wide else np.int64)
    mask = pa.py_buffer(np.packbits(is_present, bitorder="little").tobytes())
    kind = pa.uint64() if is_wide else pa.int64()
    return pa.Array.from_buffers(kind, len(numbers), [mask, pa.py_buffer(numbers)])
