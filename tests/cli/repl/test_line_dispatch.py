import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confinement import FOUND
from repl_session import Spoken

from maxagent.cli.repl import line_dispatch
from maxagent.cli.repl.line_dispatch import dispatch_line, run_shell_line
from maxagent.cli.repl.prompt.paste_placeholder import Pastes
from maxagent.cli.repl.session.session import Session
from maxagent.config.errors import UsageError


@pytest.fixture
def opened(spoken: Spoken) -> Spoken:
    there: Any = object()  # that there is a runner is all that a command waits for
    spoken.session.opened.set_result(there)
    return spoken


@pytest.fixture
def outside() -> Iterator[Path]:
    """A folder in the real `/tmp`."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


async def test_its_output_is_shown_and_reported(
    opened: Spoken, capfd: pytest.CaptureFixture[str]
) -> None:
    await run_shell_line(opened.session, "echo one; echo two; touch made; printf 'no end'")
    assert "one\ntwo\nno end\n" in capfd.readouterr().out
    assert (opened.project / "made").exists()
    [message] = opened.session.side_context
    assert "exit code 0" in message and message.endswith("one\ntwo\nno end")


async def test_a_failure_is_reported_as_one(
    opened: Spoken, capfd: pytest.CaptureFixture[str]
) -> None:
    await run_shell_line(opened.session, "echo why; exit 3")
    assert "why\nexit code 3" in capfd.readouterr().out
    assert "exit code 3" in opened.session.side_context[0]


@pytest.mark.parametrize("in_sandbox", [False, True])
@pytest.mark.parametrize("command", ["rm -rf /", "cat .env", "dd if=/dev/zero of=/dev/sda"])
async def test_what_is_never_allowed_is_refused(
    opened: Spoken, capfd: pytest.CaptureFixture[str], command: str, in_sandbox: bool
) -> None:
    (opened.project / ".env").write_text("KEY=nobody-may-see")
    await run_shell_line(opened.session, command, in_sandbox=in_sandbox)
    out = capfd.readouterr().out
    assert "Not allowed" in out and "nobody-may-see" not in out


async def test_users_command_has_real_tmp_and_environment(
    opened: Spoken, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN_SESSION_COOKIE", "chocolate")
    (opened.project / "precious").write_text("kept\n")
    await run_shell_line(opened.session, f"mv precious {outside} && echo $OWN_SESSION_COOKIE")
    assert (outside / "precious").read_text() == "kept\n"
    assert not (opened.project / "precious").exists()
    [message] = opened.session.side_context
    assert message.startswith("The user ran `mv") and message.endswith("chocolate")


async def test_keys_in_environment_are_not_shown(
    opened: Spoken, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "Zq8-the-key-that-nobody-may-see")
    await run_shell_line(opened.session, 'test -n "$OPENAI_API_KEY" && env')
    assert "nobody-may-see" not in opened.session.side_context[0] + capfd.readouterr().out
    assert "exit code 0" in opened.session.side_context[0]


@pytest.mark.parametrize(
    "settings", ["security: {mode: read-only}", "permissions: {deny: [run_command]}"]
)
async def test_no_mode_or_rule_stops_users_command(opened: Spoken, settings: str) -> None:
    opened.write("home/config.yaml", settings)
    opened.session.plan = True
    await run_shell_line(opened.session, "touch made")
    assert (opened.project / "made").exists()


async def test_sandboxed_command_leaves_real_tmp_alone(opened: Spoken, outside: Path) -> None:
    await run_shell_line(opened.session, f"touch made {outside}/made", in_sandbox=True)
    message = opened.session.side_context[0]
    if not FOUND.is_on:
        assert "there is no sandbox here" in message and not (opened.project / "made").exists()
        return
    assert "in the sandbox" in message and not (outside / "made").exists()


async def test_missing_sandbox_never_runs_it_outside(opened: Spoken) -> None:
    opened.write("home/config.yaml", "sandbox: {mode: 'off'}")
    await run_shell_line(opened.session, "touch made", in_sandbox=True)
    assert not (opened.project / "made").exists()
    assert "there is no sandbox here" in opened.session.side_context[0]


async def test_folded_paste_is_never_a_shell_command(spoken: Spoken) -> None:
    pastes = Pastes()
    mark = pastes.fold_text(f"touch made #{'x' * 1_000}")
    with pytest.raises(UsageError, match="collapsed pasted text"):
        await dispatch_line(spoken.session, f"!{mark}", pastes.expand_marks)
    assert not (spoken.project / "made").exists()


async def test_folded_paste_resembling_a_command_is_a_message(
    spoken: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []

    async def say(session: Session, text: str, agent: str = "") -> None:
        names.append(text)

    monkeypatch.setattr(line_dispatch, "run_message", say)
    pastes = Pastes()
    pasted = f"!touch made #{'x' * 1_000}"
    await dispatch_line(spoken.session, pastes.fold_text(pasted), pastes.expand_marks)
    assert (names, (spoken.project / "made").exists()) == ([pasted], False)


@pytest.mark.parametrize("typed", ["#", "# "])
async def test_bare_note_mark_shows_usage_and_sends_nothing(spoken: Spoken, typed: str) -> None:
    await dispatch_line(spoken.session, typed, str)
    assert "`# TEXT` saves a note" in spoken.seen
    assert not (spoken.home / "notes.md").exists() and not spoken.session.side_context
