"""Check of an answer against the user's JSON schema, with retries."""

import asyncio
import json
from typing import Literal

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from ..config.text import join_texts, text
from ..models.structured_output import FitResult, fit_answer
from .events.progress import Notice
from .options import Options
from .run.context import Context
from .run.emit import emit
from .run.modes import build_note, get_mode
from .state import State

# How often the model may try again
ROUNDS = 2
WANTED = """The answer to what follows is read by a program: when you are done, answer with JSON \
and nothing else, without prose around it. It has to be valid by this JSON schema:

{schema}"""
WRONG = """Your answer is not what the program can read:

{faults}

Give the whole answer again: only JSON that is valid by the schema, nothing else."""
ASKED_AGAIN = "The answer does not fit the schema, the model is asked again: {faults}"
GIVEN_UP = "No answer fits the schema, so the turn has failed; the last one: {faults}"


async def fit_schema(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["build", "plan", "__end__"]]:
    """End the turn with the answer's JSON, or send the answer back, a limited number of times.

    If no answer fits, the turn fails with the last answer unchanged.
    """
    options, rounds = state.get("options", {}), state.get("rounds", 0)
    fitted = await asyncio.to_thread(
        fit_answer, state.get("summary", ""), options.get("schema", {})
    )
    if fitted.json:
        return Command(goto="__end__", update={"summary": fitted.json})
    faults = join_texts("; ", fitted.faults)
    if rounds < ROUNDS:
        emit(runtime, Notice(text(ASKED_AGAIN, faults=faults)))
        mode = get_mode(options)
        again = {"messages": [build_note(mode, WRONG.format(faults=_format_faults(fitted)))]}
        return Command(goto=mode, update={**again, "rounds": rounds + 1, "outcome": None})
    emit(runtime, Notice(text(GIVEN_UP, faults=faults)))
    return Command(goto="__end__", update={"outcome": "failed"})


def build_schema_note(options: Options) -> list[HumanMessage]:
    """Return the note about the schema that precedes the user's message, if there is a schema."""
    schema = options.get("schema")
    if not schema:
        return []
    text = WANTED.format(schema=json.dumps(schema, ensure_ascii=False))
    return [build_note(get_mode(options), text)]


def _format_faults(fitted: FitResult) -> str:
    return "\n".join(f"- {fault}" for fault in fitted.faults)
