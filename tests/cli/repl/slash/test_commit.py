from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from git_checkout import GitCheckout
from provider import Provider
from repl_session import Spoken

from maxagent import Runner, trust
from maxagent.config.errors import UsageError
from maxagent.tools.git.user_git import GitError

WRITES = {"tool_calls": [{"name": "write_file", "args": {"path": "a.txt", "content": "one\n"}}]}
MESSAGE = {"text": "```\nnotes: add the first\n```"}


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
