"""Discovery of skills: a trusted project's, the user's, then the built-in ones.

Of one name the first counts. From a project, only files with the bytes in its trusted inventory
are read.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from pathlib import Path, PurePath
from typing import cast

from ..agents.front_matter import FrontMatter, read_front_matter
from ..errors import UsageError
from ..security.content_digest import (
    UnreadableFileError,
    as_text,
    read_regular_file,
    read_with_digest,
    resolve_real_path,
)
from ..security.control_characters import HIDDEN_CHARACTER
from ..text import text
from ..trust.decision import Trust
from ..trust.inventory import PLACES
from .skill import Skill, SkillOrigin, SkillRegistry, SkippedSkill
from .specification import find_name_problems

# Keys of the specification, and those of Claude Code that count here
SPECIFIED = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
OWN_KEYS = ("argument-hint", "disable-model-invocation", "user-invocable")
MAX_NAME_LENGTH, MAX_DESCRIPTION_LENGTH = 100, 1_024
# Bytes of the front matter, and brackets that are open at once: nobody needs more
MAX_FRONT_MATTER = 50_000
MAX_OPEN_BRACKETS = 50
_HIDDEN = re.compile(HIDDEN_CHARACTER)
# Anchors could be expanded without end
_ANCHOR = re.compile(r"(?:^|[\s,:\[{-])&[\w-]", re.MULTILINE)
BUILT_IN = Path(__file__).with_name("builtin")
FILE_NAMES = ("SKILL.md", "skill.md")
# Nested folders, and folders of one place in all
MAX_DEPTH, MAX_FOLDERS = 6, 2_000
MAX_SKILL_BYTES = 1_000_000
_NOT_SEARCHED = frozenset(["node_modules", "__pycache__"])
_Found = Skill | SkippedSkill


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


def find_skills(folder: Path, home: Path, trust: Trust) -> SkillRegistry:
    """Return the skills in effect in a folder; `trust` is that folder's."""
    effective, skipped, replaced = dict[str, Skill](), list[SkippedSkill](), list[Skill]()
    folders = set[Path]()
    for skill in _iter_all(folder, home, trust):
        if isinstance(skill, SkippedSkill):
            skipped.append(skill)
        elif skill.folder in folders:  # two names of one folder
            continue
        elif first := effective.get(skill.name):
            replaced.append(skill)
            note = text("it replaces `{file}`", file=skill.file)
            effective[skill.name] = replace(first, warnings=(*first.warnings, note))
        else:
            effective[skill.name] = skill
        if isinstance(skill, Skill):
            folders.add(skill.folder)
    return SkillRegistry(dict(sorted(effective.items())), tuple(skipped), tuple(replaced))


def list_user_places(home: Path) -> tuple[Path, ...]:
    """Return the folders of the user's skills, existing or not; the first one counts most."""
    others = (Path.home() / name / "skills" for name in (".agents", ".claude"))
    return (home / "skills", *others)


def find_skill_files(place: Path) -> list[Path]:
    """Return the `SKILL.md` of every skill below a folder, or the folder's own one."""
    if own := _find_own_file(place):
        return [own]
    files, pending, seen = list[Path](), [(place, 0)], 0
    while pending and seen < MAX_FOLDERS:
        folder, depth = pending.pop(0)
        for below in _list_folders(folder, with_links=depth == 0):
            seen += 1
            if file := _find_own_file(below):
                files.append(file)
            elif depth + 1 < MAX_DEPTH and not below.is_symlink():
                pending.append((below, depth + 1))
    return sorted(files)


def _iter_all(folder: Path, home: Path, trust: Trust) -> Iterator[_Found]:
    places = list_user_places(home)
    own = [Path(os.path.realpath(place)) for place in places]
    if trust.trusted:
        for path in _list_project_files(trust):
            real = Path(os.path.realpath(folder / path))
            if not any(map(real.is_relative_to, own)):  # the project may be the user's home
                yield _read_project_file(folder, path, trust)
    for place in places:
        yield from (read_skill_file(file, "user") for file in find_skill_files(place))
    yield from (read_skill_file(file, "built-in") for file in find_skill_files(BUILT_IN))


def list_untrusted_files(trust: Trust) -> list[str]:
    """Return the project's skills that are ignored because the folder is not trusted."""
    return [] if trust.trusted else _list_project_files(trust)


def _list_project_files(trust: Trust) -> list[str]:
    """Return the project's `SKILL.md` files; those inside another skill are its own business."""
    files = list[str]()
    for place in PLACES["skills"]:
        inside = [
            item.path
            for item in trust.inventory
            if item.kind == "skills" and item.path.startswith(f"{place}/")
            if PurePath(item.path).name in FILE_NAMES
            if 1 <= len(PurePath(item.path).relative_to(place).parts) - 1 <= MAX_DEPTH
        ]
        folders = {PurePath(path).parent: path for path in reversed(sorted(inside))}
        files += sorted(
            path
            for above, path in folders.items()
            if not any(other != above and above.is_relative_to(other) for other in folders)
        )
    return files


def _read_project_file(folder: Path, path: str, trust: Trust) -> _Found:
    file, root = folder / path, os.path.realpath(folder)
    digests = {item.path: item.digest for item in trust.inventory}
    try:
        real = os.path.realpath(file.parent)
        resolve_real_path(real, file.name)
        digest, content = read_with_digest(root, path, MAX_SKILL_BYTES)
        if digest != digests.get(path):
            return SkippedSkill(file, "it has changed since its folder was trusted")
        return read_skill(file, Path(real), content, "project")
    except (UnreadableFileError, InvalidSkillError) as error:
        return SkippedSkill(file, _describe_error(error))


def read_skill_file(file: Path, origin: SkillOrigin) -> _Found:
    """Read one `SKILL.md`, wherever it is."""
    try:
        real = os.path.realpath(file.parent)
        content = read_regular_file(resolve_real_path(real, file.name), MAX_SKILL_BYTES + 1)
        if len(content) > MAX_SKILL_BYTES:
            return SkippedSkill(file, "too large")
        return read_skill(file, Path(real), content, origin)
    except (UnreadableFileError, InvalidSkillError) as error:
        return SkippedSkill(file, _describe_error(error))


def _describe_error(error: Exception) -> str:
    return error.message if isinstance(error, InvalidSkillError) else str(error)


def _find_own_file(folder: Path) -> Path | None:
    files = (folder / name for name in FILE_NAMES)
    return next((file for file in files if os.path.lexists(file)), None)


def _list_folders(folder: Path, *, with_links: bool) -> list[Path]:
    """Return the folders in a folder; links to folders only where users put them."""
    try:
        with os.scandir(folder) as entries:
            names = [
                entry.name
                for entry in entries
                if entry.name not in _NOT_SEARCHED and not entry.name.startswith(".")
                if entry.is_dir(follow_symlinks=with_links)
            ]
    except OSError:
        return []
    return [folder / name for name in sorted(names)]
