"""The run a trace comes into: its name, and what links its traces, made once when all are there."""

from __future__ import annotations

import dataclasses
import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import warehouse
from tests.support.sharing import integration, slow
from warehouse.errors import TwError
from warehouse.ingest import commit, decode, runs, sources
from warehouse.ingest.pipeline import Options, import_paths
from warehouse.link import linkers, run_links
from warehouse.store import database

if TYPE_CHECKING:
    from tests.conftest import Tw

KINETO = Path(__file__).parents[1] / "data" / "kineto"
RANKS = sorted((KINETO / "ddp_two_ranks").glob("*.json.gz"))
#: A timeline and the execution trace of the same process.
PAIR = sorted((KINETO.with_name("execution_trace") / "gpu_cnn").glob("*.json*"))
OTHER = KINETO / "gpu_handwritten" / "trace.json"
#: Everything of the links between traces but their numbers.
BETWEEN = "SELECT * EXCLUDE (id) FROM link WHERE trace_id IS NULL ORDER BY ALL"
OFFSETS = "SELECT trace_id, offset_ns, method FROM clock ORDER BY ALL"
#: Ends the process as SIGKILL would: all traces are there, what links them is not.
KILLED = """
import os
from warehouse.link import run_links
from warehouse.cli import main
run_links.link_run = lambda *_, **__: os._exit(9)
main()
"""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "traces.duckdb"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both ranks, imported at once and undisturbed."""
    path = tmp_path_factory.mktemp("whole") / "w.duckdb"
    import_paths(RANKS, db=path, options=Options(jobs=1))
    return path


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both ranks, of an import that was killed before it linked them to each other."""
    path = tmp_path_factory.mktemp("cut") / "w.duckdb"
    kept = {k: v for k, v in os.environ.items() if not k.startswith("TW_")}
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, "import", "-q", "--db", str(path), *map(str, RANKS)],
        env={**kept, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}, check=False,
    )  # fmt: skip
    assert ended.returncode == 9
    return path


def rows(db: Path, sql: str) -> list[tuple[Any, ...]]:
    with database.Reader(db) as reader:
        found: list[tuple[Any, ...]] = reader.connection.execute(sql).fetchall()
    return found


def between(db: Path) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    return rows(db, BETWEEN), rows(db, OFFSETS)


def is_stale(db: Path) -> bool:
    return bool(warehouse.open(db).scope(run="all").check("stale_link"))


