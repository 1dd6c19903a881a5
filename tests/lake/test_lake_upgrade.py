"""A lake of an older schema version gets the rows that a warehouse of it would get."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import Tw
from tests.lake.test_lake_compact import rows_of
from tests.lake.test_lake_import import aged
from warehouse.lake import compact, tables, upgrade, upkeep
from warehouse.lake.layout import Lake
from warehouse.lake.reader import LakeReader
from warehouse.store import migrate, template
from warehouse.store.migrate import Migration

NEXT = """
ALTER TABLE slice ADD COLUMN doubled BIGINT;
UPDATE slice SET doubled = 2 * dur;
COMMENT ON COLUMN slice.doubled IS '[ns] twice the duration';
"""


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """Adds a version to the schema."""

    def forget() -> None:
        tables.tables.cache_clear()
        template.forget()

    def add() -> int:
        known = migrate.migrations()
        version = migrate.latest_version() + 1
        numbered = [each for each in known if each.version is not None]
        others = [each for each in known if each.version is None]
        every = (*numbered, Migration(version, "next", NEXT), *others)
        monkeypatch.setattr(migrate, "migrations", lambda: every)
        forget()
        return version

    yield add
    monkeypatch.undo()
    forget()


@pytest.mark.integration
@pytest.mark.parametrize("is_compacted", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_rows_are_migrated(
    tw: Tw, synced: tuple[Path, Path], newer: Callable[[], int], is_compacted: bool
) -> None:
    _, lake = synced
    if is_compacted:
        compact.compact(lake)
    before = rows_of(lake)
    version = newer()
    refused = tw("query", "op_summary", "--lake", lake)

    done = tw("lake", "upgrade", lake)

    assert (refused.code, "has an older schema" in refused.err) == (3, True)
    assert "tw lake upgrade" in refused.err
    assert (done.code, f"to {version}: 2 traces" in done.err) == (0, True)
    after = rows_of(lake)
    assert {name: rows[0] for name, rows in after.items()} == {
        name: rows[0] for name, rows in before.items()
    }
    same = {name for name, rows in after.items() if rows == before[name]}
    assert after.keys() - same == {"slice"}
    with LakeReader(lake) as reader:
        found = reader.connection.execute(
            "SELECT count(*) FILTER (doubled IS DISTINCT FROM 2 * dur), count(DISTINCT trace_id) "
            "FROM lake.slice"
        ).fetchall()
    assert found == [(0, 2)]
    assert upkeep.check(lake).findings == []
    aged(lake, 7200)
    upkeep.vacuum(lake, 3600)
    assert rows_of(lake) == after
    assert not list((lake / "_commit").glob("*"))
    assert "already" in tw("lake", "upgrade", lake).err


class Killed(BaseException):
    """The end of the process."""


@pytest.mark.integration
def test_an_upgrade_that_was_killed_continues(
    synced: tuple[Path, Path], newer: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, lake = synced
    described = (lake / "lake.json").read_bytes()
    newer()
    trace = upgrade._Upgrade.trace

    def killed(self: upgrade._Upgrade, commit: object) -> None:
        if getattr(commit, "trace_id", 0) == 2:
            raise Killed
        trace(self, commit)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(upgrade._Upgrade, "trace", killed)
        with pytest.raises(Killed):
            upgrade.upgrade(lake)
    assert (lake / "lake.json").read_bytes() == described

    assert upgrade.upgrade(lake).n_traces == 1

    assert sorted(Lake.open(lake).trace_commits()) == [1, 2]
    assert upkeep.check(lake).findings == []


def test_a_lake_of_this_version_is_left(tw: Tw, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    Lake.open_or_create(lake)

    done = tw("lake", "upgrade", lake)

    assert (done.code, "already" in done.err) == (0, True)
    assert [path.name for path in lake.iterdir()] == ["lake.json"]
