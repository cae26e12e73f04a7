import pytest
from repl_session import Spoken

from maxagent.cli.repl.memory_note import keep_note


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
