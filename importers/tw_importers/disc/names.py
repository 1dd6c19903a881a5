"""Says by its name, or its first bytes, what a file beside a log may be.

Apart from what reads such files, so that finding captures does not load it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import Final

#: The name of a temporary file: host, thread (hex), process and microseconds since the epoch (hex).
TEMPORARY: Final = re.compile(
    r"tempfile-(?P<host>.+)-(?P<thread>[0-9a-f]{1,15})-(?P<pid>\d{1,18})-(?P<micros>[0-9a-f]{1,13})"
    r"(?:\.tar|\.input)?"
)
#: The folder of a dump of torch_blade.
TORCH_FOLDER: Final = re.compile(r"replay_(?P<kind>lazy_ts|cluster)_.+")
_TORCH_FILE: Final = re.compile(r"(?:graph|\d{1,9})\.pt")
_STATISTICS: Final = {
    re.compile(r"call_timestamps\.csv"): "call times",
    re.compile(r"(?:begin|end|FINISH)\.txt"): "statistics",
    re.compile(r"sess_\d+\.perf"): "session",
    re.compile(r"xla_func_.+_shape_\d+"): "shape",
}


def statistics_role(name: str) -> str | None:
    """The role of a file of statistics, by its base name; None for other files."""
    base = posixpath.basename(name)
    return next((found for pattern, found in _STATISTICS.items() if pattern.fullmatch(base)), None)


def is_statistics(head: bytes) -> bool:
    """Whether a JSON begins as the bridge writes it; other programs use the names, too."""
    return head.lstrip()[:1] == b"{" and (b'"calls"' in head or b'"libtao_ops_load_us"' in head)


def is_torch_file(name: str) -> bool:
    """Whether a file is one of a dump of torch_blade, by its name and that of its folder."""
    folder, base = posixpath.split(name)
    is_named = _TORCH_FILE.fullmatch(base) is not None
    return is_named and TORCH_FOLDER.fullmatch(posixpath.basename(folder)) is not None


def is_torch_archive(name: str, members: Sequence[str] | None) -> bool:
    """Whether an archive is such a file, by its name without folders and its members."""
    has_pickle = members is None or any(each.endswith("/data.pkl") for each in members)
    return has_pickle and _TORCH_FILE.fullmatch(posixpath.basename(name)) is not None
