"""The answer must fit the JSON schema that the user gave; else its speaker is told why not."""

import asyncio
import json
from typing import Literal

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from ..config.text import join_texts, text
from ..models.structured_output import FitResult, fit_answer
from .agent.context import Context
from .agent.emit import emit_event
from .agent.modes import build_note, get_mode
from .options import Options
from .state import State

# How often the speaker may try again
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
    """The answer's JSON ends the turn; one that does not fit goes back, a bounded number of times.

    What fits in no round ends as failed, with the last answer as it was said.
    """
    options, rounds = state.get("options", {}), state.get("rounds", 0)
    fitted = await asyncio.to_thread(
        fit_answer, state.get("summary", ""), options.get("schema", {})
    )
    if fitted.json:
        return Command(goto="__end__", update={"summary": fitted.json})
    faults = join_texts("; ", fitted.faults)
    if rounds < ROUNDS:
        emit_event(runtime, "notice", text=text(ASKED_AGAIN, faults=faults))
        mode = get_mode(options)
        again = {"messages": [build_note(mode, WRONG.format(faults=_format_faults(fitted)))]}
        return Command(goto=mode, update={**again, "rounds": rounds + 1, "outcome": None})
    emit_event(runtime, "notice", text=text(GIVEN_UP, faults=faults))
    return Command(goto="__end__", update={"outcome": "failed"})


def build_schema_note(options: Options) -> list[HumanMessage]:
    """What the model is told before the human's words, where a schema is given."""
    schema = options.get("schema")
    if not schema:
        return []
    text = WANTED.format(schema=json.dumps(schema, ensure_ascii=False))
    return [build_note(get_mode(options), text)]


def _format_faults(fitted: FitResult) -> str:
    return "\n".join(f"- {fault}" for fault in fitted.faults)
