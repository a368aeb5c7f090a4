"""Sends a request until it is answered, within bounds."""

from __future__ import annotations

import random
import socket
import ssl
import time
from dataclasses import dataclass, replace
from email.message import Message
from http.client import HTTPException
from typing import Any

from ._answers import failure_of
from ._errors import MaloteError, NoAnswerError
from ._http import Answer, HttpClient, Request, Times

FIRST_PAUSE_SECONDS = 0.5
LONGEST_BACKOFF_SECONDS = 8.0
NOT_SENT = (ConnectionRefusedError, socket.gaierror)
WRONG_CERTIFICATE = ssl.SSLCertVerificationError
REFUSED_UNDONE = frozenset({429, 503})
"""Statuses of something between here and the service, which has not passed the request on."""
PERHAPS_DONE = frozenset({502, 504})
"""Statuses of something between here and the service, which may have passed the request on."""
GONE = frozenset({"record_not_found", "second_factor_not_found"})
"""Reasons by which what was to be deleted is not there."""


@dataclass(frozen=True)
class RetryPolicy:
    max_retries: int
    retry_for: float
    """Seconds. No try begins later than this after the first one."""

    def pause(self, number: int, elapsed: float, retry_after: float | None, chance: float) -> float | None:
        """Seconds before the try that follows the one of this number, from 1; None when none follows.

        `chance` is from [0, 1): with it, clients that failed together do not come back together.
        """
        if number > self.max_retries:
            return None
        backoff: float = min(LONGEST_BACKOFF_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (number - 1)) * (0.5 + chance / 2)
        pause = max(backoff, (retry_after or 0) * (1 + chance / 10))
        return pause if elapsed + pause <= self.retry_for else None


@dataclass(frozen=True)
class Sender:
    http: HttpClient
    policy: RetryPolicy
    times: Times

    def with_options(self, **options: Any) -> Sender:
        """One over the same connections, with other options where they are not None."""
        given = {name: value for name, value in options.items() if value is not None}
        times = {name: value for name, value in given.items() if name.endswith("timeout")}
        policy = {name: value for name, value in given.items() if name not in times}
        return replace(self, policy=replace(self.policy, **policy), times=replace(self.times, **times))

    def send(self, request: Request, begun: float | None = None) -> Answer:
        """Returns an answer of 2xx; any other end is raised as a MaloteError. `begun` is when its call began."""
        begun, number, is_lost = begun or time.monotonic(), 1, False
        while True:
            try:
                return self._once(request)
            except MaloteError as failure:
                if is_lost and request.method == "DELETE" and failure.reason in GONE:
                    # Gone by the try whose answer was lost.
                    return Answer(204, Message(), b"")
                elapsed = time.monotonic() - begun
                pause = self.policy.pause(number, elapsed, failure.retry_after, random.random())
                if pause is None or not _is_worth_another(failure, request):
                    raise
                is_lost = is_lost or isinstance(failure, NoAnswerError)
            time.sleep(pause)
            number += 1

    def _once(self, request: Request) -> Answer:
        try:
            answer = self.http.exchange(request, self.times)
        except (OSError, HTTPException) as reason:
            raise NoAnswerError(f"No answer: {reason or type(reason).__name__}") from reason
        if 200 <= answer.status < 300:
            return answer
        raise failure_of(answer)


def _is_worth_another(failure: MaloteError, request: Request) -> bool:
    if isinstance(failure, NoAnswerError):
        reason = failure.__cause__
        return not isinstance(reason, WRONG_CERTIFICATE) and (request.repeatable or isinstance(reason, NOT_SENT))
    if failure.reason is not None:
        # The reasons for which repeating makes sense come with Retry-After, also those that this version does not know.
        return failure.retry_after is not None
    return failure.status in REFUSED_UNDONE or (request.repeatable and failure.status in PERHAPS_DONE)
