"""Reads `columns.toml`, the columns that several queries of a folder share.

An entry gives what a `[[column]]` of a header gives, but for the name:

    trace_id = { type = "BIGINT", unit = "ref trace.id", help = "Trace" }

A header names shared columns in `columns` and overrides single keys of them in `[column]`.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from warehouse.errors import ContractError
from warehouse.resources import sql_folder

FILE = "columns.toml"
KEYS = ("type", "unit", "nullable", "check", "help")

_ENTRY = re.compile(r"([a-z][a-z0-9_]*) = (\{.*\})")


class SharedColumns:
    """The shared columns of one file, over those of another; the file is read on first use.

    Parsing a whole file takes longer than most queries run, so an entry on one line is parsed when
    it is requested.
    """

    def __init__(self, path: Path, below: SharedColumns | None = None) -> None:
        self._path = path
        self._below = below
        self._parsed: dict[str, Mapping[str, Any]] = {}

    def find(self, name: str) -> Mapping[str, Any] | None:
        """The keys of a shared column, or None. Raises ContractError for an invalid file."""
        if name in self._parsed:
            return self._parsed[name]
        entry = self._entries.get(name)
        if entry is None:
            return self._below.find(name) if self._below else None
        values = self._load(f"{name} = {entry}")[name] if isinstance(entry, str) else entry
        self._parsed[name] = self._checked(name, values)
        return self._parsed[name]

    def names(self) -> set[str]:
        """The names of all shared columns."""
        return {*self._entries, *(self._below.names() if self._below else ())}

    @cached_property
    def _entries(self) -> Mapping[str, Any]:
        """The text of each entry if every entry is one line, else the parsed entries."""
        try:
            text = self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise ContractError(f"cannot read {self._path}: {error}") from None
        entries: dict[str, str] = {}
        for line in text.splitlines():
            if not line or line.startswith("#"):
                continue
            match = _ENTRY.fullmatch(line)
            if match is None or match[1] in entries:
                return self._load(text)
            entries[match[1]] = match[2]
        return entries

    def _load(self, text: str) -> dict[str, Any]:
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ContractError(f"{self._path} is not valid TOML: {error}") from None

    def _checked(self, name: str, values: object) -> Mapping[str, Any]:
        if not isinstance(values, dict) or "type" not in values:
            raise ContractError(f"{self._path}: column {name!r} has no type")
        for key in values:
            if key not in KEYS:
                near = difflib.get_close_matches(key, KEYS, n=1)
                raise ContractError(
                    f"{self._path}: column {name!r} has an unknown key {key!r}",
                    hint=f"Did you mean {near[0]!r}?" if near else f"Valid: {', '.join(KEYS)}.",
                )
        return values


@cache
def built_in() -> SharedColumns:
    """The shared columns of the program's queries."""
    return SharedColumns(sql_folder("queries") / FILE)


@cache
def in_folder(folder: Path) -> SharedColumns:
    """The shared columns of a folder of queries, over those of the program."""
    return SharedColumns(folder / FILE, built_in())
