"""Serves one file to the Perfetto UI in the user's browser, then stops.

The UI at ui.perfetto.dev runs entirely in the browser. It fetches a trace from this machine on port
9001, the only port its content-security policy allows, and does not upload it.
"""

from __future__ import annotations

import errno
import shutil
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import quote, unquote

from warehouse.errors import ExportError, UsageError

UI = "https://ui.perfetto.dev"
PORT = 9001


class _Server(HTTPServer):
    """HTTP server of one file that records whether the file was fetched."""

    def __init__(self, path: Path, port: int, origin: str) -> None:
        self.path = path
        self.origin = origin
        self.n_fetched = 0
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/{quote(self.path.name)}"


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 30  # for clients that send nothing

    def do_GET(self) -> None:
        if not self._is_for_us():
            self.send_error(404)
            return
        with self.server.path.open("rb") as file:
            self._head(self.server.path.stat().st_size)
            shutil.copyfileobj(file, self.wfile, 1 << 20)
        self.server.n_fetched += 1

    def do_HEAD(self) -> None:
        if self._is_for_us():
            self._head(self.server.path.stat().st_size)
        else:
            self.send_error(404)

    def do_OPTIONS(self) -> None:
        """Answers the browser's preflight request for access to a private network."""
        self.send_response(204)
        self._allow()
        self.send_header("Access-Control-Allow-Methods", "GET, HEAD")
        self.send_header("Access-Control-Allow-Headers", "*")
        self.send_header("Access-Control-Allow-Private-Network", "true")
        self.end_headers()

    def _is_for_us(self) -> bool:
        """Serves only the one file, and only for our own host name (against DNS rebinding)."""
        hosts = {f"{name}:{self.server.server_port}" for name in ("127.0.0.1", "localhost")}
        requested = unquote(self.path.partition("?")[0].lstrip("/"))
        return self.headers.get("Host") in hosts and requested == self.server.path.name

    def _head(self, n_bytes: int) -> None:
        self.send_response(200)
        self._allow()
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(n_bytes))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()

    def _allow(self) -> None:
        self.send_header("Access-Control-Allow-Origin", self.server.origin)
        self.send_header("Vary", "Origin")

    def log_message(self, format: str, *arguments: object) -> None:
        """Disables request logging."""


def serve(
    path: Path,
    on_ready: Callable[[str], None],
    *,
    port: int = PORT,
    patience_s: float = 300.0,
    origin: str = UI,
) -> bool:
    """Serves a file until it has been fetched; returns False after `patience_s` seconds.

    `on_ready` is called with the address of the page once it can be opened. Raises ExportError when
    the port is in use, UsageError when the file does not exist.
    """
    if not path.is_file():
        raise UsageError(f"file {path} not found")
    with _listen(path, port, origin) as server:
        on_ready(f"{origin}/#!/?url={quote(server.url, safe=':/')}&referrer=tw")
        deadline = time.monotonic() + patience_s
        while not server.n_fetched and (left := deadline - time.monotonic()) > 0:
            server.timeout = left
            server.handle_request()
        return server.n_fetched > 0


def _listen(path: Path, port: int, origin: str) -> _Server:
    try:
        return _Server(path, port, origin)
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        raise ExportError(
            f"port {port} is in use",
            hint="Is another `tw open` running? Stop it; the Perfetto UI accepts no other port.",
        ) from None
