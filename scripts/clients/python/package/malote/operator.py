"""The client of those who run the service."""

from __future__ import annotations

from ._client import Client
from .operator_resources import OperatorResources


class MaloteOperator(OperatorResources, Client):
    """What an operator can do: by `email` and `password`, or by an operator key (`mok_…`) as `token`; other options as `Malote` has."""
