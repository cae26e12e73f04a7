import pytest
from spoken import Spoken

from maxagent.cli.repl.line_dispatch import do_line
from maxagent.cli.repl.prompt.paste_placeholder import Pastes
from maxagent.config.errors import UsageError


async def test_a_folded_text_is_never_a_command_of_the_shell(spoken: Spoken) -> None:
    pastes = Pastes()
    mark = pastes.folded(f"touch made #{'x' * 1_000}")
    with pytest.raises(UsageError, match="collapsed pasted text"):
        await do_line(spoken.session, f"!{mark}", pastes.unfolded)
    assert not (spoken.project / "made").exists()


async def test_a_folded_text_that_looks_like_a_command_is_said(
    spoken: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    async def say(text: str, agent: str = "") -> None:
        said.append(text)

    monkeypatch.setattr(spoken.session, "say", say)
    pastes = Pastes()
    pasted = f"!touch made #{'x' * 1_000}"
    await do_line(spoken.session, pastes.folded(pasted), pastes.unfolded)
    assert (said, (spoken.project / "made").exists()) == ([pasted], False)


@pytest.mark.parametrize("typed", ["#", "# "])
async def test_a_bare_mark_of_a_note_says_what_it_is_for_and_sends_nothing(
    spoken: Spoken, typed: str
) -> None:
    await do_line(spoken.session, typed, str)
    assert "`# TEXT` saves a note" in spoken.seen
    assert not (spoken.home / "notes.md").exists() and not spoken.session.aside
