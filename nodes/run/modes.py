"""The two modes of a conversation: their announcements to the model, and their agents.

The mode is the thread's `Options.plan`, with the path of its one plan (`nodes/run/modes.py`).
Dependencies that are opened for it have a policy with that plan, and `restrict_by_plan_mode` in
`tools/permissions/restrictions.py` denies everything with an effect except writing exactly that
file, for every agent and in every approval mode. Plans are kept out of the snapshots, so the tree
stays the same.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Literal

from langchain_core.messages import AIMessage, HumanMessage

from ...tools.builtin.session.plan_mode import LEADS_TO
from ..options import Options
from ..roles import RoleName
from ..state import State
from .message_history import build_role_message

ChatMode = Literal["build", "plan"]
MODES: tuple[ChatMode, ChatMode] = ("build", "plan")
TEST_WRITER = "test-writer"
PLANNING = (
    "You are the agent `{speaker}` now, in plan mode. Nothing in the project may change; only the "
    "plan, `{plan_file}`, may be written. Commands that only read run. When the plan is complete, "
    "call plan_exit, and nothing else beside it."
)
BUILDING = "You are the agent `{speaker}` now, in build mode: files may be changed, commands run."
# Of an agent that is not the mode's own: it may have no tool that writes or runs anything
NAMED_PLANNING = (
    "You are the agent `{speaker}` now, in plan mode: nothing in the project may change. Tools of "
    "yours that write may write only the plan, `{plan_file}`."
)
NAMED_BUILDING = (
    "You are the agent `{speaker}` now, in build mode: your prompt and your tools say what you can "
    "do."
)
REMINDER = "(Plan mode: only `{plan_file}` may be written.)"


def get_mode(options: Options) -> ChatMode:
    """Return the mode that these options mean."""
    return "plan" if options.get("plan") else "build"


def apply_choice(options: Options, agent: str) -> Options:
    """Apply the user's choice of agent; choosing a mode's agent sets the mode."""
    named = agent or options.get("agent", "")
    if named not in MODES:
        return {**options, "speaker": agent}
    planning = agent == "plan" or options.get("plan", named == "plan")
    return {**options, "agent": "build", "plan": planning, "speaker": ""}


def settle_options(options: Options, request: str, now: datetime) -> Options:
    """Return the options of a turn: its agent is chosen, and in plan mode the plan has a file."""
    mode = get_mode(options)
    chosen: Options = {**options, "plan": mode == "plan", "speaker": choose_next_agent(options)}
    if mode == "plan" and not options.get("plan_file"):
        from ...tools.filesystem.plan_file import make_plan_path

        chosen["plan_file"] = make_plan_path(request, now)
    return chosen


def choose_next_agent(options: Options) -> str:
    """Return the next profile to run: the named one, or the mode's own."""
    named = options.get("speaker") or options.get("agent", "")
    return named if named not in ("", *MODES) else get_mode(options)


def switch_options(options: Options, mode: ChatMode, request: str, now: datetime) -> Options:
    """Return the options after a change of mode; the mode's own agent runs from here on."""
    changed_options: Options = {**options, "plan": mode == "plan", "speaker": mode, "plan_file": ""}
    return settle_options(changed_options, request, now)


def get_active_agent(options: Options, role: RoleName) -> str:
    """Return the profile that runs as this role; a tester that writes tests has one of its own."""
    own = TEST_WRITER if role == "tester" and options.get("tests_for") else role
    return options.get("subagent") or options.get("speaker") or own


def to_announced_mode(options: Options) -> list[str]:
    """Return mode and agent as the state stores them after their announcement."""
    return [get_mode(options), options.get("speaker", "")]


def read_announced_mode(state: State) -> Options:
    """Return the mode and agent last announced to the model."""
    mode, speaker = state.get("told") or ("build", "build")
    return {"plan": mode == "plan", "speaker": speaker}


def is_switch_proposal(answer: AIMessage, tools: Collection[str]) -> bool:
    """Return whether the answer is one proposal, by a tool that the agent has, and nothing else."""
    names = [call["name"] for call in answer.tool_calls]
    return len(names) == 1 and not answer.invalid_tool_calls and names[0] in {*LEADS_TO} & {*tools}


def format_announcement(options: Options) -> str:
    """Return the message that announces agent and mode to the model."""
    of_mode = options.get("speaker") in ("", None, *MODES)
    planning, building = (PLANNING, BUILDING) if of_mode else (NAMED_PLANNING, NAMED_BUILDING)
    words = planning if options.get("plan") else building
    return words.format(speaker=options.get("speaker"), plan_file=options.get("plan_file"))


def build_mode_notes(options: Options, before: Options, role: RoleName) -> list[HumanMessage]:
    """Return notes for the user's message: the mode changed, or a reminder."""
    new = (options.get("plan", False), options.get("speaker"))
    old = (before.get("plan", False), before.get("speaker", "build"))
    if new != old:
        return [build_note(role, format_announcement(options))]
    if options.get("plan"):
        return [build_note(role, REMINDER.format(plan_file=options.get("plan_file")))]
    return []


def build_note(role: RoleName, text: str) -> HumanMessage:
    """Build a message by the graph itself, not by the user."""
    note = build_role_message(role, text)
    note.additional_kwargs["synthetic"] = True
    return note


def build_side_context(role: RoleName, text: str) -> HumanMessage:
    """Build a message about an event outside the conversation; a transcript shows it as such."""
    note = build_note(role, text)
    note.additional_kwargs["aside"] = True
    return note
