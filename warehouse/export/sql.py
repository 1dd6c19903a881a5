"""SQL statements of exporters, stored as files beside the modules that run them."""

from __future__ import annotations

from functools import cache
from pathlib import Path


class SqlFolder:
    """The `.sql` files of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, name: str, **parts: object) -> str:
        """Returns the text of NAME.sql with each `{part}` replaced.

        The parts are written by this program, never by a user.
        """
        text = _text(self.folder / f"{name}.sql")
        for key, value in parts.items():
            text = text.replace("{" + key + "}", str(value))
        return text


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
