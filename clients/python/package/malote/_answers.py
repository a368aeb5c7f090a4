"""What becomes of an answer: a record, a file, or an error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from ._errors import MaloteError, NotModifiedError
from ._http import Answer
from .errors import BY_CODE
from .types import FieldError


@dataclass(frozen=True)
class Meta:
    """What came with a record beside its fields."""

    status: int
    request_id: str | None
    """Names the request in the service's log."""
    etag: str | None
    """The record's version, for `if_match`: change only what you have seen."""
    replayed: bool
    """Whether this is the stored answer of an earlier request with the same idempotency key."""


class Record(dict[str, Any]):
    """The fields of an answer, those that this package does not know too."""

    __slots__ = ("meta",)

    def __init__(self, fields: Mapping[str, Any], meta: Meta) -> None:
        super().__init__(fields)
        self.meta = meta


@dataclass(frozen=True)
class File:
    """An answer that is not JSON, such as a label."""

    content: bytes
    media_type: str
    name: str | None
    """A name for the file, where the service gives one."""
    meta: Meta


def meta(record: Mapping[str, object]) -> Meta:
    """What came with a record, as it was returned by a method; a copy of it does not have this."""
    if not isinstance(record, Record):
        raise TypeError("only a record that a method returned has meta data, not a part or a copy of it")
    return record.meta


def json_of(answer: Answer) -> Any:
    """The object that the service answered."""
    fields = _parsed(answer)
    if not isinstance(fields, dict):
        raise MaloteError("The answer is not a JSON object.", status=answer.status, request_id=_request_id(answer))
    return Record(fields, _meta(answer))


def file_of(answer: Answer) -> File:
    media_type = answer.headers.get_content_type()
    return File(answer.body, media_type, answer.headers.get_filename(), _meta(answer))


def failure_of(answer: Answer) -> MaloteError:
    """The error that an answer other than 2xx is."""
    if answer.status == 304:
        return NotModifiedError("The record has not changed.", status=304, request_id=_request_id(answer))
    body = _parsed(answer)
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, dict):
        return error_from(answer, error)
    if error == "invalid_client":
        return error_from(answer, {"code": "UNAUTHENTICATED", "message": body.get("error_description")})
    errors = body.get("errors") if isinstance(body, dict) else None
    if isinstance(errors, list) and errors:
        return graphql_error(answer, errors)
    return error_from(answer, {"message": "The answer is not the service's; perhaps a proxy's."})


def graphql_error(answer: Answer, errors: list[Any]) -> MaloteError:
    """The first of the errors that a GraphQL answer holds."""
    first = errors[0] if isinstance(errors[0], dict) else {}
    extensions = first.get("extensions")
    known: dict[str, Any] = extensions if isinstance(extensions, dict) else {}
    details = known.get("details") or known.get("errors")
    return error_from(answer, {**known, "message": first.get("message"), "details": details})


def error_from(answer: Answer, said: Mapping[str, object]) -> MaloteError:
    """An error of the class that belongs to its code. What is not as the contract says is left out: the error still comes."""
    code, reason = said.get("code"), said.get("reason")
    kind = BY_CODE.get(code, MaloteError) if isinstance(code, str) else MaloteError
    return kind(
        str(said.get("message")),
        status=answer.status,
        code=code if isinstance(code, str) else None,
        reason=reason if isinstance(reason, str) else None,
        details=_field_errors(said.get("details")),
        request_id=_request_id(answer),
        retry_after=answer.retry_after,
    )


def _field_errors(details: object) -> list[FieldError]:
    listed = details if isinstance(details, list) else []
    return [cast(FieldError, each) for each in listed if isinstance(each, dict) and {"field", "message"} <= each.keys()]


def _parsed(answer: Answer) -> Any:
    try:
        return json.loads(answer.body)
    except ValueError:
        return None


def _request_id(answer: Answer) -> str | None:
    return answer.headers.get("X-Request-Id")


def _meta(answer: Answer) -> Meta:
    replayed = answer.headers.get("Idempotent-Replayed") == "true"
    return Meta(answer.status, _request_id(answer), answer.headers.get("ETag"), replayed)
