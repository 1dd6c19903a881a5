"""Memory snapshots: what `torch.cuda.memory._dump_snapshot` pickles of the caching allocator.

Segments and blocks as they are, the history of allocations and releases, and the stacks of calls
behind both. Format: the docstring of torch.cuda.memory._snapshot; the pickle is read as data, and
anything in it that would import or call code is refused.
"""

from __future__ import annotations

import re
from importlib.resources import files

from tw_importers.memory_snapshot.read import read
from warehouse.ingest.importer import FileImporter

_FOLDER = files(__package__)
_KEYS = (b"segments", b"device_traces", b"total_size")
_NEAR = 4096  # the first key lies in the first bytes, whichever comes first
_TEXT_PICKLE = re.compile(rb"[(}\]][dlpq\x00-\x7f]")


def sniff(head: bytes, name: str) -> int:
    """Certain when it begins like a pickle and names segments or device_traces at once."""
    is_pickle = head[:1] == b"\x80" and head[1:2] <= b"\x05"
    if not is_pickle and not _TEXT_PICKLE.match(head):
        return 0
    if not any(key in head[:_NEAR] for key in _KEYS):
        return 0
    return 95 if is_pickle else 70


MEMORY_SNAPSHOT = FileImporter(
    name="memory_snapshot",
    title="Memory snapshots of PyTorch's CUDA allocator (torch.cuda.memory._dump_snapshot)",
    version=1,
    sniff=sniff,
    read=read,
    prepare=(_FOLDER / "prepare.sql",),
    normalize=(_FOLDER / "normalize.sql",),
)
