"""`/model`, `/mode`, `/plan`, `/build`, `/agents`, `/think`, `/effort`: the next message."""

import asyncio
import os
import sys
from functools import partial
from typing import TYPE_CHECKING, cast, get_args

from ....config.errors import UsageError
from ....config.settings.schema import ApprovalMode
from ....nodes.options import Options
from ...i18n.catalogs import t
from ...rendering.definition_list import format_definition_list
from ...rendering.listings.threads import open_index
from ...rendering.table import align_columns
from ..session.cli_bridge import run_cli_command
from ..session.message import run_message
from ..session.session import Session

if TYPE_CHECKING:
    from ....config.settings.schema import Settings
    from ....models.resolver import ResolvedModel


# What is typed, and what the thread keeps
STRATEGIES = {"auto": "auto", "on": "enabled", "off": "disabled"}
EFFORTS = ("auto", "low", "medium", "high", "max")


async def switch_model(session: Session, name: str) -> None:
    """Switch to a model that is available; without a name let the user pick one."""
    name = name or await _pick_model(session)
    if not name:
        return
    resolved = resolve_model(session, name)
    session.options = {**session.options, "model": resolved.name}
    session.model = resolved.name
    session.show(t("slash.model.now", model=resolved.name))


async def _pick_model(session: Session) -> str:
    """Return the name of the picked model; list the models where nothing can be picked."""
    from ....models.listing import list_usable_models
    from ...prompts.picker import can_draw_picker
    from ...rendering.listings.models import build_row

    present = session.model or resolve_model(session).name
    listings = await list_usable_models(_load_settings(session), os.environ, present)
    if sys.stdin.isatty() and sys.stderr.isatty() and can_draw_picker():
        from ...prompts.model_picker import pick_model

        return await session.ask_question(partial(pick_model, listings))
    session.show(t("slash.model.is", model=present))
    session.show("\n".join(align_columns([build_row(listing)[:-1] for listing in listings])))
    return ""


def resolve_model(session: Session, name: str = "") -> "ResolvedModel":
    """Return the model of that name, or the default; raise UsageError if it is not available."""
    from ....models.resolver import resolve

    name = name or session.next_options.get("model", "")
    return resolve(_load_settings(session), os.environ, name)


def _load_settings(session: Session) -> "Settings":
    from ....config.settings.loader import load_settings

    url = session.next_options.get("base_url")
    flags = {"litellm.base_url": url, "litellm.provider": "" if url else None}
    return load_settings(session.folder, session.home, flags=flags).settings


async def switch_mode(session: Session, name: str) -> None:
    """Switch to an approval mode; without a name list the modes."""
    modes = get_args(ApprovalMode)
    if name in modes:
        session.set_mode(cast(ApprovalMode, name))
        session.show(t("slash.mode.now", mode=name))
    elif name:
        names = ", ".join(f"`{mode}`" for mode in modes)
        raise UsageError(t("slash.mode.unknown", name=name), hint=t("slash.near", names=names))
    else:
        session.show(t("slash.mode.is", mode=session.mode or t("slash.not_yet")))
        session.show(
            format_definition_list([(f"  {mode}", t(f"slash.mode.{mode}")) for mode in modes])
        )


async def switch_to_plan(session: Session, words: str) -> None:
    """Continue in plan mode; send the text if there is any."""
    await _switch_plan_mode(session, True, words)


async def switch_to_build(session: Session, words: str) -> None:
    """Continue in build mode; send the text if there is any."""
    await _switch_plan_mode(session, False, words)


async def _switch_plan_mode(session: Session, plan: bool, words: str) -> None:
    session.plan = plan
    if words:
        await run_message(session, words)
    else:
        session.show(t("slash.plan.now" if plan else "slash.build.now"))


async def switch_agent(session: Session, name: str) -> None:
    """Switch to another agent from the next message on; without a name list them."""
    from ....config.agents.registry import find_agents
    from ....config.trust.decision import check_trust
    from ...commands.agents import list_agents

    if not name:
        await run_cli_command(session, list_agents)
        session.show(t("slash.agents.how"))
        await asyncio.to_thread(_show_children, session)
        return
    trust = check_trust(session.folder, session.home)
    agent = find_agents(session.folder, session.home, trust).find_primary_agent(
        name.removeprefix("@")
    )
    session.agent = agent.name
    session.show(t("slash.agents.now", agent=agent.name))


def _show_children(session: Session) -> None:
    """Show the sub-agents of the thread."""
    from ....sdk.threads.transcript import read_transcript
    from ...rendering.subagents.child_line import format_child

    if not session.thread:
        return
    entries = read_transcript(open_index().get(session.thread), session.home)
    lines = [
        format_child(entry.agent, entry.text, entry.facts)
        for entry in entries
        if entry.kind == "subagent"
    ]
    if lines:
        session.show(t("slash.agents.sent"), "bold")
    for line, style in lines:
        session.show(f"  {line}", style)


async def switch_thinking(session: Session, name: str) -> None:
    """Choose when the model thinks, or show the last folded thought; without a name say it."""
    if name == "show":
        session.open_fold(kind="thought")
        return
    if name:
        strategy = STRATEGIES.get(name) or _validate(name, [*STRATEGIES.values()], [*STRATEGIES])
        session.thinking = strategy
        session.options = cast(Options, {**session.options, "thinking": strategy})
        session.prompt.refresh()
    strategy = session.thinking or session.next_options.get("thinking", "")
    spoken = t(f"status.thinking.{strategy}") if strategy else t("slash.not_yet")
    session.show(t("slash.think.now" if name else "slash.think.is", thinking=spoken))


async def switch_effort(session: Session, name: str) -> None:
    """Choose how much the model thinks; without a name say it."""
    if name:
        session.effort = _validate(name, EFFORTS, EFFORTS)
        session.options = cast(Options, {**session.options, "effort": name})
        session.prompt.refresh()
    effort = session.effort or session.next_options.get("effort", "") or "auto"
    session.show(t("slash.effort.now" if name else "slash.effort.is", effort=effort))


def _validate(
    name: str,
    accepted_names: "list[str] | tuple[str, ...]",
    shown_names: "list[str] | tuple[str, ...]",
) -> str:
    """Return the name if it is known; raise UsageError with those that are."""
    if name in accepted_names:
        return name
    names = ", ".join(f"`{each}`" for each in shown_names)
    raise UsageError(t("slash.think.unknown", name=name), hint=t("slash.near", names=names))
