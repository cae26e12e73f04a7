"""Options without a command are those of a conversation: `mcode -c` is `mcode chat -c`."""

from collections.abc import Collection, Sequence
from typing import Any

from typer.core import TyperGroup

from ..config.errors import UsageError


class OpeningGroup(TyperGroup):
    """Reads options that are not its own as those of `chat`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, with the name of the command that is meant."""
        own = {name: param for param in self.get_params(ctx) for name in param.opts}
        flags = [name for name, param in own.items() if getattr(param, "is_flag", False)]
        return super().parse_args(ctx, with_chat(args, flags, set(own) - set(flags)))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; raises UsageError for a request that was written in its place."""
        if len(args[0].split()) > 1 or not args[0].isascii():  # Chinese has no blanks
            raise UsageError(
                "a request needs a command before it",
                hint='`mcode chat "…"` speaks about it, `mcode task "…"` does it',
            )
        return super().resolve_command(ctx, args)


def with_chat(args: Sequence[str], flags: Collection[str], valued: Collection[str]) -> list[str]:
    """The arguments, with `chat` before the first option that is neither a flag nor has a value."""
    place = 0
    while place < len(args):
        name, equals, _ = args[place].partition("=")
        if name in valued:
            place += 1 if equals else 2
        elif name in flags:
            place += 1
        else:
            break
    is_option = place < len(args) and args[place].startswith("-") and args[place] != "-"
    return [*args[:place], *(["chat"] if is_option else []), *args[place:]]
