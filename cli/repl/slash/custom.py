"""Custom commands in a conversation: run their shell parts, then send the result."""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from ....config import paths
from ....config.agents.command_expansion import PromptSegment, expand_prompt
from ....config.errors import UsageError
from ....config.text import text
from ....config.trust.decision import check_trust
from ...i18n.catalogs import t
from ...slash_names import BUILTIN_SLASH_NAMES
from ..prompt.file_mentions import format_mention
from ..prompt.protocol import PromptAborted
from ..session.message import run_message
from ..session.session import Session
from .modes import resolve_model

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from ....config.agents.custom_commands import CustomCommand
    from ....config.skills.skill import Skill
    from ....nodes.options import Options
    from ....tools.permissions.decision import Decision
    from ...execution.tool_session import ToolSession


def list_custom_commands(session: Session) -> "Mapping[str, CustomCommand]":
    """Return the user's commands and, if the folder is trusted, the project's."""
    from ....config.agents.custom_commands import load_custom_commands

    trust = check_trust(session.folder, session.home)
    return load_custom_commands(session.folder, session.home, trust)


def list_invocable_skills(session: Session) -> "Mapping[str, Skill]":
    """Return the skills that `/name` loads, less those whose name is a command's."""
    from ....config.skills.discovery import find_skills

    registry = find_skills(session.folder, session.home, check_trust(session.folder, session.home))
    reserved_names = list_custom_commands(session).keys() | BUILTIN_SLASH_NAMES
    return {
        name: skill
        for name, skill in registry.skills.items()
        if skill.is_invocable and name not in reserved_names
    }


async def run_custom_command(session: Session, command: "CustomCommand", arguments: str) -> None:
    """Send the expanded command, this once, to the agent and the model that it names."""
    if command.fault:
        raise UsageError(command.fault, hint="run `mcode commands list` to list all commands")
    session.is_unsent = True
    parts = expand_prompt(command.prompt, arguments)
    text = "".join([await _expand_part(session, piece, command.agent) for piece in parts])
    # arguments and shell output may contain file names, but must not mention files
    once: Options = {
        "mentioning": " ".join(
            format_mention(piece.text) for piece in parts if piece.kind == "file"
        )
    }
    if command.model:
        once["turn_model"] = resolve_model(session, command.model).name
    await run_message(session, text, command.agent, once)


async def _expand_part(session: Session, piece: PromptSegment, agent: str) -> str:
    if piece.kind == "shell":
        return await _run_shell_part(session, piece.text, agent)
    return format_mention(piece.text) if piece.kind == "file" else piece.text


async def _run_shell_part(session: Session, line: str, agent: str) -> str:
    """Return a command's output, once the rules or the user allow it to the agent that reads it.

    `agent`: the agent that reads it this once; empty: the thread's.
    """
    await session.wait_for_runner()  # it has loaded the imports below
    tools = await asyncio.to_thread(_open_tools, session, agent)
    reply = await tools.call_tool(
        "run_command", {"command": line}, partial(_confirm_call, session, tools)
    )
    if reply.error and "exit_code" not in reply.metadata:
        message = text("{place}: {problem}", place=f"`{line}`", problem=reply.error)
        raise UsageError(message, hint="no message given")
    return (reply.output or reply.error).strip("\n")


def _open_tools(session: Session, agent: str) -> "ToolSession":
    """Open the tools under the rules of that agent; inspects the folder, which may take long."""
    from ....config.agents.registry import find_agents
    from ....config.settings.loader import load_settings
    from ....nodes.run.modes import apply_choice, choose_next_agent, get_mode
    from ...execution.tool_session import ToolSession

    options: Options = {**session.thread_options, **apply_choice(session.options, agent)}
    trust = check_trust(session.folder, session.home)
    hears = find_agents(session.folder, session.home, trust).find_primary_agent(
        choose_next_agent(options)
    )
    mode = "read-only" if get_mode(options) == "plan" else session.mode
    loaded = load_settings(
        session.folder, session.home, flags={"security.mode": mode or None}, trust=trust
    )
    outputs = paths.locate_outputs(session.home, "by-hand")
    return ToolSession(session.folder, loaded, outputs, agent=hears)


async def _confirm_call(
    session: Session,
    tools: "ToolSession",
    tool: "BaseTool",
    args: Mapping[str, object],
    decision: "Decision",
) -> bool:
    from ...prompts.interrupts import decide_request
    from ...rendering.console import open_console

    request = await tools.build_request(tool, args, decision)
    decided = await session.ask_question(
        partial(decide_request, open_console(), request, ["approve"])
    )
    if decided["type"] != "approve":
        raise PromptAborted(t("slash.own.refused", command=args["command"]))
    return True
