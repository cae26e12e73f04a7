"""The default command: a request or options without a command mean `mcode chat`."""

from collections.abc import Collection, Sequence
from typing import Any

from typer.core import TyperGroup


class DefaultCommandGroup(TyperGroup):
    """Command group that passes a request, and options that are not its own, to `chat`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments after inserting the name of the default command."""
        own = {name: param for param in self.get_params(ctx) for name in param.opts}
        flags = [name for name, param in own.items() if getattr(param, "is_flag", False)]
        return super().parse_args(ctx, insert_chat(args, flags, set(own) - set(flags)))


def insert_chat(args: Sequence[str], flags: Collection[str], valued: Collection[str]) -> list[str]:
    """Insert `chat` before a request, or before the first option that belongs to `chat`.

    `flags` and `valued` are the options of `mcode` itself, without and with a value.
    """
    place = 0
    while place < len(args):
        name, equals, _ = args[place].partition("=")
        if name in valued:
            place += 1 if equals else 2
        elif name in flags:
            place += 1
        else:
            break
    needs_chat = place < len(args) and (_is_option(args[place]) or _is_request(args[place]))
    return [*args[:place], *(["chat"] if needs_chat else []), *args[place:]]


def _is_option(argument: str) -> bool:
    return argument.startswith("-") and argument != "-"


def _is_request(argument: str) -> bool:
    """Return whether it is a message; one ASCII word is a command name, perhaps mistyped."""
    return len(argument.split()) > 1 or not argument.isascii()
