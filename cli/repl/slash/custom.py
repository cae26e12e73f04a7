"""Commands of the user's own in a conversation: what they come to is asked for, and said."""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from ....config.agents.command_expansion import Piece, expand
from ....config.errors import UsageError
from ....config.trust.decision import trust_of
from ...i18n.catalogs import t
from ..prompt.file_mentions import spelled
from ..prompt.protocol import Unanswered
from ..session.session import Session
from .modes import resolved_model

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from ....config.agents.custom_commands import CustomCommand
    from ....nodes.state import Options
    from ....tools.permissions import Decision
    from ...execution.tool_session import ToolSession


def own_commands(session: Session) -> "Mapping[str, CustomCommand]":
    """Those of the user and, where the folder is trusted, of the project."""
    from ....config.agents.custom_commands import custom_commands

    trust = trust_of(session.folder, session.home)
    return custom_commands(session.folder, session.home, trust)


async def say_own(session: Session, command: "CustomCommand", arguments: str) -> None:
    """Say what the command comes to, to the agent and the model that it names, this once."""
    if command.fault:
        raise UsageError(command.fault, hint="run `mcode commands list` to list all commands")
    session.sending = True
    pieces = expand(command.prompt, arguments)
    said = "".join([await _said(session, piece, command.agent) for piece in pieces])
    # an argument and what a command writes can name a file, and mention none
    once: Options = {
        "mentioning": " ".join(spelled(piece.text) for piece in pieces if piece.kind == "file")
    }
    if command.model:
        once["turn_model"] = resolved_model(session, command.model).name
    await session.say(said, command.agent, once)


async def _said(session: Session, piece: Piece, agent: str) -> str:
    if piece.kind == "shell":
        return await _output(session, piece.text, agent)
    return spelled(piece.text) if piece.kind == "file" else piece.text


async def _output(session: Session, line: str, agent: str) -> str:
    """What a command writes, once the rules or the human have allowed it to who is going to hear.

    `agent`: who hears it this once; empty: whoever speaks in the thread.
    """
    await session.runner()  # what follows brings as much, and is there by now
    tools = await asyncio.to_thread(_tools_of, session, agent)
    reply = await tools.call("run_command", {"command": line}, partial(_asked, session, tools))
    if reply.error and "exit_code" not in reply.metadata:
        raise UsageError(f"`{line}`: {reply.error}", hint="no message given")
    return (reply.output or reply.error).strip("\n")


def _tools_of(session: Session, agent: str) -> "ToolSession":
    """Tools by the rules of whoever is going to hear; looks at the folder, which may take long."""
    from ....config import paths
    from ....config.agents.registry import find_agents
    from ....config.settings.loader import load
    from ....nodes.agent.modes import chosen, mode_of, speaking
    from ...execution.tool_session import ToolSession

    options: Options = {**session.standing, **chosen(session.options, agent)}
    trust = trust_of(session.folder, session.home)
    hears = find_agents(session.folder, session.home, trust).find_speaking(speaking(options))
    mode = "read-only" if mode_of(options) == "plan" else session.mode
    loaded = load(session.folder, session.home, flags={"security.mode": mode or None}, trust=trust)
    outputs = paths.outputs_folder(session.home, "by-hand")
    return ToolSession(session.folder, loaded, outputs, agent=hears)


async def _asked(
    session: Session,
    tools: "ToolSession",
    tool: "BaseTool",
    args: Mapping[str, object],
    decision: "Decision",
) -> bool:
    from ...prompts.interrupts import decide
    from ...rendering.console import open_console

    request = await tools.request(tool, args, decision)
    decided = await session.ask(partial(decide, open_console(), request, ["approve"]))
    if decided["type"] != "approve":
        raise Unanswered(t("slash.own.refused", command=args["command"]))
    return True
