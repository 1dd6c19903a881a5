"""Each known defect of Trace Event JSON is repaired or left out, and counted with its place."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import integration
from tw_importers.trace_event.repair import REPAIRS, Repairer
from warehouse.ingest.decode import Settings
from warehouse.ingest.pipeline import Options, Outcome, import_paths
from warehouse.store import database

GOOD = b'{"ph":"X","name":"good","pid":1,"tid":1,"ts":1.5,"dur":2}'
Import = Callable[..., Outcome]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "w.duckdb"


@pytest.fixture
def imported(tmp_path: Path, db: Path) -> Import:
    def run(data: bytes, *, is_strict: bool = False) -> Outcome:
        (tmp_path / "t.json").write_bytes(data)
        options = Options(settings=Settings(is_strict=is_strict), format="chrome", jobs=1)
        (outcome,) = import_paths([tmp_path / "t.json"], db=db, options=options)
        return outcome

    return run


def rows(db: Path, sql: str) -> list[tuple[Any, ...]]:
    with database.Reader(db) as reader:
        return list(reader.connection.execute(sql).fetchall())


def salvage(data: bytes) -> tuple[list[Any], dict[str, int]]:
    repairer = Repairer()
    found = repairer.events(data, 0, last=True)
    kinds = {kind: problem.count for kind, problem in repairer.problems.items()}
    return [json.loads(text) for text in found.texts], kinds


@pytest.mark.parametrize(("text", "event", "kinds"), [
    (b'{"a":NaN,"b":-Infinity,"c":"NaN"}', {"a": None, "b": None, "c": "NaN"},
     {"non_finite_number": 2}),
    (b'{"a":"\xff\xfe b"}', {"a": "\ufffd\ufffd b"}, {"invalid_utf8": 2}),
    (b'{"a":"\xed\xa0\x80"}', {"a": "\ufffd\ufffd\ufffd"}, {"invalid_utf8": 3}),
    (rb'{"a":"\ud800 \ud83d\ude00 \udc00"}', {"a": "\ufffd \U0001f600 \ufffd"},
     {"lone_surrogate": 2}),
    (b'{"a":"x\n\ty\x00"}', {"a": "x\n\ty\0"}, {"control_character": 3}),
    (rb'{"a":"C:\dir\x"}', {"a": "C:\\dir\\x"}, {"bad_escape": 2}),
    (b'{"a":[1,2,],}', {"a": [1, 2]}, {"trailing_comma": 2}),
    (b'{"a":+1,"b":007,"c":1.,"d":-01.5e3}', {"a": 1, "b": 7, "c": 1, "d": -1.5e3},
     {"bad_number": 4}),
    (b'{"a":0,015152,"b" : -7,5e-02 ,"c":[1,2],"d":"e: 1,5, ","f":1,25}',
     {"a": 0.015152, "b": -0.075, "c": [1, 2], "d": "e: 1,5, ", "f": 1.25}, {"decimal_comma": 3}),
    (b'{"a":0x262cA50,"b": (nil) ,"c":ncclFloat32,"d":true,"e":null,"f":": word, ","g":nan}',
     {"a": "0x262cA50", "b": "(nil)", "c": "ncclFloat32", "d": True, "e": None, "f": ": word, ",
      "g": None}, {"unquoted_text": 3, "non_finite_number": 1}),
    (b'{"a":"x \"q\" y","b":["f("u")","v","w"]}',
     {"a": 'x "q" y', "b": ['f("u")', "v", "w"]}, {"unescaped_quote": 4}),
    (b'{"a":"5" disk, [1]","b":"c"}', {"a": '5" disk, [1]', "b": "c"}, {"unescaped_quote": 1}),
    (b'{"a":"x "q"\n","b":NaN}', {"a": 'x "q"\n', "b": None},
     {"unescaped_quote": 2, "control_character": 1, "non_finite_number": 1}),
])  # fmt: skip
def test_a_known_defect_is_repaired_and_counted(
    text: bytes, event: object, kinds: dict[str, int]
) -> None:
    assert salvage(text + b"," + text + b"]") == ([event] * 2, {k: 2 * n for k, n in kinds.items()})
    assert kinds.keys() <= REPAIRS.keys()


@pytest.mark.parametrize("text", [
    rb'{"a":"\u0000"}', b'{"a":123456789012345678901234567890}', b'{"a":1e999}', b'{"a":"\x7f"}',
    b'{"a":1,"a":2}', b'{"":{"":[]}}', b'{"a":-0.0}',
])  # fmt: skip
def test_what_is_valid_is_left_alone(text: bytes) -> None:
    repairer = Repairer()

    assert repairer.events(text + b"]", 0, last=True).texts == [text]
    assert repairer.problems == {}


@pytest.mark.parametrize("bad", [
    b'{"ph":"X","args":{"a":1}', b'{"ph":"X","args":{', b'{"ph":"X" "name":1}', b'{"ph":tru}',
    b'{"ph":"X","args":' + b"[" * 100_000 + b"]" * 100_000 + b"}", b'{"ph":}', b'{"x":[1,2}}',
])  # fmt: skip
def test_an_unreadable_event_costs_no_other(bad: bytes) -> None:
    events, kinds = salvage(b",\n".join((GOOD, bad, GOOD, GOOD)) + b"]")

    assert events == [json.loads(GOOD)] * 3
    assert kinds == {"unreadable_event": 1}


def test_a_string_that_does_not_end_swallows_no_other_event() -> None:
    named = b'{"name":"good","ph":"X","pid":1,"tid":1,"ts":1}'

    events, kinds = salvage(b",".join((named, b'{"name":"bad, "pid":1}', named, named)) + b"]")

    assert events == [json.loads(named)] * 3
    assert kinds == {"unreadable_event": 1}


def test_entries_that_are_no_objects_are_left_out() -> None:
    events, kinds = salvage(b'1,"a",null,[{"ph":"X"}],' + GOOD + b",{},]")

    assert events == [json.loads(GOOD), {}]
    assert kinds == {"not_an_event": 3, "null_entry": 1}


@pytest.mark.parametrize("bad", [
    b'{"ph":"X","args":{"a":1},', b'{"ph":"X","args":[1,', b'{"ph":"X","name":"a,', b'{"a":NaN},',
])  # fmt: skip
def test_a_file_of_nothing_but_damage_takes_linear_time(bad: bytes) -> None:
    began = time.process_time()

    salvage(bad * 20_000)

    assert time.process_time() - began < 10  # of a processor


@pytest.mark.parametrize("whole", [
    b'\xef\xbb\xbf{"traceEvents":[\r\n' + GOOD + b",\r\n" + GOOD + b"\r\n]}\r\n",
    *map(integration, (b"[" + GOOD + b"," + GOOD + b"]", b"[" + GOOD + b"," + GOOD)),
    integration(b"[" + GOOD + b"," + GOOD + b","),
])  # fmt: skip
def test_variants_of_the_format_are_no_problems(imported: Import, db: Path, whole: bytes) -> None:
    assert imported(whole).status == "imported"

    assert rows(db, "SELECT name, dur FROM slice") == [("good", 2000)] * 2
    assert rows(db, "SELECT kind FROM import_problem") == []


def test_a_repair_is_a_row_with_its_place(imported: Import, db: Path) -> None:
    odd = b'{"ph":"X","name":"odd","ts":5,"dur":1,"args":{"x":NaN}}'
    text = b'{"traceEvents":[' + GOOD + b"," + odd + b"]}"

    imported(text)

    assert rows(db, 'SELECT kind, severity, count, "offset" FROM import_problem') == [
        ("non_finite_number", "warning", 1, text.index(odd))
    ]
    assert rows(db, "SELECT name FROM slice ORDER BY ts") == [("good",), ("odd",)]


def test_strict_reading_names_file_and_place(imported: Import, db: Path, tmp_path: Path) -> None:
    outcome = imported(b'{"traceEvents":[' + GOOD + b',{"a":NaN}]}', is_strict=True)

    assert outcome.error is not None
    assert outcome.error.message == (
        f"{tmp_path}/t.json: NaN or Infinity became null at byte {16 + len(GOOD) + 1}"
    )
    assert not db.exists()


def test_strict_reading_refuses_far_into_a_file(imported: Import, db: Path) -> None:
    outcome = imported(b"[" + (GOOD + b",") * 90_000 + b'{"a":NaN}]', is_strict=True)

    assert outcome.error is not None
    assert "NaN or Infinity" in outcome.error.message
    assert not db.exists()


def test_odd_values_of_valid_events_do_no_harm(imported: Import, db: Path) -> None:
    events = [
        '"ts":1,"dur":-5', '"ts":1e300,"dur":1', '"ts":123456789012345678901234567890,"dur":1',
        '"ts":"7","dur":"1.5"', '"ts":{},"dur":[]', '"dur":1', '"ts":3', '"ts":-9e14,"dur":9e15',
        '"ts":2,"dur":1,"name":"\\u0000"', '"ts":2,"dur":1,"name":"' + "n" * 10_000 + '"',
        '"ts":2,"dur":1,"args":"text"', '"ts":2,"dur":1,"args":{"":1}', '"ts":2,"ts":4,"dur":1',
        '"ts":0.0004,"dur":0.0005', '"ts":0.0006,"dur":0.0015',
    ]  # fmt: skip
    text = ",".join('{"ph":"X","pid":1,"tid":1,' + event + "}" for event in events)
    counter = '{"ph":"C","name":"c","ts":5,"args":{"":1,"*":2,"a.b":3,"\\"":4,"x":"no","/~":5}}'

    assert imported(f"[{text},{counter}]".encode()).error is None

    assert len(rows(db, "SELECT * FROM slice")) == 11
    assert rows(db, "SELECT sum(value)::INTEGER FROM counter") == [(15,)]


@pytest.mark.parametrize(("data", "message"), [
    (b"", "is empty"), (b"\0" * 99, "not recognised"), (b"hello", "not recognised"),
    (b"{}", "not recognised"), (b'{"a":1}', "not recognised"),
    (b"\x1f\x8b\x08\0", "ends early"), (b"PK\3\4 no", "damaged archive"),
    (b"\x89PNG\r\n", "not recognised"), ("[{}]".encode("utf-16"), "not recognised"),
    (b'{"traceEvents":5}', "traceEvents array not found"),
])  # fmt: skip
def test_what_is_no_trace_is_refused_and_nothing_is_written(
    tmp_path: Path, db: Path, data: bytes, message: str
) -> None:
    (tmp_path / "t.json").write_bytes(data)

    (outcome,) = import_paths([tmp_path / "t.json"], db=db)

    assert outcome.status == "failed"
    assert message in str(outcome.error)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.json"]


def test_a_refused_file_leaves_the_warehouse_byte_for_byte(imported: Import, db: Path) -> None:
    imported(b"[" + GOOD + b"]")
    before = db.read_bytes()

    assert imported(b"[" + GOOD + b",{NaN}]", is_strict=True).status == "failed"
    assert imported(b"nonsense").status == "failed"

    assert db.read_bytes() == before


@pytest.mark.integration
def test_nesting_deeper_than_any_parser_takes_is_survived(imported: Import, db: Path) -> None:
    deep = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    text = b'{"schemaVersion":1,"meta":' + deep + b',"traceEvents":[' + GOOD + b"]}"

    assert imported(text).error is None

    assert rows(db, "SELECT kind FROM import_problem") == [("metadata",)]
