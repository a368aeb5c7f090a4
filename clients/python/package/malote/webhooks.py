"""Checks what arrives at your receiver, as https://www.standardwebhooks.com says."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import re
import time
from collections.abc import Callable, Iterable
from typing import Protocol, cast

from .tracking import TrackingPayload

TOLERANCE_SECONDS = 300
TIMESTAMP = re.compile("[0-9]{1,12}")
MOST_SIGNATURES = 20
Login = tuple[str, str]
"""User name and password of HTTP Basic."""
Check = Callable[[bytes, bytes], bool]
"""Whether a signature is genuine: (what is signed, the signature's bytes)."""


class Headers(Protocol):
    """Headers of a request, as a dict or as your framework has them."""

    def items(self) -> Iterable[tuple[str, str]]: ...


class WebhookVerificationError(Exception):
    """The request is not from the service, or too old: answer 401."""


def verify_webhook(
    headers: Headers,
    body: bytes,
    *,
    secrets: str | Iterable[str],
    basic: Login | Iterable[Login] | None = None,
    tolerance: float = TOLERANCE_SECONDS,
) -> TrackingPayload:
    """Returns the body of a tracking update, once it is proven to be the service's; raises WebhookVerificationError otherwise.

    `body` are the bytes as they came: what a framework has parsed and written again has another signature. `secrets` is the endpoint's
    secret, `whsec_…`, or several of them while it is changed. A public key of the endpoint, `whpk_…`, checks its ed25519 signature
    (`v1a`) instead, for which `malote[ed25519]` must be installed. `basic` is the user name and password that the endpoint is registered
    with, or several of them. `tolerance` is how many seconds the request may be old, or early.
    """
    if not isinstance(body, (bytes, bytearray)):
        raise TypeError("body must be the bytes as they came")
    checks = [_check_of(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not checks:
        raise ValueError("secrets must name one key at least")
    named = {name.lower(): value for name, value in headers.items()}
    if basic is not None:
        _check_basic(named.get("authorization", ""), _logins(basic))
    identity, sent_at = named.get("webhook-id", ""), named.get("webhook-timestamp", "")
    if not TIMESTAMP.fullmatch(sent_at) or abs(time.time() - int(sent_at)) > tolerance:
        raise WebhookVerificationError("webhook-timestamp is missing, too old or too early")
    signed = f"{identity}.{sent_at}.".encode() + body
    signatures = named.get("webhook-signature", "").split(" ", MOST_SIGNATURES)[:MOST_SIGNATURES]
    if not any(_is_genuine(each, signed, checks) for each in signatures):
        raise WebhookVerificationError("no signature fits")
    return _payload(body)


def _payload(body: bytes) -> TrackingPayload:
    try:
        payload = json.loads(body)
    except ValueError:
        payload = None
    if not isinstance(payload, dict) or not isinstance(payload.get("packages"), list):
        raise WebhookVerificationError("the body is not a tracking update")
    return cast(TrackingPayload, payload)


def _logins(basic: Login | Iterable[Login]) -> list[Login]:
    if isinstance(basic, tuple) and len(basic) == 2 and all(isinstance(part, str) for part in basic):
        return [cast(Login, basic)]
    return list(cast(Iterable[Login], basic))


def _check_basic(authorization: str, logins: Iterable[Login]) -> None:
    expected = [b"Basic " + base64.b64encode(f"{user}:{password}".encode()) for user, password in logins]
    if not _is_one_of(authorization.encode(), expected):
        raise WebhookVerificationError("Authorization is missing or wrong")


def _is_one_of(given: bytes, expected: Iterable[bytes]) -> bool:
    """In a time that does not tell which one it is near to."""
    return sum(hmac.compare_digest(given, each) for each in expected) > 0


def _is_genuine(signature: str, signed: bytes, checks: Iterable[tuple[str, Check]]) -> bool:
    version, _, text = signature.partition(",")
    try:
        value = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return any(check(signed, value) for kind, check in checks if kind == version)


def _check_of(secret: str) -> tuple[str, Check]:
    """The version of the signatures that a key checks, and how."""
    if secret.startswith("whpk_"):
        return "v1a", _ed25519(_key_of(secret, "whpk_"))
    key = _key_of(secret, "whsec_")
    return "v1", lambda signed, value: hmac.compare_digest(hmac.digest(key, signed, "sha256"), value)


def _key_of(secret: str, prefix: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(prefix), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError("a secret is whsec_ and base64, a public key whpk_ and base64")
    return key


def _ed25519(key: bytes) -> Check:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise ImportError("public keys need the package cryptography: pip install cryptography") from None
    public = Ed25519PublicKey.from_public_bytes(key)

    def check(signed: bytes, value: bytes) -> bool:
        try:
            public.verify(value, signed)
        except InvalidSignature:
            return False
        return True

    return check
