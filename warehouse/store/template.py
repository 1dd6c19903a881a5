"""The content of an empty warehouse, which every new warehouse begins as.

Running all migrations takes 0.4 s, most of it for the comments. Their result is therefore kept in
`$XDG_CACHE_HOME/tw`, in a file for each version of DuckDB and of the schema: a SHA-256 of the
content (32 bytes), then the content compressed by zlib. A file that is damaged or cannot be read or
written is ignored.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from warehouse import __version__, files
from warehouse.errors import ExportError
from warehouse.store import migrate

if TYPE_CHECKING:
    from concurrent.futures import Future

#: The oldest storage format that supports the schema, for compatibility with other DuckDB clients.
STORAGE_VERSION = "v1.5.0"
_DIGEST_BYTES = hashlib.sha256().digest_size


def expect() -> None:
    """Starts building the content in a thread, while the caller reads the input."""
    _future()


def content() -> bytes:
    """Returns an empty warehouse; raises duckdb.Error or OSError."""
    try:
        return _future().result()
    except BaseException:
        _future.cache_clear()  # the next attempt may succeed
        raise


def forget() -> None:
    """Builds the content again for the next warehouse: the schema changed."""
    _future.cache_clear()


@cache
def _future() -> Future[bytes]:
    """Gets the content in a thread, once per process."""
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(1)
    future = pool.submit(_kept_or_built)
    pool.shutdown(wait=False)
    return future


def _kept_or_built() -> bytes:
    path = _path()
    found = _read(path) if path else None
    if found is None:
        found = _build()
        if path:
            _keep(path, found)
    return found


def _path() -> Path | None:
    """Returns the file that keeps the content; None where the user has no cache folder."""
    key = hashlib.sha256(f"{__version__} {duckdb.__version__} {STORAGE_VERSION}".encode())
    for migration in migrate.migrations():
        key.update(f" {migration.name} {migration.sha256}".encode())
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # no home folder
        return None
    return Path(base, "tw", f"empty-{key.hexdigest()[:16]}")


def _read(path: Path) -> bytes | None:
    try:
        stored = path.read_bytes()
        found = zlib.decompress(stored[_DIGEST_BYTES:])
    except (OSError, zlib.error):
        return None
    is_whole = hashlib.sha256(found).digest() == stored[:_DIGEST_BYTES]
    return found if is_whole else None


def _keep(path: Path, found: bytes) -> None:
    with suppress(OSError, ExportError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with files.whole_file(path) as file:
            file.write(hashlib.sha256(found).digest() + zlib.compress(found, 1))


def _build() -> bytes:
    with tempfile.TemporaryDirectory(prefix="tw-new-") as folder:
        path = f"{folder}/new.duckdb".replace("'", "''")
        connection = duckdb.connect()
        try:
            connection.execute(
                f"ATTACH '{path}' AS warehouse (STORAGE_VERSION '{STORAGE_VERSION}')"
            )
            connection.execute("USE warehouse")
            migrate.upgrade(connection)
            connection.execute("USE memory")
            connection.execute("DETACH warehouse")
        finally:
            connection.close()
        return Path(folder, "new.duckdb").read_bytes()