@pytest.mark.slow
def test_the_traces_of_a_run_are_linked_once_when_all_are_there(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked, honest = [], run_links.link_run

    def counted(connection: Any, known: linkers.Linkers, run_id: int, **how: bool) -> None:
        linked.append((run_id, database.one(connection, "SELECT count(*) FROM trace")[0]))
        honest(connection, known, run_id, **how)

    monkeypatch.setattr(run_links, "link_run", counted)
    import_paths([OTHER, *RANKS], db=db, options=Options(jobs=1))

    assert linked == [(2, 3)]
    assert len(rows(db, BETWEEN)) > 0
    assert not is_stale(db)


@pytest.mark.slow
def test_ranks_imported_one_by_one_are_linked_as_those_imported_together(
    db: Path, whole: Path
) -> None:
    for rank in RANKS:
        import_paths([rank], db=db, options=Options(run="ddp_two_ranks"))

    assert between(db) == between(whole)


@pytest.mark.slow
def test_a_replaced_rank_is_linked_again(db: Path, whole: Path) -> None:
    shutil.copy(whole, db)
    n_links, offsets = len(rows(whole, BETWEEN)), rows(whole, OFFSETS)

    import_paths(RANKS[1:], db=db, options=Options(run="ddp_two_ranks", on_duplicate="replace"))

    assert len(rows(db, BETWEEN)) == n_links
    assert [row[1:] for row in rows(db, OFFSETS)] == [row[1:] for row in offsets]
    assert not is_stale(db)


@pytest.mark.slow
def test_a_rank_replaced_into_another_run_leaves_nothing_in_the_first(
    db: Path, whole: Path
) -> None:
    shutil.copy(whole, db)

    import_paths(RANKS[1:], db=db, options=Options(run="moved", on_duplicate="replace"))

    assert between(db) == ([], [(1, None, None), (2, None, None)])
    assert not is_stale(db)


@pytest.mark.slow
def test_an_import_killed_before_it_links_a_run_leaves_it_unlinked_not_half(
    cut: Path,
) -> None:
    assert between(cut) == ([], [(1, None, None), (2, None, None)])
    known = linkers.linkers()
    between_traces = [query for query in known.all if query not in known.of_trace]
    (found,) = warehouse.open(cut).scope(run="all").check("stale_link")
    assert found["n_found"] == len(between_traces)
    assert found["examples"].count(" has not run") == 3  # as many as are shown


@pytest.mark.integration
def test_check_tells_of_an_import_killed_before_it_linked_a_run(tw: Tw, cut: Path) -> None:
    ran = tw("check", "--db", cut, "--check", "stale_link")

    assert "stale_link" in ran.out
    assert "link_collective_peer@2 has not run" in ran.out


@pytest.mark.slow
@pytest.mark.parametrize(
    "more",
    [
        pytest.param(["import", "-q", OTHER], id="the next import"),
        slow(["import", "-q", *RANKS], id="the same import again, which adds nothing"),
        integration(["link", "--all"], id="tw link"),
    ],
)
def test_what_a_killed_import_left_is_mended(
    tw: Tw, db: Path, cut: Path, whole: Path, more: list[str | Path]
) -> None:
    shutil.copy(cut, db)

    assert tw(*more, "--db", db).code == 0

    assert rows(db, BETWEEN) == rows(whole, BETWEEN)
    assert rows(db, OFFSETS)[:2] == rows(whole, OFFSETS)
    assert not is_stale(db)


@pytest.mark.slow
def test_traces_stay_when_they_cannot_be_linked_to_each_other(
    tw: Tw, db: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise TwError("the query link_x@1 does not work")

    with monkeypatch.context() as patch:
        patch.setattr(run_links, "link_run", fails)
        ran = tw("import", "-q", "--db", db, *RANKS)

    assert ran.code == 1
    assert ran.errors == [
        "Error: the traces of run 'ddp_two_ranks' are in the warehouse but not linked to each "
        "other: the query link_x@1 does not work"
    ]
    assert "`tw link --all`" in ran.err
    assert rows(db, "SELECT count(*) FROM trace") == [(2,)]


@pytest.mark.slow
def test_a_graph_stays_when_it_cannot_be_linked_with_its_timeline(
    tw: Tw, db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest, asked, inserted = run_links.link_run, [], []
    honest_assign = runs.assign

    def fails(*arguments: Any, **how: Any) -> None:
        asked.append(arguments)
        honest(*arguments, **how)  # whatever it has done until then is undone
        raise TwError("the query linked_node@1 does not work")

    def assigned(*arguments: Any) -> runs.Run:
        inserted.append(arguments)
        return honest_assign(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(run_links, "link_run", fails)
        patch.setattr(runs, "assign", assigned)
        ran = tw("import", "-q", "--db", db, *PAIR)

    assert len(asked) == 2, "after the graph was committed, and at the end of the import"
    assert len(inserted) == 2, "each trace once"
    assert "are in the warehouse but not linked to each other" in ran.err
    assert rows(db, "SELECT kind FROM trace ORDER BY id") == [("timeline",), ("graph",)]
    assert rows(db, "SELECT DISTINCT kind FROM graph") == [("execution_trace",)]
    assert tw("link", "--all", "--db", db).code == 0
    import_paths(PAIR, db=tmp_path / "whole.duckdb")
    for sql in ("FROM graph_node ORDER BY id", "FROM graph_edge ORDER BY id", BETWEEN):
        assert rows(db, sql) == rows(tmp_path / "whole.duckdb", sql)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("SELECT no_such_column FROM slice", "no_such_column"),
        ("SELECT 'x'::BIGINT AS from_id, 1::BIGINT AS to_id, '' AS kind, '' AS rule, "
         "0.0::DOUBLE AS confidence FROM slice WHERE trace_id = $trace_id::BIGINT", "'x'"),
    ],
    ids=["refused", "failing as it runs"],
)  # fmt: skip
def test_a_broken_link_query_is_named(
    tw: Tw, db: Path, monkeypatch: pytest.MonkeyPatch, body: str, says: str
) -> None:
    honest = linkers.linkers()
    query = next(q for q in honest.of_trace if q.header and q.header.name == "link_launch")
    head = query.sql[: query.sql.index("--- */") + len("--- */\n")]
    broken = dataclasses.replace(query, sql=head + body)
    known = linkers.Linkers(honest.library, (broken,), (), None)
    assert query.key is not None
    honest.library.queries[query.key] = broken
    monkeypatch.setattr(linkers, "linkers", lambda: known)

    ran = tw("import", "-q", "--db", db, OTHER)

    assert ran.code == 1
    assert f"the query {query.key} does not work" in ran.err
    assert says in ran.err
    assert "link_launch.sql" in ran.err
    assert "disk" not in ran.err


def decoded(path: Path, folder: Path) -> decode.DecodedSource:
    (source,) = sources.find([str(path)], None)
    return decode.decode(source, source.sha256(), "kineto", folder, decode.Settings())


@pytest.mark.slow
def test_a_run_that_was_not_committed_is_not_remembered(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the next rank would join whatever run has got the number meanwhile."""
    settings, choice = decode.Settings(), runs.RunChoice()

    def fails(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(commit, "_insert_stats", fails)
        with pytest.raises(KeyboardInterrupt):
            commit.commit(decoded(RANKS[0], tmp_path / "0"), db, settings, choice)
    import_paths([OTHER], db=db, options=Options(run="of somebody else", rank=7))
    done = commit.commit(decoded(RANKS[1], tmp_path / "1"), db, settings, choice)

    assert done.run_name == "ddp_two_ranks"
    assert rows(db, "SELECT name FROM run ORDER BY id") == [("of somebody else",), (done.run_name,)]


@pytest.mark.integration
@pytest.mark.parametrize(
    ("names", "together"),
    [
        # Two recordings of each rank; one rank with a second recording.
        (["r0.a", "r0.b", "r1.a", "r1.b"], [["r0.a", "r1.a"], ["r0.b", "r1.b"]]),
        (["r0.a", "r0.b", "r1.a"], [["r0.a", "r1.a"], ["r0.b"]]),
    ],
)
@pytest.mark.parametrize("n_jobs", [slow(1), 2])
def test_a_second_trace_of_a_rank_takes_no_others_with_it(
    db: Path, tmp_path: Path, names: list[str], together: list[list[str]], n_jobs: int
) -> None:
    for number, name in enumerate(names):
        text = gzip.decompress(RANKS[int(name[1])].read_bytes())
        (tmp_path / "job").mkdir(exist_ok=True)
        (tmp_path / "job" / f"{name}.json").write_bytes(text + b"\n" * number)

    done = import_paths([tmp_path / "job"], db=db, options=Options(jobs=n_jobs))

    assert {each.status for each in done} == {"imported"}
    found = rows(db, "SELECT list(name ORDER BY name) FROM trace GROUP BY run_id ORDER BY run_id")
    assert [sorted(each) for (each,) in found] == together
    told = rows(db, "SELECT trace_id, meaning FROM import_problem WHERE kind = 'repeated_rank'")
    assert [meaning for _, meaning in told] == [
        f"rank 0 has a trace in run '{names[0]}' already, so this one starts another run"
    ]


@pytest.mark.integration
def test_a_run_that_was_committed_is_remembered(db: Path, tmp_path: Path) -> None:
    settings, choice = decode.Settings(), runs.RunChoice()

    first, second = (
        commit.commit(decoded(rank, tmp_path / rank.stem), db, settings, choice) for rank in RANKS
    )

    assert first.run_id == second.run_id


@pytest.mark.parametrize(
    ("file_name", "stem"),
    [
        ("resnet.json", "resnet"),
        ("resnet.json.gz", "resnet"),
        ("resnet.json.zst", "resnet"),
        ("resnet.pickle", "resnet"),
        ("memory_timeline.raw.json.gz", "memory_timeline"),
        ("memory.raw.gz", "memory"),
        ("box_1234.1790857026.pt.trace.json.gz", "box_1234.1790857026"),
        ("box_1234.1790857026.pt.trace.json", "box_1234.1790857026"),
        ("vm.pt.trace", "vm"),
        ("resnet.fp32.json", "resnet.fp32"),
        ("resnet.v2", "resnet.v2"),
        ("resnet.before.json", "resnet.before"),
        ("resnet", "resnet"),
        ("trace.json", "trace"),
        ("", "trace"),
    ],
)
def test_a_trace_is_called_after_its_file_without_endings(file_name: str, stem: str) -> None:
    assert runs.stem(file_name) == stem
