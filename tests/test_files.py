"""Output files respect what their target is: a file, a link, a FIFO, a device, stdout, a folder."""

from __future__ import annotations

import ast
import io
import os
import random
import shutil
import stat
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.sharing import DDP, GPU, WarehouseCache, integration, slow
from tests.test_layers import modules
from warehouse import files
from warehouse.errors import ExportError
from warehouse.store import database, integrity

KILLED = """
import os, sys
from pathlib import Path
from warehouse import files
with files.whole_file(Path(sys.argv[1])) as file, files.whole_folder(Path(sys.argv[2])) as folder:
    file.write(b"half")
    (folder / "half").touch()
    os._exit(9)
"""


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def write(path: Path, content: bytes = b"new", **options: bool) -> None:
    with files.whole_file(path, **options) as file:
        file.write(content)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def read_through(fifo: Path, write_to: Callable[[Path], object]) -> bytes:
    """What arrives at the other end of a FIFO."""
    os.mkfifo(fifo)
    writer = threading.Thread(target=write_to, args=(fifo,))
    writer.start()
    content = fifo.read_bytes()
    writer.join()
    assert fifo.is_fifo()
    return content


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")
    path.chmod(0o640)

    write(path)

    assert (path.read_bytes(), mode(path)) == (b"new", 0o640)
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_keeps_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")

    with pytest.raises(ZeroDivisionError), files.whole_file(path) as file:
        file.write(b"new")
        raise ZeroDivisionError

    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_is_followed(tmp_path: Path, exists: bool) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    link, path = tmp_path / "link.csv", folder / "a.csv"
    link.symlink_to(path)
    if exists:
        path.write_text("old")

    write(link)

    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert list(folder.iterdir()) == [path]


def test_a_loop_of_links_and_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    for target in (tmp_path / "a", tmp_path):
        with pytest.raises(ExportError, match="cannot be written"):
            write(target)


@pytest.mark.parametrize("is_seeking", [False, True])
def test_a_fifo_is_written_through(tmp_path: Path, is_seeking: bool) -> None:
    found = read_through(tmp_path / "f", lambda path: write(path, is_seeking=is_seeking))

    assert found == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_a_device_is_written_through(tmp_path: Path) -> None:
    device = tmp_path / "null"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        write(device)
    except (OSError, ExportError):
        pytest.skip("devices cannot be created here")

    assert stat.S_ISCHR(device.stat().st_mode)
    assert list(tmp_path.iterdir()) == [device]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("is_seeking", [False, True])
def test_a_full_device_is_one_sentence(is_seeking: bool) -> None:
    with pytest.raises(ExportError, match="/dev/full cannot be written: No space left on device"):
        write(Path("/dev/full"), is_seeking=is_seeking)
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


@pytest.mark.parametrize("name", ["-", *map(integration, ("/dev/stdout", "/dev/fd/1"))])
def test_stdout_has_names(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown))
    write(Path(name))

    assert shown.getvalue() == b"new"


def test_new_files_follow_the_umask_and_the_warehouse(tmp_path: Path) -> None:
    warehouse = tmp_path / "w"
    warehouse.touch(0o640)
    write(tmp_path / "public")
    with files.no_more_readable(warehouse):
        write(tmp_path / "group")
        with files.whole_folder(tmp_path / "folder") as folder:
            write(folder / "group")
        os.umask(0o077)
        write(tmp_path / "private")

    found = {path.name: mode(path) for path in tmp_path.iterdir()}
    assert found == {"w": 0o640, "public": 0o644, "group": 0o640, "folder": 0o750, "private": 0o600}
    assert mode(tmp_path / "folder" / "group") == 0o640


def test_parts_of_killed_processes_are_swept_and_others_kept(tmp_path: Path) -> None:
    target, folder = tmp_path / "a.csv", tmp_path / "folder"
    killed = subprocess.run([sys.executable, "-c", KILLED, target, folder], check=False)
    assert killed.returncode == 9
    left = sorted(path.name for path in tmp_path.iterdir())
    assert [name.endswith(".tw.part") for name in left] == [True, True]
    strangers = {".notes.1-1.part", f"a.{os.getpid()}-0.tw.part"}
    for name in strangers:
        (tmp_path / name).touch()

    with files.whole_file(tmp_path / "mine") as mine:
        write(tmp_path / "other")
        mine.write(b"kept while it is written")

    assert {path.name for path in tmp_path.iterdir()} == {"mine", "other", *strangers}


