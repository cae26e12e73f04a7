"""`mcode skills list` and `show`: the skills in effect here, and what is wrong with others."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ....config import paths
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...rendering.output import echo, echo_json, echo_wrapped
from ...rendering.table import show_table
from ...slash_names import BUILTIN_SLASH_NAMES
from ..threads.listing import AsJson

if TYPE_CHECKING:
    from ....config.skills.skill import Skill, SkillRegistry
    from ....config.trust.decision import Trust

app = typer.Typer(
    help="List, create and validate skills.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list")
def list_skills(as_json: AsJson = False) -> None:
    """List skills: those of a trusted project, your own, and built-in, with their problems."""
    from ....config.skills.discovery import list_untrusted_files

    trust = _check_trust()
    registry, left_out = _load_skills(trust), list_untrusted_files(trust)
    if as_json:
        skipped = [{"file": str(skill.file), "reason": skill.reason} for skill in registry.skipped]
        skills = [_describe_skill(skill) for skill in registry.skills.values()]
        echo_json({"skills": skills, "skipped": skipped, "not_loaded": left_out})
        return
    headers = tuple(t(f"skills.{name}") for name in ("name", "from", "what"))
    rows = [
        (skill.name, _format_origin(skill), skill.description) for skill in registry.skills.values()
    ]
    show_table(headers, rows, cut=headers[1:])
    for line in format_problems(registry, left_out):
        echo(line, err=True)


@app.command()
def show(name: Annotated[str, typer.Argument(help="Name of the skill.")]) -> None:
    """Show a skill in effect here: its settings and its instructions."""
    skill = _load_skills(_check_trust()).find(name)
    facts = {
        "name": skill.name,
        "from": str(skill.file) if skill.origin != "built-in" else skill.origin,
        "description": skill.description,
        "license": skill.license,
        "compatibility": skill.compatibility,
        "listed": "" if skill.is_listed else "false",
        "invocable": "" if skill.is_invocable else "false",
    }
    for key, value in facts.items():
        if value:
            echo_wrapped(f"{key}: {value}")
    for note in _collect_notes(skill):
        echo_wrapped(t("skills.note", name=skill.name, note=note))
    echo_wrapped(f"\n{skill.body}")


def format_problems(registry: "SkillRegistry", left_out: list[str]) -> list[str]:
    """Return a line for each skill that is not loaded, and for each thing wrong with another."""
    skipped = [
        t("skills.skipped", file=skill.file, reason=translate(skill.reason))
        for skill in registry.skipped
    ]
    notes = [
        t("skills.note", name=skill.name, note=note)
        for skill in registry.skills.values()
        for note in _collect_notes(skill)
    ]
    return [*(t("skills.left_out", path=path) for path in left_out), *skipped, *notes]


def _collect_notes(skill: "Skill") -> list[str]:

    shadowed = [t("skills.shadowed")] if skill.name in BUILTIN_SLASH_NAMES else []
    return [*shadowed, *map(translate, skill.warnings)]


def _check_trust() -> "Trust":
    from ....config.trust.decision import check_trust

    return check_trust(Path.cwd(), paths.locate_home())


def _load_skills(trust: "Trust") -> "SkillRegistry":
    from ....config.skills.discovery import find_skills

    return find_skills(Path.cwd(), paths.locate_home(), trust)


def _describe_skill(skill: "Skill") -> dict[str, object]:
    return {
        "name": skill.name,
        "description": skill.description,
        "from": skill.origin,
        "file": str(skill.file),
        "listed": skill.is_listed,
        "invocable": skill.is_invocable,
        "notes": _collect_notes(skill),
    }


def _format_origin(skill: "Skill") -> str:
    """Return the path of the skill's folder, shortened where possible."""
    if skill.origin == "built-in":
        return skill.origin
    for above, short in ((Path.cwd(), ""), (Path.home(), "~/")):
        if skill.file.is_relative_to(above):
            return f"{short}{skill.file.parent.relative_to(above)}"
    return str(skill.file.parent)
