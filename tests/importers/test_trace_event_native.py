"""The compiled reader changes how fast Trace Event JSON is read, not what becomes of it."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

from tests.fuzz import engine
from tests.fuzz.family import families
from tests.importers import fuzz_reader
from tests.support.equal_warehouses import differing_tables
from tests.support.sharing import slow
from tw_importers.trace_event import native, split
from tw_importers.trace_event import read as reading
from tw_importers.trace_event.read import read_document
from tw_importers.trace_event.repair import Repairer
from tw_importers.trace_event.split import decode
from tw_importers.trace_event.typed import Collector, TypingSplitter
from warehouse.errors import TwError
from warehouse.ingest import commit
from warehouse.ingest.importer import Scratch
from warehouse.ingest.pipeline import import_paths

DATA = Path(__file__).parents[1] / "data"
HANDWRITTEN = (DATA / "kineto" / "gpu_handwritten" / "trace.json").read_bytes()
_loaded = native.load()
pytestmark = pytest.mark.skipif(_loaded.library is None, reason=f"no library: {_loaded.reason}")


class Read(NamedTuple):
    """What a reader made of a document."""

    rows: list[tuple[Any, ...]]
    facts: tuple[Any, ...]
    n_compiled: int


Reader = Callable[[bytes, bool], Read | str]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    """Reads a document with the compiled reader or without it; returns the error if it fails."""
    connection = duckdb.connect(config={"threads": 1})

    monkeypatch.setattr(reading, "WORTH_COMPILING", 1)

    def run(data: bytes, is_native: bool) -> Read | str:
        monkeypatch.setenv(native.SWITCH, str(int(is_native)))
        connection.execute("DROP VIEW IF EXISTS event")
        try:
            facts = read_document(io.BytesIO(data), Scratch(tmp_path, connection), "chrome")
        except TwError as error:
            return str(error)
        rows = connection.execute("FROM event ORDER BY seq").fetchall()
        (_, _, n_compiled, _), (_, _, n_sql, _) = facts.stats
        assert n_compiled + n_sql == len(rows)
        assert is_native or not n_compiled
        problems = [(each.kind, each.count, each.offset, each.example) for each in facts.problems]
        about = (facts.metadata_json, facts.ts_style, facts.dur_style, sorted(problems))
        return Read(rows, about, int(n_compiled))

    yield run
    connection.close()


def read_both(read: Reader, data: bytes) -> int:
    """Asserts that both read the same; returns how many events were compiled."""
    compiled, in_sql = read(data, True), read(data, False)
    if isinstance(compiled, str) or isinstance(in_sql, str):
        assert compiled == in_sql
        return 0
    assert compiled.facts == in_sql.facts
    assert compiled.rows == in_sql.rows
    return compiled.n_compiled


TEXTS = (
    '"a"', '""', '"-1"', '"7"', '"{}"', '"[x"', '"true"', '"null"', '"\\n"', '"\\u00e9"', '"é𝄞"',
    '"\\ud83d\\ude00"', '"\\\\"', '"a,}]\\"{"', '"' + "long" * 20 + '"', '"\x7f"',
)  # fmt: skip
NUMBERS = (
    "0", "-0", "1", "-1", "1.5", "1.50", "1.500", "1.125", "0.001", "-0.5", "1.0", "1e3", "1E-3",
    "12345678901234567", "1234567890123456789", "123456789012345.678", "1.2345", "-3e18", "1e400",
    "3000000000000000", "3000000000000001", "1661203462598738", "1661203462598738.5",
    "9223372036854775.807", "9999999999999999", "99999999999999.999",
)  # fmt: skip
OTHERS = ("null", "true", "false", "{}", "[]", '{"a":-0}', '[{"ph":"X"},[1,2]]', '{"":{"b":[]}}')


def random_event(chosen: random.Random) -> str:
    """An event that is plain more often than not."""
    phase = chosen.choice("XXXXiIstfBEMC")
    values = {
        "ph": f'"{phase}"', "cat": '"cpu_op"', "name": chosen.choice(('"aten::mm"', '"k-0"')),
        "pid": chosen.choice(("1", "0", '"CPU"')), "tid": chosen.choice(("2", '"stream 7"')),
        "ts": f"{chosen.randrange(9999)}.{chosen.randrange(1000):03}",
    }  # fmt: skip
    if phase == "X":
        values |= {"dur": f"{chosen.randrange(99)}.{chosen.randrange(100):03}"}
    if phase in "XiI":
        values |= {"args": chosen.choice(('{"External id": 1}', "{}", '{"a":[1,{"b":-0.5}]}'))}
    if phase in "stf":
        values |= {"id": chosen.choice(("7", '"0x1"')), "bp": '"e"'}
    if chosen.random() < 0.5:
        keys = ("ph", "cat", "name", "pid", "tid", "ts", "dur", "args", "id", "bp", "s", "x", "")
        values[chosen.choice(keys)] = chosen.choice((*TEXTS, *NUMBERS, *OTHERS))
    pairs = [f'"{key}"{chosen.choice((":", ": ", " : "))}{text}' for key, text in values.items()]
    if chosen.random() < 0.05:
        pairs.append(chosen.choice(pairs))
    chosen.shuffle(pairs)
    blank = chosen.choice(("", " ", "\r\n\t"))
    return f"{{{blank}{f',{blank}'.join(pairs)}{blank}}}"


def random_document(seed: int) -> bytes:
    chosen = random.Random(seed)
    events = [random_event(chosen) for _ in range(chosen.randrange(40, 120))]
    separator = chosen.choice((",", ",\n  ", " , "))
    return f'{{"a":1,"traceEvents":[{separator.join(events)}],"b":[{{}}]}}'.encode()


@pytest.mark.parametrize("n", [3, *map(slow, (15, 2000))])
def test_random_events_become_the_same_rows(
    read: Reader, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_compiled = 0
    for seed in range(n):
        monkeypatch.setattr(split, "BLOCK_BYTES", (2 << 20, 1000, 77)[seed % 3])
        monkeypatch.setattr(native, "N_ROWS", (122_880, 8, 24)[seed % 3])
        n_compiled += read_both(read, random_document(seed))
    assert n_compiled > 20 * n


@pytest.mark.parametrize("n", [5, slow(5000)])
def test_damaged_documents_become_the_same_rows(read: Reader, n: int) -> None:
    for number in range(n):
        family = families()["chrome" if number % 2 else "kineto"]
        for data in engine.input_of(family, 1, "reader", number).values():
            read_both(read, data)


@pytest.mark.parametrize("step", [6000, slow(7)])
def test_documents_cut_anywhere_become_the_same_rows(read: Reader, step: int) -> None:
    for end in range(20, len(HANDWRITTEN), step):
        read_both(read, HANDWRITTEN[:end])


class Pieces(io.BytesIO):
    """Returns what is before a place, and then what is after it."""

    def __init__(self, data: bytes, place: int) -> None:
        super().__init__(data)
        self._place = place

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(max(0, self._place - self.tell()) or size)


CUT = (
    '[{"ph":"X","name":"é𝄞","ts":-1.5,"dur":12.25,"pid":0,"tid":"a","args":{"a":[true,-1.5e3]}}'
    ' ,\n{"ph":"i","s":"t","name":"\\ud83d\\ude00","ts":4,"x":[{"y":null}]},'
    '{"ph":"s","id":7,"name":"f","cat":"ac2g","ts":5.125},{},{"ph":"f","bp":"e","id":"0x7",'
    '"name":"f","ts":6.5,"pid":1,"tid":1}]'
).encode()


def test_a_block_may_end_at_any_byte() -> None:
    def events(place: int) -> tuple[list[Any], list[tuple[int, bytes]]]:
        state = native.State(ts_style=7, dur_style=7, is_first=1)
        collector = Collector(state, lambda: rows)
        splitter = TypingSplitter(Pieces(CUT, place), Repairer(), decode, collector=collector)
        assert sum(map(len, splitter)) == 5
        assert splitter.repairer.problems == {}
        found = rows.columns().to_pylist()
        others = [
            (seq, bytes(text))
            for each in collector.last.others
            for seq, text in zip(each.seq, each.chunk.texts, strict=True)
        ]
        rows.clear()
        return found, others

    assert _loaded.library is not None
    rows = native.Rows(_loaded.library)
    plain, others = events(len(CUT))
    assert [each["seq"] for each in plain] == [0, 2, 4]
    assert [seq for seq, _ in others] == [1, 3]
    for place in range(2, len(CUT)):
        assert events(place) == (plain, others), place


def is_read(text: bytes, rows: native.Rows | None = None) -> bool:
    """Whether the compiled reader takes a document rather than refusing it."""
    assert _loaded.library is not None
    state = native.State(ts_style=7, dur_style=7, is_first=1)
    rows = rows or native.Rows(_loaded.library)
    rows.others()
    return rows.read(state, memoryview(text + b"]")) == native.CLOSED


def test_text_is_validated_as_utf8() -> None:
    edges = (0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF)
    leads = (0x7F, 0x80, 0xC1, 0xC2, 0xDF, 0xE0, 0xEC, 0xED, 0xEF, 0xF0, 0xF3, 0xF4, 0xF5)
    for lead in leads:
        for second in edges:
            for rest in (b"", b"\x80", b"\x80\x80", b"\xc0", b"\x80\x41"):
                text = bytes((lead, second)) + rest
                try:
                    is_valid = min(text.decode()) >= " "
                except UnicodeDecodeError:
                    is_valid = False
                assert is_read(b'{"a":"' + text + b'"}') == is_valid, text


@pytest.mark.parametrize("text", [
    b"{}", b'{"a":{"b":[1,-0,0.5,1e5,1E+5,-1.25e-3,true,false,null,"",[],{}]}}',
    b' \r\n\t{ "" : 0 }',
    b'{"a":"' + rb'\"\\\/\b\f\n\r\t\u0000\uD83D\uDE00' + b'"}', b"[" * 300 + b"]" * 300,
])  # fmt: skip
def test_valid_json_is_read(text: bytes) -> None:
    assert is_read(text if text.lstrip().startswith(b"{") else b'{"a":' + text + b"}")


@pytest.mark.parametrize("value", [
    b"01", b"1.", b".5", b"-", b"+1", b"1e", b"1e+", b"tru", b"nul1", b"NaN", b'"\x01"', rb'"\x"',
    rb'"\u12g4"', rb'"\ud800"', rb'"\ud800\u0041"', rb'"\udc00"', b"[1,]", b"[1 2]", b'{"a"}',
    b'{"a":}', b'{"a":1,}', b"{1:1}", b"[}", b'{"a":1]', b"", b"0x1", b"'a'", b"1\x0b",
])  # fmt: skip
def test_what_is_not_json_is_refused(value: bytes) -> None:
    assert not is_read(b'{"x":' + value + b"}")


def test_events_like_those_before_are_validated() -> None:
    event = b'{"a":1, "b":{"c":[2,{"d":3}]},"e":"f"}'
    padding = b',{"g":"' + b" " * 64 + b'"}'  # keys are compared only where many bytes follow
    others = [b'{"a":1, "b":0{"c":[2,{"d":3}],"e":"f"}', b'{"a":1, "b":{"c":[2{"d":3]},"e":"f"}']
    for place, byte, n_replaced in itertools.product(range(1, len(event)), b'{,"', (0, 1)):
        others.append(event[:place] + bytes((byte,)) + event[place + n_replaced :])
    rows = native.Rows(_loaded.library) if _loaded.library else None
    outcomes = set()
    for other in others:
        text = event + b"," + other + padding
        try:
            is_valid = all(isinstance(each, dict) for each in json.loads(b"[" + text + b"]"))
        except ValueError:
            is_valid = False
        assert is_read(text, rows) == is_valid, other
        outcomes.add(is_valid)
    assert outcomes == {True, False}


FILES = [
    "kineto/gpu_handwritten/trace.json",
    *(slow(name) for name in (
        "kineto/flops/trace.json.gz", "kineto/ddp_two_ranks/rank0.json.gz",
        "kineto/cpu_run/trace.json.gz", "kineto/key_averages/trace.json.gz",
        "kineto/ddp_two_ranks/rank1.json.gz", "execution_trace/cpu_ddp_r0/kineto.json.gz",
        "execution_trace/gpu_cnn/kineto.json.gz",
    )),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_files_become_equal_warehouses(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_equal_warehouses(DATA / name, tmp_path, monkeypatch)


@pytest.mark.slow
def test_recordings_become_the_same_rows(read: Reader, recorded_kineto: list[Path]) -> None:
    for path in recorded_kineto:
        stored = path.read_bytes()
        read_both(read, gzip.decompress(stored) if path.suffix == ".gz" else stored)


@pytest.mark.slow
def test_recordings_become_equal_warehouses(
    recorded_kineto: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in recorded_kineto:
        assert_equal_warehouses(path, tmp_path, monkeypatch)


@pytest.fixture
def recorded_kineto(data_dir: Path) -> list[Path]:
    """All recordings of Kineto outside the project."""
    return sorted((data_dir / "kineto").rglob("*.json.gz"))


def assert_equal_warehouses(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "WORTH_COMPILING", 1)
    warehouses = [folder / f"{is_native}.duckdb" for is_native in "01"]
    for is_native, warehouse in zip("01", warehouses, strict=True):
        warehouse.unlink(missing_ok=True)
        monkeypatch.setenv(native.SWITCH, is_native)
        (outcome,) = import_paths([path], db=warehouse)
        assert outcome.status == "imported", outcome.error
    assert differing_tables(*warehouses) == {}, path


@pytest.mark.slow
def test_slices_are_inserted_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, warehouses = tmp_path / "t.json", [tmp_path / "whole.duckdb", tmp_path / "parts.duckdb"]
    path.write_bytes(HANDWRITTEN)
    for warehouse in warehouses:
        (outcome,) = import_paths([path], db=warehouse)
        assert outcome.status == "imported"
        monkeypatch.setattr(commit, "PART_ROWS", 20)

    assert differing_tables(*warehouses) == {}


@pytest.mark.parametrize("kind_hash", ["0::UBIGINT", slow("hash(ph)")])
def test_kinds_with_one_hash_are_kept_apart(
    kind_hash: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, warehouses = tmp_path / "t.json", [tmp_path / "own.duckdb", tmp_path / "shared.duckdb"]
    path.write_bytes(HANDWRITTEN)
    for warehouse in warehouses:
        (outcome,) = import_paths([path], db=warehouse)
        assert outcome.status == "imported"
        monkeypatch.setattr(reading, "_KIND_HASH", kind_hash)

    assert differing_tables(*warehouses) == {}


def test_times_since_the_epoch_are_plain(read: Reader) -> None:
    event = b'{"ph":"X","name":"a","pid":1,"tid":1,"ts":%d,"dur":19}'
    document = b"[%b]" % b",".join(event % (1661203462598738 + n) for n in range(5))

    assert read_both(read, document) == 5


def test_events_that_are_not_plain_fill_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    library = _loaded.library
    assert library is not None
    monkeypatch.setattr(split, "BLOCK_BYTES", 90)
    monkeypatch.setattr(native, "N_ROWS", 8)
    events = [b'{"ph":"B","name":"a","ts":%d}' % n for n in range(30)]
    state = native.State(ts_style=7, dur_style=7, is_first=1)
    collector = Collector(state, lambda: native.Rows(library))
    document = io.BytesIO(b"[%b]" % b",".join(events))

    assert sum(map(len, TypingSplitter(document, Repairer(), decode, collector=collector))) == 30
    groups = [*collector.take_full(), collector.last]
    assert [seq for group in groups for each in group.others for seq in each.seq] == [*range(30)]
    assert max(group.n_events for group in groups) <= 8 + 90 // len(events[0])


def test_the_import_records_which_reader_ran(read: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, in_sql = read(HANDWRITTEN, True), read(HANDWRITTEN, False)

    assert isinstance(compiled, Read) and isinstance(in_sql, Read)
    assert compiled.n_compiled > 0.6 * len(compiled.rows)
    assert in_sql.n_compiled == 0


def test_small_documents_are_read_without_it(read: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "WORTH_COMPILING", 3)
    whole = read(HANDWRITTEN, True)
    monkeypatch.setattr(split, "BLOCK_BYTES", 4096)
    in_blocks = read(HANDWRITTEN, True)

    assert isinstance(whole, Read) and isinstance(in_blocks, Read)
    assert whole.n_compiled == 0 < in_blocks.n_compiled
    assert whole.rows == in_blocks.rows


def test_it_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(native.SWITCH, "0")

    assert native.load() == native.Availability(None, "TW_NATIVE=0")


def test_a_stale_or_foreign_library_is_not_used(tmp_path: Path) -> None:
    assert _loaded.library is not None
    sha256 = _loaded.library.tw_source_sha256()
    stale, foreign = tmp_path / "stale.so", tmp_path / "foreign.so"
    stale.write_bytes(native.LIBRARY.read_bytes().replace(sha256, sha256[::-1]))
    foreign.write_bytes(b"not a library")

    assert native.load_from(stale).reason == "built from another version of reader.c"
    assert native.load_from(foreign).reason.startswith("cannot be loaded")
    assert native.load_from(tmp_path / "missing.so").reason == "not built"


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_no_document_makes_it_access_other_memory(tmp_path: Path) -> None:
    try:
        program = fuzz_reader.build(tmp_path)
    except subprocess.CalledProcessError:
        pytest.skip("no sanitizers")

    assert fuzz_reader.run(program, seed=1, count=500_000) == "500000 executions\n"
