"""A receiver of tracking updates. Python >= 3.8, nothing to install: python3 receiver.py"""
import base64
import hmac
import json
import os
import ssl
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT = int(os.environ.get("PORT", "8443"))
LOGIN = base64.b64encode(f"{os.environ['WEBHOOK_USERNAME']}:{os.environ['WEBHOOK_PASSWORD']}".encode()).decode()
# While a secret is being rotated, list both, separated by a space.
KEYS = [base64.b64decode(secret.replace("whsec_", "")) for secret in os.environ["WEBHOOK_SECRET"].split(" ")]
TOLERANCE_SECONDS = 300
# The list of codes is open: one that this code does not know is shown by its name.
MEANINGS = {5: "delivered", 6: "needs you", 8: "returned", 11: "out for delivery"}
# A body may come twice, under the same id. Keep the ids in your database, in the transaction that `handle` writes in.
seen = set()
# When the newest update of each package was recorded. A body that was sent again late must not overwrite a newer one.
newest = {}


def is_genuine(headers, body):
    """Basic, then the signature, over the bytes as they came, as https://www.standardwebhooks.com says."""
    identity, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not hmac.compare_digest(headers.get("authorization", "").encode(), f"Basic {LOGIN}".encode()):
        return False
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > TOLERANCE_SECONDS:
        return False
    signed = f"{identity}.{sent_at}.".encode() + body
    valid = [b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256")) for key in KEYS]
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(one, other) for one in given for other in valid)


def handle(package):
    # Not status["updatedTime"]: a delivery that is reported late is current, though it happened before other statuses.
    if package["requestTime"] < newest.get(package["loggiKey"], ""):
        return
    newest[package["loggiKey"]] = package["requestTime"]
    status = package["status"]
    print(package["loggiKey"], status["code"], MEANINGS.get(status["code"], status["highLevelStatus"]), flush=True)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        genuine = is_genuine(self.headers, body)
        if genuine and self.headers["webhook-id"] not in seen:
            for package in json.loads(body)["packages"]:
                handle(package)
            seen.add(self.headers["webhook-id"])
        self.send_response(200 if genuine else 401)
        self.send_header("content-length", "0")
        self.end_headers()


server = ThreadingHTTPServer(("", PORT), Receiver)
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(os.environ["TLS_CERT"], os.environ["TLS_KEY"])
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print("listening at", PORT, flush=True)
server.serve_forever()
