"""Arguments of TPU commands as Perfetto debug annotations: keys and order of the vendor's tool.

A capture has many commands and all of them have the same few keys, so arguments are not written as
JSON and read again: each column is encoded at once, and what commands of one operation share, once
for each operation. The columns are those of arguments.sql, named like the keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tw_importers.sophgo.presentation import load
from warehouse.export import wire
from warehouse.export.perfetto.interning import InternedStrings

if TYPE_CHECKING:
    import duckdb

_FIELD = b"\x22"  # TrackEvent.debug_annotations
_INT, _DOUBLE, _STRING = b"\x20", b"\x29", b"\x32"  # of DebugAnnotation
_ENTRY, _NAME = b"\x5a", b"\x52"  # dict_entries, name
#: The category in the vendor's tool: the type of a command, the mode of a kernel.
_CATEGORY = """CASE s.category
      WHEN 'tpu_command' THEN {arguments}."Function Type"
      WHEN 'tpu_kernel' THEN s.args_json ->> '$.Mode'
      ELSE {otherwise}
    END"""
_KEYS = (
    "Batch Launch", "Kernel Function", "Function Type", "cmd_id_dep", "Direction", "Function Name",
    "Mode", "Cmd Id", "Data Type", "DMA data size(B)", "uArch Rate", "des_cmd_short",
    "des_cmd_id_dep", "DDR Bandwidth(GB/s)", "L2M Bandwidth(GB/s)", "Global Idx",
)  # fmt: skip
#: Columns shared by all commands of an operation; src_info and dst_info without addresses as well.
_SHARED = frozenset({
    "Batch Launch", "Kernel Function", "Function Type", "Direction", "Function Name", "Mode",
    "Data Type",
})  # fmt: skip
#: Rates, and which commands have none: the tool then writes the integer 0.
_REAL_KEYS = {"DDR Bandwidth(GB/s)": "has_no_ddr_rate", "L2M Bandwidth(GB/s)": "has_no_l2_rate"}
_SIDES = ("src", "dst")
_MEMBERS = tuple(f"{axis}{what}" for what in ("stride", "size") for axis in "nchw")


class CommandArguments:
    """Arguments of TPU commands; see `warehouse.export.presentation.Arguments`."""

    category = _CATEGORY

    def query(self, connection: duckdb.DuckDBPyConnection) -> str | None:
        return query(connection)

    def json_query(self, connection: duckdb.DuckDBPyConnection) -> str | None:
        return json_query(connection)

    def encode(self, batch: Any, names: InternedStrings) -> list[wire.Column]:
        return encode(batch, names)


def query(connection: duckdb.DuckDBPyConnection) -> str | None:
    """Returns the SELECT of the arguments of TPU commands in scope, or None.

    Register images are read only where there are any: in text they take many times their bytes.
    """
    ((n_commands, n_images),) = connection.execute(
        "SELECT count(*), (SELECT count(registers_json) FROM tpu_command_extra) FROM tpu_command"
    ).fetchall()
    if not n_commands:
        return None
    if not n_images:
        return load("arguments", places="", short_form="NULL::BIGINT", dependency="NULL::BIGINT")
    sides = [f"{side}_{member}" for side in _SIDES for member in _MEMBERS]
    columns = [f'{_register(each)} AS "{each}"' for each in sides]
    columns += [
        "source_address::BIGINT AS src_start_addr",
        "destination_address::BIGINT AS dst_start_addr",
    ]
    return load(
        "arguments",
        places="".join(f",\n  {each}" for each in columns),
        short_form=_register("cmd_short"),
        dependency=_register("cmd_id_dep"),
    )


def _register(name: str) -> str:
    return f"TRY_CAST(registers_json ->> '$.{name}' AS BIGINT)"


def json_query(connection: duckdb.DuckDBPyConnection) -> str | None:
    """Returns the same as (slice_id, args_json, category), without NULL members."""
    source = query(connection)
    if source is None:
        return None
    names = columns(connection, source)
    pairs = [(key, _json(key)) for key in _KEYS]
    for side in _SIDES:
        members = [name for name in names if name.startswith(f"{side}_")]
        inside = ", ".join(f"'{name}', \"{name}\"" for name in members)
        inside = inside or f"'{side}_start_addr', 0"
        pairs.append((f"{side}_info", f"CASE WHEN has_places THEN json_object({inside}) END"))
    listed = ", ".join(f"'{key}', {value}" for key, value in pairs)
    # a merge patch removes members that are null
    whole = f"json_merge_patch('{{}}', json_object({listed}))"
    return f'SELECT slice_id, {whole}::VARCHAR AS args_json, "Function Type" FROM ({source})'


def _json(key: str) -> str:
    if key not in _REAL_KEYS:
        return f'"{key}"'
    return f'CASE WHEN {_REAL_KEYS[key]} AND "{key}" = 0 THEN \'0\'::JSON ELSE to_json("{key}") END'


def columns(connection: duckdb.DuckDBPyConnection, source: str) -> list[str]:
    """Returns the column names of `query`, without the slice's id."""
    return [name for name in connection.sql(source).columns if name != "slice_id"]


