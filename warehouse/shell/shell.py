"""The SQL shell without its terminal: statements and dot commands in, text out.

The file is opened for each statement and closed after it, so that an idle shell does not block
imports. `warehouse.cli.shell` provides the terminal.
"""

from __future__ import annotations

import difflib
import io
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse import config
from warehouse.errors import QueryError, UsageError
from warehouse.export import manifest
from warehouse.library import describe, library, tokens
from warehouse.query import emptiness, encoding, execute, session
from warehouse.query import scope as scopes
from warehouse.query.selection import Selection, select
from warehouse.query.session import DIALECTS
from warehouse.store import database
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.library.library import Query
    from warehouse.query.scope import Scope
    from warehouse.query.terminal.table import View

#: Ends an input.
_QUIT = ("quit", "exit", "q")
#: What users of other shells type, and the dot command it stands for.
_ALIASES = {
    "exit": ".quit", "quit": ".quit", "\\q": ".quit", "help": ".help", "?": ".help", "\\?": ".help",
    "\\d": ".tables", "\\dt": ".tables",
}  # fmt: skip
#: Kinds of statements that `--write` allows; they cannot leave the warehouse.
_WRITING = {
    "INSERT", "UPDATE", "DELETE", "MERGE_INTO", "CREATE", "CREATE_FUNC", "ALTER", "DROP", "ANALYZE",
    "VACUUM",
}  # fmt: skip
Show = Callable[[bytes], None]


@dataclass
class State:
    """Settings changed by dot commands."""

    selection: Selection = field(default_factory=Selection)
    parameters: dict[str, str] = field(default_factory=dict)
    dialect: str = "duckdb"
    made: list[str] = field(default_factory=list)  # objects created in PerfettoSQL
    format: str = "table"
    max_rows: int = encoding.DEFAULT_ROWS
    target: Path | None = None  # target of the next result; None: the screen
    is_timed: bool = False
    is_raw: bool = False  # tables as in a pipe: all columns, numbers without units
    notice: str | None = None  # last printed notice of the scope
    damage: str | None = None  # last printed warning of damaged traces


