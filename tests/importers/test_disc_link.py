"""Profiles of replays find their clusters, whichever is imported first."""

from __future__ import annotations

import json
import random
import re
import shlex
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Tw
from tw_importers.gpu_activity import replayed
from warehouse.ingest import pipeline
from warehouse.ingest.pipeline import Options
from warehouse.store import catalog, database, deletion

DATA = Path(__file__).parents[1] / "data" / "bladedisc"
FULL = "gpu/nsys_replay_synthetic/replay_full.sqlite"
FULL_NS = [11520, 11328, 11136, 10944, 10944, 10944]  # kernels of each iteration
PROFILES = {
    "replay_full.sqlite": FULL,
    "replay_capture_range.sqlite": "gpu/nsys_replay_synthetic/replay_capture_range.sqlite",
    "replay_v9.nvvp": "gpu/nvprof_replay/replay_v9.nvvp",
    "replay_results.db": "gpu/rocpd_synthetic/replay_results.db",
}


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["disc-replay-main", "-p", "/t/a.input", "-d", "/t/b.tar"], ("a.input", "b.tar")),
        (["/usr/bin/disc-replay-main", "-w", "2", "--p=a.pb", "-d=x/y.tar"], ("a.pb", "y.tar")),
        (["nsys", "profile", "disc-replay-main", "-d", "b.tar", "-p"], (None, "b.tar")),
        (["python", "train.py", "-p", "secret"], (None, None)),
        (replayed.of_text("env X='1 2' disc-replay-main -p 'a b.input' -d b.tar"),
         ("a b.input", "b.tar")),
        (replayed.of_text("disc-replay-main -p it's.input"), ("it's.input", None)),
    ],
)  # fmt: skip
def test_only_names_of_files_are_taken_of_a_command(
    words: Sequence[str], names: tuple[str | None, str | None]
) -> None:
    found = replayed.of_command(words)
    assert (found.get("program"), found.get("data")) == names
    assert set(found) <= {"program", "data"}


