"""BladeDISC's debug logs and the clusters they name: programs, and values of their arguments.

Written by TensorFlow with BladeDISC and DISC_DEBUG=true (github.com/alibaba/BladeDISC, tao_bridge).
"""

from __future__ import annotations

from importlib.resources import files

from tw_importers.disc.find import find, is_log, keeps_archive
from tw_importers.disc.read import OPTIONS, read_capture, read_log
from warehouse.ingest.importer import Captures, FileImporter, InParts

_FOLDER = files(__package__)


def sniff(head: bytes, name: str) -> int:
    """Certain with a line of BladeDISC in a log of TensorFlow."""
    return 98 if is_log(head) else 0


DISC = FileImporter(
    name="disc",
    title="BladeDISC debug logs with dumped clusters: programs and tensors (DISC_DEBUG=true)",
    version=2,
    kind="graph",
    sniff=sniff,
    read=read_log,
    captures=Captures(find, read_capture, keeps_archive, beside=("*", "dump/*", "replay_*/*")),
    options=OPTIONS,
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
