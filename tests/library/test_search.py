"""`tw queries find`: words of the field lead to the queries that answer them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.conftest import Tw
from tests.support.sharing import integration
from warehouse.library import library, search

ROOT = Path(__file__).parents[2]
SYNONYMS = tomllib.loads((ROOT / "queries" / search.FILE).read_text())


def found(*words: str) -> list[str]:
    names = [query.header.name for query in search.find(library.load(), words) if query.header]
    return names[:5]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("MFU", "mfu"),
        integration("FLOPS", "roofline"),
        integration("bottleneck", "critical_path_summary"),
        ("launch-bound", "launch_latency"),
        integration("straggler", "straggler"),
        integration("dataloader", "idle_summary"),
        integration("bubble", "idle_gap"),
        ("waste", "idle_summary"),
        ("why is my GPU idle", "idle_gap"),
        ("exposed communication", "breakdown"),
        ("slow rank", "straggler"),
        integration("memory peak", "memory_peak"),
        ("kernels", "kernel_summary"),
        ("Horovod", "collective_instance"),
        integration("JAX", "xla_op_summary"),
        integration("XPlane", "xla_op_summary"),
        integration("LTTng", "ctf_event_class"),
        integration("Sophgo", "tpu_overlap"),
    ],
)
def test_words_of_the_field_find_the_query_that_answers_them(words: str, expected: str) -> None:
    assert expected in found(words)
    assert found(*words.split()) == found(words)


@pytest.mark.slow
def test_the_name_itself_comes_first() -> None:
    wrong = [
        name
        for name, query in library.load().newest.items()
        if query.layer not in search.HELPERS and query.header and not query.header.alias_of
        if found(name.replace("_", " "))[:1] != [name]
    ]
    assert wrong == []


def test_groups_of_one_kind_of_trace_exist() -> None:
    groups = tomllib.loads((ROOT / "queries" / "groups.toml").read_text())["of_one_kind"]
    assert set(groups) <= {query.layer for query in library.load().newest.values()}


def test_queries_for_any_trace_come_first() -> None:
    assert found("launch-bound").index("launch_latency") == 0
    assert found("bottleneck")[0].startswith("critical_path")


def test_every_synonym_finds_something() -> None:
    queries = library.load()
    poor = [
        (word, phrase)
        for word, phrases in SYNONYMS.items()
        for phrase in phrases
        if not any(
            search._weight(phrase.split(), search._fields(query.header))
            for query in queries.newest.values()
            if query.header and query.layer not in search.HELPERS
        )
    ]
    assert poor == []


def test_the_best_are_printed_with_their_titles(tw: Tw) -> None:
    ran = tw("queries", "find", "busy", "--rows", "2")

    first, second = ran.out.splitlines()
    assert first.split(maxsplit=1) == ["utilization@2", "Busy share per device"]
    assert "Busy share" in second
    assert ran.err.startswith("(2 of ")
    nothing = tw("queries", "find", "xyzzy")
    assert (nothing.code, nothing.errors[0]) == (2, "Error: no query matches 'xyzzy'")


def test_an_unknown_name_is_answered_by_what_its_words_find(tw: Tw) -> None:
    assert "\nHint: Related queries: roofline, " in tw("query", "flops").err


def test_the_list_is_grouped_and_leaves_helpers_out(tw: Tw) -> None:
    listed, everything = (tw("queries", "list", *more).out for more in ((), ("--all",)))

    assert "\n\nmemory:\n  allocation@" in listed
    assert "lib:" not in listed.splitlines()
    assert "lib:" in everything.splitlines()
    assert "link:\n" in tw("queries", "list", "--group", "link").out
