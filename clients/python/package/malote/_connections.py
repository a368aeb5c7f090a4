"""Connections to one service, kept open for the next request."""

from __future__ import annotations

import os
import selectors
import ssl
from base64 import b64encode
from http.client import HTTPConnection, HTTPSConnection
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

MOST_IDLE = 10


class Connections:
    """Threads share it; a connection is used by one of them at a time."""

    def __init__(self, service: SplitResult, context: ssl.SSLContext | None) -> None:
        self._host = service.hostname or ""
        self._port = service.port
        self._authority = service.netloc
        self._is_tls = service.scheme == "https"
        self._context = context or (ssl.create_default_context() if self._is_tls else None)
        self._proxy = _proxy_to(service)
        self._idle: list[HTTPConnection] = []
        self._owner = os.getpid()

    @property
    def target_prefix(self) -> str:
        """What stands before the path of a request: a proxy must be told the host of one that is not encrypted."""
        if self._proxy is None or self._is_tls:
            return ""
        return f"http://{self._authority}"

    def take(self) -> HTTPConnection:
        """An open connection that is idle, or a new one."""
        if self._owner != os.getpid():
            # Connections of the parent process are in use there.
            self._idle, self._owner = [], os.getpid()
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:
                break
            if not _has_ended(connection):
                return connection
            connection.close()
        return self.new()

    def put_back(self, connection: HTTPConnection) -> None:
        if len(self._idle) < MOST_IDLE:
            self._idle.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def new(self) -> HTTPConnection:
        host, port = self._host, self._port
        if self._proxy is not None:
            host, port = self._proxy.hostname or "", self._proxy.port
        if not self._is_tls:
            return HTTPConnection(host, port)
        connection = HTTPSConnection(host, port, context=self._context)
        if self._proxy is not None:
            connection.set_tunnel(self._host, self._port, _credentials(self._proxy))
        return connection

    def proxy_headers(self) -> dict[str, str]:
        """What the proxy wants in a request that is not encrypted."""
        return {} if self._proxy is None or self._is_tls else _credentials(self._proxy)


def _has_ended(connection: HTTPConnection) -> bool:
    """Whether the other side closed it: nothing else makes an idle connection readable."""
    if connection.sock is None:
        return True
    with selectors.DefaultSelector() as selector:
        selector.register(connection.sock, selectors.EVENT_READ)
        return bool(selector.select(0))


def _proxy_to(service: SplitResult) -> SplitResult | None:
    """The proxy that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, except for what `NO_PROXY` names)."""
    address = getproxies().get(service.scheme)
    if not address or proxy_bypass(service.netloc):
        return None
    return urlsplit(address if "://" in address else f"http://{address}")


def _credentials(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    login = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": f"Basic {b64encode(login.encode()).decode()}"}
