"""Reading a YAML file into plain values, with the line where each stands."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ..errors import UsageError
from ..settings.keys import KeyPath, is_section, type_of

LARGEST = 1_000_000
"""Bytes; more is no configuration file."""
DEEPEST = 5
"""Levels that are read, one more than the schema has: anchors can nest endlessly."""


@dataclass(frozen=True)
class YamlDocument:
    """What a file says; lines count from 1."""

    values: dict[str, object]
    lines: dict[KeyPath, int]


def read_document(file: Path) -> YamlDocument | None:
    """The file's mapping; None when there is no file. Raises UsageError with file and line."""
    content = read_bytes(file)
    return None if content is None else parse_document(file, decode_utf8(file, content))


def read_bytes(file: Path) -> bytes | None:
    """The file's bytes; None when there is no file, or its place is held by the sandbox."""
    try:
        kind = file.stat()
        if stat.S_ISDIR(kind.st_mode) and not os.listdir(file):
            return None
        if not stat.S_ISREG(kind.st_mode) or kind.st_size > LARGEST:
            raise UsageError(f"{file}: not a configuration file", hint="use a YAML text file")
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from error


def decode_utf8(file: Path, content: bytes) -> str:
    """The file's text, which must be UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{file}:{line}: not UTF-8 text", hint="save it as UTF-8") from error


def parse_document(file: Path, text: str) -> YamlDocument:
    """The mapping that a text holds; an empty text is an empty mapping."""
    yaml = _create_parser()
    try:
        node = yaml.compose(text)
        values = None if node is None else yaml.constructor.construct_document(node)
    except Exception as error:  # beside its own errors ruamel lets through what odd tags cause
        raise UsageError(f"{file}{_describe_error(text, error)}") from error
    if values is None:
        return YamlDocument({}, {})
    plain = _to_plain(values)
    if not isinstance(plain, dict):
        raise UsageError(f"{file}:1: not a mapping", hint="write `section:` and `key: value` lines")
    return YamlDocument(cast("dict[str, object]", plain), dict(_find_lines(node)))


def compose_tree(text: str) -> Any:
    """The tree of YAML nodes with their places in the text; None for an empty text."""
    return _create_parser().compose(text)


def parse_value(path: KeyPath, text: str) -> object:
    """The value that a text means for a key: text for a text key, YAML for any other.

    Raises UsageError when it is not YAML.
    """
    if type_of(path) in (str, None):
        return text
    try:
        return cast(object, _create_parser().load(text))
    except Exception as error:
        raise UsageError(f"`{text}` is not YAML", hint="write a list as `[a, b]`") from error


def _create_parser() -> Any:
    from ruamel.yaml import YAML

    return YAML(typ="safe", pure=True)


def _describe_error(text: str, error: Exception) -> str:
    """`:LINE: what is wrong`, from what ruamel says over many lines."""
    position = getattr(error, "position", None)
    if (mark := getattr(error, "problem_mark", None)) is not None:
        line = f":{mark.line + 1}"
    else:
        line = f":{text.count(chr(10), 0, position) + 1}" if isinstance(position, int) else ""
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"{line}: not YAML: {problem.partition(' with value ')[0]}"  # a value may be a secret


def _to_plain(value: object, path: KeyPath = ()) -> object:
    """The same values with text keys; a section left empty is an empty mapping."""
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items() if len(path) < DEEPEST else ()
        return {str(key): _to_plain(below, (*path, str(key))) for key, below in items}
    if isinstance(value, list):
        items = cast("list[object]", value) if len(path) < DEEPEST else []
        return [_to_plain(item, (*path, str(number))) for number, item in enumerate(items)]
    return {} if value is None and is_section(path) else value


def _find_lines(node: Any, above: KeyPath = ()) -> Iterator[tuple[KeyPath, int]]:
    if len(above) == DEEPEST:
        return
    if node.id == "mapping":
        for key, value in node.value:
            yield (*above, str(key.value)), key.start_mark.line + 1
            yield from _find_lines(value, (*above, str(key.value)))
    elif node.id == "sequence":
        for number, item in enumerate(node.value):
            yield (*above, str(number)), item.start_mark.line + 1
