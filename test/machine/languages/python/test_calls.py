"""Log-in, tries, lists and errors, over the real service."""

from __future__ import annotations

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from select import select
from typing import Any
from unittest import mock

import malote as package
from front import DRIPS, HANGS, LOST, Reply, refusal
from malote import Malote, MaloteError, NoAnswerError, NotModifiedError, meta, operator_types, types
from malote._sender import RetryPolicy
from malote.errors import (
    ConflictError,
    NotFoundError,
    RateLimitedError,
    UnauthenticatedError,
    UnavailableError,
    ValidationError,
)
from world import PASSWORD, WORLD, AccountCase, operator, order_body, product_body

ME = "/api/v1/users/me"
ORDERS = "/api/v1/orders"
PRODUCTS = "/api/v1/products"
LOGIN = "/auth/login"
TOKEN = "/auth/token"
NOBODY = "01930f5e-7d3c-7a41-9c55-0d6f2b8e4a10"


class LogIn(AccountCase):
    def test_once_for_many_threads_and_shortly_before_its_end(self) -> None:
        def who() -> str:
            return self.malote.users.get_current()["email"]

        with ThreadPoolExecutor(4) as pool:
            emails = list(pool.map(lambda _: who(), range(8)))
        self.assertEqual(emails, [self.email] * 8)
        self.assertEqual(len(self.front.to(LOGIN)), 1)
        now = time.monotonic
        with mock.patch("malote._credentials.time.monotonic", lambda: now() + 3600 - 55):
            who()
        self.assertEqual(len(self.front.to(LOGIN)), 2)

    def test_again_once_when_the_token_has_ended(self) -> None:
        me = self.malote.users.get_current()
        # Changing the password, to the same one, ends all tokens.
        same: types.UserUpdate = {"email": me["email"], "name": me["name"], "phone": me["phone"]}
        change: types.UserUpdate = {**same, "password": PASSWORD, "current_password": PASSWORD}
        self.client().users.update(me["id"], change, if_match=meta(me).etag)
        before = len(self.front.to(LOGIN))
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: self.malote.users.get_current(), range(4)))
        self.assertEqual(len(self.front.to(LOGIN)) - before, 1)
        refused = refusal(401, "UNAUTHENTICATED")
        self.front.then(ME, refused, refused)
        with self.assertRaises(UnauthenticatedError):
            self.malote.users.get_current()

    def test_a_refused_one_is_not_repeated_at_once(self) -> None:
        client = self.client(password="something else")
        for _ in range(2):
            with self.assertRaises(UnauthenticatedError) as caught:
                client.orders.get("x")
            self.assertEqual(caught.exception.status, 401)
        self.assertEqual(len(self.front.to(LOGIN)), 1)

    def test_an_api_key_instead(self) -> None:
        made = self.malote.api_keys.create({"name": "Shop", "scope": "all"})
        key: dict[str, Any] = {"client_id": made["api_key"]["id"], "client_secret": made["secret"]}
        client = Malote(self.front.url, **key)
        self.assertEqual(client.graphql.me()["email"], self.email)
        self.assertEqual(client.users.get_current()["email"], self.email)
        self.assertEqual([len(self.front.to(TOKEN)), len(self.front.to(LOGIN))], [1, 1])
        with self.assertRaises(UnauthenticatedError) as caught:
            Malote(self.front.url, **{**key, "client_secret": "wrong"}).users.get_current()
        self.assertIn("no live API key", str(caught.exception))
        self.malote.api_keys.revoke(made["api_key"]["id"])
        with self.assertRaises(UnauthenticatedError):
            client.users.get_current()
        with self.assertRaises(ValueError):
            Malote(self.front.url, client_id="x").users.get_current()

    def test_a_token_instead(self) -> None:
        self.malote.users.get_current()
        token = self.front.to(ME)[0].headers["Authorization"].removeprefix("Bearer ")
        self.assertEqual(Malote(WORLD["url"], token=token).users.get_current()["email"], self.email)
        with self.assertRaises(UnauthenticatedError):
            Malote(self.front.url, token="wrong").users.get_current()
        with self.assertRaises(ValueError):
            Malote(self.front.url, email=self.email).users.get_current()