def test_a_name_of_the_greatest_length_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("ü" * 127)
    write(path)

    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("name", ["\ud800", "a\0b"])
def test_a_text_that_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    """Arguments with bytes that are not UTF-8 are names: they have other halves of pairs."""
    with pytest.raises(ExportError, match="is not a name of a file"):
        write(tmp_path / name)
    write(tmp_path / "\udcff")

    assert os.listdir(os.fsencode(tmp_path)) == [b"\xff"]


def test_a_folder_is_written_neither_to_stdout_nor_over_a_file(tmp_path: Path) -> None:
    target = tmp_path / "a"
    os.mkfifo(target)
    for path, error in ((files.STDOUT, "to stdout"), (target, "(?i)exists")):
        with pytest.raises(ExportError, match=error), files.whole_folder(path):
            pass
        with pytest.raises(ExportError, match=error):
            files.make_folder(path)
    assert target.is_fifo()


def test_exports_respect_their_target(imported_files: WarehouseCache, tmp_path: Path) -> None:
    """No manifest beside a stream; manifests are as readable as their files."""
    from warehouse.api.warehouse import open_warehouse

    db = imported_files.copy(tmp_path / "w.duckdb", GPU)
    db.chmod(0o600)
    opened = open_warehouse(db)
    folder = tmp_path / "out"
    folder.mkdir()

    trace = read_through(folder / "f", opened.export_perfetto)
    opened.export_perfetto(folder / "t.pftrace")

    assert trace == (folder / "t.pftrace").read_bytes()
    found = {path.name: mode(path) for path in folder.iterdir() if not path.is_fifo()}
    assert found == {"t.pftrace": 0o600, "t.pftrace.origin.json": 0o600}


@pytest.mark.integration
def test_pages_and_workbooks_respect_their_target(
    imported_files: WarehouseCache, tmp_path: Path
) -> None:
    from warehouse.api.warehouse import open_warehouse

    db = imported_files.copy(tmp_path / "w.duckdb", GPU)
    db.chmod(0o600)
    opened = open_warehouse(db)
    opened.export_html(tmp_path / "t.html", "traces")
    workbook = read_through(tmp_path / "f", lambda path: opened.export_xlsx(path, "traces"))

    assert mode(tmp_path / "t.html") == 0o600
    assert zipfile.ZipFile(io.BytesIO(workbook)).testzip() is None


TW = (sys.executable, "-c", "from warehouse.cli import main; main()")
#: Commands, and what they leave beside the warehouse when they end.
EXPORTS = {
    "perfetto": "o.pftrace", "chrome": "o", "parquet": "o.lake", "xlsx": "o.xlsx", "html": "o.html",
}  # fmt: skip
COMMANDS: list[tuple[str, ...]] = [
    ("backup", "--force", "b.duckdb"),
    ("drop", "--run", "gpu", "--yes"),
    ("schedule", "run", "s"),
    *(("export", name, "-o", target) for name, target in EXPORTS.items()),
]


