"""What the shell offers while one types."""

from __future__ import annotations

import pytest

from tests.support.sharing import GPU, WarehouseCache
from warehouse.query import session
from warehouse.shell import completion
from warehouse.shell.completion import Vocabulary


@pytest.fixture(scope="module")
def words(imported_files: WarehouseCache) -> Vocabulary:
    path = imported_files(("gpu run", GPU[1]))
    with session.opened(session.Place(path)) as opened:
        return completion.vocabulary(opened)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (".sch", "schema"),
        (".schema sli", "slice"),
        (".run util", "utilization"),
        (".run utilization_over_time bu", "bucket_ns="),
        (".explain over", "overlap"),
        (".format js", "json"),
        (".scope ra", "rank="),
        (".scope run=g", "gpu run"),
        (".scope run=la", "latest"),
        ("SELECT * FROM gpu_", "gpu_op"),
        ("SELECT * FROM slice JOIN tr", "track"),
        ("SELECT * FROM util", "utilization()"),
        ("SELECT * FROM utilization_over_time(", "p_bucket_ns := "),
        ("SELECT * FROM slice WHERE cat", "category"),
        ("SELECT * FROM slice AS s WHERE s.par", "parent_id"),
        ("SELECT * FROM slice s JOIN thread t ON t.ti", "tid"),
        ("SELECT busy FROM utilization() AS u WHERE u.bu", "busy_ns"),
        ("SELECT * FROM slice, ga", None),
        ("SELECT * FROM slice, gpu_op", "gpu_op_cause"),
        ("sel", "select"),
        ("SEL", "SELECT"),
        ("SELECT 'FROM sli", None),
    ],
)
def test_names_that_fit_are_offered(words: Vocabulary, typed: str, offered: str | None) -> None:
    texts = [each.text for each in completion.candidates(typed, words)]
    if offered is None:
        assert texts == []
    else:
        assert offered in texts


def test_a_candidate_replaces_what_was_typed_and_says_what_it_is(words: Vocabulary) -> None:
    (found,) = [c for c in completion.candidates("SELECT dur FROM slice WHERE du", words)
                if c.text == "dur"]  # fmt: skip
    assert found.length == 2
    assert found.meaning.startswith("[ns]")


def test_without_a_warehouse_there_are_still_keywords() -> None:
    assert [c.text for c in completion.candidates("SELE", Vocabulary())] == ["SELECT"]
