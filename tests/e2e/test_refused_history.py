"""What a provider refuses once is in no later request: one thread over each protocol."""

import base64
import io
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from anthropic_provider import AnthropicProvider
from pictures import PNG, build_png
from PIL import Image
from program import KEY, Program
from provider import Answer, Provider, Request
from repair_project import ACCEPT, BROKEN, READ, REPAIR, SETTINGS, SMALL, TEST, calls
from responses_provider import ResponsesProvider
from typing_extensions import override

FORBIDDEN = "words that no inspection lets pass"
INSPECTED = {
    "code": "data_inspection_failed",
    "message": "Input data may contain inappropriate content.",
}
_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
_PICTURE = re.compile(r"iVBOR[\w+/=]+|R0lG[\w+/=]+|/9j/[\w+/=]+")


class _Refusing(Provider):
    """Refuses what real servers refuse: names, pictures, contents; the rest goes by the script."""

    refused: list[str]

    @override
    def answer(self, request: Request) -> Answer:
        text = request.raw.decode()
        fault = find_fault(text)
        if not fault:
            return super().answer(request)
        self.requests.append(request)
        self.refused.append(fault)
        error = INSPECTED if fault == "content" else {"message": f"Invalid request: {fault}"}
        return {"status": 400, "body": {"type": "error", "error": error}}


def find_fault(text: str) -> str:
    body = json.loads(text)
    messages = json.dumps(body.get("messages") or body.get("input"))
    if FORBIDDEN in messages:
        return "content"
    for name in find_names(body.get("messages") or body.get("input")):
        if not _NAME.fullmatch(name):
            return f"the name {name[:20]} is invalid"
    for match in _PICTURE.findall(messages):
        try:
            picture = Image.open(io.BytesIO(base64.b64decode(match)))
            picture.load()
        except OSError:
            return "cannot decode the image"
        if max(picture.size) > 8_000:
            return "the image is too large"
        if picture.size == (77, 77):
            return "unsupported image"
    return ""


def find_names(value: Any) -> Iterator[str]:
    """Yield the names of calls, in any protocol."""
    if isinstance(value, list):
        for item in value:
            yield from find_names(item)
    elif isinstance(value, Mapping):
        is_call = value.get("type") in ("function_call", "tool_use") or "arguments" in value
        if is_call and "name" in value:
            yield value["name"]
        for item in value.values():
            yield from find_names(item)


class RefusingChat(_Refusing): ...


class RefusingMessages(_Refusing, AnthropicProvider): ...


class RefusingResponses(_Refusing, ResponsesProvider): ...


