"""A definition in a source file, and its signature as one line."""

import re
from typing import NamedTuple

MAX_SIGNATURE_LENGTH = 200
_BODY = re.compile(r"\{.*\}", re.DOTALL)


class CodeDefinition(NamedTuple):
    """A class, function, method or the like."""

    line: int
    """From 1."""
    depth: int
    """0 at the top level, 1 in a class."""
    signature: str


class FileDefinitions(NamedTuple):
    """What a file defines."""

    definitions: list[CodeDefinition]
    is_whole: bool = True
    """False: a part of the file does not parse, and what it defines may be missing."""


def format_signature(text: str) -> str:
    """Return a signature in one line, without a body, and cut if it is long."""
    line = " ".join(_BODY.sub("{…}", text).split()).rstrip("{:;, ")
    return line if len(line) <= MAX_SIGNATURE_LENGTH else f"{line[: MAX_SIGNATURE_LENGTH - 1]}…"
