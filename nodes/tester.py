"""The tester: reviews a change whose tests pass, accepts or rejects it; or it writes tests."""

from typing import Literal

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from ..config.text import text
from .conversation.user_requests import is_request
from .events.progress import Notice
from .run.context import Context
from .run.emit import emit
from .run.message_history import build_role_message, iter_newest_first
from .run.modes import build_note
from .run.repair_rounds import send_back
from .run.snapshot_recorder import build_file_state, take_workspace_snapshot
from .state import State
from .testing.generation import build_brief
from .turn.model_turn import run_model_turn
from .turn.new_request import build_job_update
from .verdict import parse_verdict

REJECTED = "The tester rejected the change:\n\n{words}"
UNCLEAR = "Is the request met? Answer again, and begin with `ACCEPTED` or `REJECTED`."
# How often a tester without a verdict is asked for one
MAX_REMINDERS = 2
NO_VERDICT = (
    "The tester gave no verdict, so the change counts as rejected. Check it yourself. The tester "
    "wrote:\n\n{words}"
)
COUNTS_AS_REJECTED = "The tester gave no verdict, so the change counts as rejected"


async def run_tester(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["approve", "compact", "tester", "coder", "verify", "review"]]:
    """Run one model turn; an accepted change is tested again if the tester did more than read."""
    if state.get("options", {}).get("tests_for"):
        return await write_tests(state, runtime)
    turn = await run_model_turn(state, runtime, "tester")
    if turn.is_stopped:
        return Command(goto="review", update=turn.update)
    if turn.is_steered:
        return Command(goto="tester", update=turn.update)
    if turn.final_text is None:
        return Command(goto=turn.goto, update=turn.update)
    verdict = parse_verdict(turn.final_text)
    if verdict is None and _count_reminders(state) < MAX_REMINDERS:
        messages = [*turn.update.get("messages", []), build_note("tester", UNCLEAR)]
        return Command(goto="tester", update={**turn.update, "messages": messages})
    if verdict != "accepted":  # without a verdict nothing is accepted
        if verdict is None:
            emit(runtime, Notice(text(COUNTS_AS_REJECTED)))
        words = REJECTED if verdict else NO_VERDICT
        rejection = build_role_message("coder", words.format(words=turn.final_text))
        goto, update = await send_back(state, runtime, turn.update, rejection)
        return Command(goto=goto, update=update)
    deps = await runtime.context.open_dependencies(state)
    tree, evidence = (
        await take_workspace_snapshot(deps, runtime, state.get("tree", "")),
        state.get("evidence"),
    )
    proven = evidence is not None and evidence["tree"] == tree and state.get("proven", False)
    update = {**turn.update, **await build_file_state(deps, runtime, tree), "accepted": True}
    return Command(goto="review" if proven else "verify", update=update)


def _count_reminders(state: State) -> int:
    """Count how often the tester was reminded since it was last asked to judge a change."""
    reminders = 0
    for message in iter_newest_first(state, "tester"):
        if isinstance(message, HumanMessage) and message.text == UNCLEAR:
            reminders += 1
        elif is_request(message):
            break
    return reminders


async def write_tests(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["approve", "compact", "tester", "coder", "verify", "review"]]:
    """Run one model turn; complete tests go to the run that proves them."""
    brief = build_brief(state)
    if state.get("outcome"):
        return Command(goto="tester", update=build_job_update(state, "tester", brief))
    turn = await run_model_turn(state, runtime, "tester", handoff=brief)
    if turn.is_stopped:
        return Command(goto="review", update=turn.update)
    if turn.is_steered:
        return Command(goto="tester", update=turn.update)
    if turn.final_text is None:
        return Command(goto=turn.goto, update=turn.update)
    # a turn's end; most turns call tools
    from .hooks.turn_hooks import continue_turn
    from .turn.todo_notes import ask_for_open_todos

    if update := ask_for_open_todos(state, runtime, "tester", turn.update, turn.final_text):
        return Command(goto="tester", update=update)
    if update := await continue_turn(state, runtime, "tester", turn.update, turn.final_text):
        return Command(goto="tester", update=update)
    # nobody else judges them: the run and what was changed decide
    update = {**turn.update, "summary": turn.final_text, "accepted": True}
    return Command(goto="verify", update=update)
