"""Every provider row over real HTTP: its variables, a tool loop with thinking, a cut stream."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from anthropic_provider import AnthropicProvider
from program import KEY, Program
from provider import Answer, Request
from responses_provider import ResponsesProvider
from strict_provider import StrictProvider

from maxagent.models.providers import Api, load_providers
from maxagent.models.providers import Provider as Row

PAIRS = 3
"""Answers of two calls each; one stream breaks off in the middle."""
ELSEWHERE = {"copilot"}
"""Rows whose key comes from a login: they have a test of their own."""
ROWS = [row for row in load_providers().values() if row.available and row.base_url]
SERVED = "served-chat"
Server = StrictProvider | ResponsesProvider | AnthropicProvider
PATHS: dict[str, str] = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "anthropic": "/v1/messages",
}


ASKED_OF_LOCAL_SERVERS = {"/api/ps", "/api/show", "/props", "/api/v0/models"}
"""Where local servers say the window of what they loaded; this one does not."""


@dataclass(frozen=True)
class Case:
    """A provider with one of its protocols."""

    row: Row
    api: Api
    model: str = ""
    """Empty: the model that the row selects, without `--model`."""

    @property
    def name(self) -> str:
        return f"{self.row.name}-{self.api}"


def list_cases() -> list[Case]:
    cases: list[Case] = []
    for row in ROWS:
        if row.name not in ELSEWHERE:
            cases.append(Case(row, row.api, "" if row.default_model else SERVED))
            cases += [Case(row, "anthropic") for api in row.apis if api == "anthropic"]
    return [*cases, Case(load_providers()["openai"], "responses", "gpt-5.3-codex")]


def open_server(case: Case) -> Server:
    """A server that refuses what the vendor refuses."""
    if case.api == "responses":
        return ResponsesProvider()
    if case.api == "anthropic":
        return AnthropicProvider()
    return StrictProvider(case.row.maker_name)


def build_turns() -> list[Answer]:
    """A file in each turn, written and read; the third answer breaks off in the middle."""
    turns: list[Answer] = []
    for number in range(PAIRS):
        path = f"file{number}.txt"
        write = {"name": "write_file", "args": {"path": path, "content": f"line {number}\n"}}
        read = {"name": "read_file", "args": {"path": path}}
        turns.append({"thinking": "The next file, then.", "tool_calls": [write, read]})
    turns.insert(2, {**turns[2], "cut_after": 9})
    return [*turns, {"thinking": "All there?", "text": "The files."}]


def build_answers(turns: Sequence[Answer]) -> Callable[[Request], Answer]:
    remaining = iter(turns)
    models = {"data": [{"id": "nomic-embed-text"}, {"id": SERVED}]}

    def choose_answer(request: Request) -> Answer:
        if request.path == "/v1/models":
            return {"status": 200, "body": models}
        if request.path in ASKED_OF_LOCAL_SERVERS:
            return {"status": 404, "body": {"error": "not found"}}
        return next(remaining)

    return choose_answer


def configure(program: Program, case: Case, url: str) -> list[str]:
    """Give only address, key and a short delay, by variables; return the options."""
    row = case.row
    del program.environ["OPENAI_API_KEY"]
    program.environ["LLC_MODEL__RETRY__INITIAL_DELAY"] = "0.01"
    program.environ[row.list_endpoint_variables()[0]] = url
    if row.key_variables and not row.local:
        program.environ[row.key_variables[0]] = KEY
    model = case.model or row.default_model
    if case.api != row.api:
        program.home.mkdir()
        api = {f"{row.name}/{model}": {"api": case.api}}
        (program.home / "config.yaml").write_text(json.dumps({"model": {"models": api}}))
    if row.local or (row.detected and not case.model):
        return []
    return ["--model", f"{row.name}/{model}"]


@pytest.mark.parametrize("case", list_cases(), ids=lambda case: case.name)
def test_tool_loop_with_cut_stream(case: Case, tmp_path: Path) -> None:
    with open_server(case) as server:
        program = Program(tmp_path, server.url)
        server.script(build_answers(build_turns()))
        options = configure(program, case, server.url)
        ended = program.run(
            *("chat", "Write the files.", *options, "--mode", "auto", "--thinking", "enabled"),
            *("--output", "stream-json"),
        )
    assert (list_refusals(server), ended.stderr) == ([], "")
    assert (ended.code, ended.last["summary"]) == (0, "The files.")
    for number in range(PAIRS):
        assert (program.project / f"file{number}.txt").read_text() == f"line {number}\n"
    assert len(ended.told("retry")) == 1
    thinking = "".join(event["text"] for event in ended.told("thinking"))
    assert thinking.count("The next file") >= PAIRS and "All there?" in thinking
    results = ended.told("tool_result")
    assert ([result["ok"] for result in results], len(results)) == ([True] * 2 * PAIRS, 2 * PAIRS)
    check_requests(case, [request for request in server.requests if request.raw])


def check_requests(case: Case, requests: Sequence[Request]) -> None:
    """Each goes to the protocol's path, with the row's key and model, streamed."""
    assert {request.path for request in requests} == {PATHS[case.api]}
    assert len(requests) == PAIRS + 2
    keys = {find_key(request.headers) for request in requests}
    assert keys == {"" if case.row.local or not case.row.key_variables else KEY}
    bodies: list[dict[str, Any]] = [request.body for request in requests]
    assert {body["model"] for body in bodies} == {case.model or case.row.default_model}
    assert all(body["stream"] for body in bodies)


def find_key(headers: Mapping[str, str]) -> str:
    bearer = headers.get("Authorization", headers.get("authorization", ""))
    return headers.get("x-api-key", "") or bearer.removeprefix("Bearer ")


def list_refusals(server: Server) -> list[str]:
    """Why the server refused requests."""
    return server.refusals if isinstance(server, AnthropicProvider) else server.refused
