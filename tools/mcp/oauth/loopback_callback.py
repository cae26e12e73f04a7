"""The end of a login in the browser: the redirect to a port of this machine."""

import asyncio
import secrets
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

PATH = "/callback"
MAX_REQUEST_BYTES = 16_384
READ_SECONDS = 10.0
_HOST = "127.0.0.1"
_BAD_REQUESTS = (asyncio.IncompleteReadError, asyncio.LimitOverrunError)
_PAGE = (
    "<!doctype html><meta charset=utf-8><title>MaxAgent</title>"
    "<p>{sentence}</p><p>You can close this page.</p>"
)


def build_redirect_uri(port: int) -> str:
    """Return the address that the browser is sent to."""
    return f"http://{_HOST}:{port}{PATH}"


def read_redirect(address: str) -> Mapping[str, str]:
    """Return the parameters of a redirected address, the first of each name.

    A person pastes it with quotes, brackets or line ends, or from the `?` on.
    """
    bare = "".join(address.split()).strip("<>\"'`")
    query = urlsplit(bare).query or bare
    return {name: values[0] for name, values in parse_qs(query, keep_blank_values=True).items()}


class LoopbackCallback:
    """A web server that waits for one redirect; a request without the right `state` is refused."""

    def __init__(self, state: str, port: int = 0, *, is_fixed: bool = False) -> None:
        self._state = state
        self._wanted_port, self._is_fixed = port, is_fixed
        self._server: asyncio.Server | None = None
        self._result: asyncio.Future[Mapping[str, str]] | None = None

    async def __aenter__(self) -> Self:
        """Begin to listen, on the wanted port or, unless it is fixed, another. Raises OSError."""
        self._result = asyncio.get_running_loop().create_future()
        try:
            self._server = await asyncio.start_server(self._serve, _HOST, self._wanted_port)
        except OSError:
            if not self._wanted_port or self._is_fixed:
                raise
            self._server = await asyncio.start_server(self._serve, _HOST, 0)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop listening."""
        if self._server:
            self._server.close()

    @property
    def redirect_uri(self) -> str:
        """The address that the browser must be sent to."""
        assert self._server
        return build_redirect_uri(int(self._server.sockets[0].getsockname()[1]))

    async def wait(self) -> Mapping[str, str]:
        """Return the parameters of the redirect."""
        assert self._result
        return await self._result

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, ValueError, *_BAD_REQUESTS):
            async with asyncio.timeout(READ_SECONDS):
                line = (await reader.readuntil(b"\r\n")).decode("latin-1")
                await _skip_headers(reader)
                status, sentence = self._answer(line)
                await _send_page(writer, status, sentence)
        writer.close()

    def _answer(self, line: str) -> tuple[str, str]:
        """Return status and text for a request; the redirect itself ends the wait."""
        method, target, *_ = [*line.split(" "), "", ""]
        if method != "GET" or urlsplit(target).path != PATH:
            return "404 Not Found", "There is nothing here."
        parameters = read_redirect(target)
        state = parameters.get("state", "").encode()
        if not secrets.compare_digest(state, self._state.encode()):
            return "400 Bad Request", "This does not belong to the login that is under way."
        assert self._result
        if not self._result.done():
            self._result.set_result(parameters)
        if "code" in parameters:
            return "200 OK", "The answer has arrived. MaxAgent goes on in the terminal."
        return "200 OK", "The login was refused. MaxAgent says more in the terminal."


async def _skip_headers(reader: asyncio.StreamReader) -> None:
    size = 0
    while (line := await reader.readuntil(b"\r\n")) != b"\r\n":
        size += len(line)
        if size > MAX_REQUEST_BYTES:
            raise ValueError("too many headers")


async def _send_page(writer: asyncio.StreamWriter, status: str, sentence: str) -> None:
    body = _PAGE.format(sentence=sentence).encode()
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
    writer.write(head.encode() + body)
    await writer.drain()
