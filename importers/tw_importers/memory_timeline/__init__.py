"""Memory timelines: what `torch.profiler.profile.export_memory_timeline` writes as JSON.

Two forms. The raw one (`….raw.json.gz`) is a list of [time, action, bytes, category]; the other
(`….json`) two lists, of times and of the bytes held for each category at each of them.
Format: torch/profiler/_memory_profiler.py, class MemoryProfileTimeline.
"""

from __future__ import annotations

import re
from importlib.resources import files

from tw_importers.memory_timeline.read import read
from warehouse.ingest.importer import FileImporter

_FOLDER = files(__package__)
_NUMBER = rb"\s*-?\d+\s*"
_RAW = re.compile(rb"\s*\[\s*\[" + _NUMBER + rb",\s*[1-4]\s*," + _NUMBER + rb",\s*[0-7]\s*\]")
# Nothing but times as far as one can see, or times and then the first list of sizes.
_TIMES = rb"\s*\[\s*\[\s*\d{10,}\s*(?:,\s*\d{10,}\s*)*"
_BY_CATEGORY = re.compile(_TIMES + rb"\]\s*,\s*\[\s*\[\s*0\s*,")
_ONLY_TIMES = re.compile(_TIMES + rb"(?:,\s*\d*)?\Z")


def sniff(head: bytes, name: str) -> int:
    """Certain with a list of [time, action, bytes, category], or of times and then sizes."""
    if _RAW.match(head) or _BY_CATEGORY.match(head):
        return 95
    return 40 if _ONLY_TIMES.match(head) else 0


MEMORY_TIMELINE = FileImporter(
    name="memory_timeline",
    title="Memory timelines of PyTorch's profiler (export_memory_timeline), raw or by category",
    version=1,
    sniff=sniff,
    read=read,
    prepare=(_FOLDER / "prepare.sql",),
    normalize=(_FOLDER / "normalize.sql",),
)
