"""One compaction: whether it is asked for or needed, and what is known before it."""

from dataclasses import dataclass

from langchain_core.messages import AnyMessage
from langgraph.runtime import Runtime

from ..conversation.budget import Budget
from ..conversation.cut import CompactionRequest, Cut
from ..conversation.token_estimate import TokenCount, count_used
from ..conversation.view import build_view
from ..roles import RoleName
from ..run.agent import Agent, load_agent
from ..run.context import Context
from ..run.message_history import select_conversation
from ..state import State
from ..turn.size_check import find_budget, find_cut

# A compaction so many model turns after another one does not help: the window is full of the rest
THRASH_TURNS = 5


@dataclass(frozen=True)
class Compaction:
    """One compaction: what is known before it."""

    state: State
    runtime: Runtime[Context]
    agent: Agent
    role: RoleName
    asked: CompactionRequest
    messages: list[AnyMessage]
    cut: Cut | None
    budget: Budget
    count: TokenCount

    @property
    def tokens(self) -> int:
        """Return the size of the request before."""
        return max(self.count.used, self.asked["tokens"])

    @property
    def turns_since(self) -> int:
        """Return the model turns since the last cut; many if there is none."""
        before = self.cut["step"] if self.cut else -THRASH_TURNS
        return self.state.get("steps", 0) - before


async def open_compaction(
    state: State, runtime: Runtime[Context], role: RoleName
) -> Compaction | None:
    """Return the compaction that is asked for, or needed; None if the view fits."""
    agent = await load_agent(role, state, runtime.context, state.get("fallback", ""))
    messages, cut = select_conversation(state, role), find_cut(state, role)
    budget = find_budget(state, agent)
    count = count_used(build_view(messages, cut), cut, budget.fixed)
    asked = state.get("compaction")
    if asked is None:
        if budget.fits(count) or not agent.deps.settings.context.auto_compact:
            return None
        asked = CompactionRequest(role=role, reason="limit", focus="", tokens=count.used, attempt=1)
    return Compaction(state, runtime, agent, role, asked, messages, cut, budget, count)
