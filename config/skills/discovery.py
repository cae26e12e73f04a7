"""Discovery of skills: a trusted project's, the user's, then the built-in ones.

Of one name the first counts. From a project, only files with the bytes in its trusted inventory
are read.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePath

from ..security.content_digest import (
    UnreadableFileError,
    read_regular_file,
    read_with_digest,
    resolve_real_path,
)
from ..text import text
from ..trust.decision import Trust
from ..trust.inventory import PLACES
from .parser import InvalidSkillError, read_skill
from .skill import Skill, SkillOrigin, SkillRegistry, SkippedSkill

BUILT_IN = Path(__file__).with_name("builtin")
FILE_NAMES = ("SKILL.md", "skill.md")
# Nested folders, and folders of one place in all
MAX_DEPTH, MAX_FOLDERS = 6, 2_000
MAX_SKILL_BYTES = 1_000_000
_NOT_SEARCHED = frozenset(["node_modules", "__pycache__"])
_Found = Skill | SkippedSkill


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
