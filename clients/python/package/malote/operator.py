"""The client of those who run the service."""

from __future__ import annotations

from ._client import Client
from .operator_resources import OperatorResources


class MaloteOperator(OperatorResources, Client):
    """
    What an operator can do: by an operator key (`mok_…`) as `token`, or by `email` and `password`; other options as `Malote` has.
    By its password alone an operator who has a second factor only reads: `sign_in.sign_in` takes a code, too, and answers a `token`.
    """
