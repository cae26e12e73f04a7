"""An agent ready to run: its system prompt, its tools, and its model."""

import asyncio
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, SystemMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from ...config.agents.profile import AgentProfile
from ...config.agents.registry import AgentRegistry, load_built_in_agents
from ...config.instructions.discovery import Instruction
from ...config.settings.schema import AgentSettings, AgentsSection
from ...models.cassette.canonical_request import FOLDER
from ...models.prompt_addenda import find_addenda
from ...models.xml_calls.known_tools import KnownTools
from ...models.xml_calls.model import bind_tools
from ...tools import aliases
from ...tools.builtin.session.subagent import describe_agents
from ...tools.runtime.agent_tools import (
    can_call_server_tool,
    select_agent_tools,
    select_child_tools,
)
from ...tools.runtime.registry import load_tool
from ...tools.runtime.sendable_agents import list_sendable_agents
from ...tools.tool_table import Requirement
from ..conversation.token_estimate import estimate_message, estimate_text
from ..messages.context_message import MIN_WINDOW_TOKENS
from ..messages.instruction_blocks import format_instructions
from ..messages.server_offer import build_offered_tools, load_offer
from ..roles import RoleName
from ..state import State
from ..tool_task import ToolTask
from .context import Context
from .dependencies import Dependencies
from .modes import get_active_agent
from .request_options import select_thinking_model

if TYPE_CHECKING:
    from ...tools.mcp.offer import Offer

TEMPLATE = """{words}

The project is `{folder}` ({system}). Tools take paths relative to it."""
BUILT_IN = AgentRegistry(load_built_in_agents())
# Most model turns of a sub-agent
CHILD_TURNS = 30


def build_system_prompt(
    profile: AgentProfile,
    folder: str,
    agents: AgentsSection,
    instructions: Sequence[Instruction] = (),
    model: str = "",
    skills: Sequence[str] = (),
) -> SystemMessage:
    """Return the first message of every request of this agent; the same bytes each time.

    `model` is the `PROVIDER/MODEL` that reads it, `skills` are whole skills.
    """
    own: object = getattr(agents, profile.name, None)
    added = own.system_prompt.strip() if isinstance(own, AgentSettings) else ""
    words = "\n\n".join(filter(None, (profile.system_prompt, *find_addenda(model), added)))
    text = TEMPLATE.format(words=words, folder=folder, system=platform.system())
    text = "\n\n".join(filter(None, (text, *skills, format_instructions(instructions))))
    return SystemMessage(text, id=f"system-{profile.name}", additional_kwargs={FOLDER: folder})


@dataclass(frozen=True)
class Agent:
    """An agent ready to run."""

    deps: Dependencies
    """Dependencies for this agent: its model and turn limit, under its own rules."""
    system: SystemMessage
    tools: Mapping[str, BaseTool]
    known_tools: KnownTools
    """The same tools, for calls that are written in the text."""
    model: Runnable[LanguageModelInput, AIMessage]
    """The chat model with the tools bound."""
    offered: tuple[BaseTool, ...] = ()
    """The bound tools."""
    profile: AgentProfile | None = None
    offer: "Offer | None" = None
    """What the thread is offered of MCP servers; None: nothing."""

    @cached_property
    def system_tokens(self) -> int:
        """Return the estimated tokens of the system prompt."""
        return estimate_message(self.system)

    @cached_property
    def tool_tokens(self) -> int:
        """Return the estimated tokens of the offered tools."""
        schemas = (json.dumps(convert_to_openai_tool(tool)) for tool in self.offered)
        return sum(map(estimate_text, schemas))


async def load_agent(
    role: RoleName, state: State | ToolTask, context: Context, fallback: str = ""
) -> Agent:
    """Return the agent that acts as this role in a thread; raises UsageError as `open_agent`.

    `fallback` is the model that stands in for its own.
    """
    deps = await context.open_dependencies(state)
    name = get_active_agent(state.get("options", {}), role)
    model = "" if fallback else select_thinking_model(state, role)
    offer = state.get("mcp", "")
    sender = state.get("options", {}).get("sender", "")
    cached_agent = deps.open_agents.get((name, model, fallback, offer, sender))
    return cached_agent or await asyncio.to_thread(
        open_agent, deps, name, model, fallback, offer, sender
    )


def with_rules(agent: Agent, allow: Sequence[str]) -> Agent:
    """Return the same agent with the rules that the user gave for the thread and the project."""
    deps = agent.deps
    policy = deps.policy.with_answer_rules(deps.home, deps.trust.folder, allow)
    if policy is deps.policy:
        return agent
    return replace(agent, deps=replace(deps, policy=policy))