class Tries(AccountCase):
    def test_an_order_whose_answer_is_lost_is_created_once(self) -> None:
        self.front.then(ORDERS, LOST, refusal(409, "CONFLICT", "idempotency_in_progress", Retry_After="1"), refusal(503, "UNAVAILABLE"))
        order = self.malote.orders.create(order_body("lost"))
        self.assertTrue(meta(order).replayed)
        self.assertEqual([each["id"] for each in self.malote.orders.list(external_id="lost")], [order["id"]])
        keys = [call.key for call in self.front.to(ORDERS) if call.method == "POST"]
        self.assertEqual((len(keys), len(set(keys))), (4, 1))
        first, second, third = self.pauses()
        self.assertTrue(0.25 <= first <= 0.5 and 1 <= second <= 1.1 and 1 <= third <= 2, self.pauses())

    def test_each_call_has_a_key_of_its_own_and_takes_another(self) -> None:
        for _ in range(2):
            self.malote.orders.estimate(order_body())
        self.malote.orders.estimate(order_body(), idempotency_key="mine")
        one, other, mine = (call.key for call in self.front.to("/api/v1/estimates"))
        self.assertTrue(one and other and one != other)
        self.assertEqual(mine, "mine")

    def test_waits_as_long_as_the_service_says_or_not_at_all(self) -> None:
        self.front.then(ME, refusal(429, "RATE_LIMITED", Retry_After="7"))
        self.malote.users.get_current()
        self.assertTrue(7 <= self.pauses()[0] <= 7.7, self.pauses())
        self.front.then(ME, refusal(429, "RATE_LIMITED", "labels_in_flight", Retry_After="3000"))
        with self.assertRaises(RateLimitedError) as caught:
            self.malote.users.get_current()
        error = caught.exception
        self.assertEqual((error.status, error.reason, error.retry_after), (429, "labels_in_flight", 3000))
        self.assertEqual(len(self.pauses()), 1)

    def test_a_time_in_retry_after(self) -> None:
        at = (datetime.now(timezone.utc) + timedelta(seconds=20)).strftime("%a, %d %b %Y %H:%M:%S GMT")
        self.front.then(ME, refusal(503, "UNAVAILABLE", Retry_After=at))
        self.malote.users.get_current()
        self.assertTrue(15 < self.pauses()[0] <= 22, self.pauses())

    def test_ends_after_the_last_one(self) -> None:
        self.front.then(ME, *[Reply(502, b"<html>")] * 4)
        with self.assertRaises(MaloteError) as caught:
            self.malote.users.get_current()
        self.assertEqual((type(caught.exception), caught.exception.status), (MaloteError, 502))
        self.assertEqual(len(self.front.to(ME)), 4)

    def test_what_may_be_done_twice_is_repeated_and_nothing_else(self) -> None:
        product = self.malote.products.create(product_body("twice"))
        path = f"{PRODUCTS}/{product['id']}"
        self.front.then(path, LOST)
        with self.assertRaises(NoAnswerError):
            self.malote.products.update(product["id"], product_body("twice"), if_match=meta(product).etag)
        self.front.then(path, LOST)
        self.malote.products.delete(product["id"])
        self.assertEqual([call.method for call in self.front.to(path)], ["PUT", "DELETE", "DELETE"])
        with self.assertRaises(NotFoundError):
            self.malote.products.delete(product["id"])

    def test_no_answer_in_time_and_no_service(self) -> None:
        self.front.then("/health", HANGS)
        with self.assertRaises(NoAnswerError) as caught:
            self.client(timeout=0.2, max_retries=0).system.get_health()
        self.assertIsInstance(caught.exception.__cause__, TimeoutError)
        with self.assertRaises(NoAnswerError):
            Malote("http://127.0.0.1:1").system.get_health()
        self.assertEqual(len(self.pauses()), 3)

    def test_an_answer_without_an_end_ends_in_time(self) -> None:
        self.front.then("/health", DRIPS)
        with self.assertRaises(NoAnswerError) as caught:
            self.client(timeout=0.5, max_retries=0).system.get_health()
        self.assertIsInstance(caught.exception.__cause__, TimeoutError)

    def test_a_connection_has_a_time_of_its_own(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            malote = Malote(f"https://127.0.0.1:{silent.getsockname()[1]}", timeout=3600, connect_timeout=0.2)
            with self.assertRaises(NoAnswerError) as caught:
                malote.with_options(max_retries=1).system.get_health()
        self.assertIsInstance(caught.exception.__cause__, TimeoutError)
        self.assertEqual(len(self.pauses()), 1)

    def test_one_call_has_other_times_and_tries(self) -> None:
        self.malote.users.get_current()
        self.front.then(ME, HANGS, *[Reply(502)] * 4)
        with self.assertRaises(NoAnswerError):
            self.malote.with_options(timeout=0.2, max_retries=0).users.get_current()
        with self.assertRaises(MaloteError):
            self.malote.with_options(max_retries=2).users.get_current()
        self.malote.users.get_current()
        self.assertEqual((len(self.front.to(ME)), len(self.front.to(LOGIN))), (1 + 1 + 3 + 2, 1))
        self.malote.graphql.payment_methods()
        self.front.then("/graphql", Reply(502))
        with self.assertRaises(MaloteError):
            self.malote.with_options(retry_for=0).graphql.payment_methods()

    def test_a_certificate_that_is_not_trusted_is_not_tried_twice(self) -> None:
        with self.assertRaises(NoAnswerError) as caught:
            Malote(WORLD["untrusted"]).system.get_health()
        self.assertIn("certificate", str(caught.exception))
        self.assertEqual(self.pauses(), [])

    def test_connections_are_kept_and_replaced_when_they_have_ended(self) -> None:
        with self.malote as malote:
            malote.system.get_health()
            [connection] = malote._http._connections._idle
            malote.system.get_health()
            self.assertEqual(malote._http._connections._idle, [connection])
            self.front.then("/health", Reply(200, b"{}", {"Connection": "close"}))
            malote.system.get_health()
            self.assertEqual(malote._http._connections._idle, [])
            self.front.then("/health", Reply(200, b"{}", ends=True))
            malote.system.get_health()
            [connection] = malote._http._connections._idle
            self.assertTrue(select([connection.sock], [], [], 10)[0])
            malote.system.get_health()
            with mock.patch("malote._connections.MOST_IDLE", 2):
                for _ in range(3):
                    # A request that cannot be repeated gets a new connection each time.
                    self.assertRaises(NotFoundError, malote.products.delete, NOBODY, if_match="*")
            self.assertEqual(len(malote._http._connections._idle), 2)
        self.assertEqual(malote._http._connections._idle, [])
        self.assertEqual(self.pauses(), [])

    def test_through_a_proxy_of_the_environment(self) -> None:
        login = {"http_proxy": self.front.url.replace("//", "//proxy:p4ss@"), "no_proxy": ""}
        with mock.patch.dict("os.environ", login):
            malote = Malote("http://malote.example")
            self.assertEqual(malote.system.get_health(), {"status": "ok"})
        [call] = self.front.calls
        self.assertEqual(call.path, "http://malote.example/health")
        self.assertEqual(call.headers["Proxy-Authorization"], "Basic cHJveHk6cDRzcw==")
        self.assertRegex(call.headers["User-Agent"], rf"^malote-python/{package.__version__} Python/3\.\d+")

    def test_pauses_are_bounded(self) -> None:
        policy = RetryPolicy(max_retries=10, retry_for=60)
        self.assertEqual([policy.pause(n, 0, None, 0) for n in (1, 2, 3, 9)], [0.25, 0.5, 1.0, 4.0])
        self.assertEqual(policy.pause(9, 0, None, 0.99), 8 * 0.995)
        self.assertIsNone(policy.pause(11, 0, None, 0))
        self.assertIsNone(policy.pause(1, 50, 11, 0))


class Lists(AccountCase):
    def test_turns_pages_when_the_loop_comes_to_them_and_shows_each_record_once(self) -> None:
        for at in range(4):
            self.malote.products.create(product_body(f"list-{at}"))
        before = len(self.front.to(PRODUCTS))
        found = iter(self.malote.products.list(page_size=2))
        skus = [next(found)["sku"], next(found)["sku"]]
        self.assertEqual(len(self.front.to(PRODUCTS)) - before, 1)
        self.malote.products.create(product_body("list-later"))
        skus += [each["sku"] for each in found]
        self.assertEqual([sku for sku in skus if sku.startswith("list-")], ["list-3", "list-2", "list-1", "list-0"])

    def test_a_page_and_filters(self) -> None:
        self.malote.orders.create(order_body("filtered"))
        page = self.malote.orders.list(status="created", created_from=datetime.now() - timedelta(hours=1)).page()
        self.assertEqual((page.page, page.page_size, page.total_items), (1, 100, len(page.data)))
        self.assertIn("filtered", [each["external_id"] for each in page.data])
        self.assertEqual(list(self.malote.orders.list(created_to=datetime.now(timezone.utc) - timedelta(hours=1))), [])

    def test_what_changed_from_a_time_and_then_from_the_cursor_that_was_stored(self) -> None:
        wanted = {self.malote.orders.create(order_body(f"changed-{at}"))["id"] for at in range(3)}
        changed = self.malote.orders.list(page_size=2, updated_from="2026-01-01T00:00:00Z")
        found: list[str] = []
        while not wanted <= set(found):
            for page in changed.pages():
                found += [each["id"] for each in page.data]
                changed = self.malote.orders.list(page_size=2, cursor=page.next_cursor)
        self.assertEqual(len(found), len(set(found)))


class Errors(AccountCase):
    def test_an_order_at_another_price_than_the_estimate_told(self) -> None:
        body = order_body()
        key = "3526 0912 ABC3 4501 DE35 5500 1000 0012 3412 3456 7898"
        document: types.FiscalDocumentInput = {"kind": "nfe", "key": key}
        package: types.PackageInput = {**body["packages"][0], "declared_value": "349.90", "fiscal_document": document}
        draft: types.OrderCreate = {**body, "packages": [package], "service": "economy"}
        economy = self.malote.orders.estimate(draft)["services"][1]["pricing"]["total"]
        with self.assertRaises(ConflictError) as refused:
            self.malote.orders.create({**draft, "expected_total": "0.01"})
        self.assertEqual(refused.exception.reason, "price_changed")
        self.assertEqual(refused.exception.details[0]["total"], economy)
        order = self.malote.orders.create({**draft, "expected_total": economy})
        self.assertEqual((order["service"], order["pricing"]["total"]), ("economy", economy))
        self.assertEqual(order["packages"][0]["declared_value"], "349.90")
        self.assertEqual(order["packages"][0]["fiscal_document"]["key"], key.replace(" ", ""))

    def test_of_each_code_with_its_fields(self) -> None:
        order = self.malote.orders.create(order_body("taken"))
        with self.assertRaises(ConflictError) as taken:
            self.malote.orders.create(order_body("taken"))
        self.assertEqual(taken.exception.details[0]["order_id"], order["id"])
        with self.assertRaises(ValidationError) as wrong:
            self.malote.products.create({**product_body("wrong"), "price": "free"})
        self.assertEqual([each["field"] for each in wrong.exception.details], ["price"])
        self.assertTrue(wrong.exception.request_id)
        self.assertRegex(str(wrong.exception), r"^400 VALIDATION_ERROR .* \(price .*\) \[request .*\]$")
        with self.assertRaises(NotFoundError):
            self.malote.orders.get(NOBODY)
        with self.assertRaises(NotModifiedError):
            self.malote.orders.get(order["id"], if_none_match=meta(self.malote.orders.get(order["id"])).etag)

    def test_of_a_code_that_is_newer(self) -> None:
        self.front.then(ME, refusal(418, "TEAPOT"))
        with self.assertRaises(MaloteError) as caught:
            self.malote.users.get_current()
        self.assertEqual((type(caught.exception), caught.exception.code), (MaloteError, "TEAPOT"))

    def test_a_value_stays_in_its_place_of_the_path(self) -> None:
        with self.assertRaises(ValidationError):
            self.malote.orders.get("../users/me?x=")
        self.assertEqual(self.front.calls[-1].path, f"{ORDERS}/..%2Fusers%2Fme%3Fx%3D")

    def test_what_is_unavailable_for_good(self) -> None:
        self.front.then(ME, *[refusal(503, "UNAVAILABLE", Retry_After="1")] * 4)
        with self.assertRaises(UnavailableError):
            self.malote.users.get_current()

    def test_an_address_that_is_none(self) -> None:
        for wrong in ("malote.example", "ftp://malote.example", "https://malote.example?x=1"):
            with self.assertRaises(ValueError):
                Malote(wrong)


class Files(AccountCase):
    def test_a_label_and_its_name(self) -> None:
        order = self.malote.orders.create(order_body())
        label = self.malote.packages.get_label(order["packages"][0]["loggi_key"])
        self.assertEqual((label.media_type, label.content[:5]), ("application/pdf", b"%PDF-"))
        self.assertRegex(label.name or "", r"\.pdf$")

    def test_an_operator_moves_a_package(self) -> None:
        key = self.malote.orders.create(order_body())["packages"][0]["loggi_key"]
        at = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        movement: operator_types.MovementInput = {"id": key, "loggi_key": key, "status_code": 14, "happened_at": at}
        with operator() as carrier:
            [result] = carrier.movements.record({"movements": [movement]})["results"]
            self.assertEqual(result["result"], "recorded")
            with self.assertRaises(MaloteError):
                carrier.proof_of_delivery.put_proof_photo(key, b"no picture")
            self.assertEqual(carrier.package_statuses.get(14)["code"], 14)
        self.assertEqual(self.malote.packages.get(key)["status"]["code"], 14)
