"""Reads the archive of a cluster's argument values as a stream; nothing is extracted.

Members are serialized TensorProto messages, in a flat archive (`tar`, perhaps compressed).
"""

from __future__ import annotations

import hashlib
import math
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, cast

import numpy as np

from tw_importers.disc.messages import TYPES, messages, type_name
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import ByteReader

_LARGEST: int = 2 << 30  # bytes of a protobuf message
_MOST_MEMBERS = 100_000
_NUMPY = {
    1: "<f4", 2: "<f8", 3: "<i4", 4: "u1", 5: "<i2", 6: "i1", 9: "<i8", 10: "?", 17: "<u2",
    19: "<f2", 22: "<u4", 23: "<u8",
}  # fmt: skip
_BFLOAT16, _HALF = 14, 19
_TYPED = ("float_val", "double_val", "int_val", "int64_val", "bool_val", "uint32_val",
          "uint64_val", "half_val")  # fmt: skip


@dataclass(frozen=True)
class Value:
    """A member of an archive. `why`: why it is not a tensor; statistics are of numbers only."""

    member: str
    n_bytes: int  # of the tensor's values
    sha256: str  # of the member
    data_type: str | None = None
    shape: tuple[int, ...] = ()
    low: float | None = None
    high: float | None = None
    n_nan: int | None = None
    n_zero: int | None = None
    why: str | None = None


class UnreadableArchive(Exception):
    """An archive that ends too early, or is none; `kind` is that of the problem."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(why)
        self.kind = kind


class _Stream:
    """The input stream of tarfile, which also hashes all bytes."""

    def __init__(self, reader: ByteReader) -> None:
        self._reader, self.sha256, self.n_bytes = reader, hashlib.sha256(), 0

    def read(self, size: int) -> bytes:
        data = self._reader.read(size)
        self.sha256.update(data)
        self.n_bytes += len(data)
        return data

    def finish(self) -> str:
        while self.read(1 << 20):
            pass
        return self.sha256.hexdigest()


def values(stream: _Stream) -> Iterator[Value]:
    """Yields the tensors of an archive. Raises UnreadableArchive where it cannot be read on."""
    try:
        with tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r|*") as archive:
            for n, member in enumerate(archive):
                if n >= _MOST_MEMBERS:
                    raise UnreadableArchive("tar_unreadable", f"it has over {n:,} members")
                yield _member(archive, member)
    except (tarfile.TarError, EOFError, OSError) as error:
        is_empty = stream.n_bytes == 0
        kind = "tar_unreadable" if is_empty else "tar_truncated"
        raise UnreadableArchive(kind, str(error)) from None


def opened(reader: ByteReader) -> _Stream:
    """The stream that `values` reads."""
    return _Stream(reader)


def _member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Value:
    name = member.name
    if not member.isfile() or "/" in name or name in (".", ".."):
        return Value(name, 0, "", why="not a regular file of a flat archive; skipped")
    if member.issparse():  # a few bytes would become gigabytes
        return Value(name, 0, "", why="it is a sparse file, skipped")
    if member.size > _LARGEST:
        return Value(name, 0, "", why=f"{member.size:,} bytes are more than a tensor can have")
    file = archive.extractfile(member)
    content = file.read() if file else b""
    if len(content) < member.size:
        raise UnreadableArchive("tar_truncated", f"it ends inside of {name}")
    return tensor(name, content)


def tensor(name: str, content: bytes) -> Value:
    """The value of a serialized tensor."""
    sha256 = hashlib.sha256(content).hexdigest()
    try:
        found = messages().decode("Tensor", memoryview(content), 0, len(content))
    except CorruptTrace:
        return Value(name, 0, sha256, why="its tensor cannot be decoded")
    shape = tuple(dim.size for dim in found.shape.dim)
    n_elements = math.prod(shape)
    size = TYPES.get(found.dtype, ("", None))[1]
    n_bytes = n_elements * size if size else len(content)
    typed = next((getattr(found, each) for each in _TYPED if len(getattr(found, each))), None)
    why = None
    if n_bytes > _LARGEST or min(shape, default=0) < 0:
        why, n_bytes = "its tensor has a shape that no tensor can have", 0
    elif size and n_elements and typed is None and len(found.tensor_content) != n_bytes:
        has, needs = len(found.tensor_content), f"{n_bytes:,}"
        why = f"its tensor has {has:,} bytes of values, and its shape requires {needs}"
    elif not found.dtype:
        why = "its tensor has no data type"
    return Value(
        name, n_bytes, sha256, type_name(found.dtype), shape, why=why,
        **({} if why else _statistics(found, typed, n_elements)),
    )  # fmt: skip


def _statistics(found: Any, typed: Any, n_elements: int) -> dict[str, Any]:
    numbers = _numbers(found, typed)
    if numbers is None or not numbers.size:
        return {}
    is_nan = np.isnan(numbers) if numbers.dtype.kind == "f" else np.zeros(numbers.shape, bool)
    known = numbers[~is_nan]
    n_repeats = max(n_elements - numbers.size, 0)  # all further elements are equal to the last
    return {
        "low": float(known.min()) if known.size else None,
        "high": float(known.max()) if known.size else None,
        "n_nan": int(is_nan.sum() + n_repeats * is_nan[-1]),
        "n_zero": int((known == 0).sum() + n_repeats * (numbers[-1] == 0)),
    }


def _numbers(found: Any, typed: Any) -> Any:
    content = found.tensor_content
    if found.dtype == _BFLOAT16 and content:
        return _of_bfloat16(np.frombuffer(content, "<u2"))
    if found.dtype in _NUMPY and content:
        return np.frombuffer(content, _NUMPY[found.dtype])
    if typed is None:
        return None
    if found.dtype in (_HALF, _BFLOAT16):  # bits
        bits = np.array(typed, np.int64).astype("<u2")
        return bits.view("<f2") if found.dtype == _HALF else _of_bfloat16(bits)
    return np.array(typed).astype(_NUMPY[found.dtype]) if found.dtype in _NUMPY else None


def _of_bfloat16(bits: Any) -> Any:
    return (bits.astype("<u4") << 16).view("<f4")
