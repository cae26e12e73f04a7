import pytest
from repl_session import Spoken

from maxagent.cli.repl.line_dispatch import dispatch_line, keep_note
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


async def test_note_is_saved_privately_and_sent_without_secrets(
    spoken: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_TOKEN", "Zx81-secret-value")
    for note in ("tabs, not spaces", "the key is Zx81-secret-value"):
        keep_note(spoken.session, note)
    file = spoken.home / "notes.md"
    assert file.read_text() == "- tabs, not spaces\n- the key is [secret: SOME_TOKEN]\n"
    assert file.stat().st_mode & 0o777 == 0o600
    assert spoken.session.side_context == [
        "The user notes: tabs, not spaces",
        "The user notes: the key is [secret: SOME_TOKEN]",
    ]


async def test_note_gets_own_line_in_users_file(spoken: Spoken) -> None:
    file = spoken.home / "notes.md"
    spoken.home.mkdir(exist_ok=True)
    file.write_bytes("# 规则\r\n- tabs".encode())
    for note in ("never push", "ask first"):
        keep_note(spoken.session, note)
    assert file.read_bytes() == "# 规则\r\n- tabs\n- never push\n- ask first\n".encode()


async def test_typed_bytes_that_are_no_text_are_replaced(spoken: Spoken) -> None:
    keep_note(spoken.session, "caf\udce9")
    assert (spoken.home / "notes.md").read_text() == "- caf?\n"
    assert spoken.session.side_context == ["The user notes: caf?"]
