"""Writes a warehouse with an earlier version of the program, and what its queries answer there.

    PYTHON_OF_THAT_VERSION record.py INPUTS OUT

`INPUTS` has one folder of trace files for each run (see tests/data/README.md). Writes
`OUT/warehouse.duckdb.xz` and `OUT/results.json.xz`: the columns and rows of each public query.
"""

from __future__ import annotations

import json
import lzma
import sys
import tempfile
from pathlib import Path
from typing import Any

import warehouse
from warehouse.errors import UsageError

RUNS = ("ddp", "gpu", "cnn", "memory", "nsys", "nvprof", "rocpd", "tpu")
#: Queries whose cells are sentences, which may be reworded, or times of the import.
WITH_TEXT = {"data_quality", "inbox", "link_report", "runs", "traces"}
BUILDING_BLOCKS = {"lib", "link"}  # layers
MOST_ROWS = 500  # of a result that is kept

Results = dict[str, dict[str, Any]]


def main(inputs: Path, out: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "full.duckdb"
        for run in RUNS:
            outcomes = warehouse.open(db).import_(inputs / run, run=run)
            assert {each.status for each in outcomes} == {"imported"}
        with warehouse.open(db) as wh:
            found = results(wh)
        small = Path(folder) / "warehouse.duckdb"
        tw("queries", "install", "--db", str(db))
        tw("tag", "baseline", "--run", "ddp", "--db", str(db))
        tw("backup", str(small), "--db", str(db))
        (out / "warehouse.duckdb.xz").write_bytes(packed(small.read_bytes()))
        text = json.dumps(found, indent=0, default=str)
        (out / "results.json.xz").write_bytes(packed(text.encode()))


def tw(*arguments: str) -> None:
    from warehouse.cli import run

    sys.argv = ["tw", *arguments]
    assert run() == 0, arguments


def results(wh: Any) -> Results:
    """What each public query answers, by `run/query`, for up to two kinds of profilers."""
    found: Results = {}
    for name, query in sorted(wh.queries().items()):
        if name.startswith("compare_"):
            found["all/" + name] = as_lists(wh.query(name, a="ddp", b="gpu"))
        elif query.layer not in BUILDING_BLOCKS and name not in WITH_TEXT:
            found |= first_result(wh, name, RUNS) | first_result(wh, name, RUNS[::-1])
    return found


def first_result(wh: Any, name: str, runs: tuple[str, ...]) -> Results:
    for run in runs:
        try:
            rows = wh.scope(run=run).query(name)
        except UsageError as error:  # a parameter without a default
            sys.stderr.write(f"{name}: {error}\n")
            return {}
        if 0 < len(rows) <= MOST_ROWS:
            return {f"{run}/{name}": as_lists(rows)}
    return {}


def as_lists(rows: Any) -> dict[str, Any]:
    table = rows.arrow()
    return {
        "columns": table.column_names,
        "rows": [list(row.values()) for row in table.to_pylist()],
    }


def packed(data: bytes) -> bytes:
    return lzma.compress(data, preset=9 | lzma.PRESET_EXTREME)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
