"""Rules of `nsys analyze` as queries, against the same in SQLite's SQL over the same files."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.nsys_cases import CASES, number
from warehouse.library import library
from warehouse.query import execute

Ask = Callable[..., list[dict[str, Any]]]
#: Where times of the warehouse count from: the least of the file's.
_FIRST = "(SELECT t.base_ns - t.source_base_ns FROM trace AS t WHERE t.id = $t)"
_COPIES = """
SELECT m.end - m.start, m.start, m.bytes, m.globalPid >> 24 & 16777215, m.contextId, m.streamId
FROM CUPTI_ACTIVITY_KIND_{table} AS m
JOIN (
  SELECT DISTINCT globalTid >> 24 AS process, correlationId, nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME
  WHERE eventClass < 2  -- not recorded again, with a backtrace
) AS r ON r.process = m.globalPid >> 24 AND r.correlationId = m.correlationId
JOIN StringIds AS s ON s.id = r.nameId
WHERE {condition}
ORDER BY 1 DESC, 2
"""
CONDITIONS = {
    "cuda_memcpy_async": ("MEMCPY", "s.value LIKE '%Memcpy%Async%' AND 0 IN (srcKind, dstKind)"),
    "cuda_memcpy_sync": (
        "MEMCPY",
        "s.value LIKE '%Memcpy%' AND s.value NOT LIKE '%Async%' "
        "AND (copyKind <> 1 OR bytes > 65536) AND copyKind NOT IN (5, 6, 7, 8, 10)",
    ),
    "cuda_memset_sync": (
        "MEMSET", "s.value LIKE '%Memset%' AND s.value NOT LIKE '%Async%' AND memKind IN (1, 4)"
    ),
}  # fmt: skip


@pytest.fixture
def ask(nsys: duckdb.DuckDBPyConnection) -> Ask:
    def rows(query: str, case: str, **values: object) -> list[dict[str, Any]]:
        ((first,),) = nsys.execute(f"SELECT {_FIRST}", {"t": number(case)}).fetchall()
        found = execute.run(nsys, query, values, library=library.load()).table().to_pylist()
        return [
            {**row, "start_ns": row["start_ns"] + first}
            for row in found
            if row["trace_id"] == number(case)
        ]

    return rows


def answer(data_dir: Path, case: str, sql: str) -> list[tuple[Any, ...]]:
    path = data_dir / "gpu" / CASES[case]
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
        tables = {name for (name,) in file.execute("SELECT name FROM sqlite_master")}
        needed = {word for word in sql.split() if word.startswith("CUPTI_")}
        return file.execute(sql).fetchall() if needed <= tables else []


@pytest.mark.parametrize("case", ["cloverleaf", "saxpy", "replay"])
def test_calls_that_wait_for_the_device_are_those_of_the_file(
    ask: Ask, data_dir: Path, case: str
) -> None:
    expected = answer(
        data_dir, case,
        "SELECT r.end - r.start, r.start, r.globalTid >> 24 & 16777215, r.globalTid & 16777215 "
        "FROM CUPTI_ACTIVITY_KIND_RUNTIME AS r JOIN StringIds AS s ON s.id = r.nameId "
        "WHERE r.eventClass < 2 AND (s.value LIKE 'cudaDeviceSynchronize%' "
        "OR s.value LIKE 'cudaStreamSynchronize%') ORDER BY 1 DESC, 2",
    )  # fmt: skip
    found = ask("cuda_api_sync", case, top=None)
    assert [tuple(r[k] for k in ("dur_ns", "start_ns", "pid", "tid")) for r in found] == expected
    assert case != "cloverleaf" or len(found) == 1312
    assert ask("cuda_api_sync", case) == found[:50]


@pytest.mark.parametrize("case", ["cloverleaf", "saxpy", "replay"])
@pytest.mark.parametrize("query", CONDITIONS)
def test_copies_the_host_waits_for_are_those_of_the_file(
    ask: Ask, data_dir: Path, case: str, query: str
) -> None:
    table, condition = CONDITIONS[query]
    expected = answer(data_dir, case, _COPIES.format(table=table, condition=condition))
    columns = ("dur_ns", "start_ns", "bytes", "pid", "context_id", "stream")
    assert [tuple(r[k] for k in columns) for r in ask(query, case, top=None)] == expected
    assert expected or (query, case) not in {
        ("cuda_memcpy_sync", "cloverleaf"), ("cuda_memcpy_sync", "saxpy")
    }  # fmt: skip


Spans = list[tuple[int, int]]


def uses(data_dir: Path, case: str) -> dict[tuple[int, int], tuple[Spans, Spans]]:
    """Of each process and device its operations, and what the profiler needed meanwhile."""
    busy: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for table in ("KERNEL", "MEMCPY", "MEMSET"):
        for pid, device, start, end in answer(
            data_dir, case, "SELECT globalPid >> 24 & 16777215, deviceId, start, end "
            f"FROM CUPTI_ACTIVITY_KIND_{table}",
        ):  # fmt: skip
            busy[pid, device].append((start, end))
    overhead = answer(
        data_dir, case, "SELECT globalTid >> 24 & 16777215, start, end FROM PROFILER_OVERHEAD"
    )  # fmt: skip
    return {
        (pid, device): (
            spans,
            [
                (start, end)
                for of, start, end in overhead
                if of == pid and end > min(spans)[0] and start < max(end for _, end in spans)
            ],
        )
        for (pid, device), spans in busy.items()
    }


@pytest.mark.parametrize("min_ns", [1, 20_000, 2_000_000])
@pytest.mark.parametrize("case", ["cloverleaf", "saxpy", "replay"])
def test_gaps_are_what_no_operation_covers(
    ask: Ask, data_dir: Path, case: str, min_ns: int
) -> None:
    expected = []
    for (pid, device), (spans, overhead) in uses(data_dir, case).items():
        reach = first = min(spans)[0]
        own = [span for span in overhead if span[0] >= first]
        for start, end in sorted(spans + own):
            if start - reach >= min_ns:
                expected.append((start - reach, reach, pid, device))
            reach = max(reach, end)
    found = ask("gpu_gaps", case, min_ns=min_ns, top=None)
    columns = ("dur_ns", "start_ns", "pid", "device")
    assert sorted(tuple(r[k] for k in columns) for r in found) == sorted(expected)
    assert [r["dur_ns"] for r in found] == sorted((r["dur_ns"] for r in found), reverse=True)


@pytest.mark.parametrize(("chunks", "max_share"), [(1, 2.0), (30, 0.5), (7, 0.9)])
@pytest.mark.parametrize("case", ["cloverleaf", "saxpy", "replay"])
def test_pieces_are_used_as_long_as_operations_lie_in_them(
    ask: Ask, data_dir: Path, case: str, chunks: int, max_share: float
) -> None:
    expected: list[tuple[float, int, int, int, int]] = []
    for (pid, _), (spans, overhead) in uses(data_dir, case).items():
        first, last = min(spans)[0], max(end for _, end in spans)
        size = -(-(last - first) // chunks)
        before = False
        for start in range(first, last, size):
            end = min(start + size, last)
            used = sum(max(0, min(e, end) - max(s, start)) for s, e in spans + overhead)
            if used >= max_share * (end - start):
                before = False
                continue
            if before:  # goes on
                share, length, at, n, _ = expected.pop()
                row = (share * length + used, length + end - start, at, n + 1)
            else:
                row = (used, end - start, start, 1)
            expected.append((row[0] / row[1], *row[1:], pid))
            before = True
    found = ask("gpu_time_util", case, chunks=chunks, max_share=max_share, top=None)
    columns = ("used_share", "dur_ns", "start_ns", "n_chunks", "pid")
    assert [tuple(r[k] for k in columns) for r in found] == [
        (pytest.approx(row[0]), *row[1:])
        for row in sorted(expected, key=lambda row: (round(row[0], 12), -row[1], row[2]))
    ]
