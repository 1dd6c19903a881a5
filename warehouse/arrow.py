"""Keeps pyarrow from loading pandas, which no command uses.

For the first array made of a list, pyarrow imports pandas where it is installed, to recognize its
types: 0.15 s and 45 MB. Once the import has failed, pyarrow tries again only for `to_pandas`.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence


class _NoPandas:
    """A finder of modules that does not find pandas."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@functools.cache
def leave_pandas_unloaded() -> None:
    """Makes pyarrow's first array while pandas cannot be imported; afterwards it can."""
    import pyarrow as pa

    if "pandas" in sys.modules:
        return
    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(_NoPandas)