class Shell:
    """Runs inputs.

    `show` receives results, `say` all other text; `view` is how a terminal shows tables, None for
    exact values; `is_csv_safe` marks texts in CSV and TSV that spreadsheets would run; `can_write`
    allows statements that modify the warehouse, `is_unsafe` any statement, also over other files.
    """

    def __init__(
        self,
        place: session.Place,
        *,
        show: Show,
        say: Callable[[str], None],
        selection: Selection | None = None,
        format: str = "table",
        is_csv_safe: bool = False,
        can_write: bool = False,
        is_unsafe: bool = False,
        view: Callable[[], View] | None = None,
    ) -> None:
        self.place = place
        self.state = State(selection or Selection(), format=format)
        self.is_csv_safe = is_csv_safe
        self.can_write, self.is_unsafe = can_write or is_unsafe, is_unsafe
        self.is_over = False
        self._show, self._say, self._view = show, say, view

    def run(self, text: str) -> None:
        """Runs one statement or dot command; raises TwError."""
        text = as_command(text)
        if text.startswith("."):
            self._command(text)
        elif statement := tokens.statement(text):
            if statement.isidentifier() and statement in library.load().newest:
                raise UsageError(
                    f"{statement} is a library query, not a statement",
                    hint=f"`.run {statement}` runs it.",
                )
            query = library.from_text(statement)
            if self.state.dialect == "perfetto":
                self._perfetto(statement)
            else:
                self._statement(query, self._set_for(query))

    def _statement(self, query: Query, parameters: dict[str, str], dialect: str = "duckdb") -> None:
        started = time.perf_counter()
        if self.can_write and dialect == "duckdb" and not _reads(query.sql):
            self._change(query.sql)
        else:
            self._ask(query, parameters, dialect)
        if self.state.is_timed:
            self._say(f"{time.perf_counter() - started:.3f} s")

    def _perfetto(self, statement: str) -> None:
        """Runs a PerfettoSQL statement; objects it creates are kept for later statements."""
        script = ";\n".join([*self.state.made, statement])
        if statement.split(None, 1)[0].upper() != "CREATE":
            self._statement(library.from_text(script), {}, "perfetto")
            return
        with (
            session.opened(self.place, self.state.selection) as opened,
            opened.run(f"{script};\nSELECT 1", dialect="perfetto"),
        ):
            self.state.made.append(statement)

    def _set_for(self, query: Query) -> dict[str, str]:
        """Returns the parameters set by .params that a query declares."""
        known = {parameter.name for parameter in query.parameters}
        return {name: value for name, value in self.state.parameters.items() if name in known}

    def _ask(self, query: Query, parameters: dict[str, str], dialect: str) -> None:
        with session.opened(self.place, self.state.selection) as opened:
            self._announce(opened.seen)
            with opened.run(query, parameters, dialect=dialect) as result:
                about = opened.manifest(query, result.parameters)
                self._deliver(result, about)
            if (
                dialect == "duckdb"
                and not result.n_rows
                and (note := emptiness.note(opened, query))
            ):
                self._say(note)

    def _deliver(self, result: Any, about: dict[str, str]) -> None:
        target, self.state.target = self.state.target, None
        if target is not None:
            format = encoding.format_of(target, None)
            manifest.write_rows(result, format, target, about, is_csv_safe=self.is_csv_safe)
            self._say(f"{counted(result.n_rows, 'row')} written to {target}")
            return
        n_shown = self._print(result)
        if n_shown < result.n_rows:
            self._say(f"({n_shown:,} of {result.n_rows:,} rows; .rows -1 for all)")

    def _print(self, result: Any) -> int:
        """Shows the rows and returns their number."""
        if self._view is not None and self.state.format == "table" and not self.state.is_raw:
            return self._lay_out(result, self._view())
        text = io.BytesIO()
        n_shown = encoding.write(
            result,
            self.state.format,
            text,
            max_rows=self.state.max_rows,
            is_csv_safe=self.is_csv_safe,
        )
        self._show(text.getvalue())
        return n_shown

    def _lay_out(self, result: Any, view: View) -> int:
        from warehouse.query.terminal import table

        _, values = encoding.first_rows(result, self.state.max_rows)
        layout = table.lay_out(result.columns, values, view)
        self._show(layout.text.encode())
        if layout.left_out:
            self._say(layout.note(".raw shows them", view.width))
        return len(values)

    def _change(self, sql: str) -> None:
        """Runs a writing statement in a transaction, over the whole warehouse."""
        import duckdb

        from warehouse.errors import query_error

        if not self.is_unsafe and (other := set(_kinds(sql)) - _WRITING - set(execute.READING)):
            raise QueryError(
                f"{min(other)} statements are not allowed with --write",
                hint="--unsafe allows any statement, also over other files.",
            )
        place = self.place
        with database.writer(
            place.path, wait_s=place.wait_s, is_locked=not self.is_unsafe
        ) as connection:
            try:
                connection.execute(sql)
            except duckdb.Error as error:
                raise query_error(error) from None
        self._say("Done.")

    def _announce(self, seen: Scope) -> None:
        """Prints the run chosen by default, and damaged traces, when they change."""
        if seen.notice and seen.notice != self.state.notice:
            self._say(f"Scope: {seen.notice}")
        if seen.damage and seen.damage != self.state.damage:
            self._say(f"WARNING: {seen.damage}")
        self.state.notice, self.state.damage = seen.notice, seen.damage

    def _command(self, text: str) -> None:
        name, _, rest = text[1:].partition(" ")
        if name in _QUIT:
            self.is_over = True
            return
        if name not in COMMANDS:
            near = difflib.get_close_matches(name, COMMANDS, n=1)
            hint = f"Did you mean .{near[0]}?" if near else "See .help."
            raise UsageError(f"command .{name} not found", hint=hint)
        COMMANDS[name].run(self, rest.strip().removesuffix(";"))

    def _lines(self, lines: list[str]) -> None:
        self._show("".join(f"{line}\n" for line in lines).encode())

    def help(self, rest: str) -> None:
        """List the commands."""
        rows = [[f".{name} {each.usage}".rstrip(), each.help] for name, each in COMMANDS.items()]
        self._lines([
            *describe.aligned([*rows, [".quit", "Quit; also Ctrl-D."]]), "",
            "Other input is SQL and ends with a semicolon. help, ?, exit, \\q, \\d and \\d TABLE",
            "do the same as .help, .quit, .tables and .schema.",
        ])  # fmt: skip

    def tables(self, rest: str) -> None:
        """List tables and views."""
        with session.opened(self.place, Selection(runs=("all",), with_captures=True)) as opened:
            self._lines(describe.tables(opened.connection, rest))

    def schema(self, rest: str) -> None:
        """Show the columns of a table with type, unit and description."""
        if not rest:
            raise UsageError(".schema requires a table", hint=".tables lists them.")
        with session.opened(self.place, Selection(runs=("all",), with_captures=True)) as opened:
            self._lines(describe.table(opened.connection, rest))

    def queries(self, rest: str) -> None:
        """List the library's queries."""
        self._lines(describe.library(library.load(self.place.query_path), rest))

    def run_query(self, rest: str) -> None:
        """Run a library query."""
        name, values = _pairs(rest)
        if not name:
            raise UsageError(".run requires a query", hint=".queries lists them.")
        found = library.load(self.place.query_path).find(name)
        self._statement(found, {**self._set_for(found), **values})

    def params(self, rest: str) -> None:
        """Show or set values of $NAME parameters."""
        if rest == "clear":
            self.state.parameters.clear()
            return
        name, values = _pairs(rest)
        if name:
            raise UsageError(f"{name} has no value", hint="Write .params NAME=VALUE.")
        self.state.parameters.update(values)
        self._lines([f"{key} = {value}" for key, value in self.state.parameters.items()])

    def scope(self, rest: str) -> None:
        """Show or set the scope: runs, traces, ranks and time window."""
        if rest == "clear":
            self.state.selection = Selection()
        elif rest:
            self.state.selection = _selection(rest)
        with session.opened(self.place, self.state.selection) as opened:
            self._lines(_scope_lines(opened.seen))
        self.state.notice = opened.seen.notice

    def dialect(self, rest: str) -> None:
        """Show or set the SQL dialect: duckdb, or perfetto for PerfettoSQL."""
        if rest and rest not in DIALECTS:
            raise UsageError(f"dialect {rest} not found", hint=f"One of {', '.join(DIALECTS)}.")
        self.state.dialect = rest or self.state.dialect
        self._say(f"Dialect: {self.state.dialect}")

    def format(self, rest: str) -> None:
        """Show or set the output format."""
        if rest:
            known = [name for name in encoding.FORMATS if name not in encoding.BINARY]
            if rest not in known:
                raise UsageError(f"format {rest} not found", hint=f"One of {', '.join(known)}.")
            self.state.format = rest
        self._say(f"Format: {self.state.format}")

    def rows(self, rest: str) -> None:
        """Show or set the maximum number of rows in a table."""
        if rest:
            try:
                self.state.max_rows = max(-1, int(rest))
            except ValueError:
                raise UsageError(f"invalid number of rows {rest}") from None
        self._say(f"Rows: {'all' if self.state.max_rows < 0 else self.state.max_rows}")

    def output(self, rest: str) -> None:
        """Write the next result to a file; its suffix selects the format."""
        if not rest:
            self.state.target = None
            return
        target = config.expanded(rest)
        encoding.format_of(target, None)
        self.state.target = target

    def timer(self, rest: str) -> None:
        """Print the run time of each statement."""
        if rest not in ("", "on", "off"):
            raise UsageError(
                f"invalid argument of .timer: {rest}", hint="Write .timer on or .timer off."
            )
        self.state.is_timed = rest != "off"

    def raw(self, rest: str) -> None:
        """Print tables as in a pipe: all columns, numbers without units."""
        if rest not in ("", "on", "off"):
            raise UsageError(f"invalid argument of .raw: {rest}", hint="Write .raw on or .raw off.")
        self.state.is_raw = rest != "off"

    def explain(self, rest: str) -> None:
        """Show the plan of a library query or a statement."""
        queries = library.load(self.place.query_path)
        if rest and " " not in rest:
            self._lines(describe.query(queries.find(rest)))
            return
        if not tokens.statement(rest):
            raise UsageError(".explain requires the name of a query or a statement")
        with (
            session.opened(self.place, self.state.selection) as opened,
            opened.run(f"EXPLAIN {tokens.statement(rest)}") as result,
        ):
            plans = [
                str(plan) for batch in result.batches() for plan in batch.column(1).to_pylist()
            ]
        self._lines(plans)


