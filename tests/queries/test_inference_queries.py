"""Steps of inference engines, on recordings of vLLM and SGLang."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.sharing import WarehouseCache
from warehouse.query import execute

pytestmark = pytest.mark.integration  # all of it on recordings

#: Phase, requests, tokens of prompts and of answers of each trace, as the annotation says.
ENGINES = {
    "inference/sglang_decode/sglang_Qwen3-8B_decode.json.gz": ("decode", 32, 0, 32),
    "inference/vllm_prefilldecode_piecewise/graph_execution.json.gz": ("mixed", 46, 8155, 37),
    "kineto/sglang_prefill_decode/trace.json.gz": ("prefill", 15, 15360, 0),
}


@pytest.fixture(scope="module")
def engines(data_dir: Path, imported_files: WarehouseCache) -> Iterator[duckdb.DuckDBPyConnection]:
    """The traces in one warehouse, each a run of its own."""
    files = [data_dir / name for name in ENGINES]
    connection = duckdb.connect(str(imported_files.file((None, files))), read_only=True)
    yield connection
    connection.close()


def rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = execute.run(connection, query).table().to_pylist()
    return found


def test_a_step_that_is_marked_twice_is_one(engines: duckdb.DuckDBPyConnection) -> None:
    """SGLang's traces have both forms, one inside the other."""
    found = rows(engines, "inference_step")

    assert [
        (row["phase"], row["n_requests"], row["n_prefill_tokens"], row["n_decode_tokens"])
        for row in found
    ] == list(ENGINES.values())


def test_times_are_those_of_the_events(engines: duckdb.DuckDBPyConnection) -> None:
    """Against plain Python over the work that was launched in the one step of each trace."""
    for row in rows(engines, "inference_step"):
        work = engines.execute(
            "SELECT g.ts, g.ts + g.dur FROM gpu_op AS g JOIN link AS l ON l.to_id = g.slice_id "
            "WHERE l.kind = 'step' AND l.from_id = ? AND g.kind IN ('kernel', 'memcpy', 'memset')",
            [row["step_id"]],
        ).fetchall()
        busy, reach = 0, None
        for start, end in sorted(work):
            busy += max(end - max(start, reach if reach is not None else start), 0)
            reach = end if reach is None else max(reach, end)
        host_end = row["start_ns"] + row["host_ns"]
        assert row["busy_ns"] == busy
        assert row["latency_ns"] == max(host_end, reach or host_end) - row["start_ns"]
        assert row["duration_ns"] == row["latency_ns"]
        assert row["gap_ns"] is None


def test_mixed_steps_have_no_time_per_output_token(engines: duckdb.DuckDBPyConnection) -> None:
    found = {row["phase"]: row for row in rows(engines, "prefill_decode")}

    assert set(found) == {"decode", "mixed", "prefill"}
    assert found["decode"]["output_token_median_ns"] == found["decode"]["median_ns"]
    assert found["mixed"]["output_token_median_ns"] is None
    assert found["prefill"]["output_token_median_ns"] is None