def greedy(sizes: list[int], copies: list[int]) -> list[int]:
    """Where iterations begin: from each place on, as long as the sizes follow each other."""
    found, place = [], 0
    while place + len(sizes) <= len(copies):
        is_there = copies[place : place + len(sizes)] == sizes
        if is_there:
            found.append(place)
        place += len(sizes) if is_there else 1
    return found


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A warehouse without rows, kept open; tests roll back what they write."""
    path = tmp_path_factory.mktemp("cluster") / "w.duckdb"
    database.create_empty(path)
    with duckdb.connect(str(path)):
        yield path


def linked(
    empty: Path, sizes: list[int], copies: list[int], chosen: str | None = None
) -> list[int]:
    """What the linker finds of a profile with these copies, and a cluster named at its import."""
    from warehouse.library import library

    with duckdb.connect(str(empty)) as db:
        db.execute("BEGIN")
        db.execute("INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'm', now())")
        for trace, format_ in ((1, "disc"), (2, "nvprof")):
            db.execute(
                "INSERT INTO trace (id, run_id, name, format, importer, importer_version, "
                "tw_version, imported_at, base_ns, source_base_ns, metadata_json) "
                "VALUES (?, 1, 't', ?, 'i', 1, '0', now(), 0, 0, ?)",
                [trace, format_, json.dumps({"replay": {"cluster": chosen}})],
            )
        db.execute("INSERT INTO disc_cluster (id, trace_id, function, pair_method, status) "
                   "VALUES (1, 1, 'cluster_0', 'content', 'replayable')")  # fmt: skip
        db.execute("INSERT INTO track (id, trace_id, kind, name) VALUES (1, 2, 'stream', 's')")
        for n, size in enumerate(sizes):
            db.execute(
                "INSERT INTO disc_cluster_argument (disc_cluster_id, trace_id, ordinal, "
                "kind, placement, bytes) VALUES (1, 1, ?, 'p', 'gpu', ?)",
                [n, size],
            )
        for n, size in enumerate(copies):
            db.execute("INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, kind, class, "
                       "direction, bytes) VALUES (?, 2, 1, ?, 1, 'memcpy', 'memory', 'HtoD', ?)",
                       [n, n * 10, size])  # fmt: skip
        query = library.load().newest["link_cluster"]
        rows = db.execute(query.bound_sql, {"trace_id": 2}).fetchall()
        db.execute("ROLLBACK")
        return [int(place) for row in rows for place in row[-2]]


def replayed_copies(draw: random.Random, sizes: list[int]) -> list[int]:
    """Copies of a replay: its iterations, with other copies before, after and between some."""
    copies: list[int] = []
    for _ in range(draw.randint(0, 6)):
        copies += [9] * draw.choice([0, 0, 1, 2]) + sizes
    return copies + [9] * draw.randint(0, 1)


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(n, marks=pytest.mark.slow)
                                               for n in range(3, 200))])  # fmt: skip
def test_iterations_are_those_of_a_simple_search(empty: Path, seed: int) -> None:
    """Also of sizes that repeat themselves, as three weights of equal size do."""
    draw = random.Random(seed)
    sizes = [draw.choice([4, 4, 8]) for _ in range(draw.randint(1, 4))]
    copies = replayed_copies(draw, sizes)
    expected = greedy(sizes, copies)
    if len(expected) < 2 and len(copies) != len(sizes):
        expected = []
    assert linked(empty, sizes, copies) == expected


def test_a_cluster_that_is_named_decides(empty: Path) -> None:
    """Also where no cluster has the name: sizes are not looked at then."""
    assert linked(empty, [8, 4], [8, 4, 8, 4], "cluster_0") == [0, 2]
    assert linked(empty, [8, 4], [8, 8, 8, 8], "cluster_0") == [0, 2]
    assert linked(empty, [8, 4], [8, 4, 8, 4], "cluster_9") == []


def test_a_relation_goes_with_either_of_its_traces(empty: Path) -> None:
    with duckdb.connect(str(empty)) as db:
        db.execute("BEGIN")
        assert catalog.relation_tables(db) == {
            "disc_cluster_profile": ["profile_trace_id", "cluster_trace_id"]
        }
        for pair in ((1, 2), (3, 2), (1, 4), (5, 6)):
            db.execute(
                "INSERT INTO disc_cluster_profile VALUES "
                "(?, ?, 1, 'bytes', 1, 1, NULL, NULL, NULL, [], [], [], 'l', 1)",
                pair,
            )
        deletion.delete_relations(db, "= 2")
        deletion.delete_relations(db, "IN (1, 7)")
        assert db.execute("SELECT profile_trace_id FROM disc_cluster_profile").fetchall() == [(5,)]
        db.execute("ROLLBACK")


def imported(db: Path, paths: Sequence[Path]) -> None:
    outcomes = pipeline.import_paths(paths, db=db, options=Options(jobs=1))
    assert {each.status for each in outcomes} <= {"imported", "ignored"}, outcomes


def profiles(data_dir: Path, folder: Path) -> Iterator[Path]:
    """All recorded profiles, and one whose command line was not recorded."""
    for name in PROFILES.values():
        yield data_dir / name
    bare = folder / "bare.sqlite"
    shutil.copy(data_dir / FULL, bare)
    with closing(sqlite3.connect(bare)) as file:
        file.execute("DELETE FROM META_DATA_CAPTURE")
        file.commit()
    yield bare


def rows(db: Path, sql: str) -> list[tuple[Any, ...]]:
    with database.Reader(db) as reader:
        found: list[tuple[Any, ...]] = reader.connection.execute(sql).fetchall()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("log_first", [True, False])
def test_profiles_are_linked_whichever_side_comes_first(
    tw: Tw, data_dir: Path, tmp_path: Path, log_first: bool
) -> None:
    db = tmp_path / "w.duckdb"
    found = list(profiles(data_dir, tmp_path))
    for paths in ([DATA / "ok"], found) if log_first else (found, [DATA / "ok"]):
        imported(db, paths)
    linked_rows = rows(
        db,
        "SELECT parse_filename(f.path), c.function, p.method, p.copied_bytes, "
        "p.kernel_ns, p.n_candidates, p.linker FROM disc_cluster_profile AS p "
        "JOIN source_file AS f ON f.trace_id = p.profile_trace_id "
        "JOIN disc_cluster AS c ON c.id = p.disc_cluster_id",
    )
    copied, linker = [8, 400, 400], "link_cluster"
    assert sorted(linked_rows) == sorted(
        (name, "cluster_0", method, copied, kernel_ns, 1, linker)
        for name, method, kernel_ns in (
            ("replay_full.sqlite", "command", FULL_NS), ("replay_v9.nvvp", "bytes", FULL_NS),
            ("replay_capture_range.sqlite", "command", [11520]), ("bare.sqlite", "bytes", FULL_NS),
            ("replay_results.db", "bytes", [11520] * 6),
        )
    )  # fmt: skip

    found_ns: dict[str, list[int]] = {}
    for row in json.loads(tw("query", "disc_iterations", "--db", db, "--run", "all", "--format",
                             "json").out):  # fmt: skip
        assert (row["n_kernels"], row["n_copies"], row["copied_bytes"]) == (3, 3, 808)
        found_ns.setdefault(row["trace_id"], []).append(row["kernel_ns"])
    assert sorted(found_ns.values()) == sorted(ns for *_, ns, _, _ in linked_rows)
    summary = json.loads(
        tw(
            "query", "disc_replay_summary", "--db", db, "--run", "replay_full", "--format", "json"
        ).out
    )
    assert [(row["total_ns"], row["fusion_kind"], row["is_library"]) for row in summary] == [
        (5824, None, True), (2912, "kRowReduction", False), (2208, "kLoop", False)
    ]  # fmt: skip


@pytest.mark.slow
def test_a_named_cluster_counts_and_a_dropped_log_takes_its_relations_along(
    tw: Tw, data_dir: Path, tmp_path: Path
) -> None:
    """cluster_1 copies three arguments, too, of other sizes: those of the first copies count."""
    db = tmp_path / "w.duckdb"
    imported(db, [DATA / "ok"])
    assert tw("import", data_dir / FULL, "--cluster", "cluster_1", "--db", db).code == 0
    sql = "SELECT function, method, n_candidates, len(first_copy_ids) FROM disc_cluster_profile"
    assert rows(db, sql) == [("cluster_1", "chosen", 1, 6)]
    assert rows(db, "SELECT metadata_json::JSON->'replay' FROM trace WHERE format = 'nsys'") == [
        ('{"program":"tempfile-gpu-box-07-217fa700-29301-5d79260e40ff5.input",'
         '"data":"tempfile-gpu-box-07-217fa700-29301-5d79260e311d9.tar","cluster":"cluster_1"}',)
    ]  # fmt: skip
    assert tw("drop", "--run", "ok", "--yes", "--db", db).code == 0
    assert rows(db, sql) == []


@pytest.mark.slow
def test_the_documented_example_leads_from_a_log_to_a_workbook(tw: Tw, data_dir: Path) -> None:
    """The commands of docs/bladedisc.md, with a recorded profile in place of a replay's."""
    page = (DATA.parents[2] / "docs" / "bladedisc.md").read_text()
    (block,) = [each for each in re.findall(r"```sh\n(.*?)```", page, re.S) if "xlsx" in each]
    shutil.copytree(DATA / "ok", "job")
    shutil.copy(data_dir / FULL, "replay_full.sqlite")
    ran = [tw(*shlex.split(line)[1:]) for line in block.splitlines()]
    assert [each.code for each in ran] == [0] * 5, [each.err for each in ran]
    assert "main_kRowReduction_reduce" in ran[3].out
    with zipfile.ZipFile("replay.xlsx") as book:
        sheets = [name for name in book.namelist() if name.startswith("xl/")]
        texts = "".join(book.read(name).decode() for name in sheets)
    assert "volta_sgemm_32x32_sliced1x4_nn" in texts and "cluster_1" in texts
