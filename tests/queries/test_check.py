"""`tw check` and the checks behind it, against plain counts over the files' events."""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
import pytest

from warehouse.ingest import pipeline
from warehouse.library import library
from warehouse.query import execute, quality
from warehouse.store import catalog, database

if TYPE_CHECKING:
    from tests.conftest import Tw
    from tests.support.randomtrace import Runs

LIBRARY = library.load()
CHECKS = quality.checks(LIBRARY)
WORK = ("kernel", "gpu_memcpy", "gpu_memset")
CALLS = ("cuda_runtime", "cuda_driver")
LAUNCH = re.compile(r"(cuda|cu|hip)((Ext|Module|ExtModule)?Launch(Cooperative)?Kernel|GraphLaunch)")
COPY = re.compile(r"(cuda|cu|hip)Mem(cpy|set)")
OF_SLICES = ("negative_duration", "unfinished_slice")
Found = dict[str, tuple[str, int, int | None]]  # check -> severity, n_found, n_looked_at


class Event(NamedTuple):
    """What the oracle looks at of an event; times in ns."""

    category: str
    name: str
    track: tuple[Any, Any]
    ts: int
    dur: int
    correlation: int | None

    @property
    def end(self) -> int:
        return self.ts + self.dur


def event_of(raw: dict[str, Any], *, is_exact: bool) -> Event:
    ts, dur = (
        raw[key] if is_exact else int(Decimal(str(raw.get(key, 0))) * 1000) for key in ("ts", "dur")
    )
    args = raw.get("args") or {}
    return Event(
        raw["cat"], raw["name"], (raw["pid"], raw["tid"]), ts, dur, args.get("correlation")
    )


def severity(is_grave: bool) -> str:
    return "warning" if is_grave else "note"


def expected(events: Sequence[Event]) -> Found:
    """What is wrong with a trace, event by event."""
    work = [each for each in events if each.category in WORK]
    calls = [each for each in events if each.category in CALLS]
    found = {
        **without_launch(work, calls),
        **without_work(work, calls),
        **overlapping(work),
        **before_launch(work, calls),
        **reused(work, calls),
    }
    negative = sum(each.dur < -1 for each in events)
    if negative:
        found["negative_duration"] = ("error", negative, None)
    unfinished = sum(each.dur == -1 for each in events)
    if unfinished:
        found["unfinished_slice"] = ("warning", unfinished, None)
    return found


def without_launch(work: Sequence[Event], calls: Sequence[Event]) -> Found:
    ids = {each.correlation for each in calls} - {None}
    orphans = sum(each.correlation not in ids for each in work)
    if not orphans:
        return {}
    return {"work_without_launch": (severity(bool(calls)), orphans, len(work))}


def without_work(work: Sequence[Event], calls: Sequence[Event]) -> Found:
    ids = {each.correlation for each in work} - {None}
    kernels = [each for each in calls if LAUNCH.match(each.name)]
    copies = [each for each in calls if COPY.match(each.name)]
    idle_kernels = sum(each.correlation not in ids for each in kernels)
    idle = idle_kernels + sum(each.correlation not in ids for each in copies)
    if not idle:
        return {}
    n_calls = len(kernels) + len(copies)
    return {"launch_without_work": (severity(idle_kernels > 0), idle, n_calls)}


def overlapping(work: Sequence[Event]) -> Found:
    tracks: dict[tuple[Any, Any], list[Event]] = defaultdict(list)
    for each in work:
        if each.dur > 0:
            tracks[each.track].append(each)
    n_overlapped, is_inside = 0, False
    for mine in tracks.values():
        mine.sort(key=lambda each: each.ts)
        reach = mine[0].ts
        for each in mine:
            n_overlapped += each.ts < reach
            is_inside |= each.end < reach
            reach = max(reach, each.end)
    if not n_overlapped:
        return {}
    n_ops = sum(map(len, tracks.values()))
    return {"stream_overlap": (severity(is_inside), n_overlapped, n_ops)}


def before_launch(work: Sequence[Event], calls: Sequence[Event]) -> Found:
    starts = {each.correlation: each.ts for each in calls if each.correlation is not None}
    leads = [starts[each.correlation] - each.ts for each in work if each.correlation in starts]
    early = [lead for lead in leads if lead > 0]
    if not early:
        return {}
    return {"work_before_launch": (severity(max(early) > 1000), len(early), len(leads))}


