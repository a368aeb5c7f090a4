"""GraphQL, with the account's API key."""

from __future__ import annotations

from unittest import mock

from front import LOST, refusal
from malote import MaloteError, NoAnswerError, _graphql, graphql_types
from malote.errors import IdempotencyKeyReusedError, UnauthenticatedError
from world import ADDRESS, AccountCase

GRAPHQL = "/graphql"


class Operations(AccountCase):
    def order_input(self) -> graphql_types.CreateOrderInput:
        return {
            "paymentMethod": self.malote.graphql.payment_methods()[0]["id"],
            "pickups": [{"address": {"address": ADDRESS}}],
            "packages": [
                {
                    "pickupIndex": 0,
                    "recipient": {"name": "Bruno Lima", "phone": "+55 11 98888-7777"},
                    "address": {"address": ADDRESS},
                    "dimensions": {"width": 20, "height": 10, "length": 30, "weight": 1200},
                }
            ],
        }

    def test_an_order_whose_answer_is_lost_is_created_once(self) -> None:
        body = self.order_input()
        self.front.then(GRAPHQL, LOST)
        created = self.malote.graphql.create_order(body)
        self.assertTrue(created["success"])
        [order] = created["orders"]
        self.assertEqual([each["pk"] for each in self.malote.graphql.orders()], [order["pk"]])
        keys = {call.key for call in self.front.to(GRAPHQL) if b"createOrder" in call.body}
        self.assertEqual(len(keys), 1)

    def test_every_operation_is_one_of_the_service(self) -> None:
        graphql, body = self.malote.graphql, self.order_input()
        self.assertEqual(graphql.me()["email"], self.email)
        estimate = graphql.estimate_order(body)["estimate"]
        order = graphql.create_order({**body, "externalId": "all"})["orders"][0]
        assert estimate is not None
        self.assertEqual(estimate["pricing"], order["pricing"])
        key = order["packages"][0]["loggiKey"]
        self.assertEqual(graphql.order(order["pk"]), order)
        self.assertEqual(graphql.order_by_external_id("all"), order)
        package = graphql.package(key)
        assert package is not None
        self.assertEqual(package["trackingHistory"], [])
        self.assertEqual(graphql.package_by_tracking_code(package["trackingCode"]), package)
        self.assertFalse(graphql.answer_action_required({"loggiKey": key, "note": "Nothing to answer."})["success"])
        self.assertFalse(graphql.return_package({"loggiKey": key})["success"])
        self.assertTrue(graphql.cancel_order(order["pk"])["success"])

    def test_the_pages_of_a_connection(self) -> None:
        for _ in range(2):
            self.malote.graphql.create_order(self.order_input())
        every = [each["pk"] for each in self.malote.graphql.orders()]
        with mock.patch.object(_graphql, "PAGE_SIZE", 1):
            self.assertEqual([each["pk"] for each in self.malote.graphql.orders()], every)
        self.assertGreaterEqual(len(every), 2)

    def test_a_new_key_after_the_old_one_has_ended(self) -> None:
        self.malote.graphql.me()
        rotated = self.client().graphql.rotate_api_key()["apiKey"]
        self.assertEqual(self.malote.graphql.me()["email"], self.email)
        self.assertEqual(self.client(password=None, api_key=rotated).graphql.me()["email"], self.email)
        with self.assertRaises(UnauthenticatedError):
            self.client(password="something else").graphql.me()

    def test_errors_by_code_and_a_document_of_ones_own(self) -> None:
        body = self.order_input()
        self.malote.graphql.create_order(body, idempotency_key="reused")
        with self.assertRaises(IdempotencyKeyReusedError) as reused:
            self.malote.graphql.create_order({**body, "externalId": "other"}, idempotency_key="reused")
        self.assertEqual(reused.exception.status, 422)
        with self.assertRaises(MaloteError) as unknown:
            self.malote.graphql.execute("{ nothing }")
        self.assertTrue(unknown.exception.code)
        self.assertEqual(self.malote.graphql.execute("{ me { email } }"), {"me": {"email": self.email}})
        with self.assertRaises(MaloteError) as wrong:
            self.malote.graphql.create_order({**body, "paymentMethod": "one"})  # type: ignore[typeddict-item]
        self.assertEqual([each["field"] for each in wrong.exception.details], ["paymentMethod"])

    def test_what_may_not_be_done_twice_is_not_repeated(self) -> None:
        self.malote.graphql.me()
        self.front.then(GRAPHQL, LOST)
        with self.assertRaises(NoAnswerError):
            self.malote.graphql.rotate_api_key()
        self.front.then(GRAPHQL, refusal(503, "UNAVAILABLE"))
        self.malote.graphql.rotate_api_key()
        self.assertEqual(self.malote.graphql.me()["email"], self.email)
