import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command
from typing_extensions import TypedDict

from maxagent.nodes.run.interrupts import request_answer

THREAD = {"configurable": {"thread_id": "t"}}


class Said(TypedDict, total=False):
    said: str


def asking(after):
    """A graph of one step that asks for a word, then does what `after` does."""

    async def ask(state: Said) -> Said:
        word = request_answer(
            {"ask": 1}, lambda answer: answer if answer in ("yes", "no") else None
        )
        after(word)
        return {"said": word}

    builder = StateGraph(Said)
    builder.add_node("ask", ask)
    builder.add_edge(START, "ask")
    return builder.compile(checkpointer=InMemorySaver())


async def answer(graph, word):
    [waiting] = (await graph.aget_state(THREAD)).interrupts
    return await graph.ainvoke(Command(resume={waiting.id: word}), THREAD)


async def test_mismatched_answer_is_asked_for_again():
    graph = asking(lambda word: None)
    await graph.ainvoke({}, THREAD)
    await answer(graph, "maybe")
    await answer(graph, "perhaps")
    assert (await answer(graph, "yes"))["said"] == "yes"


async def test_newest_answer_counts_after_step_failed():
    events = []

    def die_at_first(word):
        events.append(word)
        if len(events) == 1:
            raise OSError("the disk is full")

    graph = asking(die_at_first)
    await graph.ainvoke({}, THREAD)
    with pytest.raises(OSError):
        await answer(graph, "yes")
    assert (await answer(graph, "no"))["said"] == "no"
    assert events == ["yes", "no"]
