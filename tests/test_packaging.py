"""What a built package holds: everything the program needs, under two names and no others."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tw_importers.trace_event import build_reader, native

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").exists(), reason="not in a source tree"
)


def build(source: Path, target: str, place: Path) -> Path:
    """Builds without an index: hatchling comes with the extra `test`."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(place)],
        cwd=source, check=True, capture_output=True, timeout=120,
        env={**os.environ, "CFLAGS": "-O0"},
    )  # fmt: skip
    (built,) = place.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as an index would build it: from the source archive."""
    archive = build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))
    place = tmp_path_factory.mktemp("source")
    with tarfile.open(archive) as tar:
        tar.extractall(place)  # our own; 3.11.2 knows no filter
    (source,) = place.iterdir()
    return build(source, "wheel", tmp_path_factory.mktemp("wheel"))


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def files_below(folder: str, as_folder: str) -> set[str]:
    return {
        f"{as_folder}/{path.relative_to(ROOT / folder).as_posix()}"
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_holds_every_file_of_the_program(wheel: Path) -> None:
    assert names(wheel) == (
        files_below("warehouse", "warehouse")
        | files_below("importers/tw_importers", "tw_importers")
        | files_below("schema", "warehouse/schema")
        | files_below("queries", "warehouse/queries")
    )


def test_the_wheel_takes_two_top_level_names(wheel: Path) -> None:
    """`schema` and `queries` are packages of other people."""
    assert {name.split("/")[0] for name in names(wheel)} == {"warehouse", "tw_importers"}


@pytest.mark.slow
def test_a_wheel_from_the_tree_is_the_same(wheel: Path, tmp_path: Path) -> None:
    assert names(build(ROOT, "wheel", tmp_path)) == names(wheel)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A source tree with the file that is compiled, and nothing else."""
    (tmp_path / build_reader.PACKAGE).mkdir(parents=True)
    shutil.copy(native.SOURCE, tmp_path / build_reader.PACKAGE)
    return tmp_path


@pytest.mark.parametrize(("name", "value"), [
    ("PATH", ""), ("TW_NATIVE", "0"), ("CC", "no-such-compiler"), ("CFLAGS", "--no-such-option"),
])  # fmt: skip
def test_without_a_compiler_the_package_is_pure(
    tree: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    if name != "CC":
        monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv(name, value)

    assert build_reader.build(tree) is None
    assert [path.name for path in (tree / build_reader.PACKAGE).iterdir()] == ["reader.c"]


@pytest.mark.integration
@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_a_library_is_built_once_for_its_source(tree: Path) -> None:
    library = build_reader.build(tree)
    assert library is not None
    assert native.load_from(library).reason == ""
    built = library.stat().st_mtime_ns

    assert build_reader.build(tree) == library
    assert library.stat().st_mtime_ns == built

    with (tree / build_reader.PACKAGE / "reader.c").open("a") as source:
        source.write("/* changed */")
    assert build_reader.build(tree) == library
    assert library.stat().st_mtime_ns > built


@pytest.mark.slow
def test_the_installed_program_finds_its_sql(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    program = (
        "import sys; from warehouse.resources import sql_folder; print(sql_folder('schema'));"
        "from warehouse.cli import main; sys.argv = ['tw', 'demo']; main()"
    )

    process = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip

    assert process.stdout.splitlines()[0] == str(tmp_path / "warehouse" / "schema")
    assert (tmp_path / "demo.pftrace").stat().st_size > 100_000
