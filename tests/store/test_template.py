"""The content of an empty warehouse is kept between commands, and only whole content is used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from warehouse.store import migrate, template

CONTENT = b"an empty warehouse" * 100


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    """What was built while the test ran, with an empty cache folder."""
    built: list[bytes] = []

    def build() -> bytes:
        built.append(CONTENT)
        return CONTENT

    monkeypatch.setattr(template, "_build", build)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    template.forget()
    yield built
    template.forget()


def content_in_a_new_process() -> bytes:
    template.forget()
    return template.content()


def test_a_second_process_builds_nothing(built: list[bytes], tmp_path: Path) -> None:
    assert [content_in_a_new_process() for _ in range(3)] == [CONTENT] * 3

    assert len(built) == 1
    assert [path.parent.name for path in tmp_path.rglob("empty-*")] == ["tw"]


@pytest.mark.parametrize("damage", [
    lambda stored: b"", lambda stored: stored[:-1], lambda stored: stored[:40],
    lambda stored: bytes([stored[0] ^ 1]) + stored[1:],
    lambda stored: stored[:-6] + bytes([stored[-6] ^ 1]) + stored[-5:],
])  # fmt: skip
def test_damaged_content_is_built_again(built: list[bytes], tmp_path: Path, damage: object) -> None:
    assert callable(damage)
    content_in_a_new_process()
    (kept,) = tmp_path.rglob("empty-*")
    whole = kept.read_bytes()
    kept.write_bytes(damage(whole))

    assert content_in_a_new_process() == CONTENT

    assert (len(built), kept.read_bytes()) == (2, whole)


def test_a_cache_folder_that_cannot_be_written_is_no_problem(
    built: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))

    assert content_in_a_new_process() == CONTENT


def test_without_a_home_folder_nothing_is_kept(
    built: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", no_home)

    assert content_in_a_new_process() == CONTENT


def test_another_schema_is_kept_in_another_file(
    built: list[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    content_in_a_new_process()
    monkeypatch.setattr(migrate, "migrations", lambda: ())

    content_in_a_new_process()

    assert len(list(tmp_path.rglob("empty-*"))) == 2
