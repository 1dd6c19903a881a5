"""What an earlier session built is taken only where nothing that went into it has changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from tests.support.sharing import BuildCache, build_once, state_of


@pytest.fixture
def program(tmp_path: Path) -> Path:
    folder = tmp_path / "program"
    (folder / "part").mkdir(parents=True)
    (folder / "part" / "a.sql").write_text("SELECT 1")
    (folder / "b.py").write_text("x = 1")
    return folder


def session(folder: Path, kept: BuildCache, name: str, made: list[str]) -> str:
    """The content of a file that a session with a folder of its own builds or takes."""

    def make(path: Path) -> None:
        made.append(name)
        path.write_text(f"{name} of {len(made)}")

    folder.mkdir(exist_ok=True)
    return build_once(folder / name, make, kept).read_text()


def test_a_second_session_takes_what_the_first_built(program: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    made: list[str] = []
    for n in range(2):
        kept = BuildCache(tmp_path / "kept", state_of([program]))
        assert session(tmp_path / f"{n}", kept, "w.duckdb", made) == "w.duckdb of 1"
    kept = BuildCache(tmp_path / "kept", state_of([program]))
    assert session(tmp_path / "2", kept, "other.duckdb", made) == "other.duckdb of 2"


def test_what_a_test_did_to_its_copy_does_not_stay(program: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    kept = BuildCache(tmp_path / "kept", state_of([program]))
    session(tmp_path / "0", kept, "w.duckdb", [])
    (tmp_path / "0" / "w.duckdb").write_text("changed")
    assert session(tmp_path / "1", kept, "w.duckdb", []) == "w.duckdb of 1"


def change_content(program: Path) -> None:
    path = program / "part" / "a.sql"
    times = path.stat()
    path.write_text("SELECT 2")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def add(program: Path) -> None:
    (program / "c.sql").touch()


def remove(program: Path) -> None:
    (program / "b.py").unlink()


def rename(program: Path) -> None:
    (program / "b.py").rename(program / "c.py")


@pytest.mark.parametrize("change", [change_content, add, remove, rename])
def test_any_change_of_a_file_builds_anew(
    program: Path, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    (tmp_path / "kept").mkdir()
    made: list[str] = []
    before = BuildCache(tmp_path / "kept", state_of([program]))
    session(tmp_path / "0", before, "w.duckdb", made)
    change(program)

    after = BuildCache(tmp_path / "kept", state_of([program]))
    assert session(tmp_path / "1", after, "w.duckdb", made) == "w.duckdb of 2"


def test_another_package_or_setting_is_another_state(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = {state_of([program])}
    monkeypatch.setenv("TW_NATIVE", "0")
    states.add(state_of([program]))
    monkeypatch.setattr(metadata, "distributions", list)
    states.add(state_of([program]))
    assert len(states) == 3


def test_compiled_modules_change_nothing(program: Path) -> None:
    before = state_of([program])
    (program / "__pycache__").mkdir()
    (program / "__pycache__" / "b.pyc").touch()
    assert state_of([program]) == before


def test_builds_of_another_state_go_after_a_while(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    os.utime(tmp_path / "old", (0, 0))
    BuildCache(tmp_path, "mine")
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