@contextmanager
def open_server(kind: str) -> Iterator[tuple[_Refusing, str, dict[str, str]]]:
    kinds = {"chat": RefusingChat, "messages": RefusingMessages, "responses": RefusingResponses}
    with kinds[kind]() as server:
        server.refused = []
        if kind == "messages":
            yield (
                server,
                "anthropic/claude-sonnet-5-5",
                {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": KEY},
            )
        else:
            model = "openai/gpt-5.3-codex" if kind == "responses" else "openai/gpt-4o"
            yield server, model, {"OPENAI_BASE_URL": server.url}


def call(name: str, **args: object) -> Answer:
    return {"tool_calls": [{"name": name, "args": args}]}


@pytest.mark.parametrize("kind", ["chat", "messages", "responses"])
def test_thread_is_never_poisoned(kind: str, tmp_path: Path) -> None:
    with open_server(kind) as (server, model, environ):
        program = Program(tmp_path, server.url, environ)
        project = program.project
        (project / "a.txt").write_text("A file.\n")
        (project / "secret.txt").write_text(f"{FORBIDDEN}\n")
        (project / "cut.png").write_bytes(build_png(200, 200)[:300])
        (project / "large.png").write_bytes(build_png(9_000, 20))
        (project / "odd.png").write_bytes(build_png(77, 77))
        (project / "good.png").write_bytes(PNG)
        names = ["functions.read_file", "read_file<|channel|>commentary", "x" * 300]
        names += ["Datei lesen!", "", "读取"]
        pictures = ["cut.png", "large.png", "odd.png", "good.png"]
        server.script(
            [
                *(call(name, path="a.txt") for name in names),
                call("read_file", path="secret.txt"),
                *(call("read_file", path=name) for name in pictures),
                {"text": ""},
                {"text": ""},
                *({"text": f"Answer {number}."} for number in range(4)),
            ]
        )
        common = ("--mode", "auto", "--model", model, "--output", "stream-json")
        ended = program.run("chat", "Look around.", *common)
        assert (ended.code, server.refused) == (0, ["content", "unsupported image"]), ended.stdout
        assert "without a word" in ended.last["summary"]
        results = [event for event in ended.told("tool_result") if event["ok"]]
        assert len(results) >= 6, ended.stdout
        for number in range(4):
            again = program.run("chat", "--continue", "And now?", *common)
            assert (again.code, again.last["summary"]) == (0, f"Answer {number}.")
        assert len(server.refused) == 2


def build_faults() -> list[Answer]:
    """Each passes when the request is repeated."""
    texts = {"error": {"message": "Rate limit reached. Please try again in 20ms."}}
    info = {"error": {"message": "quota", "details": [{"retryDelay": "0.02s"}]}}
    return [
        {"status": 429, "body": texts},
        {"status": 429, "body": info},
        {"status": 429, "body": "", "headers": {"retry-after-ms": "20"}},
        {"status": 503, "body": "<html><title>503</title></html>"},
        {"reset": True},
        {"text": "The stream ends here, in the middle of it.", "cut_after": 3},
        {"text": ""},
        {"status": 500, "body": "", "headers": {"retry-after": "0"}},
    ]


def build_forty_turns(paths: list[str]) -> list[Answer]:
    """Read each file, with wrong names and a fault at every fifth; then repair and finish."""
    faults, names = iter(build_faults()), ["functions.read_file", "x" * 300, "读取"]
    script: list[Answer] = []
    for number, path in enumerate(paths):
        script += [next(faults)] if number % 5 == 0 else []
        name = names[number // 10 % 3] if number % 10 == 6 else "read_file"
        script.append({"thinking": f"Part {number}.", **call(name, path=path)})
    return [*SMALL, *script, *calls([READ], [REPAIR]), {"text": "double doubles."}, *ACCEPT]


@pytest.mark.parametrize("kind", ["chat", "messages", "responses"])
def test_forty_turns_with_each_fault_end_verified(kind: str, tmp_path: Path) -> None:
    with open_server(kind) as (server, model, environ):
        program = Program(tmp_path, server.url, environ)
        paths = [f"part{number}.txt" for number in range(40)]
        files = {path: f"The words of {path}.\n" for path in paths}
        files |= {"numbers_.py": BROKEN, "test_n.py": TEST, "pytest.ini": SETTINGS}
        for path, text in (files | {paths[20]: f"{FORBIDDEN}\n"}).items():
            (program.project / path).write_text(text)
        server.script(build_forty_turns(paths))
        common = ("--mode", "auto", "--model", model, "--output", "stream-json")
        ended = program.run("task", "Repair double.", "--apply", "--trust", *common)
        assert (ended.code, ended.outcome) == (0, "verified"), ended.stdout
        assert (len(ended.told("tool_result")), server.refused) == (42, ["content"])


def test_refused_message_names_the_way_back(program: Program, provider: Provider) -> None:
    refusal = {"status": 400, "body": {"error": INSPECTED}}
    provider.script([{"text": "Hello."}, refusal, {"text": "Well."}])
    program.chat("hi")
    refused = program.chat("--continue", FORBIDDEN, output="text")
    assert refused.code == 1
    assert "inappropriate content" in refused.stderr
    command = re.search(r"mcode rewind (\w+) --to (\d+)", refused.stderr)
    assert command, refused.stderr
    back = program.run("rewind", command[1], "--to", command[2], "--yes")
    assert back.code == 0, back.stderr
    assert program.chat("--continue", "go on").last["summary"] == "Well."
    assert FORBIDDEN not in provider.requests[-1].raw.decode()
