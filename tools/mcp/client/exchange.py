"""One request to a server and its answer: its limit of time, and what a failure means."""

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any, Literal, TypeVar, cast

from mcp import MCPError
from mcp import types as protocol
from pydantic import ValidationError

from ....config.text import text
from ..input_request import (
    Elicit,
    InputAnswer,
    InputAnswers,
    InputRequest,
    InputRequired,
    OnProgress,
)
from .http_transport import MAY_HAVE_RUN, NOT_SENT, REFUSED, SESSION_LOST
from .input_translation import required_from_result, responses_from_answers
from .lost_session import names_lost_session
from .session import McpSession

# reconnect: the session is gone, the request was not handled · negotiate: the server speaks another
# protocol than last time · relist: `mcp` must see the tools first · explain: ask why it is gone ·
# probe: find out whether the session is gone
Remedy = Literal["", "reconnect", "negotiate", "relist", "explain", "probe"]

# Rounds in which a server only wants to be asked again, and seconds before the next
STATE_ROUNDS, STATE_PAUSE = 20, 0.25
# A server that has not understood a request has not run it
_NOT_UNDERSTOOD = (protocol.METHOD_NOT_FOUND, protocol.INVALID_PARAMS)
_LOST = "session "
# What `mcp` itself says with a code that many servers use for errors of their own
_CLOSED, _CUT = "Connection closed", "SSE stream "
_UNREADABLE = "Failed to parse "
_Answer = TypeVar("_Answer")


class ExchangeError(Exception):
    """A request failed."""

    def __init__(
        self,
        reason: str,
        *,
        remedy: Remedy = "",
        may_have_run: bool = True,
        is_answer: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason, self.remedy, self.may_have_run = reason, remedy, may_have_run
        self.is_answer = is_answer
        """Whether the server itself said so."""


class RunningExchange:
    """A request that waits for its answer; progress and questions renew its time."""

    def __init__(self, seconds: float, elicit: Elicit | None = None) -> None:
        self.can_elicit = elicit is not None
        self._seconds, self._elicit = seconds, elicit
        self._limit: asyncio.Timeout | None = None

    async def run(self, request: Awaitable[_Answer]) -> _Answer:
        """Make the request; raises ExchangeError. Cancelling it tells the server to stop."""
        try:
            async with asyncio.timeout(self._seconds) as self._limit:
                return await request
        except TimeoutError:
            seconds = f"{self._seconds:g}"
            raise ExchangeError(
                text("no answer and no progress in {seconds} s", seconds=seconds)
            ) from None
        except MCPError as error:
            raise _interpret(error) from error
        except (ValidationError, RuntimeError) as error:
            reason = str(error).partition("\n")[0][:200]
            raise ExchangeError(text("its answer is wrong: {reason}", reason=reason)) from error

    def renew(self) -> None:
        """Start the time again."""
        if self._limit:
            self._limit.reschedule(asyncio.get_running_loop().time() + self._seconds)

    def pause(self) -> None:
        """Let the time stand still until it is renewed."""
        if self._limit:
            self._limit.reschedule(None)

    async def elicit(self, request: InputRequest) -> InputAnswer:
        """Ask the user."""
        return await self._elicit(request) if self._elicit else InputAnswer("decline")


async def call_tool(
    session: McpSession,
    exchange: RunningExchange,
    name: str,
    arguments: Mapping[str, Any],
    on_progress: OnProgress | None,
    answers: InputAnswers | None,
) -> protocol.CallToolResult | InputRequired:
    """Call a tool, up to its result or questions to the user."""

    async def report(progress: float, total: float | None, message: str | None) -> None:
        exchange.renew()
        if on_progress:
            on_progress(progress, total, message or "")

    responses = responses_from_answers(answers)
    state = answers.state if answers and answers.state else None
    for _ in range(STATE_ROUNDS):
        result = await session.call_tool(name, arguments, report, responses, state)
        if isinstance(result, protocol.CallToolResult):
            return result
        if result.input_requests:
            return _require_input(result, answers.round + 1 if answers else 1)
        responses, state = None, result.request_state
        exchange.renew()
        await asyncio.sleep(STATE_PAUSE)
    raise ExchangeError(text("it asked to be called again {count} times", count=STATE_ROUNDS))


def _require_input(result: protocol.InputRequiredResult, round: int) -> InputRequired:
    required = required_from_result(result, round)
    if len(required.requests) < len(result.input_requests or {}):
        raise ExchangeError(
            text("it asks for a model's answer or for folders, which MaxAgent does not provide")
        )
    return required


def _interpret(error: MCPError) -> ExchangeError:
    """Return what an error of the protocol means."""
    reason = error.message.partition("\n")[0][:300] or str(error.code)
    reason += _describe_data(error.error.data, reason)
    match error.code:
        case protocol.CONNECTION_CLOSED if reason.startswith(_CLOSED):
            return ExchangeError(reason, remedy="explain")
        case protocol.CONNECTION_CLOSED if reason.startswith(_CUT):
            return ExchangeError(text("the connection was lost before its answer"))
        case protocol.PARSE_ERROR if reason.startswith(_UNREADABLE):
            return ExchangeError(text("its answer cannot be read"))
        case protocol.UNSUPPORTED_PROTOCOL_VERSION:
            return ExchangeError(reason, remedy="negotiate", may_have_run=False)
        case protocol.HEADER_MISMATCH:
            return ExchangeError(reason, remedy="relist", may_have_run=False)
        case _ if error.code == NOT_SENT:
            return ExchangeError(reason, remedy="reconnect", may_have_run=False)
        case _ if error.code == SESSION_LOST:
            return ExchangeError(reason, remedy="reconnect", may_have_run=False)
        case _ if error.code == REFUSED:
            return ExchangeError(reason, may_have_run=False)
        case _ if error.code == MAY_HAVE_RUN:
            return ExchangeError(reason)
        case _ if error.code in _NOT_UNDERSTOOD:
            return ExchangeError(reason, may_have_run=False, is_answer=True)
        case protocol.INVALID_REQUEST if reason.lower().startswith(_LOST):
            return ExchangeError(reason, remedy="reconnect", may_have_run=False)
        case protocol.INVALID_REQUEST if reason.startswith("Redirect to"):
            return ExchangeError(reason, may_have_run=False)
        case _:
            remedy = "probe" if names_lost_session(reason) else ""
            return ExchangeError(reason, remedy=remedy, is_answer=True)


def _describe_data(data: Any, reason: str) -> str:
    """Return what an error says in its data: of some servers it is all that they say."""
    fields = cast("dict[str, Any]", data) if isinstance(data, dict) else {"detail": data}
    names = ("detail", "details", "message", "error", "reason", "hint")
    detail = next(
        (each for name in names if isinstance(each := fields.get(name), str) and each), ""
    )
    line = detail.strip().partition("\n")[0][:200]
    return f": {line}" if line and line not in reason else ""
