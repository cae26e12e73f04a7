"""A stored login on requests to its server: it is sent, refreshed, or said to be needed."""

import asyncio
import fcntl
import os
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import httpx2
from mcp.client.auth.utils import (
    extract_field_from_www_auth,
    extract_scope_from_www_auth,
    union_scopes,
)

from ....config.paths import locate_mcp_logins
from ....config.text import text
from .errors import LoginError, LoginNeededError
from .login import REQUEST_SECONDS, open_client
from .storage import RemoteServer, ServerLogin, read_login, update_login
from .token_requests import (
    build_refresh,
    describe_refusal,
    forgets_client,
    is_ended,
    read_tokens,
)

# Seconds before its end from which a token is refreshed
EARLY = 10.0
RETRY = "try again later"
_LOCK_PAUSE = 0.05


def build_auth(server: RemoteServer, home: Path) -> "StoredLogin | None":
    """Return the login for requests to the server; None: its entry says how to authenticate."""
    if any(name.lower() == "authorization" for name in server.headers):
        return None
    return StoredLogin(server, home)


class StoredLogin(httpx2.Auth):
    """Adds the token of the stored login; a refusal stays an answer, and `refusal` explains it."""

    def __init__(self, server: RemoteServer, home: Path) -> None:
        self._server, self._home = server, home
        self._login: ServerLogin | None = None
        self._is_read = False
        self._renewal = asyncio.Lock()
        self._failure = ""
        """Why the last refresh failed, though the login may be good."""
        self.refusal: LoginNeededError | None = None
        """Why requests are refused, if a login would help; None again after one that succeeds."""

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Send the request with the token, and once more after the server refused an old one."""
        if not self._is_read:
            await self._read()
        if self._login and _is_over(self._login):
            await self._refresh(self._login)
        sent = self._add_token(request)
        response = yield request
        if response.status_code == 401:
            has_asked = await self._refresh(sent)
            if self._add_token(request) != sent or has_asked:
                response = yield request  # also in vain: its answer is the caller's
        elif _wants_scope(response):
            await self._read()
            if self._add_token(request) != sent:
                response = yield request
        refusal = await self._explain(response)
        if refusal or response.is_success:
            self.refusal = refusal

    async def _read(self) -> None:
        self._login = await asyncio.to_thread(read_login, self._home, self._server)
        self._is_read = True

    def _add_token(self, request: httpx2.Request) -> ServerLogin | None:
        """Return the login whose token the request carries now."""
        if not self._login or not self._login.access_token:
            request.headers.pop("Authorization", None)
            return None
        request.headers["Authorization"] = f"Bearer {self._login.access_token}"
        return self._login

    @asynccontextmanager
    async def _lock(self) -> AsyncGenerator[None]:
        """Hold off other refreshes, also of other processes: a refresh token is good only once."""
        async with self._renewal:
            lock = await asyncio.to_thread(_open_lock, self._home)
            try:
                while lock is not None and not _try_lock(lock):
                    await asyncio.sleep(_LOCK_PAUSE)
                yield
            finally:
                if lock is not None:
                    os.close(lock)

    async def _refresh(self, refused: ServerLogin | None) -> bool:
        """Get new tokens, unless somebody else has some already; return whether they were asked.

        Who is cancelled meanwhile waits for the answer: the old refresh token is good no more.
        """
        async with self._lock():
            await self._read()
            login = self._login
            if not login or not refused or login.access_token != refused.access_token:
                return False
            if not login.refresh_token:
                return False
            self._failure = text("no answer within {seconds} s", seconds=f"{REQUEST_SECONDS:g}")
            with anyio.move_on_after(REQUEST_SECONDS, shield=True):
                try:
                    async with open_client(self._server) as client:
                        await self._take_answer(login, await client.send(build_refresh(login)))
                except LoginError as error:
                    self._failure = error.message
            return True

    async def _take_answer(self, login: ServerLogin, response: httpx2.Response) -> None:
        """Keep the new tokens; forget those that the server has ended."""
        try:
            new = read_tokens(login, response)
        except LoginError:
            if not is_ended(response):  # the server fails; the login may still be good
                self._failure = describe_refusal(response)
                return
            new = replace(login, access_token="", refresh_token="", expires_at=0.0)
            if forgets_client(response):  # the next login registers anew
                new = replace(new, client_id="", client_secret="", redirect_uri="")
        self._login, self._failure = new, ""
        await self._write(
            lambda stored: new if stored and stored.refresh_token == login.refresh_token else stored
        )

    async def _explain(self, response: httpx2.Response) -> LoginNeededError | None:
        """Return why the request was refused; note rights that the server asks for."""
        name = self._server.name
        if response.status_code == 401:
            if self._login is None:
                return LoginNeededError(text("login needed"), name)
            if self._failure:
                issuer, reason = self._login.issuer, self._failure
                problem = "the login cannot be renewed now, {issuer} says: {reason}"
                return LoginNeededError(text(problem, issuer=issuer, reason=reason), name, RETRY)
            return LoginNeededError(text("login needed: the last one has ended"), name)
        if not _wants_scope(response):
            return None
        scope = extract_scope_from_www_auth(response) or ""
        if self._login:
            await self._write(lambda stored: stored and _add_wanted(stored, scope))
        return LoginNeededError(text("login needed: with more rights, {scope}", scope=scope), name)

    async def _write(self, change: Callable[[ServerLogin | None], ServerLogin | None]) -> None:
        await asyncio.to_thread(update_login, self._home, self._server, change)


def _add_wanted(login: ServerLogin, scope: str) -> ServerLogin:
    return replace(login, wanted_scope=union_scopes(login.wanted_scope, scope) or "")


def _wants_scope(response: httpx2.Response) -> bool:
    error = extract_field_from_www_auth(response, "error")
    return response.status_code == 403 and error == "insufficient_scope"


def _is_over(login: ServerLogin) -> bool:
    return bool(login.access_token and login.expires_at and time.time() > login.expires_at - EARLY)


def _open_lock(home: Path) -> int | None:
    """Open the lock of refreshes; None: no login was ever stored, so there is none to refresh."""
    file = locate_mcp_logins(home)
    if not file.exists():
        return None
    return os.open(file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
