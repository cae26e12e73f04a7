"""An agent ready to speak: what it is told, what it may call, and the model that answers."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, SystemMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from ...config.agents.profile import AgentProfile
from ...config.settings.permission_rules import RawRule
from ...tools.runtime.agent_tools import select_agent_tools
from ...tools.runtime.registry import load_tool
from ..context import Context
from ..state import Options, RoleName
from .dependencies import Dependencies, open_dependencies
from .modes import get_active_agent
from .system_prompt import build_system_prompt

THIS_THREAD = "this thread"
"""Where the rules are written that the user gave for one thread."""


@dataclass(frozen=True)
class Agent:
    """An agent ready to speak."""

    deps: Dependencies
    """As this agent finds it: its model and limit of turns, under its own rules."""
    system: SystemMessage
    tools: Mapping[str, BaseTool]
    model: Runnable[LanguageModelInput, AIMessage]
    """The chat model that knows the tools."""


async def load_agent(
    role: RoleName, folder: str, options: Options, context: Context | None
) -> Agent:
    """Whoever speaks as this role in a thread; raises UsageError as `open_agent` does."""
    bench = await open_dependencies(folder, options, context)
    return await asyncio.to_thread(open_agent, bench, get_active_agent(options, role))


def with_rules(voice: Agent, allow: Sequence[str]) -> Agent:
    """The same voice under the rules that the user gave for the thread."""
    if not allow:
        return voice
    bench = voice.deps
    written = [RawRule("allow", rule, THIS_THREAD) for rule in allow]
    policy = bench.policy.with_rules(written, bench.workspace)
    return replace(voice, deps=replace(bench, policy=policy))


def open_agent(bench: Dependencies, agent: str) -> Agent:
    """The voice of an agent, opened once; raises UsageError for none, or a mistake in it."""
    if agent not in bench.open_agents:
        bench.open_agents[agent] = _create_agent(bench, bench.agents.find(agent))
    return bench.open_agents[agent]


def _create_agent(bench: Dependencies, profile: AgentProfile) -> Agent:
    own = _adapt_dependencies(profile, bench)
    tools = select_agent_tools(profile, own.settings.tools, planning=bool(own.policy.plan))
    chat_model = own.chat_models.get(own.model, profile.name)
    return Agent(
        deps=own,
        system=build_system_prompt(
            profile, str(own.workspace.root), own.settings.agents, own.sources.instructions
        ),
        # models that know it from elsewhere end a turn with it, also where it is not offered
        tools={tool.name: tool for tool in (*tools, load_tool("attempt_completion"))},
        model=chat_model.bind_tools(tools),
    )


def _adapt_dependencies(profile: AgentProfile, bench: Dependencies) -> Dependencies:
    return replace(
        bench,
        policy=bench.policy.with_agent(profile, bench.workspace),
        model=bench.resolve_model(profile),
        turns=min(bench.turns, profile.steps or bench.turns),
    )
