from maxagent.cli.repl.slash.registry import SLASH_COMMANDS
from maxagent.cli.slash_names import BUILTIN_SLASH_NAMES


def test_every_slash_command_and_alias_is_named() -> None:
    aliases = {alias for command in SLASH_COMMANDS.values() for alias in command.aliases}
    assert SLASH_COMMANDS.keys() | aliases == BUILTIN_SLASH_NAMES
