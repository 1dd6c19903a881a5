"""Register text files of TPU captures, as the vendor's tool writes them.

`tiuRegInfo_CORE.txt` has the TIU commands of a core, `tdmaRegInfo_CORE.txt` its GDMA and then SDMA
commands, `cdmaRegInfo_PORT.txt` those of a port; each begins with the constants of the chip. Of a
command word only what the warehouse keeps is written: `extra_info` is the element type.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa

from tw_importers.sophgo.export import load
from warehouse.errors import ExportError
from warehouse.export import wire
from warehouse.files import file_stem, whole_file, whole_folder

if TYPE_CHECKING:
    import duckdb

_BATCH_ROWS = 20_000
_MARKERS = {"tiu": "TIU", "tdma": "TDMA", "cdma": "CDMA"}
_ENGINES = {"tiu": "'TIU'", "tdma": "'GDMA', 'SDMA'", "cdma": "'CDMA'"}


@dataclass
class RegistersSummary:
    """A written folder, with counts."""

    n_files: int = 0
    n_commands: int = 0
    n_bytes: int = 0


@dataclass(frozen=True)
class _File:
    trace_id: int
    kind: str  # tiu, tdma, cdma
    number: int  # core or port

    @property
    def name(self) -> str:
        return f"{self.kind}RegInfo_{self.number}.txt"

    @property
    def condition(self) -> str:
        place = "port" if self.kind == "cdma" else "core"
        return (
            f"trace_id = {self.trace_id} AND engine IN ({_ENGINES[self.kind]}) "
            f"AND {place} = {self.number}"
        )


def export_registers(connection: duckdb.DuckDBPyConnection, path: Path) -> RegistersSummary:
    """Writes the register files of the captures in scope to a new folder. Raises ExportError."""
    import duckdb

    try:
        names = dict(
            connection.execute(
                "SELECT id, name FROM trace WHERE id IN (SELECT trace_id FROM tpu_command)"
            ).fetchall()
        )
        if not names:
            raise ExportError(
                "no TPU capture in scope",
                hint="`tw runs` lists what the warehouse holds.",
            )
        with whole_folder(path) as folder:
            return _write_all(connection, folder, names)
    except duckdb.Error as error:
        raise ExportError(f"the commands cannot be read: {str(error).splitlines()[0]}") from error


def _write_all(
    connection: duckdb.DuckDBPyConnection, folder: Path, names: dict[int, str]
) -> RegistersSummary:
    written = RegistersSummary()
    for file in list(_files(connection)):
        target = folder if len(names) == 1 else folder / _unlike(file.trace_id, names)
        target.mkdir(exist_ok=True)
        with whole_file(target / file.name) as out:
            out.write(_head(connection, file.trace_id))
            written.n_commands += _records(connection, file, out)
            written.n_bytes += out.tell()
        written.n_files += 1
    return written


def _unlike(trace_id: int, names: dict[int, str]) -> str:
    """Returns the folder name of a trace, with its id if names repeat."""
    stem = file_stem(names[trace_id])
    is_only = [file_stem(name) for name in names.values()].count(stem) == 1
    return stem if is_only else f"{stem}-{trace_id}"


def _files(connection: duckdb.DuckDBPyConnection) -> Iterator[_File]:
    rows = connection.execute("""
        SELECT DISTINCT
          trace_id,
          CASE engine WHEN 'TIU' THEN 'tiu' WHEN 'CDMA' THEN 'cdma' ELSE 'tdma' END AS kind,
          coalesce(core, port) AS number
        FROM tpu_command
        WHERE coalesce(core, port) IS NOT NULL
        ORDER BY ALL
    """).fetchall()
    yield from (_File(*row) for row in rows)


def _head(connection: duckdb.DuckDBPyConnection, trace_id: int) -> bytes:
    """Returns the constants of the chip."""
    found = connection.execute(
        "SELECT properties_json FROM device WHERE kind = 'tpu' AND trace_id = ?", [trace_id]
    ).fetchall()
    constants = json.loads(found[0][0]) if found and found[0][0] else {}
    lines = ["__CHIP_ARCH_ARGS__", *(f"\t{key}: {value}" for key, value in constants.items())]
    return ("\n".join(lines) + "\n").encode()


def _records(connection: duckdb.DuckDBPyConnection, file: _File, out: BinaryIO) -> int:
    query = load(
        "registers",
        marker=_MARKERS[file.kind],
        prefix="des_" if file.kind == "tiu" else "",
        condition=file.condition,
        last_core=f"(SELECT max(core) FROM tpu_command WHERE trace_id = {file.trace_id})",
    )
    n_records = 0
    for batch in connection.sql(query).to_arrow_reader(_BATCH_ROWS):
        out.write(wire.contents(batch["record"].cast(pa.large_binary())))
        n_records += batch.num_rows
    return n_records
