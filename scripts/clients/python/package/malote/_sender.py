"""Sends a request until it is answered, within bounds."""

from __future__ import annotations

import random
import socket
import ssl
import time
from dataclasses import dataclass
from http.client import HTTPException

from ._answers import failure_of
from ._errors import MaloteError, NoAnswerError
from ._http import Answer, HttpClient, Request

FIRST_PAUSE_SECONDS = 0.5
LONGEST_BACKOFF_SECONDS = 8.0
NO_ANSWER = (OSError, HTTPException)
NOT_SENT = (ConnectionRefusedError, socket.gaierror)
WRONG_CERTIFICATE = ssl.SSLCertVerificationError
REFUSED_UNDONE = frozenset({429, 503})
"""Statuses of requests of which nothing was done."""
PERHAPS_DONE = frozenset({502, 504})
"""Statuses of something between here and the service, which may have done the request."""


@dataclass(frozen=True)
class RetryPolicy:
    max_retries: int
    longest_pause: float
    """Seconds. Where the service asks for more, the error is raised at once, with `retry_after`."""

    def pause(self, attempt: int, retry_after: float | None, chance: float) -> float | None:
        """Seconds before the attempt after this one (the first is 1); None when there is none. `chance` is from [0, 1), so that clients that failed
        together do not come back together."""
        if attempt > self.max_retries:
            return None
        backoff: float = min(LONGEST_BACKOFF_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (attempt - 1)) * (0.5 + chance / 2)
        if retry_after is None:
            return backoff
        return max(backoff, retry_after * (1 + chance / 10)) if retry_after <= self.longest_pause else None


class Sender:
    def __init__(self, http: HttpClient, policy: RetryPolicy) -> None:
        self._http = http
        self._policy = policy

    def send(self, request: Request) -> Answer:
        """Returns an answer of 2xx; any other end is raised as a MaloteError."""
        attempt, is_lost = 1, False
        while True:
            try:
                answer = self._http.exchange(request)
                if 200 <= answer.status < 300:
                    return answer
                failure = failure_of(answer)
                again = _is_worth_another(failure, request, is_lost)
            except NO_ANSWER as reason:
                failure = NoAnswerError(f"No answer: {reason or type(reason).__name__}")
                failure.__cause__ = reason
                again = not isinstance(reason, WRONG_CERTIFICATE) and (request.repeatable or isinstance(reason, NOT_SENT))
                is_lost = True
            pause = self._policy.pause(attempt, failure.retry_after, random.random()) if again else None
            if pause is None:
                raise failure
            time.sleep(pause)
            attempt += 1


def _is_worth_another(failure: MaloteError, request: Request, is_lost: bool) -> bool:
    if failure.status in REFUSED_UNDONE:
        return True
    if not request.repeatable:
        return False
    # The first try, whose answer was lost, may still be running under the same idempotency key.
    return failure.status in PERHAPS_DONE or (is_lost and failure.status == 409 and not failure.details)
