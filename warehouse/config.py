"""Reads settings from tw.toml and the environment.

The configuration file is the first `tw.toml` from the current folder up to the folder that contains
`.git`, else `$XDG_CONFIG_HOME/tw/config.toml`. Paths in it are relative to the file.
"""

from __future__ import annotations

import difflib
import math
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warehouse.errors import ConfigError

FORMATS = ("table", "csv", "tsv", "json", "jsonl", "markdown", "parquet", "arrow")
DEFAULT_DATABASE = Path("traces.duckdb")
#: What [device."NAME"] may declare: bandwidths, and operations per second by data type.
DEVICE_RATES = (
    "bytes_per_s", "link_bytes_per_s", "float64", "float32", "tfloat32", "float16", "bfloat16",
    "float8", "float4", "int8",
)  # fmt: skip


@dataclass(frozen=True)
class Config:
    """Settings of one configuration file; None where it sets nothing."""

    db: Path | None = None  # the warehouse file
    memory_limit: str | None = None  # of a query, as DuckDB writes it: 4GB
    threads: int | None = None  # of a query
    query_path: tuple[Path, ...] = ()  # folders of the user's own queries
    formulas: tuple[Path, ...] = ()  # files with formulas of the user's own operators
    format: str | None = None  # of query results
    device: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # peaks, by its name
    source: Path | None = None  # the file it was read from


def load(start: Path | None = None) -> Config:
    """Loads the configuration that applies in `start` (the current folder); raises ConfigError."""
    path = find(start or Path.cwd())
    return read(path) if path else Config()


def find(start: Path) -> Path | None:
    """Returns the configuration file that applies in a folder, or None."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / "tw.toml").is_file():
            return folder / "tw.toml"
        if (folder / ".git").exists():
            break
    try:
        home = user_folder("XDG_CONFIG_HOME", "~/.config") / "tw" / "config.toml"
    except ConfigError:
        return None
    return home if home.is_file() else None


def user_folder(variable: str, default: str) -> Path:
    """Returns the folder that an environment variable names, or the default, which begins with ~.

    Raises ConfigError for a user without home folder, as in a container.
    """
    return expanded(os.environ.get(variable) or default)


def expanded(path: str) -> Path:
    """Replaces a leading ~ by the home folder; raises ConfigError if that is unknown."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise ConfigError(
            f"the home folder in {path} is unknown", hint="Set the environment variable HOME."
        ) from None


def read(path: Path) -> Config:
    """Parses a configuration file; raises ConfigError naming the file and the invalid key."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    for key in values:
        if key not in _READERS:
            near = difflib.get_close_matches(key, _READERS, n=1)
            known = ", ".join(_READERS)
            hint = f"Did you mean {near[0]!r}?" if near else f"Valid keys: {known}."
            raise ConfigError(f"{path}: unknown key {key!r}", hint=hint)
    return Config(
        **{key: _READERS[key](path, key, value) for key, value in values.items()}, source=path
    )


def database_path(option: Path | None) -> Path:
    """Returns the warehouse to use: --db, $TW_DB, `db` of the configuration, or the default.

    On the command line click passes $TW_DB as the option; here it serves callers of the Python API.
    """
    if option is not None:
        return option
    if environment := os.environ.get("TW_DB"):
        return Path(environment)
    return load().db or DEFAULT_DATABASE


@dataclass(frozen=True)
class Setting:
    """A setting in effect; `source` is a file, an environment variable or the default."""

    key: str
    value: str | int | list[str] | None
    source: str


def settings(start: Path | None = None) -> list[Setting]:
    """Returns every setting with its value and source; raises ConfigError."""
    found = load(start)
    stated = _stated(found.source)
    rows = []
    for key in _READERS:
        value: Any = getattr(found, key)
        source = str(found.source) if key in stated else "default"
        if key == "db":
            if environment := os.environ.get("TW_DB"):
                value, source = environment, "TW_DB"
            value = str(value or DEFAULT_DATABASE)
        elif key in ("query_path", "formulas"):
            value = [str(path) for path in value]
        elif key == "format":
            value = value or "table"
        elif key == "device":
            value = [name or '""' for name in value]
        rows.append(Setting(key, value, source))
    return rows


def _stated(path: Path | None) -> set[str]:
    return set(tomllib.loads(path.read_text(encoding="utf-8"))) if path else set()


def is_memory_size(text: str) -> bool:
    """Whether a text is a size as DuckDB reads it: 700MB, 1.5 GiB."""
    return re.fullmatch(r"[0-9]+(\.[0-9]+)? ?([KMGT]i?)?B", text, re.I) is not None


def as_text(value: str | int | list[str] | None) -> str:
    """Formats the value of a setting; an unset limit is DuckDB's default."""
    if value is None:
        return "(DuckDB's default)"
    return ", ".join(value) or "(none)" if isinstance(value, list) else str(value)


def _wrong(path: Path, key: str, what: str, value: object) -> ConfigError:
    return ConfigError(f"{path}: {key} must be {what}, not {value!r}")


def _path(path: Path, key: str, value: object) -> Path:
    if not isinstance(value, str) or not value:
        raise _wrong(path, key, "a path", value)
    return path.parent / expanded(value)


def _paths(path: Path, key: str, value: object) -> tuple[Path, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(_path(path, key, each) for each in values)


def _memory(path: Path, key: str, value: object) -> str:
    if not isinstance(value, str) or not is_memory_size(value):
        raise _wrong(path, key, 'a size such as "4GB"', value)
    return value


def _threads(path: Path, key: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _wrong(path, key, "a positive integer", value)
    return value


def _format(path: Path, key: str, value: object) -> str:
    if value not in FORMATS:
        raise _wrong(path, key, f"one of {', '.join(FORMATS)}", value)
    return str(value)


def _devices(path: Path, key: str, value: object) -> dict[str, dict[str, float]]:
    if not isinstance(value, dict):
        raise _wrong(path, key, 'tables such as [device."NAME"]', value)
    return {name: _rates(path, f'{key}."{name}"', rates) for name, rates in value.items()}


def _rates(path: Path, key: str, value: object) -> dict[str, float]:
    if not isinstance(value, dict):
        raise _wrong(path, key, "a table of rates", value)
    for name, rate in value.items():
        if name not in DEVICE_RATES:
            near = difflib.get_close_matches(name, DEVICE_RATES, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Rates: {', '.join(DEVICE_RATES)}."
            raise ConfigError(f"{path}: {key} has no rate {name!r}", hint=hint)
        if not isinstance(rate, int | float) or isinstance(rate, bool) or not 0 < rate < math.inf:
            raise _wrong(path, f"{key}.{name}", "a positive number per second", rate)
    return {name: float(rate) for name, rate in value.items()}


_READERS: dict[str, Any] = {
    "db": _path,
    "memory_limit": _memory,
    "threads": _threads,
    "query_path": _paths,
    "formulas": _paths,
    "format": _format,
    "device": _devices,
}
