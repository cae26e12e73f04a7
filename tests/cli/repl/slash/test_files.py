from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

import pytest
from git_checkout import GitCheckout
from provider import Provider
from repl_session import Spoken

from maxagent import Runner, trust
from maxagent.cli.repl.prompt.protocol import PromptAborted
from maxagent.config.errors import UsageError
from maxagent.memory.cards.card import Scope, Source
from maxagent.memory.cards.library import CardDraft
from maxagent.memory.cards.store import open_library
from maxagent.tools.git.user_git import GitError

MESSAGE = {"text": "```\nnotes: add the first\n```"}

WRITES = {"tool_calls": [{"name": "write_file", "args": {"path": "a.txt", "content": "one\n"}}]}


@pytest.fixture
async def made(spoken: Spoken, provider: Provider) -> AsyncIterator[Path]:
    """A file that the conversation has written."""
    trust(spoken.project, spoken.home)
    provider.script([WRITES, {"text": "It is made."}])
    spoken.session.options = {
        "model": "openai/served",
        "base_url": provider.url,
        "mode": "edits",
    }
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        await spoken("/build Make it")
        yield spoken.project / "a.txt"


async def test_changes_are_shown_undone_and_redone(spoken: Spoken, made: Path) -> None:
    assert "+one" in await spoken("/diff")
    assert "Restored 1 file" in await spoken("/undo", typed="yes\n")
    assert not made.exists()
    assert "Restored 1 file" in await spoken("/redo", typed="yes\n")
    assert made.read_text() == "one\n"


async def test_refused_or_aborted_undo_changes_nothing(spoken: Spoken, made: Path) -> None:
    await spoken("/undo", typed="no\n")
    with pytest.raises(PromptAborted):
        await spoken("/undo")
    assert made.exists()


async def test_files_and_conversation_go_back_to_a_step(spoken: Spoken, made: Path) -> None:
    assert "step 0" in await spoken("/rewind 0", typed="yes\n")
    assert not made.exists()
    assert "step 2" in await spoken("/rewind 2", typed="yes\n")
    assert made.exists()
    with pytest.raises(UsageError, match="has no step 7"):
        await spoken("/rewind 7")
    with pytest.raises(UsageError, match="`back` is not a step"):
        await spoken("/rewind back")


