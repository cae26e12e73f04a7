"""The end of a run for the messages that were sent during it: which of them the thread has."""

from typing import Any

from langgraph.graph.state import CompiledStateGraph

from ..nodes.messages.steering import SteeringQueue


async def settle_steering(
    queue: SteeringQueue, graph: CompiledStateGraph[Any, Any, Any, Any], thread: str
) -> None:
    """Close the queue; what the run took without keeping it waits again."""
    message_ids: set[str] = set()
    if queue.has_unconfirmed(thread):  # seldom: the state of a long thread takes a while to read
        state = await graph.aget_state({"configurable": {"thread_id": thread}})
        message_ids = {str(message.id) for message in state.values.get("messages", [])}
    queue.end_run(thread, message_ids)
