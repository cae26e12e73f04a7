"""The node `compact`: shortens what a model is sent of its conversation, if that is needed."""

from langgraph.graph import END
from langgraph.runtime import Runtime
from langgraph.types import Command

from .compaction.request import open_compaction
from .run.context import Context
from .run.modes import get_mode
from .state import State


async def compact(state: State, runtime: Runtime[Context]) -> Command[str]:
    """Make the next cut, and go to the role that asked; a kill repeats only the summary.

    In a conversation it is also the way from the user's message to the mode. The thread's messages
    are not changed.
    """
    asked = state.get("compaction")
    role = asked["role"] if asked else get_mode(state.get("options", {}))
    is_over = asked is not None and asked["reason"] == "user" and state.get("outcome")
    goto = END if is_over else role
    compaction = await open_compaction(state, runtime, role)
    if compaction is None:
        return Command(goto=goto)
    from .compaction.new_cut import compact_view

    return Command(goto=goto, update=await compact_view(compaction))
