"""Markdown with front matter: settings between two lines of `---`, and the text below them.

Files written for other agents are read as those agents read them: a value that is not YAML, such as
`argument-hint: [file] [why]`, is plain text.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

from ..errors import UsageError
from ..text import text
from ..yaml.reader import KeyPath, YamlDocument, parse_document

_KEY = re.compile(r"([A-Za-z_][\w.-]*):[ \t]+(\S.*)")


@dataclass(frozen=True)
class FrontMatter:
    """The settings above the text, and the text."""

    values: Mapping[str, object]
    lines: Mapping[KeyPath, int]
    """The line of each setting in the file, counted from 1."""
    body: str


def split_front_matter(file: Path, content: str) -> FrontMatter:
    """Split a file's text into its settings and the rest; without `---` all is text.

    A key such as `permissions:` may be left empty, as in the settings. Raises UsageError with file
    and line.
    """
    from ..settings.keys import fill_empty_sections  # imports the schema

    parts = read_front_matter(file, content)
    return replace(parts, values=fill_empty_sections(parts.values))


def read_front_matter(file: Path, content: str) -> FrontMatter:
    """Do the same, with each value as it is written."""
    first, *lines = StringIO(content).readlines() or [""]
    if first.rstrip() != "---":
        return FrontMatter({}, {}, content)
    end = next((n for n, line in enumerate(lines) if line.rstrip() == "---"), None)
    if end is None:
        raise UsageError(
            text("{file}:1: the front matter has no end: a line `---` is missing", file=file)
        )
    above = _parse_yaml(file, ["\n", *lines[:end]])
    return FrontMatter(above.values, above.lines, "".join(lines[end + 1 :]))


def read_plain_front_matter(content: str) -> FrontMatter:
    """Read the front matter of a built-in file: texts, lists in brackets, `true`.

    The parser of YAML takes milliseconds for each of them.
    """
    _, above, body = content.split("---\n", 2)
    joined = re.sub(r",\n\s+|\n\s+", lambda gap: ", " if "," in gap[0] else " ", above)
    values = dict[str, object]()
    for line in joined.splitlines():
        key, _, value = line.partition(": ")
        values[key] = _read_plain_value(value.strip())
    return FrontMatter(values, {}, body)


def _read_plain_value(value: str) -> object:
    if value.startswith("["):
        return [item.strip() for item in value.strip("[]").split(",")]
    return value == "true" if value in ("true", "false") else value


def _parse_yaml(file: Path, lines: list[str]) -> YamlDocument:
    try:
        return parse_document(file, "".join(lines))
    except UsageError:
        mended = [_quote_value(file, line) for line in lines]
        if mended == lines:
            raise
        return parse_document(file, "".join(mended))


def _quote_value(file: Path, line: str) -> str:
    """Return the line with its value in quotes if it is not YAML."""
    match = _KEY.fullmatch(line.rstrip())
    if match is None:
        return line
    try:
        parse_document(file, line)
    except UsageError:
        return f"{match[1]}: {json.dumps(match[2], ensure_ascii=False)}\n"
    return line