async def test_rewind_to_message_offers_it_again(
    spoken: Spoken, made: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered: list[str] = []
    monkeypatch.setattr(spoken.session.prompt, "give_back", offered.append)
    provider.script([{"text": "And this."}])
    await spoken.say("And that?")
    with pytest.raises(PromptAborted):
        await spoken("/rewind")
    shown = await spoken("/rewind", typed="7\n2\n")
    assert "And that?" in shown and "numbers: 0, 2" in shown and made.exists()
    await spoken("/rewind", typed="0\nno\n")
    assert made.exists() and offered == ["And that?"]
    shown = await spoken("/rewind 0", typed="yes\n")
    assert "step 0, before `Make it`" in shown and "And that?" not in shown and not made.exists()
    assert "The later steps are kept: `/rewind 2` returns to them.\n" in shown
    assert offered == ["And that?", "Make it"] and spoken.session.usage
    with pytest.raises(UsageError, match="no earlier message"):
        await spoken("/rewind")
    provider.script([{"text": "Better so."}])
    assert "Better so." in await spoken.say("Make it better")
    words = [one["content"] for one in provider.requests[-1].body["messages"]]
    assert words[-1] == "Make it better" and "Make it" not in words


@pytest.mark.parametrize(
    ("label", "dropped", "retained"),
    [
        ("0", {"Make it", "Stopped", "Stopped too", "Then this"}, set[str]()),
        ("2", {"Stopped", "Stopped too", "Then this"}, {"Make it"}),
        ("2.2", {"Stopped too", "Then this"}, {"Make it", "Stopped"}),
        ("2.3", {"Then this"}, {"Make it", "Stopped", "Stopped too"}),
        ("3", {"Last"}, {"Make it", "Stopped", "Stopped too", "Then this"}),
    ],
)
async def test_each_message_is_a_place_to_return_to(
    spoken: Spoken, made: Path, provider: Provider, label: str, dropped: set[str],
    retained: set[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    offered: list[str] = []
    monkeypatch.setattr(spoken.session.prompt, "give_back", offered.append)
    refused = {"status": 400, "body": {"error": {"message": "not now"}}}
    provider.script([refused, refused, {"text": "Done."}, {"text": "The end."}])
    for message in ("Stopped", "Stopped too", "Then this", "Last"):
        await spoken.say(message)
    output = await spoken("/rewind", typed=f"2.7\n{label}\nyes\n")
    assert "numbers: 0, 2, 2.2, 2.3, 3" in output
    provider.script([{"text": "Again."}])
    await spoken.say("Instead")
    sent = {message["content"] for message in provider.requests[-1].body["messages"]}
    assert (sent & (dropped | retained), offered[0] in dropped) == (retained, True)


@pytest.fixture
async def checkout(
    spoken: Spoken, provider: Provider, tmp_path: Path
) -> AsyncIterator[GitCheckout]:
    """A checkout in which the conversation has written a file, and the user another."""
    checkout = GitCheckout(spoken.project, tmp_path / "remote.git")
    checkout.write("b.txt", "two\n")
    checkout.commit("notes: begin")
    trust(spoken.project, spoken.home)
    provider.script([WRITES, {"text": "It is made."}])
    spoken.session.options = {
        "model": "openai/served",
        "base_url": provider.url,
        "mode": "edits",
    }
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        await spoken("/build Make it")
        checkout.write("b.txt", "two, mine\n")
        checkout.git("add", "b.txt")
        provider.script([MESSAGE])
        yield checkout


async def test_commit_has_only_what_the_thread_changed(
    spoken: Spoken, checkout: GitCheckout, provider: Provider
) -> None:
    output = await spoken("/commit", typed="yes\n")
    assert "+one" in output
    assert "notes: add the first" in output
    assert checkout.git("log", "-1", "--format=%B") == "notes: add the first"
    assert checkout.git("show", "--format=", "--name-only") == "a.txt"
    assert checkout.git("status", "--porcelain") == "M  b.txt"
    [*_, request] = provider.requests
    asked = request.body["messages"][-1]["content"]
    assert "notes: begin" in asked
    assert "+one" in asked


CHINESE = "提交信息用中文写，不超过 50 个字"


@pytest.mark.parametrize(
    ("scope", "file", "memory", "is_sent"),
    [
        ("project", "", True, True),
        ("user", "", True, True),
        ("project", "", False, False),
        ("", "AGENTS.md", True, True),
        ("", "AGENTS.md", False, True),
    ],
)
async def test_notes_and_instructions_reach_the_commit_message(
    scope: Scope | Literal[""],
    file: str,
    memory: bool,
    is_sent: bool,
    spoken: Spoken,
    checkout: GitCheckout,
    provider: Provider,
) -> None:
    spoken.session.options["memory"] = memory
    if scope:
        async with open_library(spoken.home, spoken.project) as library:
            await library.add(CardDraft(CHINESE, "preference", scope, source=Source()))
    else:
        checkout.write(file, f"{CHINESE}\n")
        trust(spoken.project, spoken.home)
    await spoken("/commit", typed="yes\n")
    asked = provider.requests[-1].body["messages"][-1]["content"]
    assert (CHINESE in asked, "goes before the style of the log" in asked) == (is_sent, is_sent)


async def test_commit_of_all_has_other_changes_too(spoken: Spoken, checkout: GitCheckout) -> None:
    await spoken("/commit all mention the issue", typed="yes\n")
    assert checkout.git("show", "--format=", "--name-only").split("\n") == ["a.txt", "b.txt"]
    assert checkout.git("status", "--porcelain") == ""


async def test_no_commits_nothing(spoken: Spoken, checkout: GitCheckout) -> None:
    await spoken("/commit", typed="no\n")
    assert checkout.git("log", "--format=%s") == "notes: begin"
    assert checkout.git("status", "--porcelain").split("\n") == ["M  b.txt", "?? a.txt"]


@pytest.mark.parametrize(("typed", "commits"), [("yes\nno\n", 1), ("secrets\n", 2)])
async def test_secret_wants_a_word_of_its_own(
    typed: str, commits: int, spoken: Spoken, checkout: GitCheckout
) -> None:
    (spoken.project / "a.txt").write_text("token = ghp_" + "Zz9x" * 9 + "\n")
    output = await spoken("/commit all", typed=typed)
    assert "These look like secrets: a.txt:1" in output
    assert len(checkout.git("log", "--format=%s").split("\n")) == commits


async def test_refusing_hook_leaves_everything_as_it_is(
    spoken: Spoken, checkout: GitCheckout
) -> None:
    checkout.hook("pre-commit", "echo no >&2; exit 1")
    trust(spoken.project, spoken.home)
    with pytest.raises(GitError, match="no"):
        await spoken("/commit", typed="yes\n")
    assert checkout.git("status", "--porcelain").split("\n") == ["M  b.txt", "?? a.txt"]


async def test_nothing_to_commit_is_reported(
    spoken: Spoken, checkout: GitCheckout, provider: Provider
) -> None:
    await spoken("/commit", typed="yes\n")
    with pytest.raises(UsageError, match="nothing to commit"):
        await spoken("/commit")
