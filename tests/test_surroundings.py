"""Hostile surroundings: a full or read-only disk, no home, no terminal, files that change."""

from __future__ import annotations

import io
import os
import pwd
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.disks import small_disk
from tests.support.sharing import GPU, KINETO, WarehouseCache, integration, slow
from warehouse.store import integrity

if TYPE_CHECKING:
    from tests.conftest import Tw

How = Callable[[Path], None]
DISK_BYTES = 10 << 20  # a warehouse of one small trace, and little more
RANK = KINETO / "ddp_two_ranks" / "rank0.json.gz"


@pytest.fixture
def disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, imported_files: WarehouseCache
) -> Iterator[Path]:
    """A file system of its own, with a warehouse; the current folder."""
    with small_disk(tmp_path, DISK_BYTES) as folder:
        imported_files.copy(folder / "traces.duckdb", GPU)
        yield folder
        os.chdir(tmp_path)


def fill(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            return


def make_read_only(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)


WRITING = [("export", "perfetto"), ("tag", "x"), ("backup", "b.duckdb")]
MORE: list[tuple[str, ...]] = [
    ("import", str(RANK)),
    ("export", "parquet"),
    ("vacuum",),
    ("link",),
    ("query", "traces", "-o", "t.parquet"),
    ("drop", "--run", "gpu", "--yes"),
    ("import", str(RANK), "--db", "new.duckdb"),
    ("queries", "new", "own"),
    ("import", "--inbox", str(RANK.parent)),
    ("schedule", "add", "s", "--cron", "0 6 * * *", "--query", "traces", "-o", "s.csv"),
]
#: Written by the same means as others.
ALIKE = [
    ("export", "xlsx"),
    ("export", "html"),
    ("export", "chrome"),
    ("query", "traces", "-o", "t.csv"),
    ("query", "traces", "-o", "t.xlsx"),
    ("query", "traces", "-o", "t.html"),
]
DISKS = [
    *((each, fill) for each in WRITING),
    *(integration(each, make_read_only) for each in WRITING),
    *(slow(each, how) for each in MORE for how in (fill, make_read_only)),
    *(slow(each, how) for each in ALIKE for how in (fill, make_read_only)),
]


@pytest.mark.parametrize(("arguments", "how"), DISKS)
def test_a_disk_that_takes_nothing_is_one_sentence(
    tw: Tw, disk: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], how: How
) -> None:
    monkeypatch.chdir(disk)
    how(disk)
    before = sorted(disk.iterdir())

    ran = tw(*arguments)

    reason = "No space left on device" if how is fill else "Read-only file system"
    assert ran.code in (1, 3), ran
    assert ran.errors
    assert all(reason in each for each in ran.errors)
    assert "report" not in ran.err
    assert sorted(disk.iterdir()) == before
    assert integrity.check(disk / "traces.duckdb").broken == ()


def test_a_read_only_disk_is_read(tw: Tw, disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(disk)
    make_read_only(disk)

    assert tw("query", "-c", "SELECT count(*) FROM trace", "--format", "csv").out.endswith("\n1\n")
    assert tw("backup", disk.parent / "b.duckdb").code == 0


@pytest.mark.parametrize(
    "arguments",
    [("runs",), *map(integration, [("query", "traces"), ("shell",), ("config", "show")])],
    ids=" ".join,
)
def test_a_user_without_home_has_all_commands(
    tw: Tw,
    monkeypatch: pytest.MonkeyPatch,
    imported_files: WarehouseCache,
    arguments: tuple[str, ...],
) -> None:
    """As in a container that runs under a user id of its own."""

    def unknown(_: int) -> pwd.struct_passwd:
        raise KeyError

    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.setenv("TW_DB", str(imported_files.file(GPU)))
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT 1;"))

    assert tw(*arguments).code == 0


def test_a_path_of_an_unknown_home_is_refused(tw: Tw, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: int) -> pwd.struct_passwd:
        raise KeyError

    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    Path("tw.toml").write_text('db = "~/traces.duckdb"\n')

    ran = tw("runs")

    assert (ran.code, ran.errors) == (2, ["Error: the home folder in ~/traces.duckdb is unknown"])


@pytest.mark.integration
def test_an_empty_environment_is_enough(imported_files: WarehouseCache, tmp_path: Path) -> None:
    """No HOME, no TERM, no LANG: names that are not ASCII are still printed."""
    program = "from warehouse.cli import main; main()"
    command = ("query", "-c", "SELECT 'ü' AS a", "--db", str(imported_files.file(GPU)))
    ran = subprocess.run(
        [sys.executable, "-c", program, *command],
        env={"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True, check=False, cwd=tmp_path,
    )  # fmt: skip

    assert (ran.returncode, "ü" in ran.stdout.decode()) == (0, True), ran.stderr


def test_a_current_folder_that_was_deleted_is_one_sentence(
    tw: Tw, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    ran = tw("runs")

    assert (ran.code, ran.errors) == (1, ["Error: No such file or directory"])
    os.chdir(tmp_path)