def start(db: Path, arguments: tuple[str, ...]) -> subprocess.Popen[bytes]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("TW_")}
    environment = {**kept, "TW_DB": db.name, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(
        [*TW, *arguments], cwd=db.parent, env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip


def finish(db: Path, arguments: tuple[str, ...]) -> None:
    process = start(db, arguments)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err.decode()


@pytest.mark.integration
@pytest.mark.parametrize(
    ("arguments", "n_kills"),
    [(COMMANDS[0], 1), *(slow(each, 25) for each in COMMANDS)],
)
def test_a_killed_command_leaves_a_whole_warehouse_and_the_next_run_sweeps(
    imported_files: WarehouseCache, tmp_path: Path, arguments: tuple[str, ...], n_kills: int
) -> None:
    moments = random.Random(n_kills)
    db = imported_files.copy(tmp_path / "traces.duckdb", GPU, DDP)
    if "schedule" in arguments:
        add = ("schedule", "add", "s", "--cron", "0 6 * * *", "--report", "pytorch")
        finish(db, (*add, "--output", "s.xlsx", "--run", "gpu"))
    ready = db.read_bytes()
    began = time.perf_counter()
    finish(db, arguments)
    whole_s = time.perf_counter() - began
    for _ in range(n_kills):
        restore(db, ready)
        process = start(db, arguments)
        time.sleep(moments.uniform(0.3, 1.0) * whole_s)
        process.kill()
        process.communicate()
        with database.Reader(db) as reader:
            runs = reader.connection.execute("SELECT name FROM run ORDER BY name").fetchall()
        assert runs in ([("ddp",), ("gpu",)], [("ddp",)])
        assert integrity.check(db).broken == ()
    restore(db, ready)
    finish(db, arguments)
    left = [path.name for path in tmp_path.iterdir()]
    assert not [name for name in left if name.endswith((".part", ".scratch"))]
    copies = [db, *tmp_path.glob("b.duckdb")]
    assert [integrity.check(path).broken for path in copies] == [()] * len(copies)


def restore(db: Path, content: bytes) -> None:
    """The warehouse as it was, and no folders, which are not replaced."""
    db.with_name(f"{db.name}.wal").unlink(missing_ok=True)
    db.write_bytes(content)
    for name in ("o", "o.lake"):
        shutil.rmtree(db.parent / name, ignore_errors=True)


#: Modules that create files by other means, and why they may.
ELSEWHERE = {
    "warehouse.files": "is the means",
    "warehouse.cli.standard_streams": "opens /dev/null",
    "warehouse.cli.shell_prompt": "history, private to its user",
    "warehouse.ingest.decode": "scratch folders",
    "warehouse.ingest.failures": "a log, which is only appended to",
    "warehouse.ingest.importer": "scratch folders",
    "warehouse.ingest.pipeline": "scratch folders",
    "warehouse.lake.reader": "scratch folders",
    "warehouse.lake.upgrade": "the scratch warehouse of a trace, which is deleted",
    "warehouse.library.contract": "a new query, which never replaces a file",
    "warehouse.optimize.measuring": "scratch folders",
    "warehouse.spark.cluster": "scratch folders",
    "warehouse.store.block_copies": "blocks of the warehouse, with its mode",
    "warehouse.store.copying": "the warehouse itself",
    "warehouse.store.database": "the warehouse itself",
}
METHODS = ("write_text", "write_bytes", "touch", "rename", "symlink_to", "hardlink_to")
FUNCTIONS = {"os.replace", "os.rename", "os.link", "shutil.copyfile", "shutil.move"}


def writes(tree: ast.AST) -> Iterator[int]:
    """Lines that create or rename files: `open` with a mode, methods of Path, functions of os."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        owner = called.value if isinstance(called, ast.Attribute) else None
        place = f"{owner.id}." if isinstance(owner, ast.Name) else ""
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if (
            place + name in FUNCTIONS
            or (name in METHODS and owner and place != "manifest.")
            or (name == "open" and any(map(is_writing_mode, ast.iter_child_nodes(node))))
        ):
            yield node.lineno


def is_writing_mode(argument: ast.AST) -> bool:
    value = argument.value if isinstance(argument, ast.keyword) else argument
    text = value.value if isinstance(value, ast.Constant) else None
    return isinstance(text, str) and set(text) <= set("rwxabt+") and bool(set(text) & set("wxa+"))


def test_no_other_module_creates_files() -> None:
    found = {
        name
        for name, path in modules().items()
        if (name.startswith("warehouse.") or ".export" in name)
        and any(writes(ast.parse(path.read_text())))
    }
    assert "warehouse.files" in found
    assert found <= ELSEWHERE.keys(), found - ELSEWHERE.keys()


@pytest.mark.parametrize(
    "text", ["open(p, 'w')", "p.open(mode='xb')", "p.write_text('')", "os.replace(a, b)"]
)
def test_creating_a_file_is_found(text: str) -> None:
    assert list(writes(ast.parse(text))) == [1]
    assert list(writes(ast.parse("p.open('rb'); s.replace('a', 'w')"))) == []
