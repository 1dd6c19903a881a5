"""dPRO's trials: TensorFlow's operators, Horovod and NCCL, or BytePS, of all ranks of a job.

Formats: github.com/joapolarbear/dpro at ac5e4ed; docs/dpro.md.
"""

from __future__ import annotations

from importlib.resources import files

from tw_importers.dpro import byteps
from tw_importers.dpro.find import find
from tw_importers.dpro.read import read
from tw_importers.trace_event import read as trace_event
from warehouse.ingest.importer import NESTING, CaptureImporter, Captures

_FOLDER = files(__package__)
_MACROS = _FOLDER / "macros.sql"

DPRO = CaptureImporter(
    name="dpro",
    title="dPRO trials: TensorFlow with Horovod and NCCL, or with BytePS, of all ranks",
    version=2,
    prepare=(
        trace_event.MACROS,
        _MACROS,
        *trace_event.PREPARE,
        _FOLDER / "prepare.sql",
        _FOLDER / "byteps_finish.sql",
        NESTING,
        trace_event.BIND,
    ),
    normalize=(
        trace_event.MACROS,
        _MACROS,
        *trace_event.NORMALIZE,
        _FOLDER / "normalize.sql",
        _FOLDER / "byteps_rows.sql",
    ),
    captures=Captures(find, read),
    options=byteps.OPTIONS,
)
