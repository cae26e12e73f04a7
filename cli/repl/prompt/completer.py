"""Completion of a line: commands after `/`, files and agents after `@`."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from ...i18n.catalogs import t
from ...rendering.sanitize import sanitize_line
from .file_mentions import MAX_FILES, FileList, find_mention_at_end, format_mention, rank_names

# Names with their descriptions
Descriptions = Mapping[str, str]
# Rank of a name that does not match what is typed
NO_MATCH = 4


class LineCompleter(Completer):
    """Completes the word before the cursor."""

    def __init__(
        self,
        commands: Callable[[], Descriptions],
        agents: Callable[[], Descriptions],
        files: Callable[[], FileList],
    ) -> None:
        self._commands, self._agents, self._files = commands, agents, files

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Yield the completions that match, the best first."""
        typed = document.text_before_cursor
        mention = find_mention_at_end(typed)
        if is_command(typed):
            yield from self._complete_command(typed)
        elif mention is not None:
            yield from self._complete_mention(mention, first=mention == typed)

    def _complete_command(self, typed: str) -> Iterable[Completion]:
        commands, query = self._commands(), typed[1:]
        for name in rank_commands(query, list(commands)):
            yield _build_completion(f"/{name}", typed, commands[name])

    def _complete_mention(self, mention: str, *, first: bool) -> Iterable[Completion]:
        """Complete agents only at the beginning of a line: only there they are addressed."""
        agents: Descriptions = self._agents() if first else {}
        files = self._files()
        for name in rank_names(mention[1:].strip('"'), [*agents, *files.names]):
            text = format_mention(name) + ("" if name.endswith("/") else " ")
            yield _build_completion(text, mention, agents.get(name, ""))
        if files.is_cut:
            yield _build_completion(mention, mention, t("mention.cut", count=f"{MAX_FILES:,}"))


def rank_commands(query: str, names: Sequence[str]) -> list[str]:
    """Return the names that match: the exact one, those it begins, has, or has the letters of."""
    ranks = [(_rank_command(query.casefold(), name.casefold()), name) for name in names]
    return [name for rank, name in sorted(ranks, key=lambda pair: pair[0]) if rank < NO_MATCH]


def _rank_command(query: str, name: str) -> int:
    for rank, matches in enumerate((name == query, name.startswith(query), query in name)):
        if matches:
            return rank
    letters = iter(name)
    return NO_MATCH - 1 if all(letter in letters for letter in query) else NO_MATCH


def is_command(typed: str) -> bool:
    """Return whether the line up to the cursor is the beginning of a command's name."""
    return typed.startswith("/") and not any(char.isspace() for char in typed)


def is_completed_while_typing(typed: str) -> bool:
    """Return whether completions appear without Tab."""
    return is_command(typed) or find_mention_at_end(typed) is not None


def _build_completion(text: str, typed: str, described: str) -> Completion:
    return Completion(
        text,
        start_position=-len(typed),
        display=sanitize_line(text),
        display_meta=sanitize_line(described),
    )
