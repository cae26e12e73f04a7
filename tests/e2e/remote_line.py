"""The way to a server: a proxy that speaks TLS, that cuts connections, or that tunnels."""

import socket
import ssl
import threading
from contextlib import suppress
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any, Self

TLS = Path(__file__).parents[1] / "fixtures" / "tls"


class RemoteLine(ThreadingTCPServer):
    """Passes connections on to a port of this machine, until the `with` ends."""

    def __init__(self, target: int = 0, *, is_safe: bool = False, cut_after: int = 0) -> None:
        """`cut_after`: bytes of an answer after which a connection is cut, each a little later.

        0: never.
        """
        super().__init__(("127.0.0.1", 0), _Connection)
        self.port: int = self.server_address[1]
        self.target, self.cut_after, self.cuts = target, cut_after, 0
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if is_safe else None
        if self.context:
            self.context.load_cert_chain(TLS / "server.pem")
        self.tunnels = list[bytes]()
        """The first lines of `CONNECT` requests: this is a proxy for programs, too."""

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Connection(BaseRequestHandler):
    server: RemoteLine

    def handle(self) -> None:
        with suppress(OSError), self._open_client() as client:
            begin = client.recv(65_536)
            if begin.startswith(b"CONNECT "):
                self.server.tunnels.append(begin.split(b"\r\n")[0])
                client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                begin = client.recv(65_536)
            with socket.create_connection(("127.0.0.1", self.server.target)) as server:
                server.sendall(begin)
                asking = threading.Thread(target=_pass_on, args=(client, server))
                asking.start()
                self._answer(server, client)
                for end in (server, client):
                    with suppress(OSError):
                        end.shutdown(socket.SHUT_RDWR)  # the other thread reads it
                asking.join()

    def _open_client(self) -> socket.socket:
        context = self.server.context
        return context.wrap_socket(self.request, server_side=True) if context else self.request

    def _answer(self, server: socket.socket, client: socket.socket) -> None:
        cut_after = self.server.cut_after
        allowed = cut_after + 1_500 * self.server.cuts
        with suppress(OSError):
            while piece := server.recv(65_536):
                if cut_after and allowed < len(piece):
                    client.sendall(piece[:allowed])
                    self.server.cuts += 1
                    return
                client.sendall(piece)
                allowed -= len(piece)


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65_536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_RDWR)
