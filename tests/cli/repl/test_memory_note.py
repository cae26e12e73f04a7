import pytest
from spoken import Spoken

from maxagent.cli.repl.memory_note import keep_note


async def test_a_note_is_kept_in_a_private_file_and_told_without_secrets(
    spoken: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_TOKEN", "Zx81-secret-value")
    for note in ("tabs, not spaces", "the key is Zx81-secret-value"):
        keep_note(spoken.session, note)
    file = spoken.home / "notes.md"
    assert file.read_text() == "- tabs, not spaces\n- the key is [secret: SOME_TOKEN]\n"
    assert file.stat().st_mode & 0o777 == 0o600
    assert spoken.session.aside == [
        "The user notes: tabs, not spaces",
        "The user notes: the key is [secret: SOME_TOKEN]",
    ]


async def test_a_note_has_a_line_of_its_own_in_what_the_user_wrote(spoken: Spoken) -> None:
    file = spoken.home / "notes.md"
    spoken.home.mkdir(exist_ok=True)
    file.write_bytes("# 规则\r\n- tabs".encode())
    for note in ("never push", "ask first"):
        keep_note(spoken.session, note)
    assert file.read_bytes() == "# 规则\r\n- tabs\n- never push\n- ask first\n".encode()


async def test_typed_bytes_that_are_no_text_are_replaced(spoken: Spoken) -> None:
    keep_note(spoken.session, "caf\udce9")
    assert (spoken.home / "notes.md").read_text() == "- caf?\n"
    assert spoken.session.aside == ["The user notes: caf?"]
