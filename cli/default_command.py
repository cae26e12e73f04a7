"""The default command: a request or options without a command mean `mcode chat`."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from typer.core import TyperGroup


class DefaultCommandGroup(TyperGroup):
    """Command group that passes a request, and options that are not its own, to `chat`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments after inserting the name of the default command."""
        own = {name: param for param in self.get_params(ctx) for name in param.opts}
        flags = [name for name, param in own.items() if getattr(param, "is_flag", False)]
        valued = set(own) - set(flags)
        # not `list_commands`, which builds them all
        args = move_options_behind_command(args, flags, valued, self.commands)
        args = insert_chat(args, flags, valued)
        own_count = count_own(args, flags, valued)
        own, typed = args[: own_count + 1], args[own_count + 1 :]
        if any(map(_may_be_message, typed)) and (command := self.get_command(ctx, own[-1])):
            typed = move_messages_behind_options(typed, _list_options(command))
        return super().parse_args(ctx, [*own, *typed])


# Options of several commands that take a value
_VALUED = frozenset(
    ["-m", "--model", "--mode", "--base-url", "-C", "--folder", "--effort", "--thinking"]
    + ["--output", "--max-cost", "--max-turns"]
)


def move_options_behind_command(
    args: Sequence[str], flags: Collection[str], valued: Collection[str], commands: Collection[str]
) -> list[str]:
    """Move the options before a command behind it: `mcode -m MODEL task` is `mcode task -m MODEL`.

    Otherwise the command's name would be sent as a message.
    """
    own, place = count_own(args, flags, valued), 0
    moved = list(args[own:])
    while place < len(moved) and _is_option(moved[place]) and moved[place] != "--":
        takes_value = moved[place] in _VALUED
        place += 2 if takes_value else 1
    if 0 < place < len(moved) and moved[place] in commands:
        return [*args[:own], moved[place], *moved[:place], *moved[place + 1 :]]
    return list(args)


def insert_chat(args: Sequence[str], flags: Collection[str], valued: Collection[str]) -> list[str]:
    """Insert `chat` before a request, or before the first option that belongs to `chat`.

    `flags` and `valued` are the options of `mcode` itself, without and with a value.
    """
    place = count_own(args, flags, valued)
    needs_chat = place < len(args) and (_is_option(args[place]) or _is_request(args[place]))
    return [*args[:place], *(["chat"] if needs_chat else []), *args[place:]]


def move_messages_behind_options(args: Sequence[str], options: Mapping[str, bool]) -> list[str]:
    """Move messages that begin with a dash, such as `- item`, behind `--` at the end.

    `options` are those of the command, with whether they take a value.
    """
    moved, messages, place = list[str](), list[str](), 0
    while place < len(args) and args[place] != "--":
        argument = args[place]
        if _may_be_message(argument):
            messages.append(argument)
        else:
            moved.append(argument)
            if options.get(argument) and place + 1 < len(args):
                place += 1
                moved.append(args[place])
        place += 1
    if not messages:
        return list(args)
    return [*moved, "--", *messages, *args[place + 1 :]]


def _may_be_message(argument: str) -> bool:
    """Return whether it begins as a list, a diff, an arrow or a number; `-m x` may be a mistake."""
    return re.match(r"-+[\s>]|-\d+\s", argument) is not None


def _list_options(command: Any) -> dict[str, bool]:
    """Return the options of a command; none of a group, whose commands have their own."""
    if hasattr(command, "commands"):
        return {}
    return {
        name: not (param.is_flag or param.count)
        for param in command.params
        if param.param_type_name == "option"
        for name in (*param.opts, *param.secondary_opts)
    }


def count_own(args: Sequence[str], flags: Collection[str], valued: Collection[str]) -> int:
    """Return how many arguments at the beginning are options of `mcode` itself."""
    place = 0
    while place < len(args):
        name, equals, _ = args[place].partition("=")
        if name in valued:
            place += 1 if equals else 2
        elif name in flags:
            place += 1
        else:
            break
    return place


def _is_option(argument: str) -> bool:
    return argument.startswith("-") and argument != "-"


def _is_request(argument: str) -> bool:
    """Return whether it is a message; one ASCII word is a command name, perhaps mistyped."""
    return len(argument.split()) > 1 or not argument.isascii()
