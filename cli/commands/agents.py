"""`mcode agents`: list, show, create and validate agents, which are Markdown files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...config import exit_codes, paths
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..lazy_imports import without_collector
from ..rendering.output import echo, echo_json, echo_wrapped
from ..rendering.table import show_table
from .threads.listing import AsJson

if TYPE_CHECKING:
    from ...config.agents.profile import AgentProfile
    from ...config.agents.registry import AgentRegistry
    from ...config.trust.decision import Trust

app = typer.Typer(
    help="List, create and validate agents.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list")
def list_agents(as_json: AsJson = False) -> None:
    """List agents: built-in, your own, and those of a trusted project."""
    trust = _load_trust()
    catalog, left_out = _load_agents(trust), _list_ignored(trust)
    visible_profiles = [profile for profile in catalog.profiles.values() if not profile.hidden]
    if as_json:
        echo_json(
            {
                "agents": [_describe_agent(profile) for profile in visible_profiles],
                "not_loaded": left_out,
                "faults": [report for fault in catalog.faults for report in fault.reports],
            }
        )
        return
    headers = tuple(t(f"agents.{name}") for name in ("name", "mode", "from", "what"))
    rows = [
        (profile.name, profile.mode, _format_origin(profile), profile.description)
        for profile in visible_profiles
    ]
    show_table(headers, rows, cut=headers[2:])
    for path in left_out:
        echo(t("agents.left_out", path=path), err=True)
    for report in (report for fault in catalog.faults for report in fault.reports):
        echo(t("agents.fault", report=translate(report)), err=True)


@app.command()
def show(name: Annotated[str, typer.Argument(help="Name of the agent.")]) -> None:
    """Show an agent in effect here: settings, tools, rules and prompt."""
    profile = _load_agents(_load_trust()).find(name)
    with without_collector():
        from ...config.settings.schema import ToolsSection
        from ...tools.runtime.agent_tools import select_agent_tools

    facts = {
        "name": profile.name,
        "from": profile.origin,
        "description": profile.description,
        "mode": profile.mode,
        "model": profile.model,
        "temperature": profile.temperature,
        "tools": ", ".join(tool.name for tool in select_agent_tools(profile, ToolsSection())),
        "skills": ", ".join(profile.skills),
        "rules": ", ".join(f"{rule.kind} {rule.text}" for rule in profile.rules),
        "files": "; ".join(
            ", ".join(limit.writable_files) for limit in profile.limits if limit.writable_files
        ),
        "max_steps": profile.steps or "",
        "permission_mode": profile.mode_limit,
        "isolation": profile.isolation,
    }
    for key, value in facts.items():
        if value not in ("", None):
            echo_wrapped(f"{key}: {value}")
    for note in profile.notes:
        echo_wrapped(t("agents.note", note=translate(note)))
    echo_wrapped(f"\n{profile.system_prompt}")


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Name of the agent: a-z, 0-9, `-` and `_`.")],
    description: Annotated[str, typer.Option(help="Description of the agent, one sentence.")] = "",
    project: Annotated[
        bool,
        typer.Option(
            "--project", help="Create it in the project (.llc/agents), not in your home folder."
        ),
    ] = False,
) -> None:
    """Create an agent from a commented template."""
    from contextlib import nullcontext

    from ...config.trust.decision import keep_trust
    from .agents_template import write_new

    folder = (Path.cwd() / ".llc" if project else paths.locate_home()) / "agents"
    with keep_trust(Path.cwd(), paths.locate_home(), "agents") if project else nullcontext():
        file = write_new(folder, name, description)
    echo(t("agents.created", file=file))
    for path in _list_ignored(_load_trust()) if project else ():
        echo(t("agents.left_out", path=path), err=True)


@app.command()
def validate(
    places: Annotated[
        list[Path] | None, typer.Argument(metavar="PATH", help="Files or folders; default: all.")
    ] = None,
) -> None:
    """Validate agents, including those of an untrusted project. Exit code 1 if there are errors."""
    with without_collector():
        from .agents_validation import find_files, inspect_file

    files = find_files(places, Path.cwd(), paths.locate_home())
    looks = [inspect_file(file, paths.locate_home()) for file in files]
    for look in looks:
        for note in look.notes:
            echo(t("agents.note", note=translate(note)), err=True)
        for mistake in look.mistakes:
            echo(translate(mistake))
    if any(look.mistakes for look in looks):
        raise typer.Exit(exit_codes.FAILED)
    echo(t("agents.sound", count=len(looks)), err=True)


def _load_trust() -> "Trust":
    from ...config.trust.decision import check_trust

    return check_trust(Path.cwd(), paths.locate_home())


def _load_agents(trust: "Trust") -> "AgentRegistry":
    from ...config.agents.registry import find_agents

    return find_agents(Path.cwd(), paths.locate_home(), trust)


def _list_ignored(trust: "Trust") -> list[str]:
    """List the project's files that are ignored because the folder is not trusted."""
    if trust.trusted:
        return []
    return [
        item.path for item in trust.inventory if item.kind == "agents" and item.path.endswith(".md")
    ]


def _describe_agent(profile: "AgentProfile") -> dict[str, object]:
    return {
        "name": profile.name,
        "mode": profile.mode,
        "from": profile.origin,
        "description": profile.description,
        "model": profile.model,
    }


def _format_origin(profile: "AgentProfile") -> str:
    """Return the path of the agent's file, shortened where possible."""
    file = Path(profile.origin)
    for above, short in ((Path.cwd(), ""), (Path.home(), "~/")):
        if file.is_relative_to(above):
            return f"{short}{file.relative_to(above)}"
    return profile.origin
