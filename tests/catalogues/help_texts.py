"""Every text of the help pages, from the tree of commands itself."""

from collections.abc import Iterator

from typer.main import get_command

from maxagent.cli.app import REMOTE_COMMANDS, app
from maxagent.cli.lazy_commands import LazyCommands
from maxagent.cli.rendering.help import TYPER_TEXTS, unwrap_paragraphs


def help_texts() -> set[str]:
    """The texts that need a translation."""
    commands = [get_command(app), *LazyCommands(REMOTE_COMMANDS).values()]
    texts = {unwrap_paragraphs(text) for command in commands for text in _below(command)}
    return texts | set(TYPER_TEXTS)


def _below(command) -> Iterator[str]:
    texts = [command.help, command.short_help, command.epilog]
    texts += [getattr(param, "help", None) for param in command.params]
    yield from filter(None, texts)
    for item in getattr(command, "commands", {}).values():
        yield from _below(item)
