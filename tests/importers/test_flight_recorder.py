"""Dumps of PyTorch's flight recorder become operations with their group, state and calls."""

from __future__ import annotations

import importlib
import json
import pickle  # of our own dumps
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Tw
from tests.support.flight_recorder_dumps import program
from tests.support.sharing import integration
from warehouse.ingest import pipeline
from warehouse.query import execute
from warehouse.store import database

DATA = Path(__file__).parents[1] / "data" / "flight_recorder"
DUMPS = sorted((DATA / "gloo_missing").iterdir())
_ROWS = """
SELECT t.rank, c.record_id, c.group_name, c.group_description, c.backend || ':' || c.kind AS name,
  c.sequence_number, c.op_number, c.state, c.is_retired, c.input_sizes_json, c.input_types_json,
  c.timeout_ns, t.base_ns + c.ts AS created_ns, c.dur, c.call_stack_id
FROM recorded_collective AS c JOIN trace AS t ON t.id = c.trace_id
ORDER BY t.rank, c.record_id
"""


def rows(db: Path, query: str) -> list[dict[str, Any]]:
    with database.Reader(db) as reader:
        found: list[dict[str, Any]] = reader.connection.sql(query).to_arrow_table().to_pylist()
    return found


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dumps of three ranks, imported from their folder."""
    db = tmp_path_factory.mktemp("recorded") / "w.duckdb"
    outcomes = pipeline.import_paths([DATA / "gloo_missing"], db=db)
    assert [each.status for each in outcomes] == ["imported"] * 3
    return db


def test_operations_are_those_of_the_dump(recorded: Path) -> None:
    found = rows(recorded, _ROWS)
    frames = rows(recorded, "SELECT * FROM call_frame ORDER BY call_stack_id, depth")

    expected = []
    for rank, path in enumerate(DUMPS):
        dump = pickle.loads(path.read_bytes())  # noqa: S301 - our own
        for entry in dump["entries"]:
            group, description = entry["process_group"]
            row = next(
                r for r in found if (r["rank"], r["record_id"]) == (rank, entry["record_id"])
            )
            calls = [
                {"filename": f["file"], "line": f["line"], "name": f["function"]}
                for f in frames
                if f["call_stack_id"] == row["call_stack_id"]
            ]
            assert calls == entry["frames"]
            expected.append(
                {
                    "rank": rank, "record_id": entry["record_id"], "group_name": group,
                    "group_description": description, "name": entry["profiling_name"],
                    "sequence_number": entry["collective_seq_id"], "op_number": entry["op_id"],
                    "state": entry["state"], "is_retired": entry["retired"],
                    "input_sizes_json": json.dumps(entry["input_sizes"], separators=(",", ":")),
                    "input_types_json": json.dumps(entry["input_dtypes"], separators=(",", ":")),
                    "timeout_ns": entry["timeout_ms"] * 1_000_000,
                    "created_ns": entry["time_created_ns"],
                    "dur": 0 if entry["retired"] else -1, "call_stack_id": row["call_stack_id"],
                }
            )  # fmt: skip
    assert found == expected


def test_json_has_the_rows_of_the_pickle(recorded: Path, tmp_path: Path) -> None:
    """A dump as JSON lacks the calls."""
    pipeline.import_paths([DATA / "json" / "trace_0.json"], db=tmp_path / "w.duckdb")

    found = rows(tmp_path / "w.duckdb", _ROWS)

    of_pickle = [
        {**row, "call_stack_id": None} for row in rows(recorded, _ROWS) if row["rank"] == 0
    ]
    assert found == of_pickle
    status = "SELECT * FROM process_group_status WHERE trace_id = 1 ORDER BY group_number"
    of_rank = status.replace("1", "(SELECT id FROM trace WHERE rank = 0)", 1)
    numbers = "last_enqueued_number", "last_started_number", "last_completed_number"
    for mine, theirs in zip(
        rows(tmp_path / "w.duckdb", status), rows(recorded, of_rank), strict=True
    ):
        assert [mine[name] for name in numbers] == [theirs[name] for name in numbers]


@pytest.mark.slow
def test_dumps_that_are_imported_together_give_the_rows_of_single_ones(tmp_path: Path) -> None:
    made = program(8)
    paths = [tmp_path / "job" / f"nccl_trace_rank_{rank}" for rank in made.calls]
    paths[0].parent.mkdir()
    for rank, path in enumerate(paths):
        path.write_bytes(made.pickled(rank))

    pipeline.import_paths([paths[0].parent], db=tmp_path / "together.duckdb")
    for path in paths:
        options = pipeline.Options(run="job")
        pipeline.import_paths([path], db=tmp_path / "single.duckdb", options=options)

    for table in ("recorded_collective", "call_frame", "process_group", "slice", "track"):
        query = f"SELECT * FROM {table} ORDER BY ALL"
        assert rows(tmp_path / "together.duckdb", query) == rows(tmp_path / "single.duckdb", query)


class Harmful:
    def __reduce__(self) -> tuple[Any, ...]:
        return (print, ("run",))


BAD = {
    "cut": (DUMPS[0].read_bytes()[:900], "truncated: the pickle ends at byte 900"),
    "harmful": (
        pickle.dumps({"version": "2.10", "pg_config": {}, "pg_status": Harmful()}),
        "GLOBAL",
    ),
    "other": (pickle.dumps({"pg_config": {}, "pg_status": {}}, 2), "neither a version nor entries"),
    "json": (b'{"version": "2.10", "pg_config": {}, "pg_status": {', "invalid JSON"),
}


@pytest.mark.parametrize("name", [*list(BAD)[:2], *map(integration, list(BAD)[2:])])
def test_a_bad_dump_is_one_sentence_and_the_others_are_read(
    name: str, tw: Tw, tmp_path: Path
) -> None:
    content, reason = BAD[name]
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "nccl_trace_rank_0").write_bytes(content)
    (tmp_path / "d" / "nccl_trace_rank_1").write_bytes(DUMPS[1].read_bytes())

    result = tw("import", "--db", tmp_path / "w.duckdb", tmp_path / "d")

    assert result.code != 0
    assert reason in result.err and len(result.errors) == 1 and "Traceback" not in result.err
    assert "nccl_trace_rank_1 → run d" in result.err


def test_values_that_repeat_without_end_are_refused(
    tw: Tw, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module("tw_importers.flight_recorder.read")
    monkeypatch.setattr(module, "_MAX_JSON", 1 << 16)
    sizes = [[1] * 100] * 100
    entries = [
        {"record_id": n, "profiling_name": "nccl:x", "input_sizes": sizes} for n in range(100)
    ]
    dump = {"version": "2.10", "pg_config": {}, "pg_status": {}, "entries": entries}
    (tmp_path / "nccl_trace_rank_0").write_bytes(pickle.dumps(dump, 2))

    result = tw("import", "--db", tmp_path / "w.duckdb", tmp_path / "nccl_trace_rank_0")

    assert "the values of the dump repeat each other without end" in result.err


def test_older_and_newer_versions(tw: Tw, tmp_path: Path) -> None:
    """Lists of records have seq_id, and no is_p2p; of a newer version a warning says so."""
    entry = {"record_id": 0, "pg_id": 3, "seq_id": 7, "profiling_name": "nccl:all_reduce",
             "time_created_ns": 1_700_000_000_000_000_000, "state": "started",
             "input_sizes": [[2]], "output_sizes": [[2]], "frames": []}  # fmt: skip
    sent = {**entry, "record_id": 1, "profiling_name": "nccl:send 0->1", "p2p_seq_id": 2}
    (tmp_path / "old_0").write_bytes(pickle.dumps([entry, sent], 2))
    newer = {"version": "3.0", "pg_config": {}, "pg_status": {}, "entries": [{**entry, "new": 1}]}
    (tmp_path / "new_1").write_bytes(pickle.dumps(newer, 2))

    result = tw("import", "--db", tmp_path / "w.duckdb", tmp_path / "old_0", tmp_path / "new_1")

    found = rows(tmp_path / "w.duckdb", _ROWS)
    names = "rank", "group_name", "sequence_number", "dur"
    assert [tuple(row[name] for name in names) for row in found] == [
        (0, "3", 7, -1),
        (0, "3", 2, -1),  # among sends and receives
        (1, "3", 7, -1),
    ]
    assert "unknown_version" in result.err


def stuck_group(hangs: list[dict[str, Any]]) -> str:
    """The group with a problem."""
    (group,) = {str(row["group_key"]) for row in hangs if row["problem"]}
    return group


def test_two_dumps_of_a_rank_are_named_and_the_latest_is_judged(tw: Tw, tmp_path: Path) -> None:
    """Rank 1 returned before the last all_reduce; the first dump of rank 0 is of before it."""
    (tmp_path / "early").mkdir()
    dump = pickle.loads(DUMPS[0].read_bytes())  # noqa: S301 - our own
    early = {**dump, "entries": dump["entries"][:2]}
    (tmp_path / "early" / DUMPS[0].name).write_bytes(pickle.dumps(early, 2))

    db = tmp_path / "w.duckdb"
    result = tw("import", "--db", db, "--run", "job", tmp_path / "early", *DUMPS)

    assert result.code == 0, result.err
    with database.Reader(db) as reader:
        (finding,) = execute.run(reader.connection, "check_same_rank").table().to_pylist()
        hangs = execute.run(reader.connection, "collective_hang").table().to_pylist()
        progress = execute.run(reader.connection, "collective_progress").table().to_pylist()
    # Trace 1 is the early dump of rank 0, trace 2 the later one.
    of_all = [row for row in progress if row["group_key"] == stuck_group(hangs)]
    assert [(row["rank"], row["trace_id"], row["last_number"]) for row in of_all] == [
        (0, 2, 5), (1, 3, 4), (2, 4, 5)
    ]  # fmt: skip
    assert finding["examples"] == f"rank 0 is also the rank of trace {DUMPS[0].name}"
    (stuck,) = [row for row in hangs if row["problem"]]
    assert (stuck["problem"], stuck["ranks"], stuck["sequence_number"]) == ("missing", [1], 5)


def test_dumps_of_differing_versions_are_named_and_all_read(tw: Tw, tmp_path: Path) -> None:
    for rank, path in enumerate(DUMPS):
        dump = pickle.loads(path.read_bytes())  # noqa: S301 - our own
        version = "3.0" if rank == 1 else dump["version"]
        (tmp_path / path.name).write_bytes(pickle.dumps({**dump, "version": version}, 2))

    result = tw("import", "--db", tmp_path / "w.duckdb", *(tmp_path / path.name for path in DUMPS))

    assert result.code == 0, result.err
    named = [line for line in result.err.splitlines() if "unknown_version" in line]
    assert len(named) == 1 and DUMPS[1].name in named[0]
    counts = rows(tmp_path / "w.duckdb", f"SELECT rank, count(*) AS n FROM ({_ROWS}) GROUP BY ALL")
    assert {row["rank"]: row["n"] for row in counts} == {0: 6, 1: 5, 2: 5}
