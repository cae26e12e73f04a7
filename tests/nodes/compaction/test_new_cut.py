"""What a model is asked to summarize, and what of it has no answer."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from provider import Provider
from talk import Talk

from maxagent import Runner
from maxagent.nodes.recovery.partial_answer import INTERRUPTED, UNANSWERED

USAGE = {"prompt_tokens": 9_000, "completion_tokens": 3_000, "total_tokens": 12_000}
ANSWER = {"text": "The build is green. " * 600, "usage": USAGE}
REFUSED = {"status": 400, "body": {"error": {"message": "not now"}}}
SILENT = {"text": "It is", "hang_after": 0}
HALF = {"text": "It is half " * 40, "hang_after": 4}


async def say_and_stop(talk: Talk, text: str) -> None:
    """Say it, and stop the turn once the model has begun to answer or is silent."""
    saying = asyncio.ensure_future(talk.say(text))
    await asyncio.wait((saying,), timeout=1.5)
    saying.cancel()
    await asyncio.wait((saying,))


@pytest.mark.parametrize(
    ("answers", "mark"),
    [
        ([ANSWER], ""),
        ([ANSWER, SILENT], UNANSWERED),
        ([ANSWER, HALF], INTERRUPTED),
        ([ANSWER, REFUSED], UNANSWERED),
        ([ANSWER, SILENT, SILENT], UNANSWERED),
        ([ANSWER, SILENT, ANSWER], ""),
    ],
)
async def test_unanswered_request_is_named_to_the_summary(
    tmp_path: Path, provider: Provider, answers: list[dict[str, Any]], mark: str
) -> None:
    async with Runner(home=tmp_path / "home") as runner:
        talk = Talk(tmp_path, runner)
        talk.options = {"model": "openai/served", "base_url": provider.url}
        provider.script([*answers, {"text": "A note."}])
        for number, answer in enumerate(answers):
            if "hang_after" in answer:
                await say_and_stop(talk, f"Request {number}.")
            else:
                await talk.say(f"Request {number}.")
        async for _ in runner.compact(talk.thread, ""):
            pass
    *_, last, instruction = provider.requests[-1].body["messages"]
    assert "about to be shortened" in instruction["content"]
    assert (last["content"] if last["role"] == "user" else "") == mark
