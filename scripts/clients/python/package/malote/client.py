"""The client of a service."""

from __future__ import annotations

import platform
import ssl
from types import TracebackType

from . import _credentials
from ._http import HttpClient
from ._rest import Account
from ._sender import RetryPolicy, Sender
from ._version import VERSION
from .graphql import GraphQL
from .resources import Resources


class Malote(Resources):
    """What an account can do. Logs in when it is first needed, and again when a token ends. Threads can share it.

    `password` is for REST, and for GraphQL unless its `api_key` is given. `timeout` is how many seconds to wait for a connection, and for
    each piece of an answer. A request that failed on its way is tried `max_retries` times again, after pauses that grow, or that
    the service asks for; where it asks for more than `longest_pause` seconds, the error is raised at once. `ssl_context` decides which
    certificates are trusted, when it is not what this machine trusts.
    """

    def __init__(
        self,
        base_url: str,
        *,
        email: str,
        password: str | None = None,
        api_key: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 3,
        longest_pause: float = 60.0,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        agent = f"malote-python/{VERSION} Python/{platform.python_version()}"
        self._http = HttpClient(base_url, user_agent=agent, timeout=timeout, ssl_context=ssl_context)
        sender = Sender(self._http, RetryPolicy(max_retries, longest_pause))
        super().__init__(Account(sender, "Bearer ", _credentials.token(sender, email, password)))
        key = _credentials.given(api_key) if api_key else _credentials.api_key(sender, email, password)
        self.graphql = GraphQL(Account(sender, f"ApiKey {email}:", key))
        """The same orders by GraphQL, with the account's API key."""

    def close(self) -> None:
        """Ends the connections that are kept open."""
        self._http.close()

    def __enter__(self) -> Malote:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
