"""Tool loops beyond a small window, against servers that refuse what each vendor refuses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anthropic_provider import AnthropicProvider
from program import KEY, Program
from provider import Answer, Request
from responses_provider import ResponsesProvider
from strict_provider import StrictProvider

from maxagent.models.providers import load_providers

VENDORS = {
    "deepseek": ("chat", "deepseek-v4-pro"),
    "kimi": ("chat", "kimi-k3"),
    "glm": ("chat", "glm-4.7"),
    "gemini": ("chat", "gemini-3-pro"),
    "openrouter": ("chat", "z-ai/glm-5"),
    "openai": ("responses", "gpt-5.3-codex"),
    "anthropic": ("anthropic", "claude-sonnet-4-5"),
}
WINDOW, TURNS = 24_000, 24
TASK = "Read every part, then say how many there are."
SUMMARY = "I read the parts one after another."


def open_server(vendor: str, api: str) -> StrictProvider | ResponsesProvider | AnthropicProvider:
    if api == "responses":
        return ResponsesProvider()
    return AnthropicProvider() if api == "anthropic" else StrictProvider(vendor)


def choose(sent: list[Request], *, thinks_once: bool) -> Callable[[Request], Answer]:
    """A model that reads two parts a turn; a request for a summary offers no choice of a tool."""
    turns = iter(range(TURNS))

    def choose_answer(request: Request) -> Answer:
        sent.append(request)
        if "is about to be shortened" in json.dumps(request.body)[-6_000:]:
            return {"text": SUMMARY}
        turn = next(turns, None)
        if turn is None:
            return {"thinking": "All of them.", "text": "They are all read."}
        names = (f"part{2 * turn}.txt", f"part{2 * turn + 1}.txt")
        calls = [{"name": "read_file", "args": {"path": name}} for name in names]
        thinking = "" if thinks_once and turn else f"Parts of turn {turn}."
        identified = [{**call, "id": f"c{turn}_{n}"} for n, call in enumerate(calls)]
        return {"thinking": thinking, "tool_calls": identified}

    return choose_answer


@pytest.mark.parametrize("summary", ["none", ""])
@pytest.mark.parametrize("vendor", VENDORS)
def test_loop_beyond_the_window_is_never_refused(vendor: str, summary: str, tmp_path: Path) -> None:
    api, model = VENDORS[vendor]
    sent: list[Request] = []
    with open_server(vendor, api) as server:
        program = Program(tmp_path, server.url)
        server.script(choose(sent, thinks_once=summary == "none" and vendor == "anthropic"))
        configure(program, vendor, api, model, server.url, summary)
        for number in range(2 * TURNS):
            text = "".join(f"{number}.{line}: a line of this part\n" for line in range(100))
            (program.project / f"part{number}.txt").write_text(text)
        common = ("--mode", "auto", "--thinking", "enabled", "--output", "stream-json")
        ended = program.run("chat", TASK, "--model", f"{vendor}/{model}", *common)
        refused = server.refusals if isinstance(server, AnthropicProvider) else server.refused
    assert (refused, ended.code, ended.last["summary"]) == ([], 0, "They are all read.")
    finished = ended.told("compaction_finished")
    assert len(finished) >= 2
    assert {event["by"] for event in finished} == {"bridge" if summary else f"{vendor}/{model}"}
    assert all(TASK in request.raw.decode() for request in sent)
    assert max(len(request.raw) for request in sent) < WINDOW * 4


def configure(program: Program, vendor: str, api: str, model: str, url: str, summary: str) -> None:
    row = load_providers()[vendor]
    program.environ[row.list_endpoint_variables()[0]] = url
    program.environ[row.key_variables[0]] = KEY
    limits: dict[str, Any] = {"context_length": WINDOW, "max_tokens": 4_000, "api": api}
    settings = {
        "model": {"models": {f"{vendor}/{model}": limits}},
        "context": {"model": summary},
    }
    program.home.mkdir()
    (program.home / "config.yaml").write_text(json.dumps(settings))
