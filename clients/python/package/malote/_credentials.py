"""What stands in `Authorization`, obtained when it is needed and renewed before it ends."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from ._answers import json_of
from ._http import Request
from ._sender import Sender
from .errors import UnauthenticatedError

RENEWAL_SECONDS = 60.0
"""How long before its end a token is renewed; a tenth of its life where that is shorter."""
REFUSAL_SECONDS = 60.0
"""For how long a refused log-in is not tried again, so that threads and loops do not use up the failures that the account may have."""


class Credential:
    """One value that threads share. `obtain` answers it with the seconds that it lives; one thread at a time calls it."""

    def __init__(self, obtain: Callable[[], tuple[str, float]]) -> None:
        self._obtain = obtain
        self._lock = threading.Lock()
        self._value: str | None = None
        self._renew_at = math.inf
        self._refusal: UnauthenticatedError | None = None
        self._refused_until = -math.inf

    def get(self, refused: str | None = None) -> str:
        """The present value; a new one when the present one is the `refused` one. While it waited, another thread may have renewed it."""
        with self._lock:
            if self._value is None or self._value == refused or time.monotonic() >= self._renew_at:
                self._value = self._renewed()
            return self._value

    def _renewed(self) -> str:
        begun = time.monotonic()
        if self._refusal is not None and begun < self._refused_until:
            raise self._refusal.with_traceback(None)
        try:
            value, seconds = self._obtain()
        except UnauthenticatedError as refusal:
            self._refusal, self._refused_until = refusal, begun + REFUSAL_SECONDS
            raise
        self._refusal = None
        self._renew_at = begun + seconds - min(RENEWAL_SECONDS, seconds / 10)
        return value


def token(sender: Sender, email: str | None, password: str | None) -> Credential:
    """The bearer token of REST, by log-in."""

    def obtain() -> tuple[str, float]:
        answer = json_of(sender.send(_post("/auth/login", _login(email, password))))
        return answer["access_token"], answer["expires_in"]

    return Credential(obtain)


def key_token(sender: Sender, client_id: str, client_secret: str | None) -> Credential:
    """The bearer token of REST, by an API key."""

    def obtain() -> tuple[str, float]:
        client = {"client_id": client_id, "client_secret": _secret(client_secret)}
        form = urlencode({"grant_type": "client_credentials", **client}).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        answer = json_of(sender.send(Request("POST", "/auth/token", headers, form, repeatable=True)))
        return answer["access_token"], answer["expires_in"]

    return Credential(obtain)


def named_key(email: Callable[[], str], client_secret: str | None) -> Credential:
    """What GraphQL takes: the account's address, and an API key."""

    def obtain() -> tuple[str, float]:
        return f"{email()}:{_secret(client_secret)}", math.inf

    return Credential(obtain)


LOGIN = "mutation login($input: LoginInput!) { login(input: $input) { user { apiKey } } }"


def api_key(sender: Sender, email: str | None, password: str | None) -> Credential:
    """What GraphQL takes: the account's address, and its API key, by a log-in of its own."""

    def obtain() -> tuple[str, float]:
        variables = {"input": _login(email, password)}
        answer = json_of(sender.send(_post("/graphql", {"query": LOGIN, "variables": variables})))
        user = ((answer.get("data") or {}).get("login") or {}).get("user")
        if user is None:
            message = "No API key: wrong e-mail address or password, phone not confirmed, or too many failed log-ins."
            raise UnauthenticatedError(message, status=200, code="UNAUTHENTICATED")
        return f"{email}:{user['apiKey']}", math.inf

    return Credential(obtain)


def given(value: str) -> Credential:
    """A value that the caller has; it cannot be renewed."""

    def obtain() -> tuple[str, float]:
        return value, math.inf

    return Credential(obtain)


def _post(path: str, body: Any) -> Request:
    # Logging in twice is logging in once.
    return Request("POST", path, {"Content-Type": "application/json"}, json.dumps(body).encode(), repeatable=True)


def _secret(client_secret: str | None) -> str:
    if client_secret is None:
        raise ValueError("client_id needs client_secret, the API key")
    return client_secret


def _login(email: str | None, password: str | None) -> dict[str, str]:
    if email is None or password is None:
        raise ValueError("this needs client_id and client_secret, or the account's email and password")
    return {"email": email, "password": password}
