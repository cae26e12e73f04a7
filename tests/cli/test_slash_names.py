import pytest

from maxagent.cli.repl.slash.registry import SLASH_COMMANDS
from maxagent.cli.slash_names import BUILTIN_SLASH_NAMES, is_departure, runs_at_once


def test_every_slash_command_and_alias_is_named() -> None:
    aliases = {alias for command in SLASH_COMMANDS.values() for alias in command.aliases}
    assert SLASH_COMMANDS.keys() | aliases == BUILTIN_SLASH_NAMES


@pytest.mark.parametrize(
    ("line", "at_once", "departs"),
    [
        ("/btw why so?", True, False),
        ("/mode edits", True, False),
        ("/status", True, False),
        ("/context", True, False),
        ("/plan", True, False),
        ("/plan do it", False, False),
        ("/copy 2", True, False),
        ("/agents", True, False),
        ("/agents tester", False, False),
        ("/compact the parser", False, False),
        ("/undo", False, False),
        ("/clear", False, True),
        ("/resume 12ab", False, True),
        ("/audit", False, False),
    ],
)
def test_commands_that_a_turn_does_not_delay(line: str, at_once: bool, departs: bool) -> None:
    assert (runs_at_once(line), is_departure(line)) == (at_once, departs)
