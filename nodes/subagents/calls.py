"""Calls of `subagent`: checked, and split into one call for each child."""

import asyncio
from collections.abc import Mapping, Sequence

from langchain_core.messages.tool import ToolCall

from ...config import paths
from ...config.agents.profile import AgentProfile
from ...memory.threads.sub_runs import ENDED, SubRuns
from ...tools.builtin.session.subagent import SUBAGENT, TaskItem, read_tasks
from ...tools.result import ToolError
from ...tools.runtime.registry import canonical
from ...tools.runtime.sendable_agents import can_change, find_sendable_agent
from ..children.task import ChildTask
from ..run.agent import Agent
from ..run.dependencies import Dependencies
from ..tool_task import PendingCall


def open_sub_runs(deps: Dependencies) -> SubRuns:
    """Open the table of children."""
    return SubRuns(paths.locate_database(deps.home))


async def find_invalid_calls(
    calls: Sequence[ToolCall], agent: Agent, thread: str
) -> Mapping[str, str]:
    """Return the error for the model of each invalid call, by the call's ID."""
    named = [(call["id"] or "", *canonical(call["name"], call["args"])) for call in calls]
    sent = {id: args for id, name, args in named if name == SUBAGENT and SUBAGENT in agent.tools}
    return await asyncio.to_thread(_find_errors, sent, agent, thread) if sent else {}


def _find_errors(
    sent: Mapping[str, Mapping[str, object]], agent: Agent, thread: str
) -> Mapping[str, str]:
    reasons = dict[str, str]()
    for id, args in sent.items():
        try:
            _build_tasks(args, agent, thread)
        except ToolError as error:
            reasons[id] = str(error)
    return reasons


async def split_calls(calls: Sequence[PendingCall], agent: Agent, thread: str) -> list[PendingCall]:
    """Return the calls, each call of `subagent` split into one for each child."""
    if all(call["name"] != SUBAGENT for call in calls):
        return list(calls)
    split = [await asyncio.to_thread(_split_call, call, agent, thread) for call in calls]
    return [child_call for children in split for child_call in children]


def _split_call(call: PendingCall, agent: Agent, thread: str) -> list[PendingCall]:
    if call["name"] != SUBAGENT:
        return [call]
    children = _build_tasks(call["args"], agent, thread)
    return [{**call, "args": {}, "child": child} for child in children]


def _build_tasks(args: Mapping[str, object], agent: Agent, thread: str) -> list[ChildTask]:
    """Build the tasks of a call; raises ToolError if one of them cannot be sent."""
    items = read_tasks(args)
    return [_build_task(item, at, len(items), agent, thread) for at, item in enumerate(items)]


def _build_task(item: TaskItem, position: int, count: int, agent: Agent, thread: str) -> ChildTask:
    resume = item.get("resume", "")
    name = _find_earlier_agent(resume, agent.deps, thread) if resume else item["agent_type"]
    parent = agent.profile or agent.deps.agents.find("build")
    profile = find_sendable_agent(agent.deps.agents, parent, name)
    child = ChildTask(
        agent=profile.name,
        task=item["task"],
        position=position,
        count=count,
        writes=_is_writer(profile, agent.deps),
    )
    if child["writes"] and profile.isolation == "worktree":
        child["isolated"] = True
    return {**child, "resume": resume} if resume else child


def _find_earlier_agent(sub_id: str, deps: Dependencies, thread: str) -> str:
    """Return the profile of a child that has ended; raises ToolError if there is none."""
    rows = open_sub_runs(deps).list_sub_runs(thread)
    agents = {row.sub_id: row.agent for row in rows if row.status in ENDED}
    if sub_id not in agents:
        raise ToolError(
            f"no agent `{sub_id}` has reported; there are: {', '.join(agents) or 'none'}"
        )
    return agents[sub_id]


def _is_writer(profile: AgentProfile, deps: Dependencies) -> bool:
    """Return whether a child may change anything in the thread's current mode."""
    only_reads = bool(deps.policy.plan) or deps.policy.mode == "read-only"
    return not only_reads and can_change(profile)
