"""BladeDISC's dumps: each case as its generator meant it, damage, and the graph's hash."""

from __future__ import annotations

import gzip
import io
import json
import random
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Tw
from tests.support.gpu_profiles import error
from tests.support.sharing import integration, slow
from tests.support.xplane_wire import field, integer
from tw_importers.disc import log
from tw_importers.disc.messages import type_name
from tw_importers.disc.program import Program
from warehouse.ingest import pipeline
from warehouse.ingest.pipeline import Options

DATA = Path(__file__).parents[1] / "data" / "bladedisc"
BROKEN = ("truncated_tar", "corrupt_tensor", "bad_program", "missing_program", "missing_tar",
          "no_debug_program", "compile_died")  # fmt: skip
KINDS = {"const": "constant", "param": "parameter", "fixed": "fixed_shape", "host": "host"}


def imported(paths: list[Path], db: Path) -> duckdb.DuckDBPyConnection:
    """All cases in a new warehouse; files of other kinds beside them are left out."""
    outcomes = pipeline.import_paths(paths, db=db, options=Options(jobs=1))
    assert {each.status for each in outcomes} <= {"imported", "ignored"}, outcomes
    return duckdb.connect(str(db), read_only=True)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """The sound cases: trace 1 is `ok`, trace 2 is `dup`."""
    path = tmp_path_factory.mktemp("disc") / "w.duckdb"
    with closing(imported([DATA / "ok", DATA / "dup"], path)) as connection:
        yield connection


def rows(db: duckdb.DuckDBPyConnection, sql: str, trace: int = 1) -> list[tuple[Any, ...]]:
    return db.execute(sql, {"t": trace}).fetchall()


def expected(case: str) -> Any:
    return json.loads((DATA / case / "expected.json").read_text())


@pytest.mark.parametrize(("trace", "case"), [(1, "ok"), (2, "dup")])
def test_clusters_are_those_that_were_dumped(
    db: duckdb.DuckDBPyConnection, trace: int, case: str
) -> None:
    """Programs and archives are paired by content: their order in the log is crossed."""
    found = rows(
        db,
        "SELECT function, func_hash, device_type, n_nodes, program, data, compile_ns / 1e6, "
        "pair_method, status FROM disc_cluster WHERE trace_id = $t ORDER BY program",
        trace,
    )
    clusters = sorted(expected(case)["clusters"], key=lambda each: each["input"])
    assert found == [
        (
            each["function"], str(each["func_hash"]), each["device"], each["node_count"],
            each["input"], each["tar"], pytest.approx(each["compile_ms"]), "content", "replayable",
        )
        for each in clusters
    ]  # fmt: skip


@pytest.mark.parametrize(("trace", "case"), [(1, "ok"), (2, "dup")])
def test_arguments_have_kind_type_shape_and_size(
    db: duckdb.DuckDBPyConnection, trace: int, case: str
) -> None:
    found = rows(
        db,
        "SELECT c.program, a.ordinal, a.kind, a.data_type, a.shape_json, a.bytes "
        "FROM disc_cluster_argument AS a JOIN disc_cluster AS c ON c.id = a.disc_cluster_id "
        "WHERE a.trace_id = $t ORDER BY ALL",
        trace,
    )
    assert found == sorted(
        (
            each["input"], n, KINDS[argument["kind"]], type_name(argument["dtype"]),
            json.dumps(argument["shape"], separators=(",", ":")), argument["bytes"],
        )
        for each in expected(case)["clusters"]
        for n, argument in enumerate(each["args"])
    )  # fmt: skip


def test_operations_and_their_inputs_are_a_graph(db: duckdb.DuckDBPyConnection) -> None:
    for each in expected("ok")["clusters"]:
        nodes = db.execute(
            "SELECT DISTINCT n.type FROM graph_node AS n JOIN disc_cluster AS c "
            "ON c.graph_id = n.graph_id WHERE c.program = ? ORDER BY 1",
            [each["input"]],
        ).fetchall()
        assert [kind for (kind,) in nodes] == each["ops"]
    assert rows(
        db,
        "SELECT f.type, t.type FROM graph_edge AS e JOIN graph_node AS f ON f.id = e.from_node_id "
        "JOIN graph_node AS t ON t.id = e.to_node_id JOIN disc_cluster AS c "
        "ON c.graph_id = e.graph_id WHERE e.trace_id = $t AND c.function = 'cluster_1' "
        "ORDER BY ALL",
    ) == [("AddV2", "Relu"), ("MatMul", "AddV2"), ("Relu", "Identity")]


