"""Commands that say something, against a real server."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from provider import Provider
from repl_session import Spoken

from maxagent import Runner, trust
from maxagent.cli.repl.prompt.protocol import PromptAborted
from maxagent.config.errors import UsageError


class Talk:
    """A session that is answered."""

    def __init__(self, spoken: Spoken, provider: Provider) -> None:
        self.spoken, self.session, self._provider = spoken, spoken.session, provider
        self.session.options = {"model": "openai/served", "base_url": provider.url}

    async def __call__(self, line: str, *, typed: str = "") -> str:
        """Do the line, which the model answers; what is to be seen."""
        self._provider.script([{"text": "Well."}])
        return await self.spoken(line, typed=typed)

    @property
    def said(self) -> str:
        """What the human said last."""
        messages = self._provider.requests[-1].body["messages"]
        return [message["content"] for message in messages if message["role"] == "user"][-1]

    @property
    def asked(self) -> list[str]:
        """The models that were asked, in order."""
        return [request.body["model"] for request in self._provider.requests]

    def own(self, name: str, text: str) -> None:
        """Write a command."""
        self.spoken.write(f"home/commands/{name}.md", text)


@pytest.fixture
async def talk(spoken: Spoken, provider: Provider) -> AsyncIterator[Talk]:
    trust(spoken.project, spoken.home)
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        yield Talk(spoken, provider)


async def test_the_analysis_of_a_command_is_shown(talk: Talk) -> None:
    talk.own("git/fix", "Fix $1 in @src/$2, see @$3. $ARGUMENTS")
    assert "Well." in await talk('/git:fix "the bug" a.py "my notes.md"')
    assert talk.said == (
        'Fix the bug in @src/a.py, see @"my notes.md". "the bug" a.py "my notes.md"'
    )
    assert talk.session.thread != ""


async def test_only_command_template_can_mention_files(talk: Talk, provider: Provider) -> None:
    for name in ("a.py", "b.py", "c.py"):
        talk.spoken.write(f"project/{name}", f"in {name}\n")
    talk.own("fix", "Fix @a.py $1, !`echo see @c.py`")
    output = await talk("/fix @b.py")
    assert talk.said == "Fix @a.py @b.py, see @c.py"
    request = str(provider.requests[-1].body)
    assert [name for name in ("a.py", "b.py", "c.py") if f"in {name}" in request] == ["a.py"]
    assert "attached: @a.py" in output


async def test_text_after_plan_or_build_uses_that_mode(talk: Talk) -> None:
    await talk("/plan How?")
    assert talk.said == "How?" and talk.session.plan
    await talk("/build Go")
    assert talk.said == "Go" and not talk.session.plan


async def test_init_says_what_the_command_line_says(talk: Talk) -> None:
    talk.session.plan = True
    await talk("/init Name the tests")
    assert not talk.session.plan
    assert "AGENTS.md" in talk.said and talk.said.endswith("The user adds: Name the tests")


async def test_command_model_and_agent_apply_to_one_turn(talk: Talk, provider: Provider) -> None:
    talk.own("ask", "---\nmodel: openai/other\nagent: explore\n---\nWhy?")
    await talk("/ask")
    assert "explorer" in str(provider.requests[-1].body["messages"][0])
    assert talk.session.model == "openai/served"
    talk.own("go", "Go on")
    await talk("/go")
    assert "explorer" not in str(provider.requests[-1].body["messages"][0])
    assert talk.asked == ["other", "served"]


async def test_read_only_command_runs_unasked_and_sends_output(talk: Talk) -> None:
    talk.spoken.write("project/a.txt", "one !`touch no` @x\n")
    talk.own("look", "It says: !`cat a.txt`!")
    await talk("/look")
    assert talk.said == "It says: one !`touch no` @x!"
    assert not (talk.spoken.project / "no").exists()


async def test_other_command_is_asked_and_no_sends_nothing(talk: Talk, provider: Provider) -> None:
    talk.own("make", 'Made: !`echo "$1" > a.txt; echo done`')
    with pytest.raises(PromptAborted, match="You denied `set -- x; echo"):
        await talk("/make x", typed="no\n")
    assert talk.session.is_unsent, "so the line comes back"
    with pytest.raises(PromptAborted):
        await talk("/make x")
    made = talk.spoken.project / "a.txt"
    assert provider.requests == [] and not made.exists()
    output = await talk("/make '$(touch no)'", typed="yes\n")
    assert "echo done" in output and talk.said == "Made: done"
    assert made.read_text() == "$(touch no)\n" and not made.with_name("no").exists()


@pytest.mark.parametrize(
    ("line", "plan"), [("rm -rf ~", False), ("cat .env", False), ("touch a.txt", True)]
)
async def test_what_is_never_allowed_is_refused(
    talk: Talk, provider: Provider, line: str, plan: bool
) -> None:
    talk.own("bad", f"!`{line}`")
    talk.session.plan = plan
    with pytest.raises(UsageError, match="Not allowed"):
        await talk("/bad", typed="yes\n")
    assert provider.requests == [] and not list(talk.spoken.project.glob("a.txt"))


@pytest.mark.parametrize(
    ("agent", "speaks", "text"),
    [
        ("strict", "", "deny `run_command(touch:*)`"),
        ("", "strict", "deny"),
        ("plan", "", "read-only mode"),
    ],
)
async def test_the_rules_of_whoever_hears_the_output_hold(
    talk: Talk, provider: Provider, agent: str, speaks: str, text: str
) -> None:
    rules = 'permissions: {deny: ["run_command(touch:*)"]}'
    talk.spoken.write("home/agents/strict.md", f"---\n{rules}\n---\nBe strict.")
    talk.own("bad", f"---\nagent: {agent}\n---\n!`touch a.txt`")
    talk.session.mode, talk.session.agent = "auto", speaks
    with pytest.raises(UsageError, match="Not allowed") as error:
        await talk("/bad", typed="yes\n")
    assert text in str(error.value)
    assert provider.requests == [] and not (talk.spoken.project / "a.txt").exists()


async def test_unknown_agent_runs_no_command(talk: Talk) -> None:
    talk.own("bad", "---\nagent: nobody\n---\n!`touch a.txt`")
    talk.session.mode = "auto"
    with pytest.raises(UsageError, match="no agent `nobody`"):
        await talk("/bad")
    assert not (talk.spoken.project / "a.txt").exists()


async def test_failed_command_is_sent_with_its_output(talk: Talk) -> None:
    talk.own("try", "!`cat nothing.txt`")
    await talk("/try")
    assert "nothing.txt" in talk.said


async def test_project_command_needs_a_trusted_folder(talk: Talk, tmp_path: Path) -> None:
    talk.spoken.write("project/.claude/commands/theirs.md", "Do it.")
    with pytest.raises(UsageError, match="no command `/theirs`"):
        await talk("/theirs")
    trust(talk.spoken.project, talk.spoken.home)
    await talk("/theirs")
    assert talk.said == "Do it."


async def test_a_command_with_a_mistake_says_which(talk: Talk) -> None:
    talk.own("broken", "---\ndescription: x\n")
    with pytest.raises(UsageError, match="front matter has no end"):
        await talk("/broken")


async def test_fork_continues_and_original_thread_stays(talk: Talk) -> None:
    await talk("/build One")
    first = talk.session.thread
    output = await talk("/fork")
    assert f"`/resume {first[:8]}`" in output and talk.session.thread != first
    await talk("/build Two")
    assert talk.said == "Two"
    await talk("/fork 1")
    await talk(f"/resume {first[:8]}")
    assert talk.session.thread == first
    await talk("/build Three")
    assert "Two" not in str(talk._provider.requests[-1].body)
