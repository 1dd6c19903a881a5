"""Packages and folders of queries that are broken or hostile: the rest of the program works."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.sharing import GPU, KINETO, WarehouseCache
from warehouse import plugins
from warehouse.ingest import formats
from warehouse.library import library

if TYPE_CHECKING:
    from tests.conftest import Tw

ENTRY_POINTS = """
[trace_warehouse.importers]
raising = tw_evil.raising:X
exiting = tw_evil.exiting:X
other = tw_evil:NUMBER
gone = tw_evil.gone:X
kineto = tw_evil.raising:X
[trace_warehouse.exports]
perfetto = tw_evil.exiting:X
[trace_warehouse.commands]
export.exiting = tw_evil.exiting:X
export.raising = tw_evil.raising:X
export.other = tw_evil:NUMBER
[trace_warehouse.presentations]
other = tw_evil.exiting:X
[trace_warehouse.queries]
gone = tw_evil.gone:X
exiting = tw_evil.exiting:X
number = tw_evil:NUMBER
"""


@pytest.fixture
def evil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package whose modules raise or exit, and which takes names of others."""
    package, metadata = tmp_path / "site" / "tw_evil", tmp_path / "site" / "evil-1.dist-info"
    package.mkdir(parents=True)
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    (package / "__init__.py").write_text("NUMBER = 3\n")
    (package / "raising.py").write_text("raise RuntimeError('first line\\nsecond line')\n")
    (package / "exiting.py").write_text("import sys\nsys.exit(7)\n")
    monkeypatch.syspath_prepend(package.parent)
    caches = (plugins.registered, formats._formats)
    for each in caches:
        each.cache_clear()
    yield
    monkeypatch.undo()
    for name in [name for name in sys.modules if name.startswith("tw_evil")]:
        del sys.modules[name]
    for each in caches:
        each.cache_clear()


@pytest.mark.usefixtures("evil")
def test_a_broken_package_ends_only_what_is_asked_of_it(
    tw: Tw, imported_files: WarehouseCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TW_DB", str(imported_files.file(GPU)))
    ran = tw("query", "traces")
    assert ran.code == 0
    notes = [line for line in ran.err.splitlines() if line.startswith("Note: ")]
    assert [line.split(":")[1].strip() for line in notes] == [
        "gone of evil cannot be loaded", "exiting of evil cannot be loaded",
        "number of evil has no folder",
    ]  # fmt: skip

    listed = tw("export", "--help")
    assert listed.code == 0
    assert listed.out.count("Cannot be loaded.") == 3
    ran = tw("export", "exiting")
    assert (ran.code, ran.errors) == (1, ["Error: export.exiting of evil cannot be loaded: 7"])
    assert "Hint: Reinstall or remove evil." in ran.err
    ran = tw("formats", "raising")
    assert ran.errors == ["Error: raising of evil cannot be loaded: first line"]
    assert tw("formats", "kineto").code == 0  # tw's own comes first


@pytest.mark.integration
@pytest.mark.usefixtures("evil")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("import", str(GPU[1][0])), 0), (("export", "perfetto"), 0), (("--spec",), 0),
        (("queries", "list"), 0), (("formats",), 0), (("formats", "--check"), 1),
    ],
    ids=str,
)  # fmt: skip
def test_commands_work_beside_a_broken_package(
    tw: Tw, imported_files: WarehouseCache, tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    imported_files.copy(tmp_path / "traces.duckdb", ("ddp", [KINETO / "ddp_two_ranks"]))

    assert tw(*arguments).code == code


def test_files_that_are_not_queries_become_notices(tmp_path: Path) -> None:
    (tmp_path / "binary.sql").write_bytes(bytes(range(256)))
    (tmp_path / "folder.sql").mkdir()
    (tmp_path / "loop.sql").symlink_to(tmp_path / "loop.sql")
    (tmp_path / "zero.sql").symlink_to("/dev/zero")
    (tmp_path / "passwords.sql").symlink_to("/etc/passwd")
    (tmp_path / "above").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "fifo.sql")

    notices = library.load((tmp_path,)).notices

    assert sorted(notice.split(" ")[0].rpartition("/")[2] for notice in notices) == [
        "binary.sql", "fifo.sql", "folder.sql", "loop.sql", "passwords.sql", "zero.sql",
    ]  # fmt: skip
    assert all(notice.endswith(": not in the library") for notice in notices)
    assert "root:" not in "".join(notices)
