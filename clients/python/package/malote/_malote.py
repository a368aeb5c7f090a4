"""The client of an account."""

from __future__ import annotations

import ssl
from dataclasses import replace
from typing import TypeVar

from . import _credentials
from ._client import Client
from ._rest import Account
from ._sender import Sender
from .graphql import GraphQL
from .resources import Resources


Self = TypeVar("Self", bound="Malote")


class Malote(Resources, Client):
    """What an account can do. Logs in when it is first needed, and again when a token ends. Threads can share it.

    `client_id` is the id of an API key, `client_secret` the key. Instead of these, `email` and `password` are the account's; REST takes an access
    `token`, too, and GraphQL `email` and `api_key`.

    A try takes `timeout` seconds at most until all of its answer is there, `connect_timeout` of them for a connection. One that fails on
    its way is made again `max_retries` times, after pauses that grow or that the service asks for; no try begins later than `retry_for`
    seconds after the first, so that a call takes as long as these two together at most; a log-in that it needs, and the try after it, come on top.
    `with_options` changes all of that for one call. `ssl_context` decides which certificates are trusted, when it is not those that this machine trusts.
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
        connect_timeout: float = 10.0,
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
            connect_timeout=connect_timeout,
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

    def _sending_by(self: Self, sender: Sender) -> Self:
        other = super()._sending_by(sender)
        other.graphql = GraphQL(replace(self.graphql._account, sender=sender))
        return other
