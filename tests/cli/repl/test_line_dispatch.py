import pytest
from repl_session import Spoken

from maxagent.cli.repl.line_dispatch import dispatch_line
from maxagent.cli.repl.prompt.paste_placeholder import Pastes
from maxagent.config.errors import UsageError


async def test_folded_paste_is_never_a_shell_command(spoken: Spoken) -> None:
    pastes = Pastes()
    mark = pastes.fold_text(f"touch made #{'x' * 1_000}")
    with pytest.raises(UsageError, match="collapsed pasted text"):
        await dispatch_line(spoken.session, f"!{mark}", pastes.expand_marks)
    assert not (spoken.project / "made").exists()


async def test_folded_paste_resembling_a_command_is_a_message(
    spoken: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    async def say(text: str, agent: str = "") -> None:
        said.append(text)

    monkeypatch.setattr(spoken.session, "run_message", say)
    pastes = Pastes()
    pasted = f"!touch made #{'x' * 1_000}"
    await dispatch_line(spoken.session, pastes.fold_text(pasted), pastes.expand_marks)
    assert (said, (spoken.project / "made").exists()) == ([pasted], False)


@pytest.mark.parametrize("typed", ["#", "# "])
async def test_bare_note_mark_shows_usage_and_sends_nothing(spoken: Spoken, typed: str) -> None:
    await dispatch_line(spoken.session, typed, str)
    assert "`# TEXT` saves a note" in spoken.seen
    assert not (spoken.home / "notes.md").exists() and not spoken.session.side_context
