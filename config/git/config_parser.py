"""Parser of git's configuration files (pure)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# A line continues after a backslash at its end, unless that is escaped or in a comment
_LINE = re.compile(r"(?:\"(?:[^\"\\\n]|\\.)*\"?|\\.|[^\"\\#;\n]+)*(?:[#;][^\n]*)?", re.DOTALL)
_HEADER = re.compile(r"\s*\[\s*([\w.-]+)(?:\s*\"((?:[^\"\\]|\\.)*)\")?\s*\]", re.ASCII | re.DOTALL)
_SETTING = re.compile(r"\s*([\w-]+)\s*=\s*(.*)", re.ASCII | re.DOTALL)
_VALUE_PART = re.compile(r"\"((?:[^\"\\]|\\.)*)\"?|(\\.)|([#;].*)|([^\"\\#;]+)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "b": "\b", "\n": ""}
_BLANKS = " \t\r"


@dataclass(frozen=True)
class GitConfigEntry:
    """One value in a configuration file."""

    section: str
    """In lower case."""
    subsection: str
    """As written; empty without one."""
    key: str
    """In lower case."""
    value: str
    file: Path
    name: str = ""
    """All three as written: `remote.origin.url`, `core.hooksPath`."""
    is_conditional: bool = False
    """Whether a condition of git's decides if its file counts."""


def parse_config(
    text: str, file: Path, *, is_conditional: bool = False
) -> Iterator[GitConfigEntry]:
    """Yield all values in order; what git would reject is skipped."""
    section = subsection = ""
    for line in _LINE.findall(f"{text}\n"):
        at = 0
        while header := _HEADER.match(line, at):  # a setting may follow it
            section, _, subsection = header[1].lower().partition(".")
            if header[2] is not None:
                subsection = re.sub(r"(?s)\\(.)", r"\1", header[2])
            at = header.end()
        if setting := _SETTING.match(line, at):
            name = ".".join(filter(None, (section, subsection, setting[1])))
            value, key = _parse_value(setting[2]), setting[1].lower()
            yield GitConfigEntry(section, subsection, key, value, file, name, is_conditional)


def _parse_value(written: str) -> str:
    """Parse a value as git does: without quotes, comment and trailing blanks."""
    value, end = "", 0
    for quoted, escaped, comment, plain in _VALUE_PART.findall(written):
        if comment:
            break
        plain = plain if value else plain.lstrip(_BLANKS)
        value += plain or _unescape(quoted or escaped)
        if not plain:
            end = len(value)
        elif plain.strip(_BLANKS):
            end = len(value) - len(plain) + len(plain.rstrip(_BLANKS))
    return value[:end]


def _unescape(text: str) -> str:
    return re.sub(r"(?s)\\(.)", lambda match: _ESCAPED.get(match[1], match[1]), text)
