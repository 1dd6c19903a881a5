"""Small file systems that tests may fill."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import MOUNT


@contextmanager
def small_disk(parent: Path, n_bytes: int) -> Iterator[Path]:
    """Mounts a file system of this size on a new folder `disk`; skips the test if it may not."""
    folder = parent / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={n_bytes}", "tmpfs", folder],
        capture_output=True, check=False,
    )  # fmt: skip
    if mounted.returncode:
        pytest.skip(f"{MOUNT} is not allowed")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)