def reused(work: Sequence[Event], calls: Sequence[Event]) -> Found:
    ids = [each.correlation for each in calls if each.correlation is not None]
    shared = {each for each in ids if ids.count(each) > 1} if len(set(ids)) < len(ids) else set()
    if not shared:
        return {}
    is_used = any(each.correlation in shared for each in work)
    return {"correlation_reuse": (severity(is_used), len(shared), len(ids))}


def findings(path: Path) -> list[dict[str, Any]]:
    with database.Reader(path) as reader:
        result = execute.run(reader.connection, quality.combined(LIBRARY), library=LIBRARY)
        table: list[dict[str, Any]] = result.table().to_pylist()
    return table


def by_trace(rows: Iterable[dict[str, Any]]) -> dict[tuple[str, str], Found]:
    """The findings the oracle knows of, by run and trace."""
    known = {
        "work_without_launch", "launch_without_work", "stream_overlap", "work_before_launch",
        "correlation_reuse", "negative_duration", "unfinished_slice",
    }  # fmt: skip
    found: dict[tuple[str, str], Found] = defaultdict(dict)
    for row in rows:
        if row["check_name"] in known:
            found[row["run"], row["trace"]][row["check_name"]] = (
                row["severity"], row["n_found"],
                # How many slices a file becomes is the import's business.
                None if row["check_name"] in OF_SLICES else row["n_looked_at"],
            )  # fmt: skip
    return found


@pytest.mark.integration
def test_checks_of_random_traces_find_what_a_plain_count_finds(random_runs: Runs) -> None:
    found = by_trace(findings(random_runs.path))

    for name, job in random_runs.jobs.items():
        for trace in job:
            events = [event_of(each, is_exact=True) for each in trace.events if each["ph"] == "X"]
            assert found[name, f"rank{trace.rank}"] == expected(events), (name, trace.rank)


RECORDINGS = {
    "two_ranks": ["two_ranks/rank-0", "two_ranks/rank-1"],
    "event_sync": ["event_sync/trace"],
    "cupti_counters": ["cupti_counters/trace"],
    "gpu_only": ["gpu_only/trace"],
}
LARGE = {
    "h100_qwen": ["h100_qwen/trace"],
    "simple_add_sync": ["simple_add_sync/trace"],
    "vllm_graph": ["vllm_graph/trace"],
    "a100_nccl": ["a100_nccl/trace"],
    "b200_eager": ["b200_eager/trace"],
    "control": ["diff_pair/control"],
    "test": ["diff_pair/test"],
    "mi300_resnet_train": ["mi300_resnet_train/trace"],
    "sglang_prefill_decode": ["sglang_prefill_decode/trace"],
}


def imported(folder: Path, data: Path, runs: dict[str, list[str]]) -> Path:
    path = folder / "w.duckdb"
    for run, names in runs.items():
        files = [data / "kineto" / f"{name}.json.gz" for name in names]
        outcomes = pipeline.import_paths(files, db=path, options=pipeline.Options(run=run, jobs=1))
        assert [each.error for each in outcomes] == [None] * len(files)
    return path


def assert_equal_to_plain_counts(path: Path, data: Path, runs: dict[str, list[str]]) -> None:
    found = by_trace(findings(path))
    for run, names in runs.items():
        for name in names:
            with gzip.open(data / "kineto" / f"{name}.json.gz") as file:
                document = json.load(file, parse_float=Decimal)
            raw = [each for each in document["traceEvents"] if each["ph"] == "X" and "cat" in each]
            events = [event_of(each, is_exact=False) for each in raw]
            key = (run, name.rpartition("/")[2])
            assert found[key] == expected(events), key


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory, data_dir: Path) -> Path:
    return imported(tmp_path_factory.mktemp("recordings"), data_dir, RECORDINGS)


@pytest.mark.slow
def test_checks_of_recordings_find_what_a_plain_count_finds(
    recordings: Path, data_dir: Path
) -> None:
    assert_equal_to_plain_counts(recordings, data_dir, RECORDINGS)


@pytest.mark.slow
def test_checks_of_large_recordings_find_what_a_plain_count_finds(
    tmp_path: Path, data_dir: Path
) -> None:
    path = imported(tmp_path, data_dir, LARGE)
    assert_equal_to_plain_counts(path, data_dir, LARGE)
    assert "error" not in {row["severity"] for row in findings(path)}


