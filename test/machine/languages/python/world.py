"""The service that the tests run against, and accounts in it."""

from __future__ import annotations

import base64
import json
import os
import unittest
import uuid
from pathlib import Path
from typing import Any
from unittest import mock

from front import Front
from malote import Malote, types
from malote.operator import MaloteOperator

WORLD: dict[str, Any] = json.loads(Path(os.environ["MALOTE_TEST"]).read_text())
PASSWORD = "correct horse battery"
ADDRESS = "Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200"


def operator() -> MaloteOperator:
    return MaloteOperator(WORLD["url"], **WORLD["operator"])


def new_customer() -> str:
    """The e-mail address of an account whose phone is confirmed."""
    email = f"{uuid.uuid4()}@malote.test"
    with Malote(WORLD["url"], **WORLD["operator"]) as malote, operator() as carrier:
        user = malote.users.create(
            {"email": email, "password": PASSWORD, "name": "Ana Souza", "phone": "+55 11 91234-5678"}
        )
        carrier.accounts.confirm_phone(user["id"])
    return email


def order_body(external_id: str | None = None) -> types.OrderCreate:
    body: types.OrderCreate = {
        "pickups": [{"address": {"address": ADDRESS}}],
        "packages": [
            {
                "pickup_index": 0,
                "recipient": {"name": "Bruno Lima", "phone": "+55 11 98888-7777"},
                "address": {"address": "Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000"},
                "dimensions": {"width": 20, "height": 10, "length": 30, "weight": 1200},
            }
        ],
    }
    return {**body, "external_id": external_id} if external_id else body


def product_body(sku: str) -> types.ProductInput:
    dimensions: types.DimensionsInput = {"width": 12, "height": 6, "length": 20, "weight": 520}
    return {"sku": sku, "name": "Café torrado", "price": "38.50", "dimensions": dimensions}


def sent_update(number: int) -> tuple[dict[str, str], bytes]:
    """Headers and body of a tracking update that the service sent, from 0."""
    update = WORLD["updates"][number]
    return update["headers"], base64.b64decode(update["body"])


class AccountCase(unittest.TestCase):
    """Tests of one account, whose requests go through a front. Pauses are noted and not made."""

    email: str
    front: Front

    @classmethod
    def setUpClass(cls) -> None:
        cls.email = new_customer()

    def setUp(self) -> None:
        self.front = Front(WORLD["url"])
        self.addCleanup(self.front.close)
        self.malote = self.client()
        sleep = mock.patch("malote._sender.time.sleep")
        self.sleep = sleep.start()
        self.addCleanup(sleep.stop)

    def client(self, **options: Any) -> Malote:
        malote = Malote(self.front.url, email=self.email, **{"password": PASSWORD, **options})
        self.addCleanup(malote.close)
        return malote

    def pauses(self) -> list[float]:
        return [call.args[0] for call in self.sleep.call_args_list]
