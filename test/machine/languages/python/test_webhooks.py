"""Tracking updates, as the service sent them and as nobody should send them."""

from __future__ import annotations

import base64
import importlib.util
import sys
import unittest
from typing import Any
from unittest import mock

from malote import WebhookVerificationError, verify_webhook
from world import WORLD, sent_update

BASIC = (WORLD["basic"]["username"], WORLD["basic"]["password"])
BEFORE, AFTER = WORLD["secrets"]


class SentUpdates(unittest.TestCase):
    def test_are_accepted_with_each_secret_that_is_valid(self) -> None:
        headers, body = sent_update(0)
        update = verify_webhook(headers, body, secrets=BEFORE, basic=BASIC)
        self.assertEqual([each["status"]["code"] for each in update["packages"]], [1])
        later, later_body = sent_update(1)
        for secrets in (BEFORE, AFTER, [AFTER, BEFORE]):
            moved = verify_webhook(later, later_body, secrets=secrets, basic=[("other", "one"), BASIC])
            self.assertEqual(moved["packages"][0]["trackingHistory"][0]["status"]["code"], 1)
        titled = {name.title(): value for name, value in headers.items()}
        self.assertEqual(verify_webhook(titled, body, secrets=[AFTER, BEFORE]), update)

    def test_are_refused_when_anything_is_other(self) -> None:
        headers, body = sent_update(0)
        forged: list[tuple[dict[str, str], bytes, dict[str, Any]]] = [
            (headers, body + b" ", {}),
            (headers, body, {"secrets": AFTER}),
            (headers, body, {"basic": ("malote", "other")}),
            (headers, body, {"basic": []}),
            (headers, body, {"tolerance": -1}),
            ({**headers, "webhook-id": "other"}, body, {}),
            ({**headers, "webhook-timestamp": "²"}, body, {}),
            ({**headers, "webhook-timestamp": "9" * 5000}, body, {}),
            ({**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) + 1)}, body, {}),
            ({**headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,")}, body, {}),
            ({**headers, "webhook-signature": "v1,é v1, v1"}, body, {}),
            ({**headers, "webhook-signature": f"{'v1,eA== ' * 20}{headers['webhook-signature']}"}, body, {}),
            ({**headers, "authorization": "Basic é"}, body, {}),
            ({}, body, {}),
        ]
        for number, (given, sent, options) in enumerate(forged):
            with self.subTest(number), self.assertRaises(WebhookVerificationError):
                verify_webhook(given, sent, **{"secrets": BEFORE, "basic": BASIC, **options})
        now = int(headers["webhook-timestamp"])
        for late in (-310, 310):
            with mock.patch("malote.webhooks.time.time", lambda late=late: now + late):
                self.assertRaises(WebhookVerificationError, verify_webhook, headers, body, secrets=BEFORE)

    def test_mistakes_of_the_caller_are_named(self) -> None:
        headers, body = sent_update(0)
        self.assertRaises(TypeError, verify_webhook, headers, body.decode(), secrets=BEFORE)
        for secrets in ([], "", "whsec_", "whsec_é", ["whpk_!"]):
            self.assertRaises(ValueError, verify_webhook, headers, body, secrets=secrets)


class PublicKeys(unittest.TestCase):
    def setUp(self) -> None:
        if importlib.util.find_spec("cryptography") is None:
            print("not tried: ed25519 signatures in Python (cryptography is not installed)", file=sys.stderr)
            self.skipTest("cryptography is not installed")

    def test_check_the_second_signature(self) -> None:
        headers, body = sent_update(0)
        public = WORLD["publicKey"]
        self.assertEqual(
            verify_webhook(headers, body, secrets=public, basic=BASIC), verify_webhook(headers, body, secrets=BEFORE)
        )
        first = {**headers, "webhook-signature": headers["webhook-signature"].split(" ")[0]}
        other = f"whpk_{base64.b64encode(bytes(32)).decode()}"
        for given, sent, secret in (
            (headers, body + b" ", public),
            ({**headers, "webhook-id": "other"}, body, public),
            (first, body, public),
            (headers, body, other),
        ):
            self.assertRaises(WebhookVerificationError, verify_webhook, given, sent, secrets=secret)

    def test_need_a_package_that_is_named_where_it_is_missing(self) -> None:
        headers, body = sent_update(0)
        with mock.patch.dict(sys.modules, {"cryptography.exceptions": None}):
            with self.assertRaisesRegex(ImportError, r"pip install cryptography"):
                verify_webhook(headers, body, secrets=WORLD["publicKey"])
