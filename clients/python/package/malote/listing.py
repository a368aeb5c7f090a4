"""Lists, page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

T = TypeVar("T")
KEYS = ("id", "loggi_key", "webhook_id", "number")
"""Fields that tell records of a list apart; each list has some of them."""


@dataclass(frozen=True)
class Page(Generic[T]):
    data: list[T]
    page: int
    """From 1."""
    page_size: int
    total_items: int
    total_pages: int
    next_cursor: str | None = None
    """Of a list of changes: the `cursor` of what changes after this page. Store it once the page is dealt with."""
    has_more: bool = False


class Listing(Generic[T]):
    """All records of a list, newest first. Pages are asked for when a loop comes to them; each loop begins anew."""

    def __init__(self, fetch: Callable[[int], Mapping[str, Any]]) -> None:
        self._fetch = fetch

    def page(self, number: int = 1) -> Page[T]:
        return _page(self._fetch(number))

    def pages(self) -> Iterator[Page[T]]:
        number = 1
        while True:
            page = self.page(number)
            yield page
            if number >= page.total_pages:
                return
            number += 1

    def __iter__(self) -> Iterator[T]:
        """Each record once: one that was created meanwhile moves others to the next page, where they are left out."""
        seen: set[tuple[object, ...]] = set()
        for page in self.pages():
            for record in page.data:
                if _identity(record) not in seen:
                    yield record
            seen = {_identity(record) for record in page.data}


Since = datetime | str | None
FetchChanges = Callable[[int | None, Since, str | None], Mapping[str, Any]]


class Changes(Listing[T]):
    """What changed since a time or a cursor, in the order of the changes, until nothing is left now."""

    def __init__(self, fetch: FetchChanges, updated_from: Since, cursor: str | None) -> None:
        super().__init__(lambda _: fetch(None, updated_from, cursor))
        self._after: Callable[[str | None], Mapping[str, Any]] = lambda later: fetch(None, None, later)

    def pages(self) -> Iterator[Page[T]]:
        page = self.page()
        yield page
        while page.has_more:
            page = _page(self._after(page.next_cursor))
            yield page

    def __iter__(self) -> Iterator[T]:
        """Each record once for each page in which it is: one that changes meanwhile comes again."""
        for page in self.pages():
            yield from page.data


def changing(fetch: FetchChanges, updated_from: Since, cursor: str | None) -> Listing[Any]:
    if updated_from is None and cursor is None:
        return Listing(lambda page: fetch(page, None, None))
    return Changes(fetch, updated_from, cursor)


def _page(answer: Mapping[str, Any]) -> Page[Any]:
    pagination = answer["pagination"]
    return Page(
        data=answer["data"],
        page=pagination["page"],
        page_size=pagination["page_size"],
        total_items=pagination["total_items"],
        total_pages=pagination["total_pages"],
        next_cursor=answer.get("next_cursor"),
        has_more=answer.get("has_more", False),
    )


def _identity(record: object) -> tuple[object, ...]:
    fields = record if isinstance(record, Mapping) else {}
    known = tuple(fields.get(key) for key in KEYS)
    return known if any(known) else (id(record),)
