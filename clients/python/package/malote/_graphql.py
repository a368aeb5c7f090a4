"""What the methods of GraphQL have in common."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ._answers import graphql_error, json_of
from ._http import Request
from ._rest import Account

PAGE_SIZE = 100


class GraphQLBase:
    def __init__(self, account: Account) -> None:
        self._account = account

    def execute(
        self,
        document: str,
        variables: Mapping[str, object] | None = None,
        *,
        repeatable: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """The `data` of a document of your own; raises the first of its errors.

        `repeatable` says whether it may be sent again when its answer was lost. Unless given: queries, and what has an idempotency key.
        """
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        if repeatable is None:
            repeatable = idempotency_key is not None or document.lstrip().startswith(("query", "{"))
        body = json.dumps({"query": document, "variables": variables or {}}).encode()
        answer = self._account.send(Request("POST", "/graphql", headers, body, repeatable))
        result = json_of(answer)
        if result.get("errors"):
            raise graphql_error(answer, result["errors"])
        return result["data"]

    def _nodes(self, document: str, field: str) -> Iterator[Any]:
        """Every node of a connection, page by page."""
        after: str | None = None
        while True:
            page = self.execute(document, {"first": PAGE_SIZE, "after": after})[field]
            for edge in page["edges"]:
                yield edge["node"]
            if not page["pageInfo"]["hasNextPage"]:
                return
            after = page["pageInfo"]["endCursor"]
