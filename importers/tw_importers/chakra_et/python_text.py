"""The text of a Python list, as Chakra's converter writes inputs and outputs, as JSON.

Only where nothing is lost: where Python would write the JSON's value as that same text again.
"""

from __future__ import annotations

import ast
import re
import warnings

import msgspec

_DECODE = msgspec.json.Decoder().decode
_WORDS = {"True": "true", "False": "false", "None": "null"}
_WORD = re.compile(r"(?<=[\[ ])(?:True|False|None)(?=[,\]])")
_LONGEST_PARSED = 1 << 20  # Python's own parser takes a hundred times as long and as much memory
_NONE_INSIDE = re.compile(r"True|False|None")


def json_of(text: str) -> str | None:
    """The list as JSON; None if the text is not a list as Python prints it."""
    if not text.startswith("["):
        return None
    if '"' not in text and "\\" not in text:
        # Then every quote delimits a text, and no text has one inside.
        found = text.replace("'", '"')
        if _NONE_INSIDE.search(text):
            found = _WORD.sub(lambda word: _WORDS[word[0]], found)
        if _is_same(found, text):
            return found
    return _parsed(text)


def _is_same(found: str, text: str) -> bool:
    try:
        return str(_DECODE(found)) == text
    except (msgspec.DecodeError, RecursionError):
        return False


def _parsed(text: str) -> str | None:
    """Parses a literal with Python's own parser, which runs nothing."""
    if len(text) > _LONGEST_PARSED:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of literals that no Python prints
            found = msgspec.json.encode(ast.literal_eval(text)).decode()
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, OverflowError):
        return None
    return found if _is_same(found, text) else None
