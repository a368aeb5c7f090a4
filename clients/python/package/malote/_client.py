"""What the clients have in common."""

from __future__ import annotations

import platform
import ssl
from copy import copy
from dataclasses import replace
from types import TracebackType
from typing import TypeVar

from . import _credentials
from ._http import HttpClient, Times
from ._rest import Account
from ._sender import RetryPolicy, Sender
from ._version import VERSION

Self = TypeVar("Self", bound="Client")


class Client:
    """Logs in when it is first needed, and again when a token ends. Threads can share it."""

    def __init__(
        self,
        base_url: str,
        *,
        client_id: str | None = None,
        client_secret: str | None = None,
        email: str | None = None,
        password: str | None = None,
        token: str | None = None,
        timeout: float = 30.0,
        connect_timeout: float = 10.0,
        max_retries: int = 3,
        retry_for: float = 60.0,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        agent = f"malote-python/{VERSION} Python/{platform.python_version()}"
        self._http = HttpClient(base_url, user_agent=agent, ssl_context=ssl_context)
        self._sender = Sender(self._http, RetryPolicy(max_retries, retry_for), Times(timeout, connect_timeout))
        if token:
            credential = _credentials.given(token)
        elif client_id:
            credential = _credentials.key_token(self._sender, client_id, client_secret)
        else:
            credential = _credentials.token(self._sender, email, password)
        self._account = Account(self._sender, "Bearer ", credential)
        self._offer(self._account)

    def with_options(
        self: Self,
        *,
        timeout: float | None = None,
        connect_timeout: float | None = None,
        max_retries: int | None = None,
        retry_for: float | None = None,
    ) -> Self:
        """The client with other times and tries, for one call or several: it shares log-in and connections with this one."""
        times = {"timeout": timeout, "connect_timeout": connect_timeout}
        return self._sending_by(self._sender.with_options(**times, max_retries=max_retries, retry_for=retry_for))

    def _sending_by(self: Self, sender: Sender) -> Self:
        other = copy(self)
        other._sender, other._account = sender, replace(self._account, sender=sender)
        other._offer(other._account)
        return other

    def _offer(self, account: Account) -> None:
        """Sets the resources up."""
        raise NotImplementedError

    def close(self) -> None:
        """Ends the connections that are kept open; the next call opens another."""
        self._http.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
