"""VROOM behind the interface of vroom-express: POST / with a problem, whose `options` x, t and l are the command's.

Each request is solved in a child process, as vroom-express does it. Answers also hold `cpu_ms`, the processor time of the
solver, since wall time says little on a busy machine. Usage: vroom_bridge.py PORT
"""
import json
import os
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import ForkingMixIn

import vroom


def solve(body: bytes) -> dict:
    options = {"t": 4, "x": 5, **json.loads(body).get("options", {})}
    with tempfile.TemporaryDirectory() as folder:
        problem, solution = os.path.join(folder, "problem"), os.path.join(folder, "solution")
        with open(problem, "wb") as file:
            file.write(body)
        arguments = [part for name in "xtl" if name in options for part in (f"-{name}", str(options[name]))]
        vroom.main(["vroom", "-i", problem, "-o", solution, *arguments])
        with open(solution, encoding="utf8") as file:
            return {**json.load(file), "cpu_ms": round(time.process_time() * 1000)}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        answer = solve(self.rfile.read(int(self.headers["content-length"])))
        content = json.dumps(answer).encode()
        self.send_response({0: 200, 2: 400}.get(answer["code"], 500))
        self.send_header("content-type", "application/json; charset=utf-8")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class Server(ForkingMixIn, HTTPServer):
    pass


if __name__ == "__main__":
    Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
