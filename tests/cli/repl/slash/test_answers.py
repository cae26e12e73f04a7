"""What was answered: copied, written to a file, and asked beside the conversation."""

import base64
from collections.abc import AsyncIterator

import pytest
from provider import Provider
from repl_session import Spoken

from maxagent import Runner, UsageError

LOOKS = {"text": "I `look`.", "tool_calls": [{"name": "list_files", "args": {}}]}
KEY = "sk-" + "a1B2" * 12


@pytest.fixture
async def talk(spoken: Spoken, provider: Provider) -> AsyncIterator[Spoken]:
    """A session in which two messages were answered."""
    spoken.session.titles = False
    spoken.session.options = {"model": "openai/served", "base_url": provider.url}
    provider.script([LOOKS, {"text": f"# One\n\nKey {KEY}\n"}, {"text": "**Two** \x1b[2J"}])
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        await spoken.say("first")
        await spoken.say("second `words`")
        yield spoken


@pytest.mark.parametrize(
    ("line", "copied"),
    [("/copy", "**Two** \\x1b[2J"), ("/copy 1", "**Two** \\x1b[2J"), ("/copy 3", "I `look`.")],
)
async def test_answer_is_copied_as_it_was_written(
    talk: Spoken, monkeypatch: pytest.MonkeyPatch, line: str, copied: str
) -> None:
    codes = list[str]()
    monkeypatch.setattr(talk.session.prompt, "send_escape_codes", codes.append)
    assert "OSC 52" in await talk(line)
    [code] = codes
    assert base64.b64decode(code[len("\x1b]52;c;") : -1]).decode() == copied


@pytest.mark.parametrize("line", ["/copy 0", "/copy 4", "/copy x", "/copy -1", "/copy 1 2"])
async def test_what_cannot_be_copied_is_reported(talk: Spoken, line: str) -> None:
    with pytest.raises(UsageError, match="answer"):
        await talk(line)


async def test_dumb_terminal_shows_the_text(talk: Spoken, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert "**Two**" in await talk("/copy")


async def test_conversation_is_written_once_and_without_secrets(talk: Spoken) -> None:
    assert "Wrote talk.md" in await talk("/export talk.md")
    file = talk.project / "talk.md"
    text = file.read_text()
    for sentence in ("# first", "## you\n\nfirst", "I `look`.", "- `list_files", "second `words`"):
        assert sentence in text
    assert KEY not in text and "\x1b" not in text and file.stat().st_mode & 0o077 == 0
    with pytest.raises(UsageError, match="exists"):
        await talk("/export talk.md")
    await talk("/export")
    assert (talk.project / f"conversation-{talk.session.thread[:8]}.md").read_text() == text


async def test_question_on_the_side_is_not_kept(talk: Spoken, provider: Provider) -> None:
    provider.script([{"text": "It is a **flag**."}])
    output = await talk("/btw what is -x?")
    assert "It is a flag." in output and "not kept" in output
    await talk("/export later.md")
    assert "flag" not in (talk.project / "later.md").read_text()
    with pytest.raises(UsageError, match="needs a question"):
        await talk("/btw")
