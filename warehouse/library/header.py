"""Reads the header of a query file: what it takes, what it returns, what it needs.

The header is TOML in the first block comment:

    /* ---
    name = "utilization"
    version = 1
    title = "Busy share per device"
    grain = ["run_id", "trace_id", "device_id"]
    requires = { schema = ">=1", queries = ["device_busy@1"] }
    columns = ["run_id", "trace_id", "device_id", "busy_ns", "n_gaps"]

    [param.bucket_ns]
    type = "BIGINT"
    unit = "ns"
    default = 1000000
    min = 1
    help = "Width of a bucket"

    [column]
    device_id.help = "Device that was busy"
    n_gaps = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of gaps" }

    [changes]
    1 = "first version"
    --- */

`columns` lists the columns in order. A column that `[column]` gives a type is declared there in
full; any other is a shared one (`warehouse.library.columns`), with the keys given there overridden.
A query may instead declare all its columns as `[[column]]` tables, each with a name.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from warehouse.errors import ContractError, UsageError
from warehouse.library import columns as shared_columns
from warehouse.library import required_rows
from warehouse.library.columns import SharedColumns
from warehouse.library.parameter import Parameter, Value

_HEADER = re.compile(r"\s*/\* ---\s*\n(.*?)\n\s*--- \*/", re.DOTALL)
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_FIRST_LINES = re.compile(
    r'\s*/\* ---[^\S\n]*\nname = "([a-z][a-z0-9_]*)"\nversion = ([1-9][0-9]{0,9})\n'
)
_KEYS = (
    "name", "version", "title", "help", "grain", "requires", "scale", "within_trace",
    "link_set", "stored_in", "computed_once", "extrapolates", "applies_to", "needs",
    "columns", "param", "column", "alias_of", "fixed", "changes",
)  # fmt: skip
_REQUIRES_KEYS = ("schema", "queries", "rows")
_PARAMETER_KEYS = ("type", "unit", "default", "min", "max", "nullable", "help")
_COLUMN_KEYS = ("name", *shared_columns.KEYS)
FOR_REPORTS = "reports"  # value of computed_once
SCALES = ("trace", "run", "sql", "once")  # see docs/add-a-query.md


@dataclass(frozen=True)
class Column:
    """One column of a query's result."""

    name: str
    type: str  # as DuckDB's DESCRIBE says it
    unit: str | None = None
    help: str = ""
    nullable: bool = False
    check: str | None = None  # the condition on values, after the column's name: ">= 0"


@dataclass(frozen=True)
class Header:
    """The declaration of a query."""

    name: str
    version: int
    title: str
    grain: tuple[str, ...]
    columns: tuple[Column, ...]
    help: str = ""
    parameters: tuple[Parameter, ...] = ()
    requires_schema: int = 1  # the least version
    requires_queries: tuple[str, ...] = ()
    #: See `warehouse.library.required_rows`; without rows of each entry, nothing is found.
    requires_rows: tuple[str, ...] = ()
    scale: str = ""  # the unit of distribution over machines, one of SCALES; "": none
    #: Of a linker: `trace_id = $trace_id::BIGINT` may select several traces; it joins none of them.
    within_trace: bool = False
    #: Of a linker: the set of its links; others than the default are for queries that ask for them.
    link_set: str = "default"
    #: Of a linker between runs: the table of its rows, which are then no links.
    stored_in: str | None = None
    #: Of a block: a session computes its rows, with default values, once; "reports": for reports.
    computed_once: bool | str = False
    extrapolates: bool = False  # a what-if whose predictions leave what was recorded
    needs: str = ""  # the data that rows require, for the message of a query without rows
    applies_to: str = ""  # the nodes that a what-if changes, for its error if it changes nothing
    changes: Mapping[int, str] = field(default_factory=dict)
    alias_of: str | None = None  # pinned name of the query that this one is a deprecated name of
    fixed: Mapping[str, Value] = field(default_factory=dict)  # parameters of that one, of an alias

    @property
    def key(self) -> str:
        """The pinned name."""
        return f"{self.name}@{self.version}"

    @property
    def pins(self) -> dict[str, str]:
        """The queries it calls: plain name -> pinned name."""
        return {key.partition("@")[0]: key for key in self.requires_queries}


def has_header(sql: str) -> bool:
    """Whether the SQL starts with a header."""
    return _HEADER.match(sql) is not None


def has_statement(sql: str) -> bool:
    """Whether anything but comments follows the header."""
    rest = without_header(sql)
    return bool(re.sub(r"--[^\n]*|/\*.*?\*/", "", rest, flags=re.DOTALL).strip("; \t\r\n"))


