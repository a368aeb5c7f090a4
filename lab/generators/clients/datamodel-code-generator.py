"""Reads a body as a receiver does, with a field and a code that it does not know."""

import json
import sys

from payload import TrackingPayload

with open(sys.argv[1], encoding="utf-8") as file:
    body = json.load(file)
body["packages"][0]["weather"] = "fine"
body["packages"][0]["status"]["code"] = 12345
first = TrackingPayload.model_validate(body).packages[0]
if first.loggiKey != body["packages"][0]["loggiKey"] or first.status.code != 12345:
    raise SystemExit("the body did not come out as it should")
