import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from talk import Talk, says

from maxagent import Runner
from maxagent.nodes.turn.file_mentions import MAX_BYTES, is_resource, read_resource
from maxagent.sdk.events import Mentioned
from maxagent.tools.mcp.mcp_access import McpAccess

ENDS = {
    "look at @a.txt": ["a.txt"],
    "@a.txt, @sub/b.py! and @a.txt again": ["a.txt", "sub/b.py"],
    "看看 @a.txt。": ["a.txt"],
    'the one with blanks, @"with blanks.txt"': ["with blanks.txt"],
    "and @'with blanks.txt', please": ["with blanks.txt"],
    r"@with\ blanks.txt": ["with blanks.txt"],
    "@odd. ends with a full stop": ["odd."],
    "me@a.txt is an address, @nobody is nobody, @ is nothing": [],
    "@.env @../outside.txt @/etc/hosts @leads-out @sub @" + "x" * 5000: [],
    "@big.txt and @bigger.txt are too much together, @a.txt is not": ["big.txt", "a.txt"],
}


@pytest.fixture
async def runner(tmp_path: Path) -> AsyncIterator[Runner]:
    async with Runner(home=tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def talk(tmp_path: Path, runner: Runner) -> Talk:
    talk = Talk(tmp_path, runner, *[says("Seen.")] * len(ENDS))
    (talk.folder / "sub").mkdir()
    for name in ("a.txt", "sub/b.py", "with blanks.txt", "odd.", ".env"):
        (talk.folder / name).write_text(f"in {name}\n")
    for name in ("big.txt", "bigger.txt"):
        (talk.folder / name).write_text(f"{'x' * 60}\n" * (MAX_BYTES // 60))
    (tmp_path / "outside.txt").write_text("outside\n")
    (talk.folder / "leads-out").symlink_to(tmp_path / "outside.txt")
    return talk


async def test_mentioned_file_is_shown_and_counts_as_read(talk: Talk) -> None:
    for text, files in ENDS.items():
        before = len((await talk.state())["messages"]) if talk.thread else 0
        await talk.say(text)
        messages = (await talk.state())["messages"][before:]
        seen = [path for message in messages for path in message.additional_kwargs.get("seen", {})]
        assert seen == files, text
        assert messages[-2].text == text and messages[-1].text == "Seen."
        notes = "".join(
            message.text for message in messages if message.additional_kwargs.get("synthetic")
        )
        assert all(f"`{path}`, mentioned by the user" in notes for path in files)
        assert "outside" not in notes


PARTS = {
    "see @long.txt:3": ("long.txt:3", ["3"]),
    "see @long.txt:3-5, please": ("long.txt:3-5", ["3", "4", "5"]),
    "see @long.txt#L4-L5.": ("long.txt#L4-L5", ["4", "5"]),
    "see @long.txt:5-3": ("long.txt:5-3", ["5"]),
    'see @"with blanks.txt":1': ("with blanks.txt:1", ["1"]),
    "see @12:30": ("12:30", ["1", "2"]),
    "the folder @sub/": ("sub/", ["sub/b.py"]),
    "the folder @sub, too": ("sub", ["sub/b.py"]),
}


@pytest.mark.parametrize("text", PARTS)
async def test_part_of_file_or_folder_is_shown(text: str, talk: Talk) -> None:
    name, lines = PARTS[text]
    (talk.folder / "long.txt").write_text("".join(f"row {number}\n" for number in range(1, 9)))
    (talk.folder / "12:30").write_text("one\ntwo\n")
    await talk.say(text)
    assert talk.heard(Mentioned) == [Mentioned([name], [])]
    messages = (await talk.state())["messages"]
    [note] = [message.text for message in messages if message.additional_kwargs.get("synthetic")]
    rows = re.findall(r"^ *(\d+|sub/b\.py)\b", note, re.MULTILINE)
    assert (f"`{name}`, mentioned" in note, rows) == (True, lines), note


async def test_mention_event_lists_shown_and_skipped_files(talk: Talk) -> None:
    await talk.say("@a.txt, @nope.txt @sub/ @.env, @explore and @; me@x")
    assert talk.heard(Mentioned) == [Mentioned(["a.txt", "sub/"], ["nope.txt", ".env"])]
    await talk.say("nothing at all")
    assert talk.heard(Mentioned) == []


@pytest.mark.parametrize(("typed", "output"), [("", []), ("see @sub/b.py", ["sub/b.py"])])
async def test_only_what_was_typed_mentions_a_file(talk: Talk, typed: str, output: list) -> None:
    talk.options["mentioning"] = typed
    await talk.say(f"{typed} and @a.txt, which nobody typed")
    assert [path for item in talk.heard(Mentioned) for path in item.shown] == output
    assert "mentioning" not in (await talk.state())["options"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("good:memo://one", True),
        ("good:x", True),
        ("good:", False),
        ("good", False),
        ("goods:memo://one", False),
        ("C:/x.txt", False),
    ],
)
def test_a_mention_names_a_server_and_an_address(
    open_access: Callable[..., McpAccess], path: str, expected: bool
) -> None:
    assert is_resource(path, open_access("good")) == expected
    assert not is_resource(path, None)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("good:memo://one", "the MCP server `good` reports an error: Method not found"),
        ("broken:x", "`broken` cannot be used: it ended with exit code 7"),
    ],
)
async def test_what_cannot_be_read_is_a_result(
    open_access: Callable[..., McpAccess], tmp_path: Path, path: str, reason: str
) -> None:
    result = await read_resource(path, open_access("good", "broken"), tmp_path)
    assert reason in result.error and result.output == ""
