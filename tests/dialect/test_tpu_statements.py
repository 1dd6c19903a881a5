"""The statements the vendor's tool suggests for its Perfetto files are answered from the warehouse.

Expected rows are those of the file the tool itself wrote of the capture (`slices.jsonl`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import WarehouseCache, integration
from tests.support.tpu_cases import Cases
from warehouse.dialect.errors import UnsupportedSql

BY_NAME = """
select * from slice s
where s.name="{name}"
order by dur desc
"""
BY_BANDWIDTH = """
SELECT {columns}  FROM slice s
JOIN args a ON s.arg_set_id = a.arg_set_id
WHERE a.key = 'debug.DDR Bandwidth(GB/s)'
  AND ddr_bandwidth BETWEEN {low} AND {high}
order by ddr_bandwidth desc;
"""
BY_RATE = """
SELECT a.display_value  AS uArchRate, s.* FROM slice s
JOIN args a ON s.arg_set_id = a.arg_set_id
WHERE a.key = 'debug.uArch Rate'
  AND CAST(a.display_value  AS DOUBLE) < {rate}
order by CAST(uArchRate AS DOUBLE) desc;
"""
KERNELS = """
SELECT s.*
FROM slice s
JOIN track t ON s.track_id = t.id
JOIN track parent ON t.parent_id = parent.id
WHERE parent.name = 'Core 0' AND t.name = 'Kernel Function'
ORDER BY s.dur DESC;
"""
Row = dict[str, Any]


@pytest.fixture(scope="module")
def cases(data_dir: Path, imported_files: WarehouseCache) -> Cases:
    return Cases(imported_files, data_dir / "bigtpu")


@pytest.fixture(scope="module")
def theirs(cases: Cases) -> list[Row]:
    lines = cases.theirs("aks_m2_8core", "slices.jsonl").splitlines()
    return [row for row in map(json.loads, lines) if "args" in row]


def ask(cases: Cases, statement: str) -> list[Row]:
    with cases.opened("aks_m2_8core") as session:
        rows: list[Row] = session.run(statement, dialect="perfetto").table().to_pylist()
    return rows


def listed(rows: list[Row], *more: str) -> list[tuple[Any, ...]]:
    """What tells slices apart in both."""
    return sorted(
        tuple(row[name] for name in ("ts", "dur", "name", "category", *more)) for row in rows
    )


def meant(rows: list[Row], key: str | None = None) -> list[tuple[Any, ...]]:
    return sorted(
        (row["ts"], row["dur"], row["name"], row["cat"][0], *([row["args"][key]] if key else []))
        for row in rows
    )


@pytest.mark.parametrize(
    ("name", "n"), [integration("mm.normal", 0), ("mm2.nn", 8), integration("tensorLd", 48)]
)
def test_slices_of_a_name_are_found_longest_first(
    cases: Cases, theirs: list[Row], name: str, n: int
) -> None:
    rows = ask(cases, BY_NAME.format(name=name))

    assert listed(rows) == meant([row for row in theirs if row["name"] == name])
    assert len(rows) == n
    assert [row["dur"] for row in rows] == sorted((row["dur"] for row in rows), reverse=True)


@pytest.mark.parametrize(
    ("low", "high", "n"), [integration(5, 20, 0), (80, 90, 30), integration(200, 300, 24)]
)
def test_transfers_within_a_range_of_bandwidth_are_found(
    cases: Cases, theirs: list[Row], low: int, high: int, n: int
) -> None:
    key = "DDR Bandwidth(GB/s)"
    columns = "a.real_value AS ddr_bandwidth, s.*"

    rows = ask(cases, BY_BANDWIDTH.format(columns=columns, low=low, high=high))

    expected = [row for row in theirs if low <= row["args"].get(key, -1) <= high]
    assert listed(rows, "ddr_bandwidth") == meant(expected, key)
    assert len(rows) == n
    found = [row["ddr_bandwidth"] for row in rows]
    assert found == sorted(found, reverse=True)


def test_a_name_for_all_columns_is_refused_with_what_was_meant(cases: Cases) -> None:
    statement = BY_BANDWIDTH.format(columns="a.real_value, s.* AS ddr_bandwidth", low=5, high=20)

    with pytest.raises(UnsupportedSql, match=r"s\.\* is many columns") as refused:
        ask(cases, statement)
    assert refused.value.hint == ("Give the name to a value: a.real_value AS ddr_bandwidth, s.*")


@pytest.mark.parametrize(("rate", "n"), [integration(40, 0), (80, 8), integration(101, 24)])
def test_commands_below_a_rate_are_found_though_rates_are_text(
    cases: Cases, theirs: list[Row], rate: int, n: int
) -> None:
    rows = ask(cases, BY_RATE.format(rate=rate))

    key = "uArch Rate"
    expected = [row for row in theirs if float(row["args"].get(key, "999%")[:-1]) < rate]
    assert listed(rows, "uArchRate") == meant(expected, key)
    assert len(rows) == n


def test_the_kernels_of_a_core_are_found_by_its_track(cases: Cases, theirs: list[Row]) -> None:
    rows = ask(cases, KERNELS)

    assert listed(rows) == meant([r for r in theirs if r["track"] == "Core 0/Kernel Function"])
    assert len(rows) == 1


def test_arguments_are_those_of_the_vendors_file(cases: Cases, theirs: list[Row]) -> None:
    rows = ask(
        cases,
        "SELECT a.key, a.value_type, a.display_value FROM slice s JOIN args a USING (arg_set_id) "
        "WHERE s.ts = 0 AND s.dur = 1630",
    )

    (slice_,) = (row for row in theirs if (row["ts"], row["dur"]) == (0, 1630))
    expected = set()
    for key, value in slice_["args"].items():
        for name, inner in value.items() if isinstance(value, dict) else [(None, value)]:
            expected.add((f"args.{key}" + (f".{name}" if name else ""), str(inner)))
    assert {(row["key"], row["display_value"]) for row in rows} == expected
    kinds = {row["key"]: row["value_type"] for row in rows}
    assert kinds["args.DDR Bandwidth(GB/s)"] == "real"
    assert kinds["args.L2M Bandwidth(GB/s)"] == "int"
