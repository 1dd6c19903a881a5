"""Keeps the inputs on which a fuzz driver failed, in a temporary folder."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path


def keep_failures(files: Mapping[str, bytes]) -> None:
    """Writes files, by name, to a new temporary folder and prints its path; nothing if empty."""
    if not files:
        return
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    for name, content in files.items():
        (folder / name).write_bytes(content)
    sys.stderr.write(f"inputs that failed: {folder}\n")
