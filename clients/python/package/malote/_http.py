"""Requests and answers."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from time import time
from urllib.parse import quote, urlencode, urlsplit

from ._connections import Connections
from ._deadline import Deadline


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    """With its query, from the service's address on."""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    repeatable: bool = False
    """Whether doing it twice is doing it once."""

    def with_authorization(self, value: str) -> Request:
        return replace(self, headers={**self.headers, "Authorization": value})


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Message
    """Found by their names in any case."""
    body: bytes

    @property
    def retry_after(self) -> float | None:
        """Seconds that `Retry-After` asks to wait, as a number or as a date; None when it says nothing."""
        text = self.headers.get("Retry-After", "")
        if text.isascii() and text.isdecimal():
            return float(text)
        try:
            return max(0.0, parsedate_to_datetime(text).timestamp() - time())
        except (OverflowError, TypeError, ValueError):
            return None


@dataclass(frozen=True)
class Times:
    """Seconds that one try may take."""

    timeout: float
    """Until all of its answer is there."""
    connect_timeout: float
    """Until a new connection is open, as a part of that."""


class HttpClient:
    """Sends to one service. Follows no redirect, so that no other host gets the credentials."""

    def __init__(
        self, base_url: str, *, user_agent: str, ssl_context: ssl.SSLContext | None = None
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or set("@?#") & set(base_url):
            raise ValueError("base_url must be the address of the service, such as https://malote.example")
        self._connections = Connections(parts, ssl_context)
        self._prefix = parts.path.rstrip("/")
        self._headers = {"User-Agent": user_agent, **self._connections.proxy_headers()}

    def exchange(self, request: Request, times: Times) -> Answer:
        """Returns whatever the service answers; raises OSError or http.client.HTTPException when it does not answer."""
        # An idle connection may end just now. A request that cannot be sent again gets a new connection.
        connection = self._connections.take() if request.repeatable else self._connections.new()
        deadline = Deadline(times.timeout)
        try:
            if connection.sock is None:
                connection.timeout = min(times.connect_timeout, times.timeout)
                connection.connect()
            deadline.bind(connection)
            target = f"{self._connections.target_prefix}{self._prefix}{request.path}"
            connection.request(request.method, target, request.body, {**self._headers, **request.headers})
            response = connection.getresponse()
            answer = Answer(response.status, response.headers, response.read())
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            self._connections.put_back(connection)
        return answer

    def close(self) -> None:
        self._connections.close()


def path_of(template: str, *values: str) -> str:
    """The template with each `{}` filled in, so that no value leaves its place."""
    return template.format(*(quote(value, safe="") for value in values))


def query_of(parameters: Mapping[str, object]) -> str:
    """With its question mark; empty when no parameter is given. A mapping becomes "name[key]=text" for each key."""
    given: list[tuple[str, str]] = []
    for name, value in parameters.items():
        if isinstance(value, Mapping):
            given.extend((f"{name}[{key}]", _text(text)) for key, text in value.items())
        elif value is not None:
            given.append((name, _text(value)))
    return f"?{urlencode(given)}" if given else ""


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    # A time without a zone is one of this machine's.
    return value.astimezone().isoformat() if isinstance(value, datetime) else str(value)
