"""What the methods of the resources have in common."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._answers import File, file_of, json_of
from ._credentials import Credential
from ._http import Answer, Request, path_of, query_of
from ._sender import Sender
from .errors import UnauthenticatedError

ENDED = (None, "token_invalid", "api_key_invalid")
"""Reasons by which a credential is no longer taken; None where something other than the service answers."""


@dataclass(frozen=True)
class Account:
    """Sends in the name of an account."""

    sender: Sender
    scheme: str
    """What stands before the credential in `Authorization`."""
    credential: Credential

    def send(self, request: Request) -> Answer:
        """Once more with a new credential when the present one is refused: it may have ended early."""
        value, begun = self.credential.get(), time.monotonic()
        try:
            return self.sender.send(request.with_authorization(self.scheme + value), begun)
        except UnauthenticatedError as refusal:
            if refusal.reason not in ENDED:
                raise
            renewed = self.credential.get(refused=value)
            if renewed == value:
                raise
            return self.sender.send(request.with_authorization(self.scheme + renewed), begun)


class Resource:
    """Methods of one part of the contract."""

    def __init__(self, account: Account) -> None:
        self._account = account

    def _send(
        self,
        method: str,
        path: str,
        *values: str,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: object = None,
        is_public: bool = False,
    ) -> Answer:
        """`values` fill the `{}` of the path in.

        Under an idempotency key a request may be repeated. Without one a POST may not, nor one that names the version it changes, which is
        another after the first time.
        """
        sent = {name: value for name, value in (headers or {}).items() if value is not None}
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        request = Request(
            method,
            path_of(path, *values) + query_of(query or {}),
            sent,
            body if isinstance(body, bytes) or body is None else json.dumps(body).encode(),
            repeatable="Idempotency-Key" in sent or (method != "POST" and "If-Match" not in sent),
        )
        return self._account.sender.send(request) if is_public else self._account.send(request)

    def _json(self, *arguments: str, **options: Any) -> Any:
        return json_of(self._send(*arguments, **options))

    def _file(self, *arguments: str, **options: Any) -> File:
        return file_of(self._send(*arguments, **options))


def new_key() -> str:
    """An idempotency key for one call, the same in all its tries."""
    return str(uuid.uuid4())
