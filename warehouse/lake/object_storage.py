"""A lake in object storage, through fsspec: `s3://`, `gs://` and `abfs://` (extra `lake`).

Files are created by conditional puts (S3: If-None-Match), which the storage must support. Errors of
the drivers are raised as OSError, so that callers see those of a folder.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, ParamSpec, TypeVar, cast

from warehouse.errors import DatabaseError, TwError
from warehouse.lake.storage import Entry, Storage

if TYPE_CHECKING:
    import duckdb

#: Drivers by protocol: the package of each, and how it names an object that exists already.
_DRIVERS: Final = {
    "s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "abfs": "adlfs",
    "abfss": "adlfs", "az": "adlfs",
}  # fmt: skip
#: What the error of a conditional put has in its chain of causes if the object exists.
_EXISTING: Final = ("PreconditionFailed", "ResourceExistsError", "conditionNotMet", "412")
_MODIFIED: Final = ("LastModified", "last_modified", "updated", "mtime", "created")
_Arguments = ParamSpec("_Arguments")
_Found = TypeVar("_Found")


def open_url(protocol: str, path: str) -> Storage:
    """The storage at a URL. Raises DatabaseError, also if the extra is not installed."""
    url = f"{protocol}://{path}".rstrip("/")
    if protocol not in _DRIVERS:
        raise DatabaseError(
            f"{url} cannot be a lake: {protocol}:// is not known",
            hint="Name a folder, or a URL of s3://, gs:// or abfs://.",
        )
    if "/" not in path.strip("/"):
        raise DatabaseError(
            f"{url} names no folder of a bucket or container",
            hint=f"Name one, such as {url}/lake.",
        )
    try:
        import fsspec

        # What other processes write is to be seen: no listing is kept.
        opened = fsspec.filesystem(protocol, use_listings_cache=False)
    except ImportError as error:
        raise DatabaseError(
            f"{url} is object storage, for which {_DRIVERS[protocol]} is not installed",
            hint="Install the extra: pip install 'trace-warehouse[lake]'.",
        ) from error
    except Exception as error:
        raise _unreachable(url, error) from error
    return Bucket(url, opened)


def _unreachable(url: str, error: Exception) -> DatabaseError:
    text = " ".join(str(error).split()) or type(error).__name__
    return DatabaseError(
        f"the lake {url} cannot be reached: {text[:300]}",
        hint="Check the URL, the credentials and the endpoint, as its driver documents them.",
    )


def _driven(method: Callable[_Arguments, _Found]) -> Callable[_Arguments, _Found]:
    """Raises errors of a driver as DatabaseError; FileNotFoundError passes."""

    @wraps(method)
    def call(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Found:
        try:
            return method(*args, **kwargs)
        except (FileNotFoundError, TwError):
            raise
        except Exception as error:  # each driver has exceptions of its own
            raise _unreachable(cast(Bucket, args[0]).name, error) from error

    return call


@dataclass(frozen=True)
class Bucket:
    """A folder of a bucket or container."""

    name: str
    system: Any  # fsspec.AbstractFileSystem

    def full(self, path: str) -> str:
        return f"{self.name}/{path}"

    def prepare(self, connection: duckdb.DuckDBPyConnection) -> None:
        connection.register_filesystem(self.system)

    @_driven
    def is_new(self) -> bool:
        return not self.system.find(self.name, maxdepth=1, withdirs=True)

    def exists(self) -> bool:
        return not self.is_new()

    @_driven
    def read(self, path: str) -> bytes | None:
        try:
            return cast(bytes, self.system.cat_file(self.full(path)))
        except FileNotFoundError:
            return None

    @_driven
    def read_all(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Reads them at the same time."""
        stripped = {self._stripped(path): path for path in paths}
        if not stripped:
            return {}
        if len(stripped) == 1:  # `cat` of one path returns its content
            ((_, path),) = stripped.items()
            content = self.read(path)
            return {} if content is None else {path: content}
        found = self.system.cat(list(stripped), on_error="return")
        for value in found.values():
            if isinstance(value, Exception) and not isinstance(value, FileNotFoundError):
                raise value
        return {
            stripped[name]: content for name, content in found.items() if isinstance(content, bytes)
        }

    def open(self, path: str) -> BinaryIO:
        return cast(BinaryIO, self.system.open(self.full(path), "rb"))

    @_driven
    def size(self, path: str) -> int | None:
        try:
            return int(self.system.info(self.full(path))["size"])
        except FileNotFoundError:
            return None

    @_driven
    def names(self, folder: str) -> list[str]:
        try:
            found = self.system.ls(self.full(folder), detail=False)
        except FileNotFoundError:
            return []
        return [str(path).rsplit("/", 1)[-1] for path in found]

    @_driven
    def entries(self) -> list[Entry]:
        start = len(self._stripped(""))
        found = self.system.find(self.name, detail=True)
        return [
            Entry(path[start:], int(info["size"]), _modified(info)) for path, info in found.items()
        ]

    @_driven
    def create(self, path: str, content: bytes) -> bool:
        try:
            self.system.pipe_file(self.full(path), content, mode="create")
        except FileExistsError:
            return False
        except Exception as error:
            if _is_existing(error):
                return False
            raise
        return True

    @_driven
    def replace(self, path: str, content: bytes) -> None:
        self.system.pipe_file(self.full(path), content)

    @contextmanager
    def adding(self, path: str) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="tw-lake-") as place:
            local = Path(place, "part.parquet")
            yield local
            self._put(local, path)

    @_driven
    def _put(self, local: Path, path: str) -> None:
        self.system.put_file(str(local), self.full(path))

    @_driven
    def remove(self, path: str) -> None:
        try:
            self.system.rm_file(self.full(path))
        except FileNotFoundError:
            return

    def remove_empty_folders(self, before: float) -> None:
        pass  # object storage has none

    def _stripped(self, path: str) -> str:
        """The path as the driver lists it."""
        stripped = str(self.system._strip_protocol(self.name))
        return f"{stripped}/{path}"


def _is_existing(error: BaseException) -> bool:
    """Whether a conditional put failed as the object exists."""
    chain: BaseException | None = error
    while chain is not None:
        text = f"{type(chain).__name__} {chain}"
        if any(each in text for each in _EXISTING):
            return True
        chain = chain.__cause__ or chain.__context__
    return False


def _modified(info: dict[str, Any]) -> float:
    """When an object was written, in seconds since 1970."""
    found = next((info[name] for name in _MODIFIED if info.get(name) is not None), 0.0)
    if isinstance(found, str):
        found = datetime.fromisoformat(found.replace("Z", "+00:00"))
    return found.timestamp() if isinstance(found, datetime) else float(found)