@dataclass(frozen=True)
class Command:
    """A dot command: its arguments and its function."""

    usage: str
    run: Callable[[Shell, str], None]

    @property
    def help(self) -> str:
        return (self.run.__doc__ or "").partition("\n")[0]


COMMANDS = {
    "help": Command("", Shell.help),
    "tables": Command("[PART]", Shell.tables),
    "schema": Command("TABLE", Shell.schema),
    "queries": Command("[PART]", Shell.queries),
    "run": Command("QUERY [NAME=VALUE]...", Shell.run_query),
    "params": Command("[NAME=VALUE]... | clear", Shell.params),
    "scope": Command("[run=.. trace=.. rank=.. from=.. to=..] | clear", Shell.scope),
    "dialect": Command("[duckdb|perfetto]", Shell.dialect),
    "format": Command("[FORMAT]", Shell.format),
    "rows": Command("[N]", Shell.rows),
    "output": Command("[FILE]", Shell.output),
    "timer": Command("[on|off]", Shell.timer),
    "raw": Command("[on|off]", Shell.raw),
    "explain": Command("QUERY | STATEMENT", Shell.explain),
}


def as_command(text: str) -> str:
    """Returns an input without spaces around it; `help`, `exit`, `\\d` ... as dot commands."""
    text = text.strip()
    word, _, rest = text.removesuffix(";").rstrip().partition(" ")
    if word == "\\d" and rest.strip():
        return f".schema {rest.strip()}"
    return _ALIASES.get(word.lower(), text) if not rest else text


