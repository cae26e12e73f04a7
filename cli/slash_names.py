"""Names of the built-in slash commands, aliases included, and which of them wait for a turn.

`repl/slash/registry.py` defines them; it imports every command of a conversation.
"""

_NAMES = """
help ? model think effort mode plan build clear new compact uncompact status jobs background cost
context diff todos copy export transcript btw goal review test commit undo redo rewind sessions
resume continue fork rename init trust config permissions mcp skills agents login memory doctor
theme keys vim exit quit
"""
BUILTIN_SLASH_NAMES = frozenset(_NAMES.split())

# Commands that change nothing of the running turn, or only what a key changes, too
_AT_ONCE = """
help ? think effort mode status jobs background cost context diff todos copy export transcript btw
keys
"""
# Commands of which that is true without arguments
_AT_ONCE_ALONE = """
plan build config permissions mcp skills agents theme sessions
"""
# Commands behind which a message is for another conversation, or another place of it
_DEPARTURES = """
clear new resume continue sessions fork rewind exit quit
"""


def runs_at_once(line: str) -> bool:
    """Return whether `/NAME ARGUMENTS` runs beside a turn; any other waits for its end."""
    name, arguments = _split_command(line)
    return name in _AT_ONCE.split() or (name in _AT_ONCE_ALONE.split() and not arguments)


def is_departure(line: str) -> bool:
    """Return whether `/NAME ARGUMENTS` leaves the place to which messages go now."""
    return _split_command(line)[0] in _DEPARTURES.split()


def _split_command(line: str) -> tuple[str, str]:
    name, _, arguments = " ".join(line.removeprefix("/").split()).partition(" ")
    return name, arguments
