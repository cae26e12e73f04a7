"""The routes of the server, and errors as JSON."""

import logging
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import AbstractAsyncContextManager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ...config.errors import MaxAgentError, ThreadBusyError, UsageError
from ...sdk.interrupt_response import OtherQuestionError
from ..i18n.message_translation import translate
from .access_control import PageAccess
from .agui import AguiEndpoint
from .api import Api, NotFoundError, QuestionClosedError
from .event_source import respond_with_events
from .inbox import ThreadInbox
from .memory_inbox import MemoryInbox
from .page_files import PageFile, read_page_files

_STATUS: tuple[tuple[type[Exception], int], ...] = (
    (NotFoundError, 404),
    (QuestionClosedError, 409),
    (OtherQuestionError, 409),
    (ThreadBusyError, 409),
    (UsageError, 400),
    (MaxAgentError, 500),
)
_logger = logging.getLogger(__name__)


def build_app(
    api: Api,
    agui: AguiEndpoint,
    inbox: ThreadInbox,
    token: str,
    hosts: Collection[str],
    lifespan: Callable[[Starlette], AbstractAsyncContextManager[None]],
) -> Starlette:
    """Return the application: the page, and what it asks for."""
    files = read_page_files()

    async def send_page(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        if name not in files:
            raise HTTPException(404)
        return _send_file(files[name], request)

    async def stream_inbox(_: Request) -> Response:
        messages: AsyncGenerator[Any] = inbox.follow()
        return respond_with_events(messages)

    routes = [
        Route("/", send_page),
        Route("/page/{name:path}", send_page),
        Route("/api/events", stream_inbox),
        Route("/agui", agui.run, methods=["POST"]),
        *_list_routes(api),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(PageAccess, token=token, hosts=hosts)],
        exception_handlers={Exception: _report_error, HTTPException: _report_http_error}
        | {kind: _report_error for kind, _ in _STATUS},
        lifespan=lifespan,
    )


def _list_routes(api: Api) -> list[Route]:
    """Return what the page asks for with its token."""
    thread, memory = "/api/threads/{thread}", MemoryInbox(api)
    return [
        Route("/api/server", api.describe_server),
        Route("/api/memory", memory.list_cards),
        Route("/api/memory/{card}", memory.decide, methods=["POST"]),
        Route("/api/threads", api.list_threads),
        Route("/api/threads", api.create_thread, methods=["POST"]),
        Route(thread, api.read_thread),
        Route(f"{thread}/events", api.stream_events),
        Route(f"{thread}/questions", api.list_questions),
        Route(f"{thread}/files", api.list_files),
        Route(f"{thread}/steps", api.list_steps),
        Route(f"{thread}/agents/{{agent}}", api.read_child),
        Route(f"{thread}/messages", api.send_message, methods=["POST"]),
        Route(f"{thread}/answers", api.answer_question, methods=["POST"]),
        Route(f"{thread}/resume", api.resume_thread, methods=["POST"]),
        Route(f"{thread}/stop", api.stop_thread, methods=["POST"]),
        Route(f"{thread}/undo", api.undo, methods=["POST"]),
        Route(f"{thread}/redo", api.redo, methods=["POST"]),
        Route(f"{thread}/rewind", api.rewind, methods=["POST"]),
        Route(f"{thread}/fork", api.fork, methods=["POST"]),
        Route(f"{thread}/name", api.set_title, methods=["POST"]),
    ]


def _send_file(file: PageFile, request: Request) -> Response:
    headers = {"etag": file.tag, "cache-control": "no-cache", "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
        return Response(file.compressed, headers=headers, media_type=file.type)
    return Response(file.content, headers=headers, media_type=file.type)


async def _report_error(_: Request, error: Exception) -> Response:
    if not isinstance(error, MaxAgentError):
        _logger.error("a request failed", exc_info=error)
        return _describe(500, "the server failed", "`mcode --debug web` writes down why")
    kind, status = next(each for each in _STATUS if isinstance(error, each[0]))
    return _describe(status, translate(error.message), translate(error.hint), kind.__name__)


async def _report_http_error(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return _describe(status, f"{status}", "")


def _describe(status: int, message: str, hint: str, kind: str = "") -> Response:
    return JSONResponse({"error": {"message": message, "hint": hint, "kind": kind}}, status)
