from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from git_checkout import GitCheckout
from hosting_server import TOKEN, HostingServer
from provider import Provider

from maxagent import Runner, trust
from maxagent.sdk.events import Completion, Event, PullRequestOpened, Question
from maxagent.sdk.interrupt_response import Answer
from maxagent.sdk.pull_requests.request import request_pull_request

WRITES = {"tool_calls": [{"name": "write_file", "args": {"path": "n.txt", "content": "one\n"}}]}


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitCheckout:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    checkout = GitCheckout(tmp_path / "project", tmp_path / "remote.git")
    checkout.write("a.txt", "one\n")
    checkout.commit()
    trust(checkout.folder, tmp_path / "home")
    return checkout


@pytest.fixture
async def talked(
    checkout: GitCheckout, tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Runner, str, HostingServer]]:
    """A conversation that has written a file, without `--pr`; its host."""
    with HostingServer() as hosting:
        monkeypatch.setenv("GITHUB_API_URL", hosting.url)
        provider.script([WRITES, {"text": "Written."}])
        options = {"model": "openai/served", "base_url": provider.url, "mode": "edits"}
        async with Runner(home=tmp_path / "home") as runner:
            events = await collect(runner.chat("Write", folder=checkout.folder, options=options))
            assert isinstance(events[-1], Completion)
            yield runner, events[-1].thread_id, hosting


async def collect(events: AsyncIterator[Event]) -> list[Event]:
    return [event async for event in events]


async def test_wish_at_the_end_of_a_conversation_is_asked(
    talked: tuple[Runner, str, HostingServer], checkout: GitCheckout
) -> None:
    runner, thread, hosting = talked
    [*_, asked] = await collect(request_pull_request(runner, thread))
    assert isinstance(asked, Question)
    assert (asked.kind, checkout.branches) == ("pull_request", [])
    answer = Answer(approve=True, question=asked.id)
    [*_, opened, ended] = await collect(runner.resume(thread, answer))
    assert isinstance(opened, PullRequestOpened)
    assert isinstance(ended, Completion)
    assert (checkout.branches, len(hosting.requests)) == ([opened.branch], 1)


async def test_yes_answers_and_a_second_wish_adds_nothing(
    talked: tuple[Runner, str, HostingServer], checkout: GitCheckout
) -> None:
    runner, thread, hosting = talked
    for _ in range(2):
        [*_, ended] = await collect(request_pull_request(runner, thread, "yes"))
        assert isinstance(ended, Completion)
        assert ended.pull_request
    [branch] = checkout.branches
    assert checkout.show_commit(branch)[1] == ["n.txt"]
    assert len(hosting.requests) == 1


async def test_new_message_leaves_the_question_behind(
    talked: tuple[Runner, str, HostingServer], checkout: GitCheckout, provider: Provider
) -> None:
    runner, thread, _ = talked
    await collect(request_pull_request(runner, thread))
    provider.script([{"text": "Hello."}])
    [*_, ended] = await collect(runner.say(thread, "Hello"))
    assert isinstance(ended, Completion)
    assert (ended.pull_request, checkout.branches) == (None, [])
