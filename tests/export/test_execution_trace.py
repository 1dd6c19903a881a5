"""An execution trace that was imported is written again with the same content."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.execution_traces import Memory
from tests.support.sharing import GPU, WarehouseCache, slow
from tw_importers.execution_trace.export.trace import (
    export_execution_trace,
    export_execution_trace_folder,
)
from warehouse.errors import ExportError
from warehouse.ingest import pipeline
from warehouse.query import scope
from warehouse.query.selection import Selection
from warehouse.store import database

if TYPE_CHECKING:
    from tests.conftest import Tw

OWN = Path(__file__).parents[1] / "data" / "execution_trace"


def parsed(path: Path) -> Any:
    """A document as lists of pairs, its numbers as they are printed."""
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return json.loads(text, parse_float=str, parse_int=str)


def same(written: Path, source: Path) -> None:
    ours, theirs = parsed(written), parsed(source)
    assert list(ours) == list(theirs), "the header's keys, in their order"
    assert len(ours["nodes"]) == len(theirs["nodes"])
    for ours_node, theirs_node in zip(ours["nodes"], theirs["nodes"], strict=True):
        assert ours_node == theirs_node
    assert ours == theirs


def round_trip(files: list[Path], folder: Path) -> list[Path]:
    """Imports and exports; the written files in the order of the traces."""
    db = folder / "w.duckdb"
    assert not any(outcome.error for outcome in pipeline.import_paths(files, db=db))
    with database.Reader(db) as reader:
        scope.apply(
            reader.connection,
            scope.resolve(reader.connection, Selection(runs=("all",))),
        )
        written = export_execution_trace_folder(reader.connection, folder / "out")
    return [each.path for each in written]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return Memory(tmp_path_factory.mktemp("memory"))


def written_again(memory: Memory, source: Path) -> Path:
    written = memory.folder / "out.json"
    with memory.imported(source):
        export_execution_trace(memory.connection, written)
    return written


@pytest.mark.parametrize(
    "cases", ["own_gpu_ddp_r0", "inputs_only_hta_simple_add", "real_mi250_train", slow("*")]
)
def test_every_recorded_file_comes_back(data_dir: Path, memory: Memory, cases: str) -> None:
    sources = sorted((data_dir / "chakra").glob(f"{cases}/host_et.json.gz"))
    assert sources
    for source in sources:
        same(written_again(memory, source), source)


def test_a_linked_trace_comes_back_with_times_and_dependencies(
    data_dir: Path, memory: Memory
) -> None:
    source = data_dir / "chakra" / "own_gpu_ddp_r0" / "etplus.json.gz"
    same(written_again(memory, source), source)


texts = st.text(max_size=8)
numbers = st.one_of(st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False))
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts, st.just([1, 2, 0, 4, 4, "cpu"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
types = st.lists(st.sampled_from(["Tensor(float)", "GenericList[Tensor(float),None]", "Int"]))
arguments = st.fixed_dictionaries(
    {"values": st.lists(values, max_size=3), "shapes": st.lists(values, max_size=3), "types": types}
)
attribute = st.fixed_dictionaries({"name": texts, "type": texts, "value": values})
usual = {
    "id": st.integers(0, 9),
    "name": texts,
    "ctrl_deps": st.integers(0, 9),
    "inputs": arguments,
    "outputs": arguments,
    "attrs": st.lists(attribute, max_size=3),
}
flat = {
    "name": texts,
    "id": st.integers(0, 9),
    "parent": st.integers(0, 9),
    "rf_id": st.integers(0, 9),
    "op_schema": texts,
    "inputs": st.lists(values, max_size=2),
    "input_shapes": st.lists(values, max_size=2),
    "input_types": types,
}
odd = {
    "id": values, "name": values, "ctrl_deps": values, "inputs": values, "outputs": values,
    "attrs": values, "ts": values, "inclusive_dur": values, "sync_dep": values, "cat": values,
    "inter_thread_dep": values, "extra": values,
}  # fmt: skip
nodes = st.one_of(
    st.lists(st.fixed_dictionaries(usual, optional={"ts": values, "cat": texts}), max_size=4),
    st.lists(st.fixed_dictionaries(flat, optional={"tid": values, "new": values}), max_size=4),
    st.lists(st.fixed_dictionaries({}, optional=odd), max_size=4),
    st.lists(st.fixed_dictionaries(flat) | st.fixed_dictionaries(usual), max_size=4),
)
documents = st.builds(
    lambda before, nodes, after: before | {"nodes": nodes} | after,
    st.dictionaries(texts, values, max_size=3),
    nodes,
    st.dictionaries(st.sampled_from(["finish_ts", "pid", "é"]), values, max_size=3),
)


def check(memory: Memory, document: Any) -> None:
    source = memory.folder / "in.json"
    source.write_text(json.dumps(document))
    same(written_again(memory, source), source)


@pytest.mark.slow
@settings(deadline=None, max_examples=5)
@given(document=documents)
def test_any_document_comes_back(memory: Memory, document: Any) -> None:
    check(memory, document)


@pytest.mark.slow
@settings(deadline=None, max_examples=400)
@given(document=documents)
def test_very_many_documents_come_back(memory: Memory, document: Any) -> None:
    check(memory, document)


def test_numbers_keep_their_digits(memory: Memory) -> None:
    source = memory.folder / "digits.json"
    source.write_text(
        '{"schema": "1.0.1", "nodes": [{"name": "n", "id": 1, "parent": 1, "rf_id": 0, '
        '"inputs": [0.000000, 1e5, 1.10], "input_shapes": [[], [], []], '
        '"input_types": ["Double", "Double", "Double"]}], "finish_ts": 1.50}'
    )
    same(written_again(memory, source), source)


@pytest.mark.integration
def test_ranks_are_written_to_a_folder_by_their_names(tmp_path: Path) -> None:
    (written,) = round_trip([OWN / "cpu_ddp_r0"], tmp_path)
    assert written == tmp_path / "out" / "rank0.json.gz"
    same(written, OWN / "cpu_ddp_r0" / "host_et.json.gz")


def test_several_graphs_need_a_folder_and_no_graph_is_an_error(
    tmp_path: Path, imported_files: WarehouseCache
) -> None:
    with (
        database.Reader(imported_files(GPU)) as reader,
        pytest.raises(ExportError, match="no execution trace in scope"),
    ):
        export_execution_trace(reader.connection, tmp_path / "x.json")


def test_a_graph_is_not_written_between_two_times(tw: Tw, tmp_path: Path) -> None:
    db = tmp_path / "w.duckdb"
    pipeline.import_paths([OWN / "cpu_ddp_r0"], db=db)

    for command in ("execution-trace", "chakra-et", "chakra-etplus", "dot"):
        ran = tw("export", command, "--db", db, "--from", "1ms", "--to", "2ms", "-o", "out")
        assert ran.code == 2
        assert "is written whole, not between two times" in ran.err
        assert not (tmp_path / "out").exists()
