"""`/jobs`: without any, and with what it cannot do; with one: `tests/e2e/test_background.py`."""

from pathlib import Path

import pytest
from repl_session import Spoken

from maxagent.cli.repl.slash.jobs import describe_job
from maxagent.config.errors import UsageError
from maxagent.sdk.background import BackgroundJob
from maxagent.sdk.runner import Runner


async def test_without_jobs_it_says_so(spoken: Spoken, tmp_path: Path) -> None:
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        assert "No command runs" in await spoken("/jobs")
        spoken.session.thread = "a" * 32
        with pytest.raises(UsageError, match="no background command"):
            await spoken("/jobs output x")
        for words in ("what", "kill", "output"):
            with pytest.raises(UsageError, match="unknown or incomplete"):
                await spoken(f"/jobs {words}")
        assert spoken.session.count_jobs() == 0


@pytest.mark.parametrize(
    ("job", "words"),
    [
        (BackgroundJob("i", "c", "running", 3.2, None, True), "running for 3 s"),
        (BackgroundJob("i", "c", "ended", 3.2, 2, True), "ended after 3 s with exit code 2"),
        (BackgroundJob("i", "c", "ended", 3.2, None, True), "killed"),
        (BackgroundJob("i", "c", "killed", 3.2, None, False), "killed · outside the sandbox"),
    ],
)
def test_state_of_job_is_described(job: BackgroundJob, words: str) -> None:
    assert describe_job(job) == words
