"""Perfetto: traces of track events in protobuf (`.pftrace`, `.perfetto-trace`), whoever wrote them.

Format: protobuf (github.com/google/perfetto, protos/perfetto/trace/trace.proto). Slices, counters,
flows and arguments are read as trace_processor reads them; packets of other data sources (ftrace,
heap profiles, ...) are counted as unused.
"""

from __future__ import annotations

from importlib.resources import files

from tw_importers.perfetto.certainty import sniff
from tw_importers.trace_event.brackets import rematch_threads
from warehouse.ingest.importer import NESTING, ByteReader, FileImporter, Scratch, TraceFacts

_FOLDER = files(__package__)


# Loading protobuf takes longer than looking at a file.
def _read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    from tw_importers.perfetto.read import read

    return read(reader, scratch)


PERFETTO = FileImporter(
    name="perfetto",
    title="Perfetto traces of track events (.pftrace, .perfetto-trace)",
    version=3,
    sniff=sniff,
    read=_read,
    prepare=(
        _FOLDER / "tracks.sql",
        _FOLDER / "prepare.sql",
        rematch_threads,
        _FOLDER / "slices.sql",
        NESTING,
    ),
    normalize=(_FOLDER / "normalize.sql",),
    generic_stems=("trace", "perfetto"),
)
