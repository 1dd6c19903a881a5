"""Every event of a document is found, however it is laid out and wherever a block ends."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tw_importers.trace_event import split
from tw_importers.trace_event.repair import Repairer
from tw_importers.trace_event.split import Chunk, Splitter, decode
from warehouse.errors import CorruptTrace

TRICKY = ("}, {", "},\n  {", '"traceEvents": [', "]", '\\"', "\\", "é", "\u2028", "𝄞", "\0", "\n")

texts = st.lists(st.sampled_from((*TRICKY, "a", "kernel<float>")), max_size=3).map("".join)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
events = st.dictionaries(
    st.sampled_from(("ph", "name", "cat", "args", "ts", "dur", "x")), values, max_size=4
)
layouts = st.sampled_from((
    {"separators": (",", ":")}, {}, {"indent": 1}, {"indent": "\t"},
    {"ensure_ascii": False}, {"separators": (" ,\r\n ", " :  ")},
))  # fmt: skip


class Dribble(io.BytesIO):
    """Gives less than was asked for, as pipes do."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(random.Random(self.tell()).randint(1, max(1, size or 1)))


def cut(
    data: bytes, monkeypatch: pytest.MonkeyPatch, block: int
) -> tuple[list[Any], Splitter[Chunk]]:
    monkeypatch.setattr(split, "BLOCK_BYTES", block)
    splitter = Splitter(io.BytesIO(data), Repairer(), decode)
    found = [json.loads(bytes(text)) for chunk in splitter for text in chunk.texts]
    return found, splitter


@pytest.fixture(scope="module")
def patch() -> Any:
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield monkeypatch


@settings(max_examples=80, deadline=None)
@given(
    st.lists(events, max_size=6), layouts, st.integers(1, 200),
    st.dictionaries(texts.filter(lambda key: key != "traceEvents"), values, max_size=3),
    st.dictionaries(texts.filter(lambda key: key != "traceEvents"), values, max_size=3),
)  # fmt: skip
def test_any_events_in_any_layout_come_out_equal_for_any_block_size(
    patch: pytest.MonkeyPatch,
    expected: list[Any],
    layout: dict[str, Any],
    block: int,
    before: dict[str, Any],
    after: dict[str, Any],
) -> None:
    document = {"before": before, "traceEvents": expected, "after": after}
    data = json.dumps(document, **layout).encode()

    found, splitter = cut(data, patch, block)

    assert found == expected
    assert json.loads(splitter.metadata) == {**document, "traceEvents": []}
    assert splitter.repairer.problems == {}


@settings(max_examples=60, deadline=None)
@given(st.lists(events, max_size=6), layouts, st.integers(1, 200))
def test_a_bare_array_may_lack_its_closing_bracket(
    patch: pytest.MonkeyPatch, expected: list[Any], layout: dict[str, Any], block: int
) -> None:
    data = json.dumps(expected, **layout).encode().rstrip(b"]\n \t")

    if expected:
        found, splitter = cut(data, patch, block)

        assert found == expected
        assert splitter.repairer.problems == {}


@settings(max_examples=60, deadline=None)
@given(st.lists(events, min_size=1, max_size=6), layouts, st.integers(1, 200), st.data())
def test_a_truncated_file_gives_every_complete_event(
    patch: pytest.MonkeyPatch,
    expected: list[Any],
    layout: dict[str, Any],
    block: int,
    data: st.DataObject,
) -> None:
    text = json.dumps({"traceEvents": expected}, **layout).encode()
    end = data.draw(st.integers(text.index(b"[") + 1, text.rindex(b"]")))
    whole = []  # events whose closing brace lies before the cut
    whole_end = text.index(b"[") + 1
    decoder, rest = json.JSONDecoder(strict=False), text.decode()
    at = rest.index("[") + 1
    for event in expected:
        at = rest.index("{", at)
        at = decoder.raw_decode(rest, at)[1]
        if len(rest[:at].encode()) <= end:
            whole.append(event)
            whole_end = len(rest[:at].encode())

    found, splitter = cut(text[:end], patch, block)

    assert found == whole
    is_cut = bool(text[whole_end:end].strip(b", \t\r\n"))
    assert set(splitter.repairer.problems) == {"truncated" if is_cut else "unclosed"}


@pytest.mark.parametrize("block", [1, 2, 7, 64, 4096])
def test_short_reads_are_no_end(block: int, patch: pytest.MonkeyPatch) -> None:
    expected = [{"ph": "X", "ts": n, "args": {"a": [{"name": "}, {"}]}} for n in range(50)]
    patch.setattr(split, "BLOCK_BYTES", block)

    splitter = Splitter(Dribble(json.dumps({"traceEvents": expected}).encode()), Repairer(), decode)

    assert [json.loads(bytes(t)) for chunk in splitter for t in chunk.texts] == expected


@pytest.mark.parametrize("block", [3, 50, 100_000])
def test_an_event_may_be_larger_than_a_block(block: int, patch: pytest.MonkeyPatch) -> None:
    nested = [{"name": "}, {", "args": [{"id": n}]} for n in range(40 if block <= 50 else 3000)]
    expected = [{"ph": "X"}, {"ph": "X", "args": {"list": nested}}, {"ph": "i"}]

    found, splitter = cut(json.dumps({"traceEvents": expected}).encode(), patch, block)

    assert found == expected
    assert splitter.repairer.problems == {}