def test_one_graph_under_other_names_has_one_hash(db: duckdb.DuckDBPyConnection) -> None:
    counts = "count(*), count(DISTINCT graph_hash), count(DISTINCT func_hash)"
    assert rows(db, f"SELECT {counts} FROM disc_cluster WHERE trace_id = $t", 2) == [(3, 1, 2)]
    assert rows(db, f"SELECT {counts} FROM disc_cluster WHERE trace_id = $t", 1) == [(3, 3, 3)]
    assert rows(
        db,
        "SELECT count(DISTINCT graph_hash) FROM disc_cluster "
        "WHERE function = 'cluster_0' AND trace_id <= $t",
        2,
    ) == [(1,)]


def test_runs_of_the_log_are_matched_by_types_and_ranks(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(
        db,
        "SELECT c.function, r.shapes_json, r.match FROM disc_cluster_call AS r "
        "LEFT JOIN disc_cluster AS c ON c.id = r.disc_cluster_id WHERE r.trace_id = $t "
        "ORDER BY r.id",
    ) == [
        *[("cluster_0", "[[2],[10,10],[10,10]]", "unique")] * 3,
        ("cluster_1", "[[16,64],[64,32],[32]]", "unique"),
        ("cluster_1", "[[48,64],[64,32],[32]]", "unique"),
    ]


def test_values_are_summarized(db: duckdb.DuckDBPyConnection) -> None:
    """The first argument is [0, 1], as the log prints it, the second is all ones."""
    assert rows(
        db,
        "SELECT min_value, max_value, n_nan, n_zero FROM disc_cluster_argument AS a "
        "JOIN disc_cluster AS c ON c.id = a.disc_cluster_id "
        "WHERE c.trace_id = $t AND c.function = 'cluster_0' AND a.ordinal < 2 ORDER BY a.ordinal",
    ) == [(0, 1, 0, 1), (1, 1, 0, 0)]


@pytest.mark.parametrize("case", [BROKEN[0], *map(slow, BROKEN[1:-1]), integration(BROKEN[-1])])
def test_what_is_broken_is_reported_as_what_it_is(tmp_path: Path, case: str) -> None:
    """What is whole is imported."""
    db = tmp_path / "w.duckdb"
    (outcome,) = [
        each
        for each in pipeline.import_paths([DATA / case], db=db, options=Options(jobs=1))
        if each.status != "ignored"
    ]
    assert outcome.status == "imported", outcome.error
    assert outcome.damage  # exit code 6
    kinds = [problem["kind"] for problem in expected(case)["problems"]]
    with duckdb.connect(str(db), read_only=True) as connection:
        assert rows(connection, "SELECT kind FROM import_problem WHERE trace_id = $t") == [
            (kind,) for kind in kinds
        ]
        assert rows(connection, "SELECT status FROM disc_cluster WHERE trace_id = $t") == [
            (kind,) for kind in kinds
        ]


def test_a_value_that_is_not_in_its_archive_is_named(tw: Tw, tmp_path: Path) -> None:
    """The other values, and the other clusters, are there."""
    folder = tmp_path / "job"
    shutil.copytree(DATA / "ok", folder)
    (target,) = [p for p in (folder / "dump").iterdir() if p.name.endswith("43ae1.tar")]
    with tarfile.open(target) as archive:
        held = [(m, archive.extractfile(m)) for m in archive.getmembers()]
        kept = [(m, f.read()) for m, f in held if f is not None]
    with tarfile.open(target, "w") as archive:
        for member, content in kept[:-1]:
            archive.addfile(member, io.BytesIO(content))

    ran = tw("import", folder, "--db", "w.duckdb")
    assert ran.code == 6 and "2 replayable, 1 problem" in ran.err
    with duckdb.connect("w.duckdb", read_only=True) as db:
        assert rows(db, "SELECT kind, count, example FROM import_problem WHERE trace_id = $t") == [
            ("member_missing", 1, f"{target.name}: {kept[-1][0].name}")
        ]
        assert rows(
            db,
            "SELECT count(*), count(bytes) FROM disc_cluster_argument AS a "
            "JOIN disc_cluster AS c ON c.id = a.disc_cluster_id AND c.data = "
            f"'{target.name}' WHERE c.trace_id = $t",
        ) == [(len(kept), len(kept) - 1)]


def test_a_log_that_lost_its_lines_says_how_to_keep_them(tw: Tw) -> None:
    ran = tw("import", "--format", "disc", DATA / "wrong_redirect" / "train.log")
    assert ran.code != 0
    assert "the log has no line of BladeDISC" in ran.err
    assert "`> train.log 2>&1`" in ran.err and "DISC_DEBUG" in ran.err


def test_a_log_that_ends_inside_a_line_is_damaged(tw: Tw, tmp_path: Path) -> None:
    """Text of the program itself may end without line end."""
    content = (DATA / "ok" / "train.log").read_bytes()
    cut = tmp_path / "cut.log"
    cut.write_bytes(content[: content.rindex(b": I ") + 40])
    ran = tw("import", cut)

    assert ran.code == 6
    assert "the file ends early" in ran.err
    assert log.read(io.BytesIO(content + b"Epoch 1")).n_cut == 0


def test_what_is_imported_again_adds_nothing(tw: Tw) -> None:
    first = tw("import", DATA / "ok")
    assert first.code == 0
    assert "3 clusters (3 graphs), 3 replayable, 0 problems." in first.err
    again = tw("import", DATA / "ok")
    assert "has already been imported" in again.err
    assert tw("import", DATA / "ok" / "train.log").err.count("has already been imported") == 1


@pytest.mark.integration
def test_a_program_and_an_archive_of_any_name_are_a_cluster(data_dir: Path, tmp_path: Path) -> None:
    """A pair that BladeDISC's own repository has."""
    real = data_dir / "bladedisc/bladedisc_real_upstream/dump"
    with closing(imported([real], tmp_path / "w.duckdb")) as db:
        assert rows(
            db, "SELECT func_hash, pair_method, status FROM disc_cluster WHERE trace_id = $t"
        ) == [("3724998594837152647", "content", "replayable")]
        assert rows(
            db, "SELECT shape_json FROM disc_cluster_argument WHERE trace_id = $t ORDER BY ordinal"
        ) == [("[2]",), ("[10,10]",), ("[10,10]",)]
        assert rows(db, "SELECT DISTINCT type FROM graph_node WHERE trace_id = $t ORDER BY 1") == [
            ("AddV2",),
            ("Const",),
            ("MatMul",),
            ("Mul",),
            ("Sum",),
        ]


@pytest.mark.integration
def test_compressed_logs_and_threads_that_are_interleaved_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    shutil.copytree(DATA / "ok", folder)
    text = (folder / "train.log").read_text()
    numbered = text.replace(": I ", ": I   4711 ").replace("\n", "\r\n")
    (folder / "train.log.gz").write_bytes(gzip.compress(numbered.encode()))
    (folder / "train.log").unlink()
    with closing(imported([folder], tmp_path / "w.duckdb")) as db:
        assert rows(
            db, "SELECT count(*), count(DISTINCT thread_id) FROM disc_cluster_call "
            "WHERE trace_id = $t"
        ) == [(5, 1)]  # fmt: skip
        assert rows(
            db, "SELECT count(*) FROM disc_cluster WHERE trace_id = $t AND compile_ns > 0"
        ) == [(3,)]


def test_the_wording_of_early_versions_is_read() -> None:
    text = (
        "2022-02-01 10:00:00.000001: I a/b.cc:1] tar input proto files of the cluster for debug:\n"
        "\tcmd: tar -C `dirname /tmp/x.tar` -cf `basename /tmp/x.tar` `basename /tmp/m1`\n"
        "  tar file path: /tmp/x.tar\n"
        "2022-02-01 10:00:01.000001: I a/b.cc:1] tao_compiler_input: /tmp/x.input\n"
    )
    found = log.read(io.BytesIO(text.encode()))
    assert [(each.path, each.members) for each in found.archives] == [("/tmp/x.tar", ["m1"])]
    assert list(found.programs) == ["/tmp/x.input"]


def program(order: list[str], names: dict[str, str]) -> bytes:
    """A function that adds and multiplies its two arguments, with other names and order."""
    ops = {"add": ("AddV2", ["x", "y"]), "mul": ("Mul", ["add:z:0", "y"])}

    def named(text: str) -> str:
        head, colon, rest = text.partition(":")
        return names.get(head, head) + colon + rest

    def text(number: int, value: str) -> bytes:
        return field(number, value.encode())

    nodes = b"".join(
        field(
            3,
            text(1, names[key]) + text(2, ops[key][0])
            + b"".join(text(3, named(each)) for each in ops[key][1])
            + text(4, f"/device:GPU:{len(names[key])}")
            + field(5, text(1, "_private") + text(2, names[key]))
            + field(5, text(1, "T") + field(2, integer(6, 1))),
        )
        for key in order
    )  # fmt: skip
    ports = b"".join(field(2, text(1, named(each)) + integer(3, 1)) for each in "xy")
    signature = field(1, text(1, names["f"]) + ports + field(3, text(1, "out") + integer(3, 1)))
    returned = field(4, text(1, "out") + text(2, f"{names['mul']}:z:0"))
    library = field(1, signature + nodes + returned)
    options = field(1, text(1, "MLIR_GPU") + field(3, library))
    return options + field(2, text(1, names["f"]))


def test_names_devices_and_order_do_not_change_the_hash() -> None:
    plain = {"f": "f", "x": "x", "y": "y", "add": "add", "mul": "mul"}
    other = {"f": "cluster_9", "x": "p", "y": "q", "add": "node_1", "mul": "another"}
    first = Program(program(["add", "mul"], plain))
    assert first.graph_hash == Program(program(["mul", "add"], other)).graph_hash
    exchanged = Program(program(["add", "mul"], plain | {"x": "y", "y": "x"}))
    assert first.graph_hash == exchanged.graph_hash  # arguments count by position
    assert first.graph_hash != Program(
        program(["add", "mul"], plain).replace(b"AddV2", b"Minus")
    ).graph_hash  # fmt: skip


@pytest.mark.parametrize("seed", range(2))
def test_hostile_archives_write_nothing(tmp_path: Path, seed: int) -> None:
    """Members with paths, links and devices are named and skipped."""
    folder = tmp_path / "job"
    shutil.copytree(DATA / "ok", folder)
    (target,) = [p for p in (folder / "dump").iterdir() if p.name.endswith("43ae1.tar")]
    with tarfile.open(target) as archive:
        held = [(m, archive.extractfile(m)) for m in archive.getmembers()]
        kept = [(m, f.read()) for m, f in held if f is not None]
    hostile = tarfile.TarInfo(random.Random(seed).choice(["../x", "/tmp/tw-hostile", "a/b"]))
    link = tarfile.TarInfo("link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    sparse = tarfile.TarInfo("sparse")  # of a few bytes, and 1 GB when it is read
    sparse.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(1 << 30)}
    with tarfile.open(target, "w") as archive:
        for member, content in [*kept, (hostile, b""), (link, b""), (sparse, b"")]:
            archive.addfile(member, io.BytesIO(content))
    before = sorted(tmp_path.rglob("*"))
    with closing(imported([folder], tmp_path / "w.duckdb")) as db:
        assert rows(db, "SELECT kind, count FROM import_problem WHERE trace_id = $t") == [
            ("unsafe_member", 3)
        ]
    after = sorted(p for p in tmp_path.rglob("*") if not p.name.startswith("w.duckdb"))
    assert after == before
    assert not Path("/tmp/tw-hostile").exists()


def test_a_program_alone_that_is_damaged_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text("no line of a compiler\n")
    assert error(path, tmp_path / "w.duckdb")
