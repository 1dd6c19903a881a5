"""Captures of Sophgo TPUs of known content: every record where, when and as large as it was."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.sophgo_blocks import cases

pytestmark = pytest.mark.integration  # all of it on recordings

#: The vendor's tool counts a transfer of BM1688 at every interface, and loses a wrapped counter.
OTHER_BYTES, OTHER_TIMES = {"bm1688_m1_2core"}, {"aks_m1_timewrap"}
#: Two halves of equal length: which of them waits is a guess.
OTHER_NAMES = {"aks_m0_8core_cdma"}


def trace_id(connection: duckdb.DuckDBPyConnection, case: str) -> int:
    """Of the case, by the path of its files."""
    (found,) = connection.execute(
        "SELECT DISTINCT trace_id FROM source_file WHERE contains(path, ?)", [f"/{case}/"]
    ).fetchall()
    return int(found[0])


def commands(connection: duckdb.DuckDBPyConnection, case: str) -> list[dict[str, Any]]:
    found = connection.execute(
        "SELECT c.*, d.kind AS device_kind, d.ordinal, k.name AS track FROM tpu_command AS c "
        ""
        "JOIN device AS d ON d.id = c.device_id JOIN track AS k ON k.id = c.track_id "
        f"WHERE c.trace_id = {trace_id(connection, case)} ORDER BY c.slice_id"
    )
    names = [column[0] for column in found.description or []]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


@pytest.mark.parametrize("case", cases())
def test_every_record_starts_lasts_and_moves_as_the_generator_meant(
    captures: duckdb.DuckDBPyConnection, data_dir: Path, case: str
) -> None:
    truth = json.loads((data_dir / "bigtpu" / case / "truth.json").read_text())
    meant = [row for row in truth if not row["init"]]
    mhz = {"TIU": 900, "GDMA": 750} if case == "bm1688_m1_2core" else {}
    ours = commands(captures, case)
    if case == "bm1688_m1_2core":  # the truth leaves out the messages that begin the capture
        ours = [row for row in ours if row["kind"] != "sync"]

    def ns(row: dict[str, Any], cycle: int) -> int:
        return round(cycle * 1000 / mhz.get(row["eng"], 1000))

    expected = Counter(
        (
            row["eng"],
            row.get("port", row["core"]),
            ns(row, row["en"]) - ns(row, row["st"]),
            row["kernel"],
            row["nb"] if row["eng"] != "TIU" and case not in OTHER_BYTES else None,
        )
        for row in meant
    )
    found = Counter(
        (
            row["engine"],
            row["core"] if row["port"] is None else row["port"],
            row["dur"],
            row["kernel_name"],
            row["bytes"] if row["engine"] != "TIU" and case not in OTHER_BYTES else None,
        )
        for row in ours
    )
    assert found == expected


def texts(args: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((key, str(value)) for key, value in args.items()))


def shown(row: dict[str, Any], case: str) -> tuple[object, ...]:
    """What a slice of the vendor's tool's trace says, as our commands say it."""
    is_transfer = row["kind"] == "transfer" and case not in OTHER_BYTES
    return (
        f"Core {row['core']}/{row['track']}" if row["port"] is None else row["engine"],
        row["ts"],
        row["dur"],
        row["name"] if case not in OTHER_NAMES else None,
        row["category"],
        row["kernel_name"],
        row["batch"],
        row["mode"],
        row["shown_id"],
        row["stream_n"],
        row["bytes"] if is_transfer else None,
        row["direction"] if is_transfer and row["direction"] else None,
        row["data_type"] if is_transfer and row["data_type"] else None,
    )


def golden(row: dict[str, Any], case: str) -> tuple[object, ...]:
    args, track = row["args"], row["track"].split(" #")[0]
    is_transfer = "DMA data size(B)" in args and case not in OTHER_BYTES
    is_known = is_transfer and row["name"] != "unknown"
    return (
        track if track.startswith("Core") else "CDMA",
        row["ts"],
        row["dur"],
        row["name"] if case not in OTHER_NAMES else None,
        row["cat"][0],
        args.get("Kernel Function"),
        args.get("Batch Launch"),
        args.get("Mode"),
        args.get("Cmd Id"),
        args.get("Global Idx"),
        args["DMA data size(B)"] if is_transfer else None,
        args.get("Direction") if is_known else None,
        args.get("Data Type") if is_known else None,
    )


@pytest.mark.parametrize("case", cases(without=OTHER_TIMES))
def test_commands_are_those_of_the_vendors_tool(
    captures: duckdb.DuckDBPyConnection, data_dir: Path, case: str
) -> None:
    lines = (data_dir / "bigtpu" / case / "out37" / "slices.jsonl").read_text().splitlines()
    slices = [row for row in map(json.loads, lines) if "dur" in row]
    theirs = Counter(golden(r, case) for r in slices if not r["track"].endswith("Kernel Function"))

    assert Counter(shown(row, case) for row in commands(captures, case)) == theirs


@pytest.mark.parametrize("case", cases(without=OTHER_TIMES))
def test_kernels_are_those_of_the_vendors_tool(
    captures: duckdb.DuckDBPyConnection, data_dir: Path, case: str
) -> None:
    lines = (data_dir / "bigtpu" / case / "out37" / "slices.jsonl").read_text().splitlines()
    slices = [row for row in map(json.loads, lines) if "dur" in row]
    theirs = Counter(
        (
            row["ts"],
            row["dur"],
            row["name"],
            tuple(sorted((k, str(v)) for k, v in row["args"].items())),
        )
        for row in slices
        if row["track"].endswith("Kernel Function")
    )
    rows = captures.execute(
        "SELECT ts, dur, name, args_json FROM slice WHERE category = 'tpu_kernel' "
        f"AND trace_id = {trace_id(captures, case)}"
    ).fetchall()

    assert theirs == Counter(
        (ts, dur, name, texts(json.loads(args))) for ts, dur, name, args in rows
    )


def test_a_wrapped_counter_changes_nothing(captures: duckdb.DuckDBPyConnection) -> None:
    """The same work with a counter that starts at 5000 and one that wraps in the middle."""
    columns = ("ts", "dur", "name", "kernel_name", "bytes", "engine", "shown_id")
    wrapped, plain = (
        [tuple(row[c] for c in columns) for row in commands(captures, case)]
        for case in ("aks_m1_timewrap", "aks_m1_nowrap_ref")
    )

    assert wrapped == plain
