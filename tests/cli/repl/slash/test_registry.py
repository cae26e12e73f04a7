import re
from pathlib import Path

import pytest
from repl_session import Spoken

import maxagent
from maxagent.cli.i18n.catalogs import use_language
from maxagent.cli.repl.prompt.protocol import ReplExit
from maxagent.cli.repl.slash.registry import SLASH_COMMANDS, describe_commands, find_slash
from maxagent.config.errors import UsageError

PAGE = Path(maxagent.__file__).parent / "docs" / "commands.md"


def test_every_command_is_documented() -> None:
    rows = re.findall(r"^\| (`/.*?`[^|]*) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    documented = {name for row in rows for name in re.findall(r"`/([a-z]+)", row)}
    assert documented - {"new", "quit", "continue", "background"} == {*SLASH_COMMANDS}


def test_names_that_people_know_are_aliases() -> None:
    aliases = {"new": "clear", "quit": "exit", "continue": "resume", "?": "help"}
    aliases["background"] = "jobs"
    assert {alias: find_slash(alias) for alias in aliases} == {
        alias: SLASH_COMMANDS[name] for alias, name in aliases.items()
    }
    assert find_slash("nothing") is None


async def test_menu_describes_each_command_in_both_languages(spoken: Spoken) -> None:
    english = describe_commands(spoken.session)
    use_language("zh")
    try:
        chinese = describe_commands(spoken.session)
    finally:
        use_language("")
    assert list(english) == list(chinese) == [*SLASH_COMMANDS, "maxagent"]
    assert all(english[name] != chinese[name] for name in SLASH_COMMANDS)


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("/modle", "`/mode`, `/model`"),
        ("/sess", "`/sessions`"),
        ("/qiut", "`/quit`"),
        ("/rev", "`/review`"),
        ("/", "`/help`"),
        ("/xyzzy 1", "`/help`"),
    ],
)
async def test_a_wrong_command_lists_near_ones(spoken: Spoken, line: str, near: str) -> None:
    spoken.write("home/commands/review.md", "Look.")
    with pytest.raises(UsageError, match="no command") as error_info:
        await spoken(line)
    assert error_info.value.hint == f"use {near}"


async def test_a_command_without_arguments_takes_none(spoken: Spoken) -> None:
    with pytest.raises(UsageError, match="`/clear` takes no arguments"):
        await spoken("/clear all")


@pytest.mark.parametrize("line", ["/exit", "/quit"])
async def test_leaving(spoken: Spoken, line: str) -> None:
    with pytest.raises(ReplExit):
        await spoken(line)


async def test_help_lists_all_commands_and_prefers_built_in(
    spoken: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoken.write("home/commands/git/review.md", "---\nargument-hint: '[FILE]'\n---\nLook at it.")
    spoken.write("home/commands/model.md", "Mine")
    spoken.write("home/commands/quit.md", "Mine")
    spoken.write("home/commands/broken.md", "---\n")
    monkeypatch.setenv("COLUMNS", "300")
    lines = (await spoken("/help")).splitlines()
    assert [line.split()[0] for line in lines[: len(SLASH_COMMANDS)]] == [
        f"/{name}" for name in SLASH_COMMANDS
    ]
    broken, review, skill, empty, keys = lines[len(SLASH_COMMANDS) :]
    assert skill.startswith("/maxagent")
    assert review.split() == ["/git:review", "[FILE]", "Look", "at", "it."]
    assert "no end" in broken and empty == "" and "`/keys`" in keys
    menu = describe_commands(spoken.session)
    assert (menu["git:review"], menu["model"]) == (
        "Look at it.",
        SLASH_COMMANDS["model"].description,
    )
    assert not {"broken", "quit"} & menu.keys()
