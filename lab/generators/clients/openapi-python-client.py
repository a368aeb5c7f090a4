import os
import uuid
from datetime import datetime, timezone
from pathlib import Path

import malote_A
import malote_D
from malote_A import models
from malote_A.api.auth import login
from malote_A.api.orders import create_order, get_order, list_orders
from malote_A.api.packages import get_own_package, get_package_label
from malote_A.api.products import create_product
from malote_D.api.deliveries import send_now
from malote_D.api.movements import record_movements
from malote_D.api.proof_of_delivery import put_proof_photo
from malote_D.models import MovementBatch, MovementInput, SendNowAll
from malote_D.types import File

URL = os.environ["MALOTE_URL"]


def demand(holds: bool, what: str) -> None:
    if not holds:
        raise SystemExit(f"{what} did not come out as it should")


def token(email: str, password: str) -> str:
    body = models.LoginRequest(email=os.environ[email], password=os.environ[password])
    return login.sync(client=malote_A.Client(base_url=URL), body=body).access_token


def order_of(**content) -> models.OrderCreate:
    pickup = models.AddressInput(address="Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200")
    package = models.PackageInput(
        pickup_index=0,
        recipient=models.RecipientInput(name="Bruno Lima", phone="+55 11 98888-7777"),
        address=models.AddressInput(address="Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000"),
        **content,
    )
    return models.OrderCreate(pickups=[models.PickupInput(address=pickup)], packages=[package])


def customer() -> uuid.UUID:
    client = malote_A.AuthenticatedClient(base_url=URL, token=token("MALOTE_EMAIL", "MALOTE_PASSWORD"))
    dimensions = models.DimensionsInput(width=12, height=6, length=20, weight=520)
    product = models.ProductInput(sku=str(uuid.uuid4()), name="Café torrado 500 g", price="38.50", dimensions=dimensions)
    product_id = create_product.sync(client=client, body=product).id
    by_dimensions, key = order_of(dimensions=dimensions), str(uuid.uuid4())
    order = create_order.sync(client=client, body=by_dimensions, idempotency_key=key)
    item = models.PackageItemInput(product_id=product_id, quantity=2)
    demand(create_order.sync(client=client, body=order_of(items=[item])).id != order.id, "the order by items")
    demand(list_orders.sync(client=client, page_size=1).pagination.total_items >= 2, "the list of orders")
    read = get_order.sync(order.id, client=client)
    demand("." in read.pricing.total, "the price")
    demand(get_order.sync(uuid.uuid4(), client=client).error.code == "NOT_FOUND", "an order that is not there")
    loggi_key = read.packages[0].loggi_key
    demand(get_own_package.sync(loggi_key, client=client).order_id == order.id, "the package")
    demand(get_package_label.sync(loggi_key, client=client).payload.read().startswith(b"%PDF"), "the label")
    return loggi_key


def deliver(key: uuid.UUID) -> None:
    operator = token("MALOTE_OPERATOR_EMAIL", "MALOTE_OPERATOR_PASSWORD")
    client = malote_D.AuthenticatedClient(base_url=URL, token=operator)
    now = datetime.now(timezone.utc).isoformat()
    movement = MovementInput(id=uuid.uuid4(), loggi_key=key, status_code=5, happened_at=now)
    results = record_movements.sync(client=client, body=MovementBatch(movements=[movement])).results
    demand(results[0].result == "recorded", "the movement")
    with Path("photo.jpg").open("rb") as photo:
        answer = put_proof_photo.sync_detailed(key, client=client, body=File(payload=photo))
    demand(answer.status_code == 204, "the photo")
    demand(send_now.sync(client=client, body=SendNowAll(all_=True)).bodies == 0, "sending what waits")


deliver(customer())
