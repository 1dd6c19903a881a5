"""Lakes in object storage: against moto (S3) and azurite (Azure), and the lake's own rules.

`pip install 'trace-warehouse[lake]' 'moto[server]'` and `npm install -g azurite`, then
`pytest -m object_storage tests/lake`.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import warehouse
from tests.conftest import Tw
from tests.support.sharing import DDP, GPU
from warehouse.errors import DatabaseError
from warehouse.lake import claims, object_storage, upkeep
from warehouse.lake.importing import import_paths
from warehouse.lake.layout import Lake
from warehouse.lake.location import storage_of
from warehouse.lake.object_storage import Bucket
from warehouse.lake.storage import Storage


def served(test: Callable[..., None]) -> Callable[..., None]:
    """Marks a test that needs a server."""
    marked: Callable[..., None] = pytest.mark.object_storage(pytest.mark.integration(test))
    return marked


#: The account of azurite, which is the same everywhere.
_AZURITE = (
    "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey="
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;"
    "BlobEndpoint=http://127.0.0.1:{port}/devstoreaccount1;"
)


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """A bucket of a local server, by the environment that drivers read."""
    s3fs = pytest.importorskip("s3fs", reason="s3fs (extra `lake`) is not installed")
    server_of = pytest.importorskip("moto.server", reason="moto[server] is not installed")
    server = server_of.ThreadedMotoServer(ip_address="127.0.0.1", port=free_port())
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        s3fs.S3FileSystem.clear_instance_cache()
        s3fs.S3FileSystem().mkdir("bucket")
        yield "s3://bucket"
    server.stop()


@pytest.fixture(scope="module")
def azure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A container of a local server."""
    adlfs = pytest.importorskip("adlfs", reason="adlfs (extra `lake`) is not installed")
    program = os.environ.get("AZURITE") or shutil.which("azurite-blob")
    if program is None:
        pytest.skip("azurite-blob (npm azurite) is not installed")
    port = free_port()
    place = tmp_path_factory.mktemp("azurite")
    options = ["--blobPort", str(port), "--location", str(place), "--silent"]
    command = [program, *options, "--skipApiVersionCheck"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AZURE_STORAGE_CONNECTION_STRING", _AZURITE.format(port=port))
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for _ in range(300):
                with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.1)
            adlfs.AzureBlobFileSystem.clear_instance_cache()
            opened = adlfs.AzureBlobFileSystem(
                connection_string=os.environ["AZURE_STORAGE_CONNECTION_STRING"]
            )
            opened.mkdir("container")
            yield "abfs://container"
        finally:
            server.terminate()
            server.wait()


@pytest.fixture(params=["s3", "azure"])
def place(request: pytest.FixtureRequest) -> str:
    """A new folder of a bucket or container."""
    return f"{request.getfixturevalue(request.param)}/{secrets.token_hex(4)}"


