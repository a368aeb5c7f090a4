"""A bound on the whole of a try: a server that sends a byte now and then does not hold it up."""

from __future__ import annotations

import io
import socket
import time
from functools import partial
from http.client import HTTPConnection, HTTPResponse
from typing import Any


class Deadline:
    """The end of a try, from now on."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds until the end; raises TimeoutError when there are none."""
        seconds = self._ends - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("timed out")
        return seconds

    def bind(self, connection: HTTPConnection) -> None:
        """Lets a connection that is open send and read until then."""
        connection.sock.settimeout(self.left())
        setattr(connection, "response_class", partial(_Response, self))


class _Response(HTTPResponse):
    def __init__(self, deadline: Deadline, sock: socket.socket, *arguments: Any, **options: Any) -> None:
        super().__init__(sock, *arguments, **options)
        self.fp.close()
        self.fp = io.BufferedReader(_Pieces(deadline, sock))


class _Pieces(io.RawIOBase):
    """Reads what comes, each piece in the time that is left for all of them."""

    def __init__(self, deadline: Deadline, sock: socket.socket) -> None:
        self._deadline = deadline
        self._sock = sock
        self._source = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(self._deadline.left())
        return self._source.readinto(buffer)

    def close(self) -> None:
        self._source.close()
        super().close()
