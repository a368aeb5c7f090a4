"""A server between client and service: passes on, notes what comes, and fails where it is told to."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


@dataclass
class Call:
    method: str
    path: str
    headers: Message
    body: bytes

    @property
    def key(self) -> str | None:
        return self.headers["Idempotency-Key"]


@dataclass
class Reply:
    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    ends: bool = False
    """Whether the connection ends after it, without a word."""


def refusal(status: int, code: str, reason: str | None = None, **headers: str) -> Reply:
    said = {} if reason is None else {"reason": reason}
    body = json.dumps({"error": {"code": code, **said, "message": "As the test has it.", "details": []}}).encode()
    return Reply(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


LOST = "lost"
"""Passed on, but its answer is not."""
HANGS = "hangs"
"""Not answered while the front is open."""
DRIPS = "drips"
"""Answered a space at a time, without an end, while the front is open."""

Action = Reply | str


class Front:
    def __init__(self, target: str) -> None:
        self.calls: list[Call] = []
        self.ended = threading.Event()
        self._plan: list[tuple[str, Action]] = []
        self._lock = threading.Lock()
        self._target = urlsplit(target)
        front = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 30

            def do_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                front.answer(self, Call(self.command, self.path, self.headers, body))

            do_GET = do_POST = do_PUT = do_DELETE = do_any

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def then(self, path: str, *actions: Action) -> None:
        """What becomes of the next requests to the path."""
        self._plan += [(path, action) for action in actions]

    def to(self, path: str) -> list[Call]:
        return [call for call in self.calls if urlsplit(call.path).path == path]

    def close(self) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()

    def _next(self, call: Call) -> Action | None:
        with self._lock:
            self.calls.append(call)
            for at, (path, action) in enumerate(self._plan):
                if urlsplit(call.path).path == path:
                    del self._plan[at]
                    return action
        return None

    def answer(self, handler: BaseHTTPRequestHandler, call: Call) -> None:
        action = self._next(call)
        if action == HANGS:
            self.ended.wait(30)
        if action == DRIPS:
            self._drip(handler)
        if action in (HANGS, DRIPS) or (action == LOST and self._pass_on(call)):
            handler.close_connection = True
            return
        reply = action if isinstance(action, Reply) else self._pass_on(call)
        handler.send_response(reply.status)
        for name, value in {**reply.headers, "Content-Length": str(len(reply.body))}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(reply.body)
        handler.close_connection = handler.close_connection or reply.ends

    def _drip(self, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        with suppress(OSError):
            while not self.ended.wait(0.02):
                handler.wfile.write(b" ")

    def _pass_on(self, call: Call) -> Reply:
        """A proxy is told the whole address."""
        parts = urlsplit(call.path)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection = HTTPConnection(self._target.hostname or "", self._target.port, timeout=30)
        own = {name: value for name, value in call.headers.items() if name.lower() not in ("host", "connection")}
        connection.request(call.method, target, call.body or None, own)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        kept = {
            name: value
            for name, value in response.getheaders()
            if name.lower() not in ("connection", "keep-alive", "content-length", "transfer-encoding")
        }
        return Reply(response.status, body, kept)
