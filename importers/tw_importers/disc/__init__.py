"""BladeDISC's debug logs and the clusters they name: programs, and values of their arguments.

Written by TensorFlow with BladeDISC and DISC_DEBUG=true (github.com/alibaba/BladeDISC, tao_bridge).
"""

from __future__ import annotations

from importlib.resources import files

from tw_importers.disc import elsewhere
from tw_importers.disc.find import find, is_log, keeps_archive
from warehouse.ingest.importer import (
    ByteReader,
    Captures,
    FileImporter,
    InParts,
    Parts,
    Scratch,
    TraceFacts,
)

_FOLDER = files(__package__)
_OPTIONS = {
    "with_environment": "1: keep the environment variables of dumped programs, too",
    elsewhere.OPTION: "folder with dumps that the log names and that are not below its folder",
}


def sniff(head: bytes, name: str) -> int:
    """Certain with a line of BladeDISC in a log of TensorFlow."""
    return 98 if is_log(head) else 0


# What reads programs and statistics is loaded only for files of this format.
def _read_log(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    from tw_importers.disc.read import read_log

    return read_log(reader, scratch)


def _read_capture(parts: Parts, scratch: Scratch) -> TraceFacts:
    from tw_importers.disc.read import read_capture

    return read_capture(parts, scratch)


DISC = FileImporter(
    name="disc",
    title="BladeDISC debug logs with dumped clusters: programs and tensors (DISC_DEBUG=true)",
    version=3,
    kind="graph",
    sniff=sniff,
    read=_read_log,
    captures=Captures(find, _read_capture, keeps_archive, beside=("*", "dump/*", "replay_*/*")),
    options=_OPTIONS,
    prepare=(_FOLDER / "prepare.sql",),
    normalize=(_FOLDER / "normalize.sql", InParts(_FOLDER / "calls.sql", "run", 122_880)),
    record_tables=(
        "graph_node",
        "disc_cluster",
        "disc_cluster_call",
        "disc_call_time",
        "disc_cluster_total",
        "disc_process",
        "disc_session",
        "disc_operation",
        "disc_torch_file",
    ),
    generic_stems=("train", "log"),
)
