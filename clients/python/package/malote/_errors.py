"""What every error has. Each code of the contract has a class of its own, in `malote.errors`."""

from __future__ import annotations

from collections.abc import Sequence

from .types import FieldError


class MaloteError(Exception):
    """A request that failed. Decide by `reason`, never by the message, which is for people and may change.

    It is of the class of its `code`: of this class itself when that is newer than this package, or when something other than the service
    answered.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        reason: str | None = None,
        details: Sequence[FieldError] = (),
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        """Status of the answer; None when there was no answer."""
        self.code = code
        """The service's code, such as `CONFLICT`; None when a proxy answered, or nothing did."""
        self.reason = reason
        """Why, such as `sku_taken`; None when a proxy answered, or nothing did."""
        self.details = tuple(details)
        """Every wrong field, each with a `code`; empty where no field is to blame."""
        self.request_id = request_id
        """Names the request in the service's log: quote it when you ask for help."""
        self.retry_after = retry_after
        """Seconds to wait before the next try, where the service says so."""

    def __str__(self) -> str:
        fields = "; ".join(f"{each['field']} {each['message']}" for each in self.details)
        parts = [
            *(str(part) for part in (self.status, self.code) if part is not None),
            self.message,
            f"({fields})" if fields else "",
            f"[request {self.request_id}]" if self.request_id else "",
        ]
        return " ".join(part for part in parts if part)


class NoAnswerError(MaloteError):
    """No answer came, or not in time; `__cause__` says why. The request may have been done nevertheless."""


class NotModifiedError(MaloteError):
    """The record is still what the ETag in `if_none_match` names."""
