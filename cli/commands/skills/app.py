"""`mcode skills` with all its commands; `create` and `validate`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from ....config import exit_codes, paths
from ....config.errors import UsageError
from ....config.security.private_files import create_file
from ....config.text import text
from ....config.trust.inventory import PLACES
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...rendering.output import echo
from . import listing

WHAT_FOR = "Say here what it does, and when to use it."
TEMPLATE = """\
---
name: {name}
description: {description}
---

# {name}

Write the steps here. Files beside this one are named by their path, such as `scripts/check.sh`.
"""


def validate(
    places: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH", help="Skills, or folders of skills; default: all."),
    ] = None,
) -> None:
    """Validate skills by the specification, including those of an untrusted project.

    Exit code 1 if there are errors.
    """
    files = _find_files(places)
    is_wrong = False
    for file in files:
        errors, notes = _inspect_file(file)
        is_wrong = is_wrong or bool(errors)
        for error in errors:
            echo(f"{file}: {translate(error)}")
        for note in notes:
            echo(t("skills.note", name=file, note=translate(note)), err=True)
    if is_wrong:
        raise typer.Exit(exit_codes.FAILED)
    echo(t("skills.sound", count=len(files)), err=True)


def create(
    name: Annotated[str, typer.Argument(help="Name of the skill: a-z, 0-9 and `-`.")],
    description: Annotated[str, typer.Option(help="What it does, and when to use it.")] = "",
    project: Annotated[
        bool,
        typer.Option(
            "--project", help="Create it in the project (.llc/skills), not in your home folder."
        ),
    ] = False,
) -> None:
    """Create a skill from a template."""
    from contextlib import nullcontext

    from ....config.trust.decision import check_trust, keep_trust

    home = paths.locate_home()
    folder = (Path.cwd() / ".llc" if project else home) / "skills"
    with keep_trust(Path.cwd(), home, "skills") if project else nullcontext():
        file = _write_skill(folder, name, " ".join(description.split()) or WHAT_FOR)
    echo(t("skills.created", file=file))
    if project and not check_trust(Path.cwd(), home).trusted:
        echo(t("skills.left_out", path=file), err=True)


def _inspect_file(file: Path) -> tuple[list[str], list[str]]:
    """Return what breaks the specification, and what MaxAgent says besides."""
    from ....config.skills.discovery import read_skill_file
    from ....config.skills.skill import SkippedSkill
    from ....config.skills.specification import find_problems

    skill = read_skill_file(file, "user")
    if isinstance(skill, SkippedSkill):
        try:
            problems = find_problems(file, file.read_bytes()) if _is_small(file) else []
        except OSError:
            problems = []
        return [*(problems or [skill.reason])], []
    problems = find_problems(file, file.read_bytes())
    return problems, [warning for warning in skill.warnings if warning not in problems]


def _is_small(file: Path) -> bool:
    from ....config.skills.discovery import MAX_SKILL_BYTES

    return file.is_file() and not file.is_symlink() and file.stat().st_size <= MAX_SKILL_BYTES


def _find_files(places: list[Path] | None) -> list[Path]:
    from ....config.skills.discovery import find_skill_files, list_user_places

    for place in places or ():
        if not place.exists():
            raise UsageError(
                text("`{place}` does not exist", place=place),
                hint="give a skill's folder, or a folder of skills",
            )
    if not places:
        usual = (*(Path(name) for name in PLACES["skills"]), *list_user_places(paths.locate_home()))
        return [file for folder in usual for file in find_skill_files(folder)]
    files: list[Path] = []
    for place in places:
        skill_files = list(find_skill_files(place.parent if place.is_file() else place))
        if not skill_files:
            raise UsageError(
                text("no `SKILL.md` in `{place}`", place=place),
                hint="give a skill's folder, or a folder of skills",
            )
        files += skill_files
    return list(dict.fromkeys(files))


def _write_skill(folder: Path, name: str, description: str) -> Path:
    """Write the file of a new skill and return its path; raise UsageError if it exists."""
    from ....config.skills.specification import find_name_problems

    if problem := next(iter(find_name_problems(name, name)), ""):
        raise UsageError(problem, hint="use a-z, 0-9 and single hyphens, at most 64 characters")
    file = folder / name / "SKILL.md"
    content = _build_content(file, name, description)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        create_file(file, content, 0o666)
    except FileExistsError as error:
        hint = "change it with your editor, or choose another name"
        raise UsageError(text("`{filename}` already exists", filename=file), hint=hint) from error
    except OSError as error:
        raise UsageError(
            text("`{file}` cannot be written: {reason}", file=file, reason=error.strerror)
        ) from error
    return file


def _build_content(file: Path, name: str, description: str) -> bytes:
    """Return the bytes of a new skill that `validate` accepts; raise UsageError if it would not."""
    from ....config.skills.specification import find_problems

    # as in JSON, but without a character that YAML does not allow
    quoted = json.dumps(description, ensure_ascii=False).replace("\x7f", "\\u007f")
    try:
        content = TEMPLATE.replace("{name}", name).replace("{description}", quoted).encode()
    except UnicodeEncodeError as error:
        hint = "write it in UTF-8"
        raise UsageError("the description is not UTF-8 text", hint=hint) from error
    if problems := find_problems(file, content):
        hint = "change the description; `mcode skills validate` tells what is allowed"
        raise UsageError(problems[0], hint=hint)
    return content


app = listing.app
app.command()(create)
app.command()(validate)
