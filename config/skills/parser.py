"""Lenient reading of a `SKILL.md`: what can be used is used, and all that is wrong is said."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import cast

from ..agents.front_matter import FrontMatter, read_front_matter
from ..errors import UsageError
from ..security.content_digest import as_text
from ..security.control_characters import CONTROL_CHARACTERS
from ..text import text
from .skill import Skill, SkillOrigin
from .specification import find_name_problems

# Keys of the specification, and those of Claude Code that count here
SPECIFIED = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
OWN_KEYS = ("argument-hint", "disable-model-invocation", "user-invocable")
MAX_NAME_LENGTH, MAX_DESCRIPTION_LENGTH = 100, 1_024
# Bytes of the front matter, and brackets that are open at once: nobody needs more
MAX_FRONT_MATTER = 50_000
MAX_OPEN_BRACKETS = 50
_HIDDEN = re.compile(f"[{CONTROL_CHARACTERS}]")
# Anchors could be expanded without end
_ANCHOR = re.compile(r"(?:^|[\s,:\[{-])&[\w-]", re.MULTILINE)


class InvalidSkillError(UsageError):
    """A `SKILL.md` that cannot be used."""


def read_skill(file: Path, folder: Path, content: bytes, origin: SkillOrigin) -> Skill:
    """Return the skill that the file's bytes describe; raises InvalidSkillError.

    `folder` is the real path of the file's folder.
    """
    return _parse_skill(file, folder, content, origin)


@lru_cache(maxsize=256)
def _parse_skill(file: Path, folder: Path, content: bytes, origin: SkillOrigin) -> Skill:
    file_text = as_text(content)
    if file_text is None:
        raise InvalidSkillError("it is not UTF-8 text")
    file_text = file_text.replace("\r\n", "\n")
    visible_text = _HIDDEN.sub("", file_text)
    parts = _split_parts(file, visible_text)
    description = _to_line(parts.values.get("description"))
    if not description:
        raise InvalidSkillError("it has no `description`, so nobody knows when to use it")
    name = _to_line(parts.values.get("name"))[:MAX_NAME_LENGTH] or file.parent.name
    hidden_count = len(file_text) - len(visible_text)
    return Skill(
        name=name,
        description=description[:MAX_DESCRIPTION_LENGTH],
        body=parts.body.strip(),
        digest=hashlib.sha256(content).hexdigest()[:16],
        file=file,
        folder=folder,
        origin=origin,
        argument_hint=_to_line(parts.values.get("argument-hint")),
        is_listed=not _is_true(parts.values.get("disable-model-invocation")),
        is_invocable=not _is_false(parts.values.get("user-invocable")),
        license=_to_line(parts.values.get("license")),
        compatibility=_to_line(parts.values.get("compatibility")),
        warnings=tuple(_find_warnings(parts.values, file.parent.name, description, hidden_count)),
    )


def _split_parts(file: Path, content: str) -> FrontMatter:
    first, _, below = content.partition("\n")
    if first.rstrip() != "---":
        raise InvalidSkillError("it has no front matter: the first line must be `---`")
    above = f"\n{below}".partition("\n---")[0]
    if len(above) > MAX_FRONT_MATTER or _ANCHOR.search(above):
        raise InvalidSkillError("its front matter is too large, or has YAML anchors")
    if _count_open_brackets(above) > MAX_OPEN_BRACKETS:  # the parser of YAML takes minutes for them
        raise InvalidSkillError("its front matter has too many nested brackets")
    try:
        return read_front_matter(file, content)
    except (UsageError, RecursionError) as error:
        problem = error.message if isinstance(error, UsageError) else "nested too deeply"
        reason = problem.removeprefix(f"{file}:")
        raise InvalidSkillError(
            text("its front matter is not valid: {problem}", problem=reason)
        ) from error


def _count_open_brackets(content: str) -> int:
    """Return how many brackets are open at once at most."""
    steps = ((sign in "[{") - (sign in "]}") for sign in content)
    return max(accumulate(steps, initial=0))


def _find_warnings(
    values: Mapping[str, object], folder: str, description: str, hidden_count: int
) -> Iterator[str]:
    name = _to_line(values.get("name"))
    if not name:
        yield text("it has no `name`; the folder's name is used")
    else:
        yield from find_name_problems(name, folder)
    if len(description) > MAX_DESCRIPTION_LENGTH:
        yield text("the description is cut at {limit} characters", limit=MAX_DESCRIPTION_LENGTH)
    if hidden_count:
        yield text("{count} hidden characters were removed", count=hidden_count)
    if "allowed-tools" in values:
        yield text("`allowed-tools` allows nothing here: your permission rules decide")
    for key in values:
        if key not in (*SPECIFIED, *OWN_KEYS):
            yield text("`{key}` is not used here", key=key)


def _to_line(value: object) -> str:
    """Return a value on one line; `[file]` in an argument hint is text, not a list."""
    if isinstance(value, list):
        return f"[{', '.join(map(str, cast('list[object]', value)))}]"
    return "" if value is None or isinstance(value, dict) else " ".join(str(value).split())


def _is_true(value: object) -> bool:
    return value is True or str(value).strip().lower() in ("true", "yes", "on")


def _is_false(value: object) -> bool:
    return value is False or str(value).strip().lower() in ("false", "no", "off")
