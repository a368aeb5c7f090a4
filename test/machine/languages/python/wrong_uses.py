"""What the types must refuse. It is never run: mypy says where a line that it should refuse passes."""

from malote import Malote, meta, types, verify_webhook

malote = Malote("https://malote.example", email="ana@example.com", password="correct horse battery")

malote.orders.create({"pickups": []})  # type: ignore[typeddict-item]
malote.orders.create({"pickups": [], "packages": [], "note": ""})  # type: ignore[typeddict-unknown-key]
malote.orders.list(status="lost")  # type: ignore[arg-type]
malote.orders.list(state="created")  # type: ignore[call-arg]
malote.orders.get(1)  # type: ignore[arg-type]
malote.orders.get("x")["number"]  # type: ignore[typeddict-item]
malote.graphql.create_order({"pickups": []})  # type: ignore[typeddict-item]
malote.packages.get_label("x", format="png")  # type: ignore[arg-type]
meta("x")  # type: ignore[arg-type]
verify_webhook({}, "text", secrets="whsec_x")  # type: ignore[arg-type]

# And what they must not: unknown values of open lists, and fields that may be absent.
status: str = malote.orders.get("x")["status"]
pin: str | None = malote.orders.get("x")["packages"][0].get("delivery_pin")
past: types.PastAddressChange = next(iter(malote.packages.list_address_changes("x")))
city: str = past["from"]["address"]