def is_complete(text: str) -> bool:
    """Whether an input is complete: a dot command, empty, or SQL up to its semicolon."""
    stripped = as_command(text)
    if not stripped or stripped.startswith("."):
        return True
    found = [token for token in tokens.split(stripped) if token.kind not in ("comment", "space")]
    return not found or (found[-1].text == ";" and not tokens.is_open(found))


def inputs(text: str) -> list[str]:
    """Splits a script into dot commands, one per line, and statements."""
    found: list[str] = []
    pending = ""
    for line in text.splitlines(keepends=True):
        if not pending.strip() and as_command(line).startswith("."):
            found.append(as_command(line))
            continue
        pending += line
        if is_complete(pending):
            found += _statements(pending)
            pending = ""
    return found + _statements(pending)


def _statements(text: str) -> list[str]:
    found, current = [], ""
    for token in tokens.split(text):
        current += token.text
        if token.text == ";" and token.kind == "other":
            found.append(current)
            current = ""
    found.append(current)
    return [each.strip() for each in found if tokens.statement(each)]


def _reads(sql: str) -> bool:
    return set(_kinds(sql)) <= set(execute.READING)


def _kinds(sql: str) -> list[str]:
    """Returns the kinds of statements in a text; raises QueryError if it cannot be parsed."""
    import duckdb

    from warehouse.errors import query_error

    execute.must_be_unicode(sql)
    try:
        return [execute.kind_of(each) for each in duckdb.extract_statements(sql)]
    except duckdb.Error as error:
        raise query_error(error) from None


def _pairs(text: str) -> tuple[str, dict[str, str]]:
    """Splits words into NAME=VALUE pairs and an optional first word."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{text}: {error}") from None
    name = words.pop(0) if words and "=" not in words[0] else ""
    values = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise UsageError(f"{word} has no value", hint="Write NAME=VALUE.")
        values[key] = value
    return name, values


def _selection(text: str) -> Selection:
    word, values = _pairs(text)
    names = {"run": "run", "trace": "trace", "rank": "rank", "from": "start", "to": "end"}
    for name in [word] if word else []:
        raise UsageError(f"{name} has no value", hint="Write .scope run=NAME rank=0,1.")
    for key in values:
        if key not in names:
            raise UsageError(f"unknown scope option {key}", hint=f"One of {', '.join(names)}.")
    chosen: dict[str, Any] = {names[key]: value for key, value in values.items()}
    for key in ("run", "trace"):
        if key in chosen:
            chosen[key] = chosen[key].split(",")
    return select(**chosen)


def _scope_lines(seen: scopes.Scope) -> list[str]:
    names = ", ".join(seen.run_names) or "none"
    lines = [f"Runs: {names}", f"Traces: {len(seen.trace_ids)}"]
    if seen.has_window:
        lines.append(f"Time: from {seen.from_ns} ns to {seen.to_ns} ns")
    return lines