@pytest.mark.slow
def test_work_without_a_launch_was_launched_before_the_recording(
    tmp_path: Path, data_dir: Path
) -> None:
    path = imported(tmp_path, data_dir, {"h100_qwen": LARGE["h100_qwen"]})
    (row,) = [
        row for row in findings(path)
        if (row["run"], row["check_name"]) == ("h100_qwen", "work_without_launch")
    ]  # fmt: skip

    # Every one of the 509 starts before the first of its stream whose call is in the file.
    assert "; 509 operations were launched before the recording began" in row["meaning"]


@pytest.mark.slow
def test_no_recording_has_an_error(recordings: Path) -> None:
    found = {(row["run"], row["check_name"], row["severity"]) for row in findings(recordings)}

    assert found == {
        ("cupti_counters", "launch_without_work", "warning"),  # its 77 kernels are not in the file
        ("two_ranks", "missing_rank", "warning"),  # two files of a job of 128
    }


def test_all_checks_have_the_same_columns() -> None:
    named = {name for name in LIBRARY.newest if name.startswith(quality.PREFIX)}

    assert named == {quality.PREFIX + name for name in CHECKS}
    assert len(named) > 20
    for query in CHECKS.values():
        assert query.header is not None
        assert query.header.grain == ("run_id", "trace_id", "check_name")
        assert all(parameter.has_default for parameter in query.parameters)


def test_every_reference_of_the_schema_is_checked() -> None:
    with catalog.empty() as connection:
        sql = CHECKS["reference"].on(connection).sql
        declared = {
            f"{table.name}.{column.name}"
            for table in catalog.tables(connection)
            if table.kind == "table"
            for column in catalog.columns(connection, table.name)
            if re.fullmatch(r"ref \w+\.id", column.unit or "")
        }
    beyond_a_trace = {name for name in declared if name.endswith((".run_id", "trace_id"))}
    beyond_a_trace |= {"run.parent_run_id", "prediction.parent_run_id"}
    beyond_a_trace |= {"prediction_path.predicted_run_id"}  # removed with that run
    beyond_a_trace |= {"disc_cluster_profile.disc_cluster_id"}  # removed with either trace
    # of no trace, and stored with their model
    beyond_a_trace |= {"cost_model_group.model_id", "cost_model_term.model_id"}

    assert {name for name in declared - beyond_a_trace if f"'{name}'" not in sql} == set()


def test_every_key_of_the_schema_is_checked() -> None:
    with catalog.empty() as connection:
        sql = CHECKS["id_unique"].on(connection).sql
        keys = {
            f"{table.name}.id"
            for table in catalog.tables(connection)
            if table.kind == "table"
            for column in catalog.columns(connection, table.name)
            if (column.name, column.unit) == ("id", "id")
        }

    keys -= {"run.id", "trace.id", "cost_model.id"}  # not of a trace
    assert {name for name in keys if f"'{name}'" not in sql} == set()


# --- the command


def make(path: Path, *statements: str) -> Path:
    """A warehouse with the run `r`, whose trace `t` has one slice."""
    database.create_empty(path)
    with duckdb.connect(str(path)) as connection:
        connection.execute("""
            INSERT INTO run (id, name, kind, created_at)
            VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
            INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version,
              tw_version, imported_at, base_ns, source_base_ns)
            VALUES (1, 1, 't', 0, 'kineto', 'k', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
            INSERT INTO track (id, trace_id, kind) VALUES (4294967296, 1, 'thread');
            INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth)
            VALUES (4294967296, 1, 4294967296, 5, 10, 's', 0);
        """)
        for query in library_linkers():
            connection.execute(
                "INSERT INTO import_stat (id, trace_id, name, detail, value, unit) "
                "SELECT coalesce(max(id), 0) + 1, 1, 'linked', ?, 0, 'count' FROM import_stat",
                [query],
            )
        for statement in statements:
            connection.execute(statement)
    return path


def library_linkers() -> list[str]:
    from warehouse.link import linkers

    return [str(query.key) for query in linkers.linkers(LIBRARY).of_trace]


NEGATIVE = "UPDATE slice SET dur = -7"
UNFINISHED = "UPDATE slice SET dur = -1"


@pytest.mark.integration
def test_sound_data_pass_and_print_nothing(tw: Tw, tmp_path: Path) -> None:
    make(tmp_path / "traces.duckdb")

    ran = tw("check")

    assert (ran.code, ran.out) == (0, "")
    assert ran.err == f"{len(CHECKS)} checks: no findings.\n"


