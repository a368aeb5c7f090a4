"""Lists, page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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


class Listing(Generic[T]):
    """All records of a list, newest first. Pages are asked for when a loop comes to them; each loop begins anew."""

    def __init__(self, fetch: Callable[[int], Mapping[str, Any]]) -> None:
        self._fetch = fetch

    def page(self, number: int = 1) -> Page[T]:
        answer = self._fetch(number)
        pagination = answer["pagination"]
        return Page(
            data=answer["data"],
            page=pagination["page"],
            page_size=pagination["page_size"],
            total_items=pagination["total_items"],
            total_pages=pagination["total_pages"],
        )

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


def _identity(record: object) -> tuple[object, ...]:
    fields = record if isinstance(record, Mapping) else {}
    known = tuple(fields.get(key) for key in KEYS)
    return known if any(known) else (id(record),)
