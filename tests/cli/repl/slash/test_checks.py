"""Checks from a conversation: of changes, of the project, of the machine."""

import json
import subprocess
from collections.abc import AsyncIterator

import pytest
from provider import Provider
from repl_session import Spoken

from maxagent import Runner, UsageError, trust

FINDING = {"file": "cart.py", "line": 2, "severity": "high", "text": "The sum is wrong."}
TEST = (
    "import unittest\nclass T(unittest.TestCase):\n    def test_it(self): self.assertEqual({}, 1)\n"
)


@pytest.fixture
async def talk(spoken: Spoken, provider: Provider) -> AsyncIterator[Spoken]:
    """A session with a model."""
    spoken.session.titles = False
    spoken.session.options = {"model": "openai/served", "base_url": provider.url}
    trust(spoken.project, spoken.home)
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        yield spoken


async def test_review_has_a_thread_of_its_own(talk: Spoken, provider: Provider) -> None:
    git = ["git", "-C", str(talk.project), "-c", "user.name=n", "-c", "user.email=e@x"]
    talk.write("project/cart.py", "a = 1\n")
    for text in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *text], check=True)
    assert "no findings" in (await talk("/review")).lower()
    talk.write("project/cart.py", "a = 1\nb = a - 2\n")
    provider.script([{"text": json.dumps({"findings": [FINDING]})}])
    output = await talk("/review")
    assert "cart.py:2" in output and "The sum is wrong." in output
    assert not talk.session.thread and not talk.session.usage


@pytest.mark.parametrize(("value", "verdict"), [(1, "passed"), (2, "failed")])
async def test_model_reads_the_result_of_tests(talk: Spoken, value: int, verdict: str) -> None:
    talk.write("project/test_it.py", TEST.format(value))
    talk.write(
        "home/config.yaml", "task: {test_command: python3 -m unittest}\nsandbox: {mode: off}\n"
    )
    output = await talk("/test")
    assert f"python3 -m unittest: {verdict}" in output and "Ran 1 test" in output
    assert verdict in talk.session.side_context[0]


async def test_tests_of_untrusted_folder_do_not_run(spoken: Spoken) -> None:
    spoken.write("project/test_it.py", TEST.format(1))
    with pytest.raises(UsageError, match="not trusted"):
        await spoken("/test")
    trust(spoken.project, spoken.home)
    with pytest.raises(UsageError, match="not closed"):
        await spoken("/test 'a")


async def test_doctor_runs_its_checks(spoken: Spoken) -> None:
    assert "git" in await spoken("/doctor")
