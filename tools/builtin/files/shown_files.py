"""Files that a command has shown, which counts as reading them."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ...filesystem.file_access import hash_content, read_bytes
from ...result import ToolError
from ...shell.parsing.syntax_tree import ParseError
from ...shell.parsing.word_values import as_written, group_words
from ...workspace import Workspace

if TYPE_CHECKING:
    from tree_sitter import Node


_OPTIONS = {
    "cat": re.compile(r"-[AbeEnstTuv]+"),
    "head": re.compile(r"-[qv]|-(n|c)?\+?\d+"),
    "tail": re.compile(r"-[qv]|-(n|c)?\+?\d+"),
    "nl": re.compile(r"-b[at]|-[ns]\S|-w\d+"),
    "sed": re.compile(r"-[ns]"),
}
# options whose value may be a word of its own
_COUNTED = {"head": ("-n", "-c"), "tail": ("-n", "-c"), "nl": ("-b", "-w")}
_SED_SCRIPT = re.compile(r"\d+(,\+?\d+|,\$)?p")


def parse_shown_files(command: str) -> list[str]:
    """Find the files that a command prints, in order; none for a command that does more.

    Known are `cat`, `head`, `tail`, `nl` and `sed -n 'FROM,TOp'`, alone and with plain words.
    """

    arguments = parse_plain_words(command) or [""]
    program, *rest = arguments
    if program not in _OPTIONS:
        return []
    options, files = _split_options(program, rest)
    if any(not _OPTIONS[program].fullmatch(option) for option in options):
        return []
    if program == "sed":
        script, files = "".join(files[:1]), files[1:]
        return files if "-n" in options and _SED_SCRIPT.fullmatch(script) else []
    return files


def hash_shown_files(
    workspace: Workspace, folder: Path, command: str, *, all_shown: bool
) -> Mapping[str, str]:
    """Hash the files that a successful command has just shown, by relative path."""
    # if the middle of the output was cut, only the first and the last file were shown
    named = parse_shown_files(command)
    hashes = dict[str, str]()
    for name in named if all_shown else {*named[:1], *named[-1:]}:
        with suppress(ToolError):
            path = workspace.resolve(str(folder / name))
            hashes[workspace.to_relative(path)] = hash_content(read_bytes(workspace, path))
    return hashes


def _split_options(program: str, arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split words into options, joined with their values, and others."""
    options, others, counted = list[str](), list[str](), _COUNTED.get(program, ())
    for word in arguments:
        if options and options[-1] in counted and not others:
            options[-1] += word
        elif word.startswith("-"):
            options.append(word)
        else:
            others.append(word)
    return options, others


def parse_plain_words(command: str) -> list[str] | None:
    """Return the words of one simple command; None if a shell would do more than pass them on."""
    from ...shell.parsing.parser import join_continuations, parse_line

    if join_continuations(command) != command:
        return None
    try:
        root = parse_line(command)
        first = root.children[0] if len(root.children) == 1 else None
        if not first or first.type != "command" or any(map(_is_more, first.children)):
            return None
        arguments = [as_written(group) for group in group_words(first.children)]
    except ParseError:
        return None
    return [word for word, _ in arguments] if all(exact for _, exact in arguments) else None


def _is_more(node: "Node") -> bool:
    return node.type.endswith(("_redirect", "_assignment"))
