"""The SQL of the exporters: files beside the modules that run them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent


@cache
def _text(name: str) -> str:
    return (_FOLDER / f"{name}.sql").read_text(encoding="utf-8")


def load(name: str, **parts: object) -> str:
    """The statement in NAME.sql with {part} replaced by what this program (never a user) wrote."""
    text = _text(name)
    for key, value in parts.items():
        text = text.replace("{" + key + "}", str(value))
    return text