def encode(batch: Any, names: InternedStrings) -> list[wire.Column]:
    """Encodes the debug_annotations fields of a batch, one row per slice, column by column.

    Slices other than TPU commands have none.
    """
    if batch["Function Type"].null_count == len(batch):
        return []
    shared = _Shared(batch)
    parts: list[wire.Column] = []
    for key in _KEYS:
        if key in _SHARED:
            shared.add(_values(key, shared.rows, names))
        elif batch[key].null_count < len(batch[key]):
            parts += [*shared.taken(), _values(key, batch, names)]
    for side in _SIDES:
        if f"{side}_start_addr" in batch.schema.names:
            parts += [*shared.taken(), _place(side, batch, names)]
        else:
            shared.add(_place(side, shared.rows, names))
    return [*parts, *shared.taken()]


class _Shared:
    """Columns that are equal for all rows of an operation, encoded once per operation."""

    def __init__(self, batch: Any) -> None:
        encoded = batch["operation_id"].dictionary_encode(null_encoding="encode")
        self._which = encoded.indices
        one = np.empty(len(encoded.dictionary), np.int64)  # some row of each
        one[encoded.indices.to_numpy()] = np.arange(len(batch))
        self.rows = batch.take(pa.array(one))
        self._parts: list[wire.Column] = []

    def add(self, part: wire.Column) -> None:
        self._parts.append(part)

    def taken(self) -> list[wire.Column]:
        """Returns the columns added since the last call as one for all rows, or none."""
        if not self._parts:
            return []
        joined, self._parts = wire.join(*self._parts), []
        return [joined.take(self._which)]


def _values(key: str, batch: Any, names: InternedStrings) -> wire.Column:
    name, values = _name(key, names), batch[key]
    if key in _REAL_KEYS:
        return _reals(name, values, batch[_REAL_KEYS[key]])
    if pa.types.is_integer(values.type):
        return _present(values, _field(_integers(values), name))
    distinct = values.dictionary_encode()
    texts = pc.cast(distinct.dictionary, pa.large_binary())
    return _field(wire.length_prefixed(_STRING, texts), name).take(distinct.indices)


def _reals(name: bytes, values: Any, is_whole: Any) -> wire.Column:
    numbers = pc.fill_null(values, 0.0).to_numpy()
    encoded = wire.fixed64(numbers, tag=_FIELD + wire.varint(len(name) + 9) + name + _DOUBLE)
    zero = _FIELD + wire.varint(len(name) + 2) + name + _INT + b"\x00"
    whole = pc.fill_null(is_whole, False)
    return _present(values, pc.if_else(whole, pa.scalar(zero, pa.large_binary()), encoded))


def _place(side: str, batch: Any, names: InternedStrings) -> wire.Column:
    """Encodes src_info or dst_info: strides and sizes of the image, and the address."""
    address = f"{side}_start_addr"
    has_place = batch["has_places"]
    if address not in batch.schema.names:
        zeros = pa.array(np.zeros(1, np.int64))
        entry = wire.length_prefixed(_ENTRY, _entry(address, zeros))
        fixed = _field(entry, _name(f"{side}_info", names))[0].as_py()
        return pc.if_else(
            pc.fill_null(has_place, False),
            pa.scalar(fixed, pa.large_binary()),
            pa.scalar(None, pa.large_binary()),
        )
    keys = [f"{side}_{member}" for member in _MEMBERS]
    entries = [
        _present(batch[key], wire.length_prefixed(_ENTRY, _entry(key, batch[key]))) for key in keys
    ]
    addresses = pc.fill_null(batch[address], 0)
    entries.append(wire.length_prefixed(_ENTRY, _entry(address, addresses)))
    return _present(
        pc.if_else(has_place, True, None), _field(wire.join(*entries), _name(f"{side}_info", names))
    )


def _entry(key: str, values: Any) -> wire.Column:
    text = key.encode()
    return wire.join(_integers(values), _NAME + wire.varint(len(text)) + text)


def _integers(values: Any) -> wire.Column:
    numbers = pc.fill_null(values, 0).to_numpy(zero_copy_only=False).astype(np.int64)
    return wire.join(_INT, wire.varints(numbers.view(np.uint64)))


def _field(values: wire.Column, name: bytes) -> wire.Column:
    return wire.length_prefixed(_FIELD, wire.join(name, values))


def _present(values: Any, encoded: wire.Column) -> wire.Column:
    if not values.null_count:
        return encoded
    return pc.if_else(pc.is_valid(values), encoded, pa.scalar(None, pa.large_binary()))


def _name(key: str, names: InternedStrings) -> bytes:
    """Encodes the name field of an annotation."""
    field = names.fields(pa.array([key.encode()]), b"\x08")[0].as_py()
    assert isinstance(field, bytes)
    return field