def without_header(sql: str) -> str:
    """The text after the header."""
    match = _HEADER.match(sql)
    return sql[match.end() :] if match else sql


def peek(sql: str) -> tuple[str, int] | None:
    """Name and version, where these are the header's first two lines, as in all our queries."""
    found = _FIRST_LINES.match(sql)
    return (found[1], int(found[2])) if found else None


def lacks_header(source: str) -> ContractError:
    """The error for a library query without header."""
    return ContractError(
        f"{source} has no header",
        hint="Start it with /* --- and the header in TOML; `tw queries new` writes an example.",
    )


def parse(sql: str, source: str, shared: SharedColumns | None = None) -> Header:
    """Parses the header of a query; `source` names the file in errors.

    `shared` are the columns it may name without declaring them, by default those of the program's
    queries. Raises ContractError.
    """
    found = values(sql, source)
    try:
        return _header(found, shared or shared_columns.built_in())
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ContractError(f"{source}: {explain(error)}") from None


def values(sql: str, source: str) -> dict[str, Any]:
    """Parses the TOML of a header without checking it; raises ContractError."""
    match = _HEADER.match(sql)
    if not match:
        raise lacks_header(source)
    try:
        return dict(_parsed(match[1]))
    except tomllib.TOMLDecodeError as error:
        raise ContractError(f"{source}: the header is not valid TOML: {error}") from None


@lru_cache(maxsize=1024)
def _parsed(text: str) -> dict[str, Any]:
    # Checking a header and writing it with all columns read the same text.
    return tomllib.loads(text)


def explain(error: Exception) -> str:
    """Describes an error in a header."""
    if isinstance(error, KeyError):
        return f"the header lacks {error.args[0]!r}"
    return f"the header is wrong: {error}"


def _header(values: dict[str, Any], shared: SharedColumns) -> Header:
    only(values, _KEYS, "the header")
    requires = values.get("requires", {})
    only(requires, _REQUIRES_KEYS, "requires")
    if not _NAME.fullmatch(values["name"]):
        raise ValueError(f"name {values['name']!r} is not in lower_snake_case")
    header = Header(
        name=values["name"],
        version=_positive(values["version"]),
        title=str(values["title"]),
        help=str(values.get("help", "")).strip(),
        grain=tuple(values["grain"]),
        columns=tuple(_column(each) for each in _column_values(values, shared)),
        parameters=tuple(_parameter(*item) for item in values.get("param", {}).items()),
        requires_schema=_schema_version(requires.get("schema", ">=1")),
        requires_queries=tuple(requires.get("queries", ())),
        requires_rows=_required_rows(requires.get("rows", ())),
        scale=str(values.get("scale", "")),
        within_trace=bool(values.get("within_trace", False)),
        link_set=str(values.get("link_set", "default")),
        stored_in=values.get("stored_in"),
        computed_once=values.get("computed_once", False),
        extrapolates=values.get("extrapolates", False),
        needs=str(values.get("needs", "")),
        applies_to=str(values.get("applies_to", "")),
        changes={int(version): str(text) for version, text in values["changes"].items()},
        alias_of=values.get("alias_of"),
        fixed=dict(values.get("fixed", {})),
    )
    _consistent(header)
    return header


def _schema_version(text: object) -> int:
    """The least version of the schema, from a text such as ">=13"."""
    found = re.fullmatch(r">=([1-9][0-9]*)", str(text))
    if found is None:
        raise ValueError(f'requires schema {text!r}: write the least version, as ">=13"')
    return int(found[1])


def _consistent(header: Header) -> None:
    names = [column.name for column in header.columns]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"column {name!r} is declared twice")
        if name.startswith("p_"):
            raise ValueError(f"column {name!r}: names with p_ are macro arguments")
    if header.fixed and not header.alias_of:
        raise ValueError("fixed gives values to the target of an alias, and alias_of is missing")
    for name in header.grain:
        if name not in names:
            raise ValueError(f"grain {name!r} is not a column")
    if header.computed_once not in (True, False, FOR_REPORTS):
        raise ValueError(f'computed_once is true, false or "{FOR_REPORTS}"')
    if header.computed_once and not all(each.has_default for each in header.parameters):
        raise ValueError("computed_once requires a default for every parameter")
    if header.scale and header.scale not in SCALES:
        raise ValueError(f"scale is one of {', '.join(SCALES)}, not {header.scale!r}")
    if header.version not in header.changes:
        raise ValueError(f"[changes] does not say what version {header.version} is")
    for key in header.requires_queries:
        if not re.fullmatch(r"[a-z][a-z0-9_]*@[1-9][0-9]*", key):
            raise ValueError(f'requires query {key!r}: write it pinned, as "device_busy@1"')


