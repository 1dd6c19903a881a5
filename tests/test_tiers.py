"""What the default suite leaves to `-m integration` and `-m slow` has a default test beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import pytest

from tests.conftest import COLLECTED

TIERS = ("integration", "slow")


def is_default(item: pytest.Item) -> bool:
    return not any(item.get_closest_marker(tier) for tier in TIERS)


def is_marked_as_a_whole(item: pytest.Item) -> bool:
    marks = [*getattr(getattr(item, "obj", None), "pytestmark", [])]
    return any(mark.name in TIERS for mark in marks)


@pytest.fixture
def collected(request: pytest.FixtureRequest) -> Sequence[pytest.Item]:
    """All tests, also those of other tiers; skips where only some files were collected."""
    items = request.config.stash[COLLECTED]
    if len({item.path for item in items}) < 50:
        pytest.skip("needs the whole suite: some files were not collected")
    return items


def test_of_every_test_with_parameters_one_runs_by_default(
    collected: Sequence[pytest.Item],
) -> None:
    left = defaultdict(list)
    for item in collected:
        if not is_marked_as_a_whole(item):
            left[item.nodeid.partition("[")[0]].append(is_default(item))
    assert [name for name, defaults in left.items() if not any(defaults)] == []


def test_every_file_has_a_default_test(collected: Sequence[pytest.Item]) -> None:
    files = defaultdict(list)
    for item in collected:
        files[item.path.name].append(is_default(item))
    assert [name for name, defaults in files.items() if not any(defaults)] == []
