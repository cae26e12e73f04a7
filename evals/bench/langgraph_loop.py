"""A bare agent on LangGraph that keeps its thread: `langgraph_loop.py URL FOLDER DB [--resume]`.

The least that does what MaxAgent must: a saver on the disk at every step, messages that grow the
database linearly, a chat model of 30 lines and one tool. It shows nothing and checks nothing.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import httpx
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import _messages_delta_reducer
from lean_client import REQUEST, SYSTEM, read_file, turn
from pydantic import ConfigDict
from typing_extensions import TypedDict

CONFIG = {"configurable": {"thread_id": "bench"}}


class LeanModel(BaseChatModel):
    """Asks over httpx; converts only what this loop uses."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    client: httpx.AsyncClient
    url: str

    @property
    def _llm_type(self) -> str:
        return "lean"

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError

    async def _agenerate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatResult:
        answer = await turn(self.client, self.url, [_sent(message) for message in messages])
        calls = [
            {
                "id": call["id"],
                "name": call["function"]["name"],
                "args": json.loads(call["function"]["arguments"]),
            }
            for call in answer["tool_calls"]
        ]
        message = AIMessage(answer["content"], tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


def _sent(message: AnyMessage) -> dict[str, Any]:
    if isinstance(message, AIMessage):
        calls = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": json.dumps(call["args"])},
            }
            for call in message.tool_calls
        ]
        return {"role": "assistant", "content": message.content, "tool_calls": calls}
    if isinstance(message, ToolMessage):
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    role = "system" if isinstance(message, SystemMessage) else "user"
    return {"role": role, "content": message.content}


class State(TypedDict):
    messages: Annotated[list[AnyMessage], DeltaChannel(_messages_delta_reducer)]


def build(model: LeanModel, folder: Path) -> StateGraph:
    async def ask(state: State) -> dict[str, Any]:
        system = SystemMessage(SYSTEM["content"])
        return {"messages": [await model.ainvoke([system, *state["messages"]])]}

    async def tools(state: State) -> dict[str, Any]:
        calls = state["messages"][-1].tool_calls
        texts = [read_file(folder, json.dumps(call["args"])) for call in calls]
        answers = zip(calls, texts, strict=True)
        return {"messages": [ToolMessage(text, tool_call_id=call["id"]) for call, text in answers]}

    builder = StateGraph(State)
    builder.add_node("ask", ask)
    builder.add_node("tools", tools)
    builder.add_edge(START, "ask")
    builder.add_conditional_edges(
        "ask", lambda state: "tools" if state["messages"][-1].tool_calls else END, ["tools", END]
    )
    builder.add_edge("tools", "ask")
    return builder


async def main(url: str, folder: Path, database: str, *flags: str) -> None:
    """Start the thread, or go on with it."""
    given = None if flags else {"messages": [HumanMessage(REQUEST["content"])]}
    async with (
        httpx.AsyncClient() as client,
        AsyncSqliteSaver.from_conn_string(database) as saver,
    ):
        graph = build(LeanModel(client=client, url=url), folder).compile(checkpointer=saver)
        async for _ in graph.astream(given, CONFIG, stream_mode="updates", durability="sync"):
            pass


try:
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]))
except httpx.HTTPStatusError as refused:
    sys.exit(str(refused))