def open_agent(
    deps: Dependencies,
    name: str,
    model: str = "",
    fallback: str = "",
    offer: str = "",
    sender: str = "",
) -> Agent:
    """Return the agent of this name; raises UsageError if it is missing or its file is invalid.

    `model` replaces the configured one, but neither one that the user named nor the agent's own;
    `fallback` replaces any. `offer` is what its thread is offered of MCP servers. `sender` is the
    agent that has sent it as a sub-agent.
    """
    key = (name, model, fallback, offer, sender)
    if key not in deps.open_agents:
        own = deps.with_fallback(fallback) if fallback else deps
        profile = deps.agents.find(name)
        if sender:
            profile = profile.with_parent(deps.agents.find(sender))
        deps.open_agents[key] = _create_agent(own, profile, model, offer, is_child=bool(sender))
    return deps.open_agents[key]


def _create_agent(
    deps: Dependencies, profile: AgentProfile, model: str, digest: str, *, is_child: bool
) -> Agent:
    own = _adapt_dependencies(profile, deps, model)
    if is_child:
        own = replace(own, turns=min(own.turns, CHILD_TURNS))
    offer = load_offer(own.mcp, digest)
    select = select_child_tools if is_child else select_agent_tools
    own_tools = select(
        profile,
        own.settings.tools,
        planning=bool(own.policy.plan),
        lacking=_list_lacking(own, offer),
    )
    described = (_describe_tool(tool, own, profile) for tool in own_tools)
    tools = (
        *described,
        *build_offered_tools(offer, profile, own.settings.tools),
        *_select_program_tools(own, profile),
    )
    chat_model = own.chat_models.get(own.model, profile.name)
    # some models end a turn with this tool even if it is not offered
    accepted = (*tools, load_tool("attempt_completion"))
    known_tools = KnownTools(accepted, aliases.TOOLS, aliases.ARGUMENTS)
    return Agent(
        deps=own,
        system=build_system_prompt(
            profile,
            str(own.workspace.root),
            own.settings.agents,
            own.sources.instructions,
            own.model.name,
            _render_skills(profile, own),
        ),
        tools={tool.name: tool for tool in accepted},
        known_tools=known_tools,
        model=bind_tools(chat_model, tools, known_tools, own.model, own.chat_models.tool_refusals),
        offered=tuple(tools),
        profile=profile,
        offer=offer,
    )


def _select_program_tools(deps: Dependencies, profile: AgentProfile) -> Sequence[BaseTool]:
    """Return the program's tools that an agent names, or gets with those of servers."""
    chosen = deps.settings.tools
    return [
        tool
        for tool in deps.program_tools
        if can_call_server_tool(tool.name, profile, chosen)
        or can_call_server_tool(f"mcp_program_{tool.name}", profile, chosen)
    ]


def _render_skills(profile: AgentProfile, deps: Dependencies) -> list[str]:
    """Return the skills that the agent always has."""
    if not profile.skills:
        return []
    from ...tools.skills.rendering import render_skills

    return render_skills(profile.skills, deps.skills, deps.workspace.ignore)


def _list_lacking(deps: Dependencies, offer: "Offer | None") -> list[Requirement]:
    """List what no tool may require, since it is not configured."""
    is_there: Mapping[Requirement, bool] = {
        "memory": deps.settings.memory.enabled,
        "rag": bool(deps.settings.rag.servers),
        # a smaller window has no list of them
        "skills": deps.model.context_length >= MIN_WINDOW_TOKENS,
        "mcp": offer is not None and offer.is_bridged,
    }
    return [name for name, there in is_there.items() if not there]


def _describe_tool(tool: BaseTool, deps: Dependencies, profile: AgentProfile) -> BaseTool:
    """Return the tool with what its description says of this configuration."""
    if tool.name == "subagent":
        # all others are in the context message, which stays when their files change
        return describe_agents(tool, list_sendable_agents(BUILT_IN, profile))
    if tool.name != "use_rag_tool":
        return tool
    from ...tools.builtin.web.use_rag_tool import describe_servers

    return describe_servers(tool, deps.settings.rag.servers)


def _adapt_dependencies(profile: AgentProfile, deps: Dependencies, model: str) -> Dependencies:
    return replace(
        deps,
        policy=deps.policy.with_agent(profile, deps.workspace),
        model=deps.resolve_model(profile, model),
        turns=min(deps.turns, profile.steps or deps.turns),
    )
