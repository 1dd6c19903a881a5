"""Lists the files of torch_blade's dumps by name and size; nothing is unpickled.

TORCH_DISC_ENABLE_REPLAY writes folders replay_lazy_ts_… and replay_cluster_… with graph.pt, a
TorchScript module, and 0.pt, 1.pt, …, its inputs: archives in the format of zip.
"""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
from typing import Any, Final

import pyarrow as pa

from tw_importers.disc import rows
from tw_importers.disc.names import TORCH_FOLDER
from warehouse.ingest.importer import ByteReader, Scratch

_TAIL: Final = 1 << 20  # bytes at the end of a file, where its members are listed
_MOST_MEMBERS: Final = 10_000
_KINDS: Final = {"lazy_ts": "graph", "cluster": "cluster"}
_DAMAGED: Final = (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, struct.error,
                   EOFError, RuntimeError)  # fmt: skip
_TABLE: Final = pa.schema(
    [("dump", pa.string()), ("kind", pa.string()), ("file", pa.string()),
     ("member", pa.string()), ("n_bytes", pa.int64())]
)  # fmt: skip


class TorchDumps:
    """The files of all dumps of a capture."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._rows: list[dict[str, Any]] = []
        self._folders: set[str] = set()
        self.defects: list[tuple[str, str]] = []

    @property
    def n_dumps(self) -> int:
        return len(self._folders)

    def take(self, name: str, reader: ByteReader) -> None:
        """Lists a file, and the members of its archive."""
        dump, file = posixpath.split(name)
        n_bytes, tail = 0, b""
        while block := reader.read(_TAIL):
            n_bytes += len(block)
            tail = (tail + block)[-_TAIL:]
        self._add(dump, file, None, n_bytes)
        try:
            members = zipfile.ZipFile(io.BytesIO(tail)).infolist()
        except _DAMAGED:
            self.defects.append(("torch_file_unreadable", name))
            return
        for member in members[:_MOST_MEMBERS]:
            self._add(dump, file, member.filename, member.file_size)

    def name_missing(self, path: str) -> None:
        """Adds a dump that the log names, unless its files are there."""
        dump = posixpath.basename(path.rstrip("/"))
        if dump not in {posixpath.basename(each) for each in self._folders}:
            self._add(dump, None, None, None)
            self.defects.append(("torch_dump_missing", path))

    def finish(self) -> None:
        """Creates the scratch table."""
        rows.create(self._scratch, "torch_file", _TABLE, self._rows)

    def _add(self, dump: str, file: str | None, member: str | None, n_bytes: int | None) -> None:
        self._folders.add(dump)
        folder = TORCH_FOLDER.fullmatch(posixpath.basename(dump))
        self._rows.append(
            {
                "dump": dump,
                "kind": _KINDS[folder["kind"]] if folder else None,
                "file": file,
                "member": member,
                "n_bytes": n_bytes,
            }
        )
