"""LTTng and other CTF traces (1.8 and 2): user space, kernel, and the tracers of TensorFlow.

Formats: diamon.org/ctf (1.8.3, 2.0); docs/tensorflow.md.
"""

from __future__ import annotations

from importlib.resources import files

from tw_importers.ctf.find import find
from warehouse.ingest.importer import (
    NESTING,
    CaptureImporter,
    Captures,
    InParts,
    Parts,
    Scratch,
    TraceFacts,
)

_FOLDER = files(__package__)
_PREPARE = (
    "macros.sql", "cuda_names.sql", "classes.sql", "times.sql", "spans.sql", "work.sql",
    "tracks.sql", "loss.sql", "slices.sql", "measures.sql",
)  # fmt: skip
_PART_EVENTS = 1 << 18  # whose texts are sorted in memory
_OPTIONS = {
    "opencl_clock": "how OpenCL's device clock is related to the trace's: interval, or mean",
    "hc_log": "file with the output of a program run with HCC_PROFILE=2",
    "rcp": "file of performance counters that the Radeon Compute Profiler wrote",
    "cbid": "CSV file with kind (runtime or driver), id and name of CUPTI's functions",
}


def _read(parts: Parts, scratch: Scratch) -> TraceFacts:
    # The decoder is loaded only for captures of this format.
    from tw_importers.ctf.read import read

    return read(parts, scratch)


CTF = CaptureImporter(
    name="ctf",
    title="CTF 1.8 and 2 traces: LTTng sessions, also of instrumented TensorFlow",
    version=2,
    prepare=(*(_FOLDER / name for name in _PREPARE), NESTING),
    normalize=(
        _FOLDER / "macros.sql",
        _FOLDER / "normalize.sql",
        InParts(_FOLDER / "stored.sql", "event", _PART_EVENTS),
        _FOLDER / "rows.sql",
    ),
    captures=Captures(find, _read),
    options=_OPTIONS,
)
