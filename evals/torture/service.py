"""A web service with one Runner for all users: `service.py HOME PORT ENDPOINT EFFECTS`.

Each request that begins or continues a thread is answered with its events, a line each.
"""

import json
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from maxagent import Answer, Event, MaxAgentError, Options, Runner, ThreadBusyError
from maxagent.sdk.events import as_json

try:
    from fastapi import FastAPI as Application
except ImportError:  # the same without FastAPI's own parts
    from starlette.applications import Starlette as Application

HOME, PORT, ENDPOINT, EFFECTS = (*sys.argv, "", "", "", "")[1:5]


def note(user: str, step: str) -> str:
    """Note a step of a user."""
    with Path(EFFECTS, user).open("a") as file:
        file.write(f"{step}\n")
    return f"noted {user} {step}"


@asynccontextmanager
async def open_runner(service: Any) -> AsyncGenerator[None]:
    """Keep one Runner open as long as the service runs."""
    async with Runner(home=HOME, tools=[note]) as runner:
        service.state.runner = runner
        yield


def find_runner(request: Request) -> tuple[Runner, str]:
    """Return the service's Runner, and the thread that the request is about."""
    return request.app.state.runner, request.path_params["thread"]


async def chat(request: Request) -> Response:
    """Begin a conversation."""
    runner, thread = find_runner(request)
    given = await request.json()
    options: Options = {"model": "openai/served", "base_url": ENDPOINT, "mode": given["mode"]}
    events = runner.chat(given["text"], folder=given["folder"], options=options, thread_id=thread)
    return stream(events)


async def say(request: Request) -> Response:
    """Send one more message to a conversation."""
    runner, thread = find_runner(request)
    return stream(runner.say(thread, (await request.json())["text"]))


async def resume(request: Request) -> Response:
    """Continue a thread; with the ID of a question, allow what it asks."""
    runner, thread = find_runner(request)
    question = (await request.json())["question"]
    answer = Answer(approve=True, question=question) if question else None
    return stream(runner.resume(thread, answer))


async def stop(request: Request) -> Response:
    """Stop the run of a thread."""
    runner, thread = find_runner(request)
    return JSONResponse({"done": runner.stop(thread)})


async def steer(request: Request) -> Response:
    """Send a message to a run."""
    runner, thread = find_runner(request)
    try:
        return JSONResponse({"id": runner.steer(thread, (await request.json())["text"])})
    except MaxAgentError as error:
        return JSONResponse({"error": str(error)}, 409)


async def show(request: Request) -> Response:
    """Return the status of a thread, and what its user has sent."""
    runner, thread = find_runner(request)
    try:
        row = runner.threads.get(thread)
        state, _ = await runner.read_state(thread)
    except MaxAgentError as error:
        return JSONResponse({"error": str(error)}, 404)
    texts = [message.text for message in state.get("messages", []) if message.type == "human"]
    return JSONResponse({"status": row.status, "texts": texts})


def stream(events: AsyncGenerator[Event]) -> Response:
    """Answer with events as they come; a refusal is the only line."""

    async def write_lines() -> AsyncIterator[str]:
        try:
            async with aclosing(events):
                async for event in events:
                    yield json.dumps(as_json(event)) + "\n"
        except MaxAgentError as error:
            is_busy = isinstance(error, ThreadBusyError)
            yield json.dumps({"type": "refused", "busy": is_busy, "error": str(error)}) + "\n"

    return StreamingResponse(write_lines(), media_type="application/x-ndjson")


app = Application(lifespan=open_runner)
for handler in (chat, say, resume, stop, steer):
    app.add_route(f"/threads/{{thread}}/{handler.__name__}", handler, methods=["POST"])
app.add_route("/threads/{thread}", show, methods=["GET"])

if __name__ == "__main__":
    print(Application.__name__, flush=True)
    uvicorn.run(app, host="127.0.0.1", port=int(PORT), log_level="warning")
