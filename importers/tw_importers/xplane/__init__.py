"""XPlane: what the profilers of JAX, TensorFlow and PyTorch/XLA write, a file for each host.

Format: protobuf (github.com/openxla/xla, third_party/tsl/tsl/profiler/protobuf/xplane.proto); names
of planes, lines and statistics: xla/tsl/profiler/utils/xplane_schema.cc.
"""

from __future__ import annotations

from importlib.resources import files

from tw_importers import gpu_activity
from tw_importers.xplane.certainty import sniff
from tw_importers.xplane.find import find
from warehouse.ingest.importer import (
    NESTING,
    ByteReader,
    Captures,
    FileImporter,
    Parts,
    Scratch,
    TraceFacts,
)

_FOLDER = files(__package__)


# Loading protobuf takes longer than looking at a file.
def _read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    from tw_importers.xplane.read import read

    return read(reader, scratch)


def _read_capture(parts: Parts, scratch: Scratch) -> TraceFacts:
    from tw_importers.xplane.read import read_capture

    return read_capture(parts, scratch)


XPLANE = FileImporter(
    name="xplane",
    title="XPlane profiles of JAX, TensorFlow and PyTorch/XLA (xplane.pb)",
    version=2,
    sniff=sniff,
    read=_read,
    captures=Captures(find, _read_capture),
    prepare=(
        gpu_activity.MACROS,
        gpu_activity.TABLES,
        _FOLDER / "macros.sql",
        _FOLDER / "gather.sql",
        gpu_activity.PREPARE,
        _FOLDER / "span.sql",
        NESTING,
    ),
    normalize=(gpu_activity.MACROS, gpu_activity.NORMALIZE, _FOLDER / "normalize.sql"),
    record_tables=gpu_activity.RECORD_TABLES,
    generic_stems=("host", "localhost", "vm"),
)
