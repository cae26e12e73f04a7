"""Reader of YAML files: plain values, and the line of each."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from ..errors import UsageError
from ..text import text

KeyPath = tuple[str, ...]

MAX_BYTES = 1_000_000  # bytes; nobody writes a larger configuration file
# One level more than the schema has
MAX_DEPTH = 6
# values of a file, those that an alias repeats counted each time: a few lines can repeat billions
MAX_VALUES = 20_000


@dataclass(frozen=True)
class YamlDocument:
    """The values of a file and their lines, counted from 1."""

    values: dict[str, object]
    lines: dict[KeyPath, int]


def read_document(file: Path) -> YamlDocument | None:
    """Read the file's mapping; None without a file. Raises UsageError with file and line."""
    content = read_bytes(file)
    return None if content is None else parse_document(file, decode_utf8(file, content))


def read_bytes(file: Path) -> bytes | None:
    """Read the file's bytes; None without a file."""
    try:
        kind = file.stat()
        # the sandbox puts an empty folder where no command may create the file
        if stat.S_ISDIR(kind.st_mode) and not os.listdir(file):
            return None
        if not stat.S_ISREG(kind.st_mode) or kind.st_size > MAX_BYTES:
            raise UsageError(
                text("{file}: not a configuration file", file=file), hint="use a YAML text file"
            )
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(
            text("{file}: cannot be read: {reason}", file=file, reason=error.strerror)
        ) from error


def decode_utf8(file: Path, content: bytes) -> str:
    """Decode the file's text; raises UsageError with the line of the first wrong byte."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = text("{place}: not UTF-8 text", place=f"{file}:{line}")
        raise UsageError(message, hint="save it as UTF-8") from error


def parse_document(file: Path, content: str) -> YamlDocument:
    """Parse the mapping of a text; an empty text is an empty mapping."""
    yaml = _create_parser()
    try:
        node = yaml.compose(content)
        values = None if node is None else yaml.constructor.construct_document(node)
    except Exception as error:  # ruamel also raises other errors for odd tags
        raise UsageError(_describe_error(file, content, error)) from error
    if values is None:
        return YamlDocument({}, {})
    plain = _to_plain(values)
    if not isinstance(plain, dict):
        raise UsageError(
            text("{file}:1: not a mapping", file=file),
            hint="write `section:` and `key: value` lines",
        )
    return YamlDocument(cast("dict[str, object]", plain), dict(_find_lines(node)))


def compose_tree(text: str) -> Any:
    """Compose the tree of YAML nodes with their places; None for an empty text."""
    return _create_parser().compose(text)


def parse_inline(content: str) -> object:
    """Parse one value, such as `[a, b]`; raises UsageError when it is not YAML."""
    try:
        return cast(object, _create_parser().load(content))
    except Exception as error:
        raise UsageError(
            text("`{content}` is not YAML", content=content), hint="write a list as `[a, b]`"
        ) from error


def _create_parser() -> Any:
    from ruamel.yaml import YAML  # loaded late: a start without a settings file needs no YAML

    yaml = YAML(typ="safe", pure=True)
    yaml.Composer = _build_composer_type()
    return yaml


@lru_cache(maxsize=1)
def _build_composer_type() -> Any:
    """Return the type of a composer that reads `MAX_VALUES` values at most."""
    from ruamel.yaml import composer, events

    base: Any = composer.Composer
    error_type: Any = composer.ComposerError
    alias_type: Any = events.AliasEvent

    class BoundedComposer(base):
        def __init__(self, loader: Any = None) -> None:
            base.__init__(self, loader)
            self.warn_double_anchors = False  # YAML allows them
            self.count = 0
            self.counts = dict[int, int]()  # by the node: those of it and below it

        def compose_node(self, parent: Any, index: Any) -> Any:
            event: Any = self.parser.peek_event()
            before = self.count
            self.count += 1
            node: Any = base.compose_node(self, parent, index)
            if not isinstance(event, alias_type):
                self.counts[id(node)] = self.count - before
            elif id(node) not in self.counts:
                raise error_type(
                    problem=text("a value is in itself"), problem_mark=event.start_mark
                )
            else:
                self.count += self.counts[id(node)]
            if self.count > MAX_VALUES:
                problem = text("more than {count} values, repeated ones counted", count=MAX_VALUES)
                raise error_type(problem=problem, problem_mark=event.start_mark)
            return node

    return BoundedComposer


def _describe_error(file: Path, content: str, error: Exception) -> str:
    """Return `FILE:LINE: what is wrong`, from ruamel's message of many lines."""
    position = getattr(error, "position", None)
    if (mark := getattr(error, "problem_mark", None)) is not None:
        line = f":{mark.line + 1}"
    else:
        line = f":{content.count(chr(10), 0, position) + 1}" if isinstance(position, int) else ""
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    problem = problem.partition(" with value ")[0]  # a value may be a secret
    return text("{place}: not YAML: {problem}", place=f"{file}{line}", problem=problem)


def _to_plain(value: object, depth: int = 0) -> object:
    """Copy the values with text keys, down to the deepest level."""
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items() if depth < MAX_DEPTH else ()
        return {str(key): _to_plain(below, depth + 1) for key, below in items}
    if isinstance(value, list):
        items = cast("list[object]", value) if depth < MAX_DEPTH else []
        return [_to_plain(item, depth + 1) for item in items]
    return value


def _find_lines(node: Any, above: KeyPath = ()) -> Iterator[tuple[KeyPath, int]]:
    if len(above) == MAX_DEPTH:
        return
    if node.id == "mapping":
        for key, value in node.value:
            yield (*above, str(key.value)), key.start_mark.line + 1
            yield from _find_lines(value, (*above, str(key.value)))
    elif node.id == "sequence":
        for number, item in enumerate(node.value):
            yield (*above, str(number)), item.start_mark.line + 1
