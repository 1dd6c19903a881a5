"""Finds the files of queries, pins the queries they call, and creates macros of them.

A query is one SELECT in one file with a header (`warehouse.library.header`). Each version is
installed as a macro under its pinned name, `"utilization@1"`, and calls others by pinned names; the
plain name is the newest version. Nothing here checks a query; that is `warehouse.library.contract`.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse import plugins
from warehouse.errors import ConfigError, ContractError, TwError, UsageError, query_error
from warehouse.library import aliases, columns, generated, signature, tokens
from warehouse.library import header as headers
from warehouse.library.columns import SharedColumns
from warehouse.library.header import Header
from warehouse.library.installed import FEW_BLOCKS, Macros, create_macros, n_blocks_of
from warehouse.library.parameter import Parameter
from warehouse.resources import sql_files, sql_folder
from warehouse.store import statements

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    import duckdb

ENTRY_POINTS = "trace_warehouse.queries"
BUILT_IN = "built-in"
_NAME = re.compile(r"[a-z][a-z0-9_]*(@[0-9]+)?(\.sql)?")


@dataclass(frozen=True)
class Query:
    """A version of a query, or a statement without a header."""

    sql: str  # the text of the file
    own_header: Header | None = None  # of a query put together here, whose text has none
    path: Path | None = None
    origin: str = BUILT_IN  # or the folder it was found in
    layer: str = ""  # the subfolder of queries: lib, link, summary, ...
    precedence: int = 0  # of its folder: a plain name is the newest version in the highest
    others: Mapping[str, Query] = field(default_factory=dict, compare=False, repr=False)
    shared: SharedColumns | None = field(default=None, compare=False)  # None: the program's

    @cached_property
    def header(self) -> Header | None:
        """The header, parsed when it is first read: parsing all takes longer than most queries run.

        Raises ContractError when it is invalid."""
        if self._alias is not None:
            return self._alias.header
        if self.own_header or not headers.has_header(self.sql):
            return self.own_header
        return headers.parse(self.sql, str(self.path or self.origin), self.shared)

    @cached_property
    def _alias(self) -> aliases.Alias | None:
        key = None if self.own_header else aliases.target_of(self.sql)
        if key is None:
            return None
        source = str(self.path or self.origin)
        target = self.others.get(key)
        if target is None or target.header is None:
            raise ContractError(f"{source} is an alias of {key}, which is not in the library")
        return aliases.parse(self.sql, source, target.header)

    @property
    def text(self) -> str:
        """The statement, as the file has it, or the one that an alias stands for."""
        return self._alias.statement if self._alias is not None else self.sql

    @cached_property
    def pin(self) -> tuple[str, int] | None:
        """Name and version."""
        found = None if self.own_header else headers.peek(self.sql)
        if found is None and self.header:
            found = self.header.name, self.header.version
        return found

    @property
    def key(self) -> str | None:
        return f"{self.pin[0]}@{self.pin[1]}" if self.pin else None

    @property
    def pins(self) -> dict[str, str]:
        return self.header.pins if self.header else {}

    @cached_property
    def bound_sql(self) -> str:
        """The statement to run with `$name` parameters."""
        return tokens.pinned(self.text, self.pins)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The declared parameters; without a header, those the statement names, as text."""
        if self.header:
            return self.header.parameters
        return tuple(Parameter(name, "VARCHAR") for name in tokens.parameters(self.text))

    @cached_property
    def standalone(self) -> str:
        """The text with every column declared in its header, so that it needs no shared ones."""
        if self.header is None or self.own_header:
            return self.sql
        return headers.with_all_columns(self.sql, self.header)

    @cached_property
    def normalised(self) -> str:
        """The statement in one spelling for all layouts."""
        return tokens.normalise(self.text)

    @cached_property
    def digest(self) -> str:
        """sha256 of the contract, as `contract=…`; without a header, of the text, as `text=…`."""
        if self.header is not None:
            return f"contract={signature.digest(self.header)}"
        return f"text={hashlib.sha256(self.normalised.encode()).hexdigest()}"

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the text, in lower case, with the names of what it reads and calls."""
        return tokens.words(self.text)

    @cached_property
    def macro_body(self) -> str:
        """The statement of the macro: parameters are its arguments, callees have pinned names."""
        return tokens.macro_body(self.text, self.pins)

    def macro(self, *, temp: bool) -> str:
        """The statement that installs the query as a macro, under its pinned name."""
        return f"{self.macro_head(temp=temp)}\n{self.macro_body}"

    def outline(self, *, temp: bool) -> str:
        """The same macro without a body: its arguments and declared columns."""
        assert self.header is not None
        columns = ", ".join(f'NULL::{c.type} AS "{c.name}"' for c in self.header.columns)
        return f"{self.macro_head(temp=temp)} SELECT {columns}"

    def refusal(self) -> str:
        """A stored macro that has the declared columns, and whose rows are an error."""
        assert self.header is not None
        name = self.header.name
        text = f"the query {name} takes minutes outside of tw: run `tw query {name}`"
        return (
            f"{self.outline(temp=False)} FROM range(1) AS r(n) WHERE error('{text}' || n) IS NULL"
        )

    def plain_macro(self, *, temp: bool) -> str:
        """The statement that creates the macro of the plain name, which calls the pinned one."""
        assert self.header is not None
        handed_on = ", ".join(f"p_{p.name} := p_{p.name}" for p in self.parameters)
        return f'{self._macro_head(self.header.name, temp)} FROM "{self.key}"({handed_on})'

    def macro_head(self, *, temp: bool) -> str:
        """The beginning of the macro of the pinned name, before the statement it stands for."""
        return self._macro_head(str(self.key), temp)

    def _macro_head(self, name: str, temp: bool) -> str:
        required = [f"p_{p.name}" for p in self.parameters if not p.has_default]
        optional = [f"p_{p.name} := {p.sql_default}" for p in self.parameters if p.has_default]
        return (
            f'CREATE OR REPLACE {"TEMP " if temp else ""}MACRO "{name}"'
            f"({', '.join(required + optional)}) AS TABLE"
        )

    def unordered(self) -> Query:
        """The same query with its rows in any order: sorting a million of them takes a second."""
        return replace(self, sql=tokens.unordered(self.sql))

    def on(self, connection: duckdb.DuckDBPyConnection) -> Query:
        """The query, completed by the schema of the open warehouse (see `generated`)."""
        if not generated.has_parts(self.sql):
            return self
        return replace(self, sql=generated.complete(self.sql, connection))

    def install(
        self, connection: duckdb.DuckDBPyConnection, *, plain: bool = False, temp: bool = True
    ) -> None:
        """Creates the macro of the pinned name or, with `plain`, that of the plain name.

        Raises ContractError when the database refuses its text.
        """
        import duckdb

        try:
            macro = self.plain_macro(temp=temp) if plain else self.on(connection).macro(temp=temp)
            statements.execute(connection, macro)
        except (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException) as error:
            raise self.trouble(error) from None

    def trouble(self, error: duckdb.Error) -> ContractError:
        """An error of the database in the text of the query, as a ContractError that names it."""
        file = self.path or self.origin
        return ContractError(
            f"the query {self.key} does not work: {query_error(error).message}",
            hint=f"Correct {file}; `tw queries check` checks it.",
        )


#: Other DuckDB clients plan each block of a macro again wherever it is called.
MOST_BLOCKS = 50


@dataclass
class Library:
    """All available queries, by pinned name."""

    queries: dict[str, Query] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)  # for the user: what shadows what
    _n_folders: int = 0
    _newest: tuple[list[Query], dict[str, Query]] | None = field(default=None, compare=False)

    @property
    def newest(self) -> Mapping[str, Query]:
        """The newest version of each query, by name, in order of names; kept until one changes."""
        every = list(self.queries.values())
        if self._newest is None or self._newest[0] != every:
            found: dict[str, Query] = {}
            for query in every:
                name, _ = _pin(query)
                other = found.get(name)
                if other is None or _order(other) < _order(query):
                    found[name] = query
            self._newest = every, dict(sorted(found.items()))
        return self._newest[1]

    def find(self, name: str) -> Query:
        """A query by name, `name@version` or file name; raises UsageError with the nearest."""
        name = name.removesuffix(".sql")
        # Ordering all queries by name takes a hundred times as long.
        versions = (each for key, each in self.queries.items() if key.startswith(f"{name}@"))
        query = self.queries.get(name) or max(versions, key=_order, default=None)
        if query is None:
            from warehouse.library import search

            near = difflib.get_close_matches(name, [*self.newest, *self.queries], n=1)
            hint = f"Did you mean {near[0]!r}?" if near else search.hint(self, name)
            raise UsageError(self.why_absent(name), hint=hint)
        return query

    def why_absent(self, key: str) -> str:
        """Why the library has no query of a plain or pinned name, in one clause."""
        name, _, version = key.partition("@")
        current = self.newest.get(name)
        if current is None or not version.isdecimal():
            return f"query {key!r} not found"
        if int(version) < _pin(current)[1]:
            return f"query {key} was removed; the current version is {current.key}"
        return f"query {key} not found; the newest version is {current.key}"

    def resolve(self, query: Query | str) -> Query:
        """The query itself, the one of a library name, or the statement; raises UsageError."""
        if isinstance(query, Query):
            return query
        return self.find(query) if _NAME.fullmatch(query.strip()) else from_text(query)

    def closure(self, queries: Iterable[Query]) -> list[Query]:
        """The queries and all they call, callees first; raises ContractError on a cycle."""
        order: dict[str, Query] = {}
        for query in queries:
            self._visit(query, order, ())
        return list(order.values())

    def _visit(self, query: Query, order: dict[str, Query], above: tuple[str, ...]) -> None:
        key = query.key or ""
        if key in above:
            raise ContractError(f"queries call each other in a cycle: {' → '.join((*above, key))}")
        if key in order:
            return
        for callee in query.pins.values():
            if callee not in self.queries:
                raise ContractError(
                    f"{query.key or 'the query'} requires {callee}: {self.why_absent(callee)}"
                )
            self._visit(self.queries[callee], order, (*above, key))
        order[key] = query

    def install(self, connection: duckdb.DuckDBPyConnection, *, temp: bool = True) -> None:
        """Creates a macro of each version, and one of the plain name of the newest.

        TEMP macros work on a read-only connection and hide stored ones of the same name. A stored
        macro of more than `MOST_BLOCKS` blocks is an error that names `tw query`.
        """
        queries = self.closure(self.queries.values())
        if temp:
            create_macros(connection, queries, self.newest.values())
            return
        n_blocks = n_blocks_of(queries)
        small = [each for each in queries if n_blocks[str(each.key)] <= MOST_BLOCKS]
        for query in queries:
            if query not in small:
                statements.execute(connection, query.refusal())
        create_macros(connection, small, self.newest.values(), temp=False)

    def install_for(
        self,
        connection: duckdb.DuckDBPyConnection,
        query: Query,
        installed: Macros | None = None,
    ) -> None:
        """Creates the macros that a query or statement calls; creating all takes longer.

        What `installed` names is there already; what is made is added to it. What it holds stays.
        """
        there = Macros() if installed is None else installed
        _, plain = self._named_in(query)
        called = self.called_by(query, there.held)
        missing = [each for each in called if str(each.key) not in there]
        n_blocks = n_blocks_of(called) if missing else {}
        if any(n_blocks[str(each.key)] > FEW_BLOCKS for each in missing):
            # Planned above macros that are there, a deep one takes seconds (see `create_macros`).
            create_macros(connection, [each for each in called if str(each.key) not in there.held])
        else:
            create_macros(connection, missing)
        there.update(str(each.key) for each in missing)
        for each in plain:
            each.install(connection, plain=True)

    def called_by(self, query: Query, held: Collection[str] = ()) -> list[Query]:
        """The queries that a query or statement calls, directly or not, callees first.

        Those in `held` call nothing: their rows are there.
        """
        callees = [each for each in self.closure([query]) if each is not query]
        named, _ = self._named_in(query)
        found = self.closure([*named, *callees])
        if not held:
            return found
        open_keys = [*query.pins.values(), *(str(each.key) for each in named)]
        reached = set[str]()
        while open_keys:
            key = open_keys.pop()
            if key not in reached:
                reached.add(key)
                open_keys += [] if key in held else self.queries[key].pins.values()
        return [each for each in found if str(each.key) in reached]

    def _named_in(self, query: Query) -> tuple[list[Query], list[Query]]:
        """The queries named in the text, and those of them named without a version."""
        if query.header is not None and query.origin == BUILT_IN:
            return [], []  # it requires all it calls, as `contract` has checked
        newest = self.newest
        plain = [newest[name] for name in newest.keys() & query.words]
        pinned = [self.queries[key] for key in self.queries.keys() & query.words]
        return [*plain, *pinned], plain

    def add_folder(self, folder: Path, origin: str) -> None:
        """Reads all `.sql` files below a folder; adds a notice for a name that is already used.

        An invalid file raises ContractError if it is built in, else it becomes a notice.
        """
        self._n_folders += 1
        if origin == BUILT_IN:
            for key, query in _built_in(folder, self._n_folders).items():
                self.queries[key] = replace(query, others=self.queries) if query.others else query
            return
        found = []
        for path in sorted(folder.rglob("*.sql")):
            try:
                if not path.is_file():
                    raise UsageError(f"{path} is not a regular file")
                layer = path.relative_to(folder).parts[0]
                shared = columns.in_folder(folder)
                found.append(_read(path, origin, layer, self._n_folders, shared))
            except (ContractError, UsageError) as error:
                self.notices.append(f"{error.message}: not in the library")
        for query in sorted(found, key=lambda each: aliases.target_of(each.sql) is not None):
            try:
                query = replace(query, others=self.queries)
                assert query.header is not None  # parsed now, so that an invalid one is left out
                self._add(query)
            except ContractError as error:
                self.notices.append(f"{error.message}: not in the library")

    def _add(self, query: Query) -> None:
        name, version = _pin(query)
        key = f"{name}@{version}"
        other = self.queries.get(key)
        if other and other.origin == query.origin:
            raise ContractError(f"{query.path} and {other.path} are both {key}")
        if query.origin != BUILT_IN and any(
            q.origin == BUILT_IN and _pin(q)[0] == name for q in self.queries.values()
        ):
            self.notices.append(f"{query.path} takes the place of the query {name}")
        if aliases.target_of(query.sql):
            query = replace(query, others=self.queries)
        self.queries[key] = query


@cache
def _built_in(folder: Path, precedence: int) -> dict[str, Query]:
    """The queries of the program, read once per process: they do not change while it runs."""
    made = Library()
    for parts in sql_files(folder):
        made._add(_read(folder.joinpath(*parts), BUILT_IN, parts[0], precedence))
    return made.queries


def _pin(query: Query) -> tuple[str, int]:
    assert query.pin is not None
    return query.pin


def _order(query: Query) -> tuple[int, int]:
    return query.precedence, _pin(query)[1]


def _read(
    path: Path, origin: str, layer: str, precedence: int, shared: SharedColumns | None = None
) -> Query:
    """Reads a query file; raises ContractError if it has no header or another name."""
    query = Query(
        _read_text(path),
        path=path,
        origin=origin,
        layer=layer,
        precedence=precedence,
        shared=shared,
    )
    if query.pin is None:
        raise headers.lacks_header(str(path))
    if path.stem not in (query.pin[0], query.key):
        raise ContractError(f"{path} holds a query of another name, {query.pin[0]}")
    return query


def from_text(sql: str, source: str = "the statement", path: Path | None = None) -> Query:
    """A query from text, with or without a header; raises ContractError for an invalid header."""
    shared = columns.in_folder(path.parent) if path else None
    query = Query(sql, path=path, origin=source, shared=shared)
    _ = query.header  # read now: an invalid header is reported before anything is opened
    return query


def from_texts(texts: Mapping[str, str], source: str) -> Library:
    """A library of texts by pinned name; raises ContractError for an invalid header or name."""
    found = Library()
    for key, text in texts.items():
        query = from_text(text, source)
        if query.key != key:
            raise ContractError(f"{source}: the text of {key} is that of {query.key}")
        found.queries[key] = replace(query, others=found.queries)
    return found


def from_file(path: Path) -> Query:
    """A query from any file; raises UsageError if it cannot be read."""
    return from_text(_read_text(path), str(path), path)


def _read_text(path: Path) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        raise UsageError(f"file {path} not found") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not valid UTF-8: byte {error.start}") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None


def _registered_folder(entry: EntryPoint) -> Path:
    """Returns the folder that a package registers; raises TwError."""
    place: Any = plugins.imported(entry)
    try:
        return Path(place() if callable(place) else place)
    except Exception as error:  # a plug-in may fail in any way
        package = plugins.package(entry)
        raise TwError(f"{entry.name} of {package} has no folder: {error}") from error


def load(query_path: Sequence[Path] = ()) -> Library:
    """Loads the built-in queries, those of installed packages and those in `query_path`.

    Later folders go over earlier ones. Raises ConfigError for a folder that is not there.
    """
    library = Library()
    library.add_folder(sql_folder("queries"), BUILT_IN)
    for entry in plugins.registered(ENTRY_POINTS):
        try:
            folder = _registered_folder(entry)
        except TwError as error:
            library.notices.append(f"{error.message}: not in the library")
            continue
        library.add_folder(folder, f"package {entry.name}")
    for folder in query_path:
        if not folder.is_dir():
            raise ConfigError(f"folder {folder} not found", hint="See query_path in tw.toml.")
        library.add_folder(folder, str(folder))
    return library
