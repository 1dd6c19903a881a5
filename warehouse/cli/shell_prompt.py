"""Terminal of the shell: prompt, completion, history and pager. Input is run by `Shell`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.styles import DynamicStyle, Style
from pygments.lexers.sql import SqlLexer

from warehouse import config
from warehouse.errors import ConfigError, TwError
from warehouse.query import session
from warehouse.query.selection import Selection
from warehouse.shell import completion
from warehouse.shell.shell import Shell, inputs, is_complete

_PLAIN = Style([])


class _Completer(Completer):
    """Completes names of the warehouse, which are read on first use."""

    def __init__(self, place: session.Place) -> None:
        self._place = place
        self._words: completion.Vocabulary | None = None

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        for text, length, meaning in completion.candidates(
            document.text_before_cursor, self._vocabulary()
        ):
            yield Completion(text, start_position=-length, display_meta=meaning)

    def _vocabulary(self) -> completion.Vocabulary:
        if self._words is None:
            try:
                # Typing must not block: no completion while another process writes.
                place = session.Place(self._place.path, 0.2, query_path=self._place.query_path)
                with session.opened(place, Selection(runs=("all",), with_captures=True)) as opened:
                    self._words = completion.vocabulary(opened)
            except TwError:
                return completion.Vocabulary()
        return self._words

    def discard(self) -> None:
        """Discards the names, which may have changed."""
        self._words = None


def run(shell: Shell) -> None:
    """Reads and runs input until the user quits."""
    completer = _Completer(shell.place)
    prompt: PromptSession[str] = PromptSession(
        message="tw> ",
        multiline=True,
        prompt_continuation=lambda width, line, wrapped: "..> ".rjust(width),
        key_bindings=_keys(),
        completer=completer,
        complete_while_typing=True,
        history=_history(),
        auto_suggest=AutoSuggestFromHistory(),
        lexer=PygmentsLexer(SqlLexer),
        style=DynamicStyle(lambda: _PLAIN if os.environ.get("NO_COLOR") else None),
        include_default_pygments_style=not os.environ.get("NO_COLOR"),
    )
    while not shell.is_over:
        try:
            text = prompt.prompt()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        for each in inputs(text):
            if not _run_one(shell, each):
                break
        completer.discard()


def _run_one(shell: Shell, text: str) -> bool:
    """Runs one input; an error or Ctrl-C ends the input, not the shell."""
    try:
        shell.run(text)
        return True
    except TwError as error:
        click.echo(f"Error: {error.message}", err=True)
        if error.hint:
            click.echo(f"Hint: {error.hint}", err=True)
    except KeyboardInterrupt:
        click.echo("Interrupted.", err=True)
    return False


def page(text: bytes) -> None:
    """Shows a result, in the pager if it exceeds the screen."""
    decoded = text.decode()
    if decoded.count("\n") < shutil.get_terminal_size().lines - 1:
        click.echo(decoded, nl=False)
        return
    # Wide tables are not wrapped: less scrolls horizontally.
    os.environ.setdefault("LESS", "-RS")
    click.echo_via_pager(decoded)


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @Condition
    def ready() -> bool:
        from prompt_toolkit.application.current import get_app

        return is_complete(get_app().current_buffer.text)

    @keys.add("enter", filter=ready)
    def accept(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    return keys


def history_file() -> Path:
    """Returns the history file: `$XDG_STATE_HOME/tw/history`; raises ConfigError without home."""
    return config.user_folder("XDG_STATE_HOME", "~/.local/state") / "tw" / "history"


def _history() -> History:
    try:
        path = history_file()
    except ConfigError as error:
        click.echo(f"Note: history disabled: {error.message}", err=True)
        return InMemoryHistory()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError as error:
        click.echo(f"Note: history disabled: {path}: {error.strerror}", err=True)
        return InMemoryHistory()
    return FileHistory(str(path))