def _parameter(name: str, values: dict[str, Any]) -> Parameter:
    only(values, _PARAMETER_KEYS, f"parameter {name}")
    kind = values["type"]
    if kind.removesuffix("[]") not in ("BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN"):
        raise ValueError(
            f"parameter {name}: type {kind!r} is not one of BIGINT, DOUBLE, VARCHAR, "
            "BOOLEAN or a list of them"
        )
    nullable = bool(values.get("nullable", False))
    parameter = Parameter(
        name=name,
        type=kind,
        help=str(values.get("help", "")),
        unit=values.get("unit"),
        default=values.get("default"),
        has_default="default" in values or nullable,
        nullable=nullable,
        min=values.get("min"),
        max=values.get("max"),
    )
    if "default" in values:
        try:
            parameter.convert(values["default"])
        except UsageError as error:
            raise ValueError(f"default of {error.message}") from None
    return parameter


def _required_rows(entries: Iterable[str]) -> tuple[str, ...]:
    for entry in entries:
        required_rows.alternatives(entry)  # raises ValueError
    return tuple(entries)


def _column_values(values: dict[str, Any], shared: SharedColumns) -> list[dict[str, Any]]:
    """The keys of each column, in order, with those of shared columns filled in."""
    own = values.get("column", {})
    if "columns" not in values:
        if isinstance(values["column"], list):
            return values["column"]
        raise ValueError("[column] needs a list of all columns, columns = [...]")
    if not isinstance(values["columns"], list):
        raise ValueError("columns is not a list of names")
    if isinstance(own, list):
        raise ValueError("columns = [...] and [[column]] exclude each other; write [column.NAME]")
    for name in own:
        if name not in values["columns"]:
            raise ValueError(f"column {name!r} is declared and not listed in columns")
    return [_with_shared(name, own.get(name, {}), shared) for name in values["columns"]]


def _with_shared(name: str, own: dict[str, Any], shared: SharedColumns) -> dict[str, Any]:
    if "type" in own:
        return {"name": name, **own}
    found = shared.find(name)
    if found is None:
        near = difflib.get_close_matches(name, shared.names(), n=1)
        raise ValueError(
            f"column {name!r} has no type and is not a shared column"
            + (f"; did you mean {near[0]!r}?" if near else "")
        )
    return {"name": name, **found, **own}


def with_all_columns(sql: str, header: Header) -> str:
    """The text of a query with every column declared in full, as `[[column]]`."""
    found = values(sql, header.name)
    if "columns" not in found:
        return sql
    del found["columns"]
    found.pop("column", None)
    declared = [{k: v for k, v in vars(column).items() if v} for column in header.columns]
    text = "\n".join([*_toml(found), *(f"[[column]]\n{_lines(each)}" for each in declared)])
    return _HEADER.sub(lambda _: f"/* ---\n{text}\n--- */", sql, count=1)


def _toml(values: Mapping[str, Any]) -> Iterator[str]:
    """TOML with tables of two levels at most, those of one level first."""
    flat = {key: value for key, value in values.items() if not isinstance(value, dict)}
    yield _lines(flat)
    for key, table in values.items():
        if isinstance(table, dict):
            yield f"[{key}]"
            yield from _toml({k: v for k, v in table.items() if not isinstance(v, dict)})
            for name, inner in table.items():
                if isinstance(inner, dict):
                    yield f"[{key}.{name}]\n{_lines(inner)}"


def _lines(values: Mapping[str, Any]) -> str:
    # A JSON string, number, boolean or list of these is also TOML.
    return "\n".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()
    )


def _column(values: dict[str, Any]) -> Column:
    only(values, _COLUMN_KEYS, f"column {values.get('name')}")
    return Column(
        name=values["name"],
        type=values["type"],
        unit=values.get("unit"),
        help=str(values.get("help", "")),
        nullable=bool(values.get("nullable", False)),
        check=values.get("check"),
    )


def only(values: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Raises ValueError for a key that is not known, naming the nearest."""
    known = list(known)
    for key in values:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            raise ValueError(
                f"{where} has an unknown key {key!r}"
                + (f"; did you mean {near[0]!r}?" if near else "")
            )


def _positive(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"invalid version {value!r}: expected an integer from 1")
    return value