@pytest.mark.parametrize("block", [10, 1000, 100_000])
def test_the_last_events_may_begin_unlike_the_first(block: int, patch: pytest.MonkeyPatch) -> None:
    expected = [{"ph": "X", "n": n} for n in range(20)]
    expected += [{"a": n, "b": [{}, {}]} for n in range(20)]

    found, splitter = cut(json.dumps({"traceEvents": expected}).encode(), patch, block)

    assert found == expected
    assert splitter.repairer.problems == {}


@pytest.mark.parametrize("head", [
    '{"inner": {"traceEvents": [{"ph": "no"}]}, "traceEvents": [',
    '{"text": "\\"traceEvents\\": [", "traceEvents": [',
    '{"a\\"traceEvents": [1], "traceEvents": [',
    '{"list": ["traceEvents", [{"traceEvents": [2]}]], "traceEvents"  \n :\n\n [',
    '\ufeff\r\n {"traceEvents":[',
])  # fmt: skip
@pytest.mark.parametrize("block", [1, 5, 4096])
def test_only_the_documents_own_array_counts(
    head: str, block: int, patch: pytest.MonkeyPatch
) -> None:
    found, _ = cut((head + '{"ph":"X"}]}').encode(), patch, block)

    assert found == [{"ph": "X"}]


@pytest.mark.parametrize("text", [
    '{"traceEvents": []}', '{"a":1,"traceEvents":[ ],"b":[{},{}]}', "[]", "[ \n]", "[",
])  # fmt: skip
def test_a_document_without_events_is_none_the_worse(text: str, patch: pytest.MonkeyPatch) -> None:
    found, splitter = cut(text.encode(), patch, 4)

    assert found == []
    assert splitter.repairer.problems == {}


@pytest.mark.parametrize("text", ["", "{}", '{"a": 1}', '{"traceEvents": null}', "nonsense", "\0"])
def test_what_has_no_array_of_events_is_refused(text: str, patch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CorruptTrace, match="traceEvents array not found"):
        cut(text.encode(), patch, 4)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('{"ph":"X"}\n{"ph":"X"}\n', "jq -s"),
        ('{"ph":"X"}\r\n{"ph":"X"}', "jq -s"),
        ('{"ph":"X"}\n', "may not be a trace"),
        ('{"a":{"b":1},\n"c":2}', "may not be a trace"),
    ],
)
def test_json_lines_are_named_in_the_remedy(
    text: str, hint: str, patch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CorruptTrace) as failure:
        cut(text.encode(), patch, 64)

    assert hint in (failure.value.hint or "")


def test_offsets_count_from_the_start_of_the_file(patch: pytest.MonkeyPatch) -> None:
    good = '{"ph":"X","name":"é"},\n'
    text = '{"m":1,"traceEvents":[' + good * 9 + '{"ph":NaN},{"ph":"X"}]}'

    for block in (1, 10, 33, 5000):
        _, splitter = cut(text.encode(), patch, block)

        (problem,) = splitter.repairer.problems.values()
        assert problem.kind == "non_finite_number"
        assert problem.offset == text.encode().index(b'{"ph":NaN}')


@pytest.mark.parametrize("entry", [5, None, "x", [1], True])
@pytest.mark.parametrize("block", [7, 100_000])
def test_entries_that_are_not_objects_are_skipped_and_counted(
    entry: object, block: int, patch: pytest.MonkeyPatch
) -> None:
    events = [{"ph": "X", "ts": 1}, {"ph": "i", "ts": 2}]

    for entries in ([entry], [*events, entry], [entry, *events], [events[0], entry, events[1]]):
        data = json.dumps({"traceEvents": entries, "more": 1}).encode()
        found, splitter = cut(data, patch, block)

        assert found == [each for each in entries if isinstance(each, dict)]
        problems = splitter.repairer.problems
        assert {kind: each.count for kind, each in problems.items()} == {
            ("null_entry" if entry is None else "not_an_event"): 1
        }
        assert json.loads(splitter.metadata)["more"] == 1


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ('"traceEvents":[{"ph":"i"},{"ph":"e"}]', 2),
        ('"a":{"traceEvents":[1]},"traceEvents" : [ {"n":[{}]} ],"b":[],"traceEvents":[1,2]', 3),
        ('"traceEvents":[],"a":["traceEvents"],"b":"traceEvents"', 0),
    ],
)
@pytest.mark.parametrize("block", [7, 100_000])
def test_events_of_a_second_array_are_counted(
    rest: str, expected: int, block: int, patch: pytest.MonkeyPatch
) -> None:
    text = f'{{"traceEvents":[{{"ph":"X"}}],{rest}}}'
    found, splitter = cut(text.encode(), patch, block)

    assert found == [{"ph": "X"}]
    problems = splitter.repairer.problems
    assert {kind: each.count for kind, each in problems.items()} == (
        {"second_array": expected} if expected else {}
    )
    if expected:
        place = text[problems["second_array"].offset :]
        assert place[0] == "[" and text.index(place) > text.index("]")


def test_a_second_document_in_the_file_is_reported(patch: pytest.MonkeyPatch) -> None:
    for text in ('[{"ph":"X"}][{"ph":"Y"}]', '[{"ph":"X"}] {"ph":"Y"}'):
        found, splitter = cut(text.encode(), patch, 5)

        assert found == [{"ph": "X"}]
        assert set(splitter.repairer.problems) == {"trailing_text"}
