import os
import uuid
from datetime import datetime, timezone
from pathlib import Path

import malote_A as rest
import malote_D as operator


def demand(holds: bool, what: str) -> None:
    if not holds:
        raise SystemExit(f"{what} did not come out as it should")


def settings(package, token=None):
    return package.ApiClient(package.Configuration(host=os.environ["MALOTE_URL"], access_token=token))


def token(email: str, password: str) -> str:
    login = rest.LoginRequest(email=os.environ[email], password=os.environ[password])
    return rest.AuthApi(settings(rest)).login(login).access_token


def order_of(**content) -> rest.OrderCreate:
    pickup = rest.AddressInput(address="Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200")
    package = rest.PackageInput(
        pickup_index=0,
        recipient=rest.RecipientInput(name="Bruno Lima", phone="+55 11 98888-7777"),
        address=rest.AddressInput(address="Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000"),
        **content,
    )
    return rest.OrderCreate(pickups=[rest.PickupInput(address=pickup)], packages=[package])


def customer() -> str:
    client = settings(rest, token("MALOTE_EMAIL", "MALOTE_PASSWORD"))
    dimensions = rest.DimensionsInput(width=12, height=6, length=20, weight=520)
    product = rest.ProductInput(sku=str(uuid.uuid4()), name="Café torrado 500 g", price="38.50", dimensions=dimensions)
    product_id = rest.ProductsApi(client).create_product(product).id
    orders = rest.OrdersApi(client)
    order = orders.create_order(order_of(dimensions=dimensions), idempotency_key=str(uuid.uuid4()))
    orders.create_order(order_of(items=[rest.PackageItemInput(product_id=product_id, quantity=2)]))
    demand(orders.list_orders(page_size=1).pagination.total_items >= 2, "the list of orders")
    read = orders.get_order(order.id)
    demand("." in read.pricing.total, "the price")
    try:
        orders.get_order(str(uuid.uuid4()))
        demand(False, "an order that is not there")
    except rest.ApiException as error:
        demand(error.data.error.code == "NOT_FOUND", "the code of an error")
    packages = rest.PackagesApi(client)
    key = read.packages[0].loggi_key
    demand(packages.get_own_package(key).order_id == order.id, "the package")
    demand(bytes(packages.get_package_label(key)).startswith(b"%PDF"), "the label")
    return key


def deliver(key: str) -> None:
    client = settings(operator, token("MALOTE_OPERATOR_EMAIL", "MALOTE_OPERATOR_PASSWORD"))
    movement = operator.MovementInput(
        id=str(uuid.uuid4()), loggi_key=key, status_code=5, happened_at=datetime.now(timezone.utc).isoformat()
    )
    results = operator.MovementsApi(client).record_movements(operator.MovementBatch(movements=[movement])).results
    demand(results[0].result == "recorded", "the movement")
    operator.ProofOfDeliveryApi(client).put_proof_photo(key, Path("photo.jpg").read_bytes())
    everything = operator.SendNowRequest(operator.SendNowAll(all=True))
    demand(operator.DeliveriesApi(client).send_now(everything).bodies == 0, "sending what waits")


deliver(customer())
