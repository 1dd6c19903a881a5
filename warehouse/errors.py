"""All exceptions raised by `tw`, as one tree.

    TwError                   exit 1   a one-sentence message and an optional hint
    ├── UsageError            exit 2   an option, a name or a parameter is invalid
    │   ├── ConfigError               an invalid configuration file or environment variable
    │   └── ScopeError                the scope options select nothing or conflict
    ├── DatabaseError         exit 3   the warehouse cannot be opened
    │   ├── MissingDatabase           the file does not exist
    │   ├── LockedDatabase            another process has it open
    │   ├── NewerDatabase             written by a newer version of tw
    │   └── InvalidDatabase           damaged, or not a warehouse
    ├── TraceError            exit 1   an input file cannot be imported
    │   ├── UnknownFormat             no importer recognises its content
    │   │   └── UnsupportedFormat     a known format that must be converted first
    │   ├── CorruptTrace              truncated or invalid at a known offset
    │   ├── DuplicateTrace            already imported
    │   └── UnexpectedFailure         a defect of an importer, with its traceback
    ├── QueryError            exit 1   a query is invalid or fails
    │   ├── ContractError             its result does not match its header
    │   └── QueryTimeout      exit 4  it exceeded --timeout
    └── ExportError           exit 1   an output file cannot be written

Catch `TwError` for all of them:

    try:
        ...
    except TwError as error:
        print(error, error.hint)
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of `tw`; part of its stable interface."""

    OK = 0  # the work was done
    FAILURE = 1  # a query, an import or a check failed
    USAGE = 2  # a wrong option, name, parameter or configuration
    DATABASE = 3  # the warehouse cannot be opened
    TIMEOUT = 4  # --timeout ran out
    PARTIAL = 5  # some of several inputs failed
    DAMAGED = 6  # imported, but parts of an input could not be read
    INTERRUPT = 130  # Ctrl-C


class TwError(Exception):
    """A failure with one sentence for the user and, where there is one, a remedy.

    `hint` is the remedy, or None. `exit_code` is what the command line returns.
    """

    exit_code: ExitCode = ExitCode.FAILURE

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        # Import workers are processes: their errors are pickled, including the hint.
        return (_rebuild, (type(self), self.message, self.hint, self.__dict__))


def _rebuild(
    kind: type[TwError], message: str, hint: str | None, state: dict[str, object]
) -> TwError:
    error = kind(message, hint=hint)
    error.__dict__.update(state)
    return error


class UsageError(TwError):
    """An option, a name or a parameter is wrong."""

    exit_code = ExitCode.USAGE


class ConfigError(UsageError):
    """The configuration file or an environment variable is wrong."""


class ScopeError(UsageError):
    """The scope options select nothing, or conflict."""


class DatabaseError(TwError):
    """The warehouse file cannot be opened."""

    exit_code = ExitCode.DATABASE


class MissingDatabase(DatabaseError):
    """The warehouse file does not exist."""


class LockedDatabase(DatabaseError):
    """Another process has locked the warehouse; retrying later may succeed."""


class NewerDatabase(DatabaseError):
    """A newer `tw` wrote the warehouse."""


class InvalidDatabase(DatabaseError):
    """The file is damaged, or is not a warehouse."""


class UnwritableDatabase(DatabaseError):
    """The warehouse file cannot be written: the disk is full, or the file must not grow."""


class TraceError(TwError):
    """An input file cannot be imported."""


class UnknownFormat(TraceError):
    """No importer recognises the content."""


class UnsupportedFormat(UnknownFormat):
    """A known format without importer; the hint says how to convert it."""


class CorruptTrace(TraceError):
    """The content is invalid or ends at `offset` (bytes of the decompressed file)."""

    def __init__(self, message: str, *, hint: str | None = None, offset: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.offset = offset


class DuplicateTrace(TraceError):
    """The file has already been imported, and `--on-duplicate error` was given."""


class UnexpectedFailure(TraceError):
    """An importer failed in an unforeseen way; `traceback` is the text of the traceback."""

    def __init__(self, message: str, *, hint: str | None = None, traceback: str = "") -> None:
        super().__init__(message, hint=hint)
        self.traceback = traceback


class QueryError(TwError):
    """A query is refused, or fails while it runs."""


class ContractError(QueryError):
    """A query's result is not what its header declares."""


class OutOfMemory(QueryError):
    """The query needs more memory than its limit."""


class QueryTimeout(QueryError):
    """The query ran past its time limit."""

    exit_code = ExitCode.TIMEOUT


class ExportError(TwError):
    """An output file cannot be written."""


class DamageWarning(UserWarning):
    """Traces in scope were read from damaged files; the Python API warns of it."""


def query_error(error: Exception) -> QueryError:
    """Converts an error of DuckDB about a query: its message, and its advice as a hint."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    kind, _, message = (lines[0] if lines else "unknown error").partition(": ")
    if not kind.endswith("Error"):
        message = lines[0] if lines else "unknown error"
    hint = " ".join(line for line in lines[1:] if not set(line) <= {"^", " "})
    hint = hint.replace("bindings: : ", "bindings: ")  # as DuckDB writes it behind an alias
    if "disabled" in message or kind == "Permission Error":
        hint = "A query reads the warehouse and nothing else."
    elif kind == "Out of Memory Error":
        hint = "Raise --memory-limit, or choose less with --run, --from and --to."
        return OutOfMemory(message.strip(), hint=hint)
    return QueryError(message.strip(), hint=hint or None)