@pytest.mark.integration
def test_the_report_says_what_it_means_and_what_to_do(tw: Tw, tmp_path: Path) -> None:
    make(tmp_path / "traces.duckdb", NEGATIVE)

    ran = tw("check")

    assert (
        ran.out
        == """\
Run r
  ERROR    negative_duration in trace t, rank 0: 1 of 1
           Slices have a negative recorded duration; every figure counts them as 0 ns.
           Seen: slice 4294967296 at 5 ns: s, -7 ns long
           Remedy: Record again with a newer profiler; until then, figures exclude their time.
"""
    )
    assert (ran.code, ran.err) == (1, f"{len(CHECKS)} checks: 1 error.\n")


@pytest.mark.slow
def test_warnings_fail_only_when_asked_to(tw: Tw, tmp_path: Path) -> None:
    make(tmp_path / "traces.duckdb", UNFINISHED)

    assert tw("check").code == 0
    assert tw("check", "--strict").code == 1
    assert tw("check", "--strict", "--check", "negative_duration").code == 0


@pytest.mark.slow
def test_findings_are_written_in_every_format(tw: Tw, tmp_path: Path) -> None:
    make(tmp_path / "traces.duckdb", NEGATIVE)

    (row,) = json.loads(tw("check", "-q", "--format", "json").out)
    to_file = tw("check", "-o", "found.csv", "r")

    assert (row["run"], row["check_name"], row["n_found"]) == ("r", "negative_duration", 1)
    assert to_file.code == 1
    assert (tmp_path / "found.csv").read_text().splitlines()[1].startswith('1,"r",1,"t",0,')


@pytest.mark.integration
def test_the_gravest_finding_comes_first(tmp_path: Path) -> None:
    path = make(
        tmp_path / "w.duckdb",
        NEGATIVE,
        "UPDATE run SET world_size = 2",
        "INSERT INTO slice SELECT id + 1, trace_id, track_id, ts, -1, category, name, depth, "
        "parent_id, phase, args_json, extra_json, is_leaf FROM slice",
    )

    assert [row["severity"] for row in findings(path)] == ["error", "warning", "note"]


@pytest.mark.integration
def test_a_run_may_be_given_by_an_option(tw: Tw, tmp_path: Path) -> None:
    make(tmp_path / "traces.duckdb", NEGATIVE)

    given, asked = tw("check", "r"), tw("check", "--run", "r")

    assert asked.code == 1
    assert (asked.out, asked.err) == (given.out, given.err)


def test_an_unknown_check_or_run_is_named_with_those_there_are(tw: Tw, tmp_path: Path) -> None:
    make(tmp_path / "traces.duckdb")

    wrong_check, wrong_run = tw("check", "--check", "nonsense"), tw("check", "q")

    assert wrong_check.code == wrong_run.code == 2
    assert wrong_check.errors == ["Error: check 'nonsense' not found"]
    assert "negative_duration" in wrong_check.err
    assert wrong_run.errors == ["Error: run 'q' not found"]


def test_a_check_is_added_by_adding_a_file(tw: Tw, tmp_path: Path) -> None:
    make(tmp_path / "traces.duckdb", UNFINISHED)
    mine = CHECKS["unfinished_slice"].sql.replace("unfinished_slice", "my_own")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "check_my_own.sql").write_text(mine)
    (tmp_path / "tw.toml").write_text('query_path = ["mine"]\n')

    ran = tw("check", "--check", "my_own", "--format", "csv")

    assert '"my_own","warning",1,1' in ran.out


@pytest.mark.integration
def test_links_of_an_older_program_are_stale(tmp_path: Path) -> None:
    path = make(
        tmp_path / "w.duckdb",
        "UPDATE import_stat SET detail = 'link_launch@0' WHERE detail LIKE 'link_launch@%'",
    )

    (row,) = findings(path)

    assert (row["check_name"], row["n_found"]) == ("stale_link", 1)
    assert row["n_looked_at"] == len(library_linkers())


@pytest.mark.integration
def test_links_of_a_linker_with_another_contract_are_stale(tmp_path: Path) -> None:
    """The same version with other columns, as during development of a linker."""
    path = make(
        tmp_path / "w.duckdb",
        "UPDATE import_stat SET detail = split_part(detail, ' ', 1) || ' contract=00ff' "
        "WHERE detail LIKE 'link_launch@%'",
    )

    (row,) = findings(path)

    assert (row["check_name"], row["n_found"]) == ("stale_link", 1)
    assert row["examples"].endswith("ran with another contract")
