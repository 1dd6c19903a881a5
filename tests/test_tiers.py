"""What the default suite leaves to `-m integration` and `-m slow` has a default test beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import pytest

from tests.conftest import COLLECTED, TIERS, without_deselected
from tests.support.sharing import integration, slow


def is_default(item: pytest.Item) -> bool:
    return not any(item.get_closest_marker(tier) for tier in TIERS)


def is_marked_as_a_whole(item: pytest.Item) -> bool:
    of_function = getattr(getattr(item, "obj", None), "pytestmark", [])
    of_file = [mark for parent in item.listchain()[:-1] for mark in parent.own_markers]
    return any(mark.name in TIERS for mark in [*of_function, *of_file])


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


def needs_recordings(item: pytest.Item) -> bool:
    return "data_dir" in getattr(item, "fixturenames", ())


def test_every_file_has_a_default_test(collected: Sequence[pytest.Item]) -> None:
    """Except files that say of themselves that they only judge recordings kept elsewhere."""
    files = defaultdict(list)
    for item in collected:
        files[item.path].append(item)
    left = [path for path, items in files.items() if not any(map(is_default, items))]
    for path in left:
        assert "pytestmark = pytest.mark.integration  # all of it on recordings" in path.read_text()
        assert any(map(needs_recordings, files[path])), path


@pytest.mark.parametrize(
    ("tiers", "is_whole", "ids"),
    [
        ([*TIERS], False, ["a", "d"]),
        (["slow"], False, ["a", "b", "d"]),
        (["slow"], True, ["a"]),
    ],
)
def test_values_of_other_tiers_are_not_collected(
    tiers: list[str], is_whole: bool, ids: list[str]
) -> None:
    every = pytest.mark.parametrize("n", [1, integration(2), slow(3), 4], ids=["a", "b", "c", "d"])

    kept = without_deselected(every.mark, tiers, is_whole)

    assert kept.kwargs["ids"] == ids
    assert [getattr(each, "values", (each,))[0] for each in kept.args[1]] == [
        " abcd".index(each) for each in ids
    ]
