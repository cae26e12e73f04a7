"""Names of the built-in slash commands, aliases included.

`repl/slash/registry.py` defines them; it imports every command of a conversation.
"""

_NAMES = """
help ? model think effort mode plan build clear new compact uncompact status jobs background cost
context diff todos copy export transcript btw goal review test commit undo redo rewind sessions
resume continue fork rename init trust config permissions mcp skills agents login memory doctor
theme keys vim exit quit
"""
BUILTIN_SLASH_NAMES = frozenset(_NAMES.split())
