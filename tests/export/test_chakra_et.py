"""Chakra files as written: as the converter writes them, and as they were imported."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Tw
from tests.support import chakra_cases
from tests.support import chakra_wire as wire
from tests.support.chakra_wire import Attr, Graph, Node
from tests.support.sharing import chosen, slow
from tw_importers.chakra_et.export.et import Options, export_chakra_et
from warehouse.errors import ExportError
from warehouse.ingest import pipeline
from warehouse.query import session
from warehouse.query.selection import Selection


def imported(sources: list[Path], db: Path) -> Path:
    for outcome in pipeline.import_paths(sources, db=db, options=pipeline.Options()):
        assert outcome.error is None
    return db


def exported(db: Path, chosen: Selection | str, options: Options, target: Path) -> bytes:
    if isinstance(chosen, str):
        chosen = Selection(traces=(chosen,))
    with session.opened(session.Place(db), chosen) as opened:
        (written,) = export_chakra_et(opened, target, options)
    return written.path.read_bytes()


@pytest.fixture(scope="module")
def written(shared_place: Path, data_dir: Path, request: pytest.FixtureRequest) -> Path:
    """What Chakra's linker and converter wrote."""
    db, default = shared_place / "chakra_written.duckdb", chakra_cases.WRITTEN[:2]
    cases = {*default, *(chosen(request, "case") & {*chakra_cases.WRITTEN})}
    return chakra_cases.import_written(db, data_dir, cases)


WRITTEN = [chakra_cases.WRITTEN[0], *map(slow, chakra_cases.WRITTEN[1:])]


def golden(data_dir: Path, case: str) -> bytes:
    return gzip.decompress((data_dir / "chakra" / case / "chakra.et.gz").read_bytes())


@pytest.mark.parametrize("case", chakra_cases.GOLDEN)
def test_a_pair_is_linked_and_converted_byte_for_byte_as_chakra_does(
    case: str, shared_place: Path, data_dir: Path, tmp_path: Path
) -> None:
    pairs = chakra_cases.import_case(shared_place, data_dir, case)
    found = exported(pairs, Selection(runs=(case,)), Options("chakra-1.0"), tmp_path / "x.et")
    assert found == golden(data_dir, case)


@pytest.mark.parametrize("case", WRITTEN)
def test_an_et_plus_file_is_converted_byte_for_byte_as_chakra_does(
    case: str, written: Path, data_dir: Path, tmp_path: Path
) -> None:
    found = exported(written, case, Options("chakra-1.0"), tmp_path / "x.et")
    assert found == golden(data_dir, case)


@pytest.mark.slow
@pytest.mark.parametrize("case", chakra_cases.OTHERS)
def test_every_other_et_plus_file_is_converted_byte_for_byte_as_chakra_does(
    case: str, data_dir: Path, tmp_path: Path
) -> None:
    db = tmp_path / "w.duckdb"
    chakra_cases.import_pair(db, case, data_dir / "chakra" / case / "etplus.json.gz")
    found = exported(db, Selection(runs=(case,)), Options("chakra-1.0"), tmp_path / "x.et")
    assert found == golden(data_dir, case)


@pytest.mark.parametrize("case", WRITTEN)
def test_an_imported_file_is_written_byte_for_byte_as_it_was(
    case: str, written: Path, data_dir: Path, tmp_path: Path
) -> None:
    found = exported(written, f"{case}_et", Options(), tmp_path / "x.et")
    assert found == golden(data_dir, case)


@pytest.fixture(scope="module")
def odd_graphs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """Random graphs with all a file can say; cyclic and dangling ones too."""
    folder = tmp_path_factory.mktemp("odd")
    rng = random.Random(11)
    files = {f"odd_{n}": wire.encode(wire.random_graph(rng, 60)) for n in range(3)}
    for name, data in files.items():
        (folder / f"{name}.et").write_bytes(data)
    return imported([folder], folder / "w.duckdb"), files


@pytest.mark.slow
def test_whatever_a_file_says_it_says_again(
    odd_graphs: tuple[Path, dict[str, bytes]], tmp_path: Path
) -> None:
    db, files = odd_graphs
    for name, data in files.items():
        again = exported(db, name, Options(is_checked=False), tmp_path / f"{name}.et")
        assert wire.decode(again) == wire.decode(data)
        assert again == data


def chain(*deps: tuple[int, list[int]]) -> Graph:
    return Graph(nodes=[Node(at, f"node {at}", data=data) for at, data in deps])


@pytest.fixture
def small(tmp_path: Path) -> Iterator[list[tuple[str, Graph]]]:
    yield [
        ("cyclic", chain((1, []), (2, [1, 4]), (3, [2]), (4, [3]))),
        ("absent", chain((1, []), (2, [1, 9]))),
        ("twice", chain((1, []), (1, []))),
        ("sound", chain((2, [1]), (1, []))),
    ]


@pytest.mark.slow
def test_a_graph_without_an_order_is_refused_with_the_nodes_named(
    small: list[tuple[str, Graph]], tmp_path: Path
) -> None:
    for name, graph in small:
        (tmp_path / f"{name}.et").write_bytes(wire.encode(graph))
    db = imported([tmp_path], tmp_path / "w.duckdb")
    why = {
        "cyclic": "2 'node 2' → 3 'node 3' → 4 'node 4' → 2 'node 2'",
        "absent": "node 2 'node 2' depends on node 9, which is not there",
        "twice": "several nodes have the id 1",
    }
    for name, expected in why.items():
        target = tmp_path / f"out_{name}.et"
        with pytest.raises(ExportError) as caught:
            exported(db, name, Options(), target)
        assert expected in str(caught.value)
        assert not target.exists()
    assert (
        exported(db, "sound", Options(), tmp_path / "o.et") == (tmp_path / "sound.et").read_bytes()
    )


@pytest.mark.integration
def test_all_ranks_are_written_by_one_command_and_read_back_as_one_run(
    tw: Tw, tmp_path: Path
) -> None:
    for rank in (0, 3):
        graph = Graph(attrs=[Attr("schema", "string", f"r{rank}")], nodes=[Node(1, "a")])
        (tmp_path / f"job.{rank}.et").write_bytes(wire.encode(graph))
    assert tw("import", "job.0.et", "job.3.et").code == 0
    done = tw("export", "chakra-et", "-o", "work")
    assert done.code == 0, done.err
    assert "Wrote work/job.3.et: 1 node, 0 dependencies." in done.err
    for rank in (0, 3):
        data = (tmp_path / "work" / f"job.{rank}.et").read_bytes()
        assert data == (tmp_path / f"job.{rank}.et").read_bytes()
    refused = tw("export", "chakra-et", "-o", "one.et")
    assert refused.code == 2
    assert refused.errors == ["Error: 2 graphs do not fit into the one file one.et"]
