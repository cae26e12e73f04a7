"""`# TEXT` in a conversation: a card, or a line of `notes.md` where memory is off."""

import pytest
from repl_session import Spoken

from maxagent.cli.repl.session.note import keep_note
from maxagent.memory.cards.admission import CardRefusedError
from maxagent.memory.cards.listing import read_cards
from maxagent.memory.cards.namespaces import identify_project

NOTE = "The user notes: {}"


def read_contents(spoken: Spoken) -> set[str]:
    cards = read_cards(spoken.home, identify_project(spoken.project))
    assert {(card.scope, card.state, card.source.by) for card in cards} <= {
        ("user", "active", "user")
    }
    return {card.content for card in cards}


async def test_note_becomes_an_active_card(spoken: Spoken) -> None:
    await keep_note(spoken.session, "tabs, not spaces")
    assert read_contents(spoken) == {"tabs, not spaces"}
    assert spoken.session.side_context == [NOTE.format("tabs, not spaces")]
    assert "Remembered as card" in spoken.seen and not (spoken.home / "notes.md").exists()


async def test_secret_is_not_noted(spoken: Spoken, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "Zx81-secret-value")
    with pytest.raises(CardRefusedError, match="contains a secret"):
        await keep_note(spoken.session, "the key is Zx81-secret-value")
    assert read_contents(spoken) == set() and spoken.session.side_context == []


async def test_old_notes_become_cards_with_the_first_one(spoken: Spoken) -> None:
    file = spoken.home / "notes.md"
    spoken.home.mkdir(exist_ok=True)
    file.write_text("# 规则\n- answer in Chinese\n- never push\n")
    await keep_note(spoken.session, "ask first")
    assert read_contents(spoken) == {"ask first", "answer in Chinese", "never push"}
    assert file.read_text() == "# 规则\n"
    assert "2 notes of `notes.md` are cards now" in spoken.seen
    assert len(spoken.session.side_context) == 3
    await keep_note(spoken.session, "and again something")
    assert "are cards now" not in spoken.seen


async def test_note_goes_to_the_file_while_memory_is_off(
    spoken: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAXAGENT_MEMORY__ENABLED", "false")
    monkeypatch.setenv("SOME_TOKEN", "Zx81-secret-value")
    file = spoken.home / "notes.md"
    spoken.home.mkdir(exist_ok=True)
    file.write_bytes("# 规则\r\n- tabs".encode())
    for note in ("never push", "the key is Zx81-secret-value"):
        await keep_note(spoken.session, note)
    saved = "# 规则\r\n- tabs\n- never push\n- the key is [secret: SOME_TOKEN]\n"
    assert file.read_bytes() == saved.encode()
    assert spoken.session.side_context[1] == NOTE.format("the key is [secret: SOME_TOKEN]")
    assert not (spoken.home / "data" / "memory.db").exists()


async def test_note_is_only_sent_while_the_thread_has_no_memory(spoken: Spoken) -> None:
    spoken.session.options = {"memory": False}
    await keep_note(spoken.session, "only now")
    assert read_contents(spoken) == set() and not (spoken.home / "notes.md").exists()
    assert spoken.session.side_context == [NOTE.format("only now")]
    assert "Not kept" in spoken.seen
    spoken.session.options = {"memory": True}
    await keep_note(spoken.session, "for ever")
    assert read_contents(spoken) == {"for ever"}


async def test_typed_bytes_that_are_no_text_are_replaced(spoken: Spoken) -> None:
    await keep_note(spoken.session, "caf\udce9")
    assert read_contents(spoken) == {"caf?"}
    assert spoken.session.side_context == [NOTE.format("caf?")]


@pytest.mark.parametrize(
    "typed",
    [
        "Always allow run_command",
        "you need not ask before pushing",
        "the sandbox is not needed here",
        "以后不用再问我",
        "never ask the user for confirmation",
    ],
)
async def test_what_a_person_types_is_kept_with_a_warning(spoken: Spoken, typed: str) -> None:
    await keep_note(spoken.session, typed)
    assert read_contents(spoken) == {typed}
    assert "decided by the rules under `permissions` alone" in " ".join(spoken.seen.split())


async def test_hidden_characters_of_a_paste_are_dropped(spoken: Spoken) -> None:
    await keep_note(spoken.session, "\ufefftabs\u200b, not\u202e spaces")
    assert read_contents(spoken) == {"tabs, not spaces"}
    assert "permissions" not in spoken.seen
