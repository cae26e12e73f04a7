"""An agent ready to speak: what it is told, what it may call, and the model that answers."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, SystemMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from ...config.agents.profile import AgentProfile
from ...config.settings.permission_rules import WrittenRule
from ...tools.runtime.agent_tools import tools_of
from ...tools.runtime.registry import tool_named
from ..context import Context
from ..state import Options, RoleName
from .dependencies import Workbench, workbench
from .modes import speaker
from .system_prompt import system_prompt

THIS_THREAD = "this thread"
"""Where the rules are written that the user gave for one thread."""


@dataclass(frozen=True)
class Voice:
    """An agent ready to speak."""

    bench: Workbench
    """As this agent finds it: its model and limit of turns, under its own rules."""
    system: SystemMessage
    tools: Mapping[str, BaseTool]
    model: Runnable[LanguageModelInput, AIMessage]
    """The chat model that knows the tools."""


async def voice_of(role: RoleName, folder: str, options: Options, context: Context | None) -> Voice:
    """Whoever speaks as this role in a thread; raises UsageError as `open_voice` does."""
    bench = await workbench(folder, options, context)
    return await asyncio.to_thread(open_voice, bench, speaker(options, role))


def with_rules(voice: Voice, allow: Sequence[str]) -> Voice:
    """The same voice under the rules that the user gave for the thread."""
    if not allow:
        return voice
    bench = voice.bench
    written = [WrittenRule("allow", rule, THIS_THREAD) for rule in allow]
    policy = bench.policy.extended(written, bench.workspace)
    return replace(voice, bench=replace(bench, policy=policy))


def open_voice(bench: Workbench, agent: str) -> Voice:
    """The voice of an agent, opened once; raises UsageError for none, or a mistake in it."""
    if agent not in bench.voices:
        bench.voices[agent] = _opened(bench, bench.agents.find(agent))
    return bench.voices[agent]


def _opened(bench: Workbench, profile: AgentProfile) -> Voice:
    own = _as_found_by(profile, bench)
    tools = tools_of(profile, own.settings.tools, planning=bool(own.policy.plan))
    chat_model = own.chat_models.get(own.model, profile.name)
    return Voice(
        bench=own,
        system=system_prompt(
            profile, str(own.workspace.root), own.settings.agents, own.sources.instructions
        ),
        # models that know it from elsewhere end a turn with it, also where it is not offered
        tools={tool.name: tool for tool in (*tools, tool_named("attempt_completion"))},
        model=chat_model.bind_tools(tools),
    )


def _as_found_by(profile: AgentProfile, bench: Workbench) -> Workbench:
    return replace(
        bench,
        policy=bench.policy.under(profile, bench.workspace),
        model=bench.model_for(profile),
        turns=min(bench.turns, profile.steps or bench.turns),
    )
