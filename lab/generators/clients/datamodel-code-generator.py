"""Reads a body as a receiver does, with a field and a code that it does not know, and orders as a customer."""

import json
import os
import sys
from urllib.request import Request, urlopen

from malote_A import OrderCreate, OrderList
from malote_C import TrackingPayload
from malote_D import MovementBatch


def demand(holds, what):
    if not holds:
        raise SystemExit(f"{what} did not come out as it should")


def call(path, body=None, **headers):
    data = body and json.dumps(body).encode()
    url, headers = os.environ["MALOTE_URL"] + path, {"Content-Type": "application/json", **headers}
    with urlopen(Request(url, data, headers), timeout=60) as answer:
        return json.load(answer)


with open(sys.argv[1], encoding="utf-8") as file:
    body = json.load(file)
body["packages"][0]["weather"] = "fine"
body["packages"][0]["status"]["code"] = 12345
first = TrackingPayload.model_validate(body).packages[0]
demand(first.loggiKey == body["packages"][0]["loggiKey"] and first.status.code == 12345, "the body")

login = {"email": os.environ["MALOTE_EMAIL"], "password": os.environ["MALOTE_PASSWORD"]}
token = {"Authorization": "Bearer " + call("/auth/login", login)["access_token"]}
package = {
    "pickup_index": 0,
    "recipient": {"name": "Bruno Lima", "phone": "+55 11 98888-7777"},
    "address": {"address": "Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000"},
    "dimensions": {"width": 12, "height": 6, "length": 20, "weight": 520},
}
pickup = {"address": {"address": "Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200"}}
order = OrderCreate.model_validate({"pickups": [pickup], "packages": [package]})
created = call("/api/v1/orders", order.model_dump(mode="json", exclude_unset=True), **token)
orders = OrderList.model_validate(call("/api/v1/orders?page_size=1", **token)).data
read = orders[0].model_dump(mode="json")
demand(read["id"] == created["id"] and read["external_id"] is None, "the list of orders")
MovementBatch.model_validate({"movements": [{"id": created["id"], "loggi_key": created["packages"][0]["loggi_key"],
                                             "status_code": 5, "happened_at": created["created_at"]}]})
