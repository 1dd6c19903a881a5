"""What commands are called: one name for all capture modes, and the original's spellings.

A file of `names/` has a table for each engine and type code: `type` is the unified name, and
`category` what the original calls the type of a command word; `functions` maps a function code to
the unified name and the original's spelling. `send` and `wait` list the functions that pass
and await messages, `by_direction` those that the original names after the way of the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pyarrow as pa

from tw_importers.sophgo.decode.chip import Chip, merged, table

_ENGINES = ("TIU", "DMA", "CDMA")
_CODES = range(32)  # type and function have five bits each in a command word
RVT_FUNCTIONS = 64  # more than any RVT command has; higher numbers count as the last one
_COLUMNS = {
    "engine": pa.string(),
    "code": pa.string(),
    "type_code": pa.int64(),
    "function_code": pa.int64(),
    "type": pa.string(),
    "function": pa.string(),
    "kind": pa.string(),
    "sync": pa.string(),
    "source_type": pa.string(),
    "source_name": pa.string(),
    "by_direction": pa.bool_(),
}


def name_table(chip: Chip) -> pa.Table:
    """Scratch table `command_name`: one row for every possible code.

    `engine` is TIU, DMA (GDMA and SDMA) or CDMA. `code` is `word` for the hardware's numbers, in
    command words and register images alike, and `rvt` for those of RVT commands of chips that
    number them otherwise; there `function_code` is least(eu | info << 5, 63). `type` and
    `function` are unified; `kind` is compute, transfer, sync, or NULL where not entry; `sync` send
    or wait where a message is passed. `source_type` and `source_name` are what the original prints
    for a command word; where `by_direction` is true it prints `tensor` and Ld, St, Mv or nothing
    instead, by the way of the data (metrics.sql).
    """
    return _name_table(chip.names)


def has_rvt_codes(chip: Chip) -> bool:
    """Whether RVT commands have numbers of their own (`code` = rvt), not the hardware's."""
    return "rvt" in _tables(chip.names)


@cache
def _name_table(files: tuple[str, ...]) -> pa.Table:
    tables = _tables(files)
    rows = [row for engine in _ENGINES for row in _words(engine, tables)]
    rows += [row for engine in _ENGINES[:2] for row in _rvt(engine, tables)]
    arrays = [
        pa.array(list(values), kind)
        for values, kind in zip(zip(*rows, strict=True), _COLUMNS.values(), strict=True)
    ]
    return pa.Table.from_arrays(arrays, names=list(_COLUMNS))


@cache
def _tables(files: tuple[str, ...]) -> dict[str, Any]:
    tables: dict[str, Any] = {}
    for name in files:
        above = table("names", name)
        for engine, codes in above.pop("without", {}).items():
            for code in codes:
                tables[engine].pop(str(code))
        tables = merged(tables, above)
    return tables


def _words(engine: str, tables: dict[str, Any]) -> Iterator[tuple[object, ...]]:
    """The rows of one engine. A name missing in the table is composed as the original does."""
    unknown = tables.get("unknown", {}).get(engine.lower())
    for code in _CODES:
        entry = tables[engine.lower()].get(str(code), {})
        category = entry.get("category") or unknown or f"cmd_type_{code}"
        for function in _CODES:
            unified, spelling = _spellings(entry, function)
            fallback = unknown or (category if engine == "DMA" else f"{category}_{function}")
            yield (
                engine,
                "word",
                code,
                function,
                entry.get("type", f"type_{code}"),
                unified or f"function_{function}",
                _kind(engine == "TIU", entry),
                _sync(entry, function),
                category,
                spelling or fallback,
                function in entry.get("by_direction", ()),
            )


def _spellings(entry: dict[str, Any], function: int) -> tuple[str | None, str | None]:
    """The unified name and the original's, None where a table has none."""
    found = entry.get("functions", {}).get(str(function))
    if isinstance(found, list):
        return found[0], found[1] if len(found) > 1 else None
    return found, found


def _rvt(engine: str, tables: dict[str, Any]) -> Iterator[tuple[object, ...]]:
    for code in _CODES if "rvt" in tables else ():
        entry = tables["rvt"].get(str(code), {})
        variants = entry.get("variants", "").split()
        for function in range(RVT_FUNCTIONS):
            name = variants[function] if function < len(variants) else None
            yield (
                engine,
                "rvt",
                code,
                function,
                entry.get("type", f"type_{code}"),
                name or f"function_{function}",
                _kind(not entry.get("type", "").startswith("dma_"), entry),
                _sync(entry, function),
                entry.get("category", "rvt"),
                f"rvt_{name}" if name else "unknown",
                False,
            )


def _kind(is_compute: bool, entry: dict[str, Any]) -> str | None:
    named = entry.get("type", "unknown")
    if named in ("sys", "unknown"):
        return {"sys": "sync"}.get(named)
    return "compute" if is_compute else "transfer"


def _sync(entry: dict[str, Any], function: int) -> str | None:
    return next((word for word in ("send", "wait") if function in entry.get(word, ())), None)
