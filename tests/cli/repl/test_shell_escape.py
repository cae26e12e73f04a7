from typing import Any

import pytest
from repl_session import Spoken

from maxagent.cli.repl.shell_escape import run_shell_line


@pytest.fixture
def opened(spoken: Spoken) -> Spoken:
    there: Any = object()  # that there is a runner is all that a command waits for
    spoken.session.opened.set_result(there)
    return spoken


async def test_its_output_is_shown_and_told(
    opened: Spoken, capfd: pytest.CaptureFixture[str]
) -> None:
    await run_shell_line(opened.session, "echo one; echo two; touch made; printf 'no end'")
    assert "one\ntwo\nno end\n" in capfd.readouterr().out
    assert (opened.project / "made").exists()
    [told] = opened.session.side_context
    assert "exit code 0" in told and told.endswith("one\ntwo\nno end")


async def test_a_failure_is_told_as_one(opened: Spoken, capfd: pytest.CaptureFixture[str]) -> None:
    await run_shell_line(opened.session, "echo why; exit 3")
    assert "why\nexit code 3" in capfd.readouterr().out
    assert "exit code 3" in opened.session.side_context[0]


@pytest.mark.parametrize("command", ["rm -rf /", "cat .env", "dd if=/dev/zero of=/dev/sda"])
async def test_what_is_never_allowed_is_refused(
    opened: Spoken, capfd: pytest.CaptureFixture[str], command: str
) -> None:
    (opened.project / ".env").write_text("KEY=nobody-may-see")
    await run_shell_line(opened.session, command)
    shown = capfd.readouterr().out
    assert "Not allowed" in shown and "nobody-may-see" not in shown
