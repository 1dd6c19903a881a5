"""Whatever the events of a file are, exporting the imported trace gives the same ones again."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.sharing import slow
from warehouse.export.chrome.trace import export_chrome
from warehouse.ingest.pipeline import Options, import_paths
from warehouse.store import database

texts = st.sampled_from(
    ("", "a", "1", "-0", "1.50", "true", "null", "{}", "[1]", '"', "\\", "é\n", "\0", "𝄞", "'")
)
numbers = st.sampled_from((
    "0", "-0", "7", "-3", "1.5", "1.50", "2.125", "2.1250", "0.0005", "1e3", "1E-2", "12.",
    "1700000000000000.123", "9007199254740993", "18446744073709551616", "-1.0", "1e400", "3.000",
))  # fmt: skip
plain_numbers = st.integers(0, 10**7).map(lambda n: f"{n // 1000}.{n % 1000:03}")
quoted = texts.map(json.dumps)
odd = st.sampled_from(("null", "true", "false", "[]", "{}", '[{"a":null}]', '{"":[1.50,"x"]}'))
anything = st.one_of(numbers.filter(lambda n: n != "12."), quoted, odd)
typical = {
    "ph": st.sampled_from([f'"{p}"' for p in "XXXXXiIBEbnestfCMRSFTpNOD(?"]),
    "name": quoted, "cat": quoted, "pid": st.sampled_from(("1", "2", '"1"')),
    "tid": st.sampled_from(("1", "2", '"one"')), "ts": plain_numbers, "dur": plain_numbers,
    "id": st.sampled_from(("1", '"0x1"')), "s": st.sampled_from(('"t"', '"g"')),
    "bp": st.just('"e"'),
    "args": st.sampled_from(("{}", '{"a":1.50,"b":[null]}', '{"value":7}')),
}  # fmt: skip


@st.composite
def event(draw: st.DrawFn) -> str:
    """An event that is mostly as they are, with a few values that are not."""
    keys = draw(st.sets(st.sampled_from(sorted(typical)), min_size=5)) | {"ph", "ts"}
    members = {key: draw(typical[key]) for key in sorted(keys)}
    for key in draw(st.lists(st.sampled_from((*typical, "tts", "id2", "")), max_size=2)):
        members[key] = draw(anything)
    return "{" + ",".join(f"{json.dumps(key)}:{value}" for key, value in members.items()) + "}"


def as_multiset(text: str) -> Counter[str]:
    document = json.loads(text, parse_float=str, parse_int=str)
    events = document["traceEvents"] if isinstance(document, dict) else document
    return Counter(json.dumps(event, sort_keys=True) for event in events)


def round_trip(text: str, folder: Path) -> str:
    source, db = folder / "t.json", folder / "w.duckdb"
    source.write_text(text)
    (outcome,) = import_paths([source], db=db, options=Options(format="chrome", jobs=1))
    assert outcome.error is None
    assert outcome.committed is not None and "truncated" not in outcome.committed.problems
    with database.Reader(db) as reader:
        return export_chrome(reader.connection, folder / "again.json").path.read_text()


def check(events: list[str]) -> None:
    text = '{"a":[1.50],"traceEvents":[' + ",\n".join(events) + '],"b":null}'
    with tempfile.TemporaryDirectory() as folder:
        again = round_trip(text, Path(folder))

    assert as_multiset(again) == as_multiset(text)
    document: dict[str, Any] = json.loads(again)
    assert (document["a"], document["b"]) == ([1.5], None)


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(event(), min_size=5, max_size=40))
def test_any_events_come_back_equal(events: list[str]) -> None:
    check(events)


@pytest.mark.slow
@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(event(), min_size=5, max_size=60))
def test_very_many_events_come_back_equal(events: list[str]) -> None:
    check(events)


@pytest.mark.integration
@pytest.mark.parametrize(
    "key", ["name", "id", "ts", *map(slow, ("cat", "ph", "pid", "tid", "s", "bp", "dur"))]
)
def test_one_odd_value_among_plain_ones_comes_back_equal(key: str) -> None:
    plain = {"ph": '"X"', "name": '"n"', "pid": "1", "tid": "1", "ts": "1.125", "dur": "2.500"}
    odd_values = [
        "5", "-0", "1.50", "1e3", "null", "true", "[]", '{"a":1}', '"5"', '"true"', '"null"', '""',
        '"{}"', '"\\u0000"',
    ]  # fmt: skip
    phases = ('"X"', '"i"', '"s"', '"f"')

    check([
        "{" + ",".join(f'"{k}":{v}' for k, v in {**plain, "ph": phase, key: value}.items()) + "}"
        for value in odd_values for phase in phases
    ] + ["{" + ",".join(f'"{k}":{v}' for k, v in plain.items()) + "}"] * 60)  # fmt: skip
