"""Dumps of PyTorch's flight recorder: the last operations of a rank's process groups.

Format: the docstrings of torch.distributed.flight_recorder and FlightRecorderDetail.hpp of PyTorch,
as pickles (`TORCH_FR_DUMP_TEMP_FILE`, `_dump_fr_trace`) and as JSON; recordings were of version
2.10. A dump does not state its rank; the name of its file does.
"""

from __future__ import annotations

from importlib.resources import files

from tw_importers.flight_recorder.read import Dumps, read
from warehouse.ingest.importer import NESTING, FileImporter, Scratch

_FOLDER = files(__package__)
_RECORD_KEYS = (b"record_id", b"profiling_name")


def sniff(head: bytes, name: str) -> int:
    """Certain with keys of a record or of a dump in a pickle or in JSON, else 0."""
    is_pickle = head[:1] == b"\x80" and head[1:2] <= b"\x05"
    if not is_pickle and head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        return 0
    is_record = all(key in head for key in _RECORD_KEYS)
    is_dump = b"pg_config" in head and b"pg_status" in head
    return 95 if is_record or is_dump else 0


def _read_together(scratch: Scratch) -> Dumps:
    return Dumps(scratch)


FLIGHT_RECORDER = FileImporter(
    name="flight_recorder",
    title="Dumps of PyTorch's flight recorder: the last collectives of each rank",
    version=1,
    rank_pattern=r"(?<!rank)(?<!rank[_.-])(?<!\d)[_.-]?(?<!\d)(\d+)(?:\.(?:json|pkl|pickle))?(?:\.gz)?",
    sniff=sniff,
    read=read,
    read_together=_read_together,
    prepare=(_FOLDER / "prepare.sql", NESTING),
    normalize=(_FOLDER / "normalize.sql",),
)