@served
def test_a_file_is_created_once_of_many_that_try(place: str) -> None:
    storage = storage_of(place)
    made: list[int] = []

    def create(number: int) -> None:
        if storage.create("_claim/a.json", str(number).encode()):
            made.append(number)

    threads = [threading.Thread(target=create, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(made) == 1
    assert storage.read("_claim/a.json") == str(made[0]).encode()
    assert not storage.create("_claim/a.json", b"later")


@served
def test_what_a_lake_needs_of_its_storage(place: str, tmp_path: Path) -> None:
    """The same of object storage as of a folder."""
    for storage in (storage_of(place), storage_of(tmp_path / "lake")):
        assert behaviour(storage) == {
            "new": (True, False, None, None, []),
            "names": ["a.json", "b.json"],
            "read": (b"2", {"_x/a.json": b"2", "_x/b.json": b"3"}),
            "entries": {("_x/a.json", 1), ("_x/b.json", 1), ("t/trace_id=1/p.parquet", 4)},
            "opened": (b"ata", 4),
            "removed": ([], None, True),
        }


def behaviour(storage: Storage) -> dict[str, object]:
    found: dict[str, object] = {}
    absent = (storage.read("_x/a.json"), storage.size("_x/a.json"), storage.names("_x"))
    found["new"] = (storage.is_new(), storage.exists(), *absent)
    before = time.time()
    storage.create("_x/a.json", b"1")
    storage.replace("_x/a.json", b"2")
    storage.replace("_x/b.json", b"3")
    found["names"] = sorted(storage.names("_x"))
    paths = ["_x/a.json", "_x/b.json", "_x/c.json"]
    found["read"] = (storage.read("_x/a.json"), storage.read_all(paths))
    with storage.adding("t/trace_id=1/p.parquet") as path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"data")
    entries = storage.entries()
    assert all(abs(entry.modified - before) < 60 for entry in entries)
    found["entries"] = {(entry.path, entry.bytes) for entry in entries}
    with storage.open("t/trace_id=1/p.parquet") as file:
        file.seek(1)
        found["opened"] = (file.read(), storage.size("t/trace_id=1/p.parquet"))
    for each in (*entries, entries[0]):  # what is absent needs no removal
        storage.remove(each.path)
    found["removed"] = (
        storage.entries(), storage.read("_x/a.json"), not storage.read_all(paths)
    )  # fmt: skip
    return found


@served
def test_a_lake_in_object_storage_has_the_rows_of_the_warehouse(
    tw: Tw, place: str, tmp_path: Path
) -> None:
    """Through sync, check, compact, vacuum and link, and with the locked connection."""
    db, other = tmp_path / "w.duckdb", f"{place}/other"
    assert tw("import", "-q", "--run", "ddp", "--db", db, *DDP[1]).code == 0
    assert tw("lake", "sync", "--db", db, place).code == 0
    expected = tw("query", "kernel_summary", "--db", db, "--format", "csv")

    assert tw("query", "kernel_summary", "--lake", place, "--format", "csv").out == expected.out
    again = tw("lake", "sync", "--db", db, place)
    assert (again.code, "0 traces written (0 B)" in again.err) == (0, True)
    assert tw("lake", "compact", place).code == 0
    assert upkeep.vacuum(place, -60).n_files > 10
    checked = tw("lake", "check", place)
    assert (checked.code, checked.out) == (0, "")
    assert not [e.path for e in storage_of(place).entries() if "/trace_id=" in e.path]
    assert tw("query", "kernel_summary", "--lake", place, "--format", "csv").out == expected.out
    for path in DDP[1]:
        assert tw("import", "-q", "--run", "ddp", "--lake", other, path).code == 0
    assert "2 traces" in tw("lake", "link", other).err
    linked = tw("query", "kernel_summary", "--lake", other, "--format", "csv")
    assert linked.out == expected.out
    with warehouse.open(lake=place) as opened, pytest.raises(warehouse.TwError):
        opened.sql(f"FROM read_text('{place}/lake.json')").rows()


@served
def test_importers_of_the_same_files_make_one_trace_each(s3: str) -> None:
    lake = f"{s3}/{secrets.token_hex(4)}"
    paths = [*DDP[1], *GPU[1]]
    program = [sys.executable, "-m", "warehouse", "import", "-q", "--lake", lake]
    started = [
        subprocess.Popen([*program, *map(str, order)], stderr=subprocess.DEVNULL)
        for order in (paths, paths[::-1])
    ]
    for process in started:
        process.wait()

    import_paths(list(paths), lake)
    commits = Lake.open(lake).trace_commits()
    assert len(commits) == len({commit.key for commit in commits.values()}) == len(paths)
    assert [each for each in upkeep.check(lake).findings if each.is_error] == []
    assert len(claims.numbers(Lake.open(lake), "trace")) == len(paths)


@served
@pytest.mark.parametrize("what", ["bucket", "key"])
def test_what_cannot_be_reached_is_one_sentence(tw: Tw, s3: str, what: str) -> None:
    lake = f"s3://absent-{secrets.token_hex(4)}/lake" if what == "bucket" else f"{s3}/absent"

    done = tw("query", "kernel_summary", "--lake", lake)

    assert (done.code, len(done.errors)) == (3, 1)
    assert lake in done.err
    assert "Hint:" in done.err


def test_an_error_of_the_driver_is_one_sentence() -> None:
    class Failing:
        def cat_file(self, path: str) -> bytes:
            raise RuntimeError(f"no route\nto {path}")

    bucket = Bucket("s3://bucket/lake", Failing())
    with pytest.raises(DatabaseError, match="s3://bucket/lake cannot be reached: no route to"):
        bucket.read("lake.json")


def test_dates_of_drivers_are_read() -> None:
    for name, value in (
        ("LastModified", "2026-11-28T00:00:00Z"),
        ("updated", "2026-11-28T00:00:00+00:00"),
        ("mtime", 1795824000),
    ):
        assert object_storage._modified({name: value}) == 1795824000
