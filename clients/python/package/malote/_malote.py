"""The client of an account."""

from __future__ import annotations

import ssl

from . import _credentials
from ._client import Client
from ._rest import Account
from .graphql import GraphQL
from .resources import Resources


class Malote(Resources, Client):
    """What an account can do. Logs in when it is first needed, and again when a token ends. Threads can share it.

    `client_id` is the id of an API key, `client_secret` the key. Instead of these, `email` and `password` are the account's; REST takes an access
    `token`, too, and GraphQL `email` and `api_key`.

    `timeout` is how many seconds to wait for a connection, and for each piece of an answer. A try that fails on its way is made
    again `max_retries` times, after pauses that grow or that the service asks for; no try begins later than `retry_for` seconds after
    the first. `ssl_context` decides which certificates are trusted, when it is not those that this machine trusts.
    """

    def __init__(
        self,
        base_url: str,
        *,
        client_id: str | None = None,
        client_secret: str | None = None,
        email: str | None = None,
        password: str | None = None,
        token: str | None = None,
        api_key: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 3,
        retry_for: float = 60.0,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        super().__init__(
            base_url,
            client_id=client_id,
            client_secret=client_secret,
            email=email,
            password=password,
            token=token,
            timeout=timeout,
            max_retries=max_retries,
            retry_for=retry_for,
            ssl_context=ssl_context,
        )
        if client_id:
            key = _credentials.named_key(lambda: email or self.users.get_current()["email"], client_secret)
        elif api_key:
            key = _credentials.given(f"{email}:{api_key}")
        else:
            key = _credentials.api_key(self._sender, email, password)
        self.graphql = GraphQL(Account(self._sender, "ApiKey ", key))
        """The operations of GraphQL, with the account's API key."""
