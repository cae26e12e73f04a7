"""What is kept of imported options and messages: options that make a thread stricter, and the
metadata that is ours.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import ConfigDict, TypeAdapter, with_config
from typing_extensions import TypedDict

from ...config.errors import UsageError
from ...config.plan_files import PLANS
from ...nodes.options import FOR_ONE_MESSAGE, Options
from ...nodes.roles import RoleName
from ...tools.filesystem.plan_file import make_plan_path

_PLAN_FILE = re.compile(rf"{re.escape(PLANS)}/[\w-]{{1,80}}\.md")
_OUT = re.compile(r"^/|(^|/)\.\.(/|$)|\0")
_OF_INSTRUCTIONS = ("instructions", "instructions_left", "instructions_passed_over")
_OF_HUMANS = ("synthetic", "aside", "steered", "cards", "loop", "hides", *_OF_INSTRUCTIONS)


def filter_options(value: object, graph: str, request: str) -> Options:
    """Return the options to keep; raises UsageError if required ones are invalid.

    Approval mode, model, endpoint, `apply`, profile and the rest are chosen by the user who
    imports.
    """
    options = cast("dict[str, Any]", value) if isinstance(value, dict) else dict[str, Any]()
    safe: Options = {"mode": "read-only"} if options.get("mode") == "read-only" else {}
    if options.get("memory") is False:
        safe["memory"] = False
    if options.get("tests_for"):
        safe["tests_for"] = _validate_files([options["tests_for"]])[0]
    if graph == "edit":
        safe["files"] = _validate_files(options.get("files"))
    if graph == "chat":
        safe |= _filter_chat_options(options, request)
    return safe


def _filter_chat_options(options: Mapping[str, Any], request: str) -> Options:
    """Keep plan mode: a plan made under it expects that nothing changes."""
    if options.get("plan") is not True:
        return {"agent": "build", "speaker": "build", "plan": False}
    plan_file = str(options.get("plan_file"))
    fits = _PLAN_FILE.fullmatch(plan_file)
    return {
        "agent": "build",
        "speaker": "plan",
        "plan": True,
        "plan_file": plan_file if fits else make_plan_path(request, datetime.now()),
    }


def _validate_files(value: object) -> list[str]:
    """Validate the files that an edit may change: without them it could change any."""
    files = cast("list[object]", value) if isinstance(value, list) else []
    named = [file for file in files if isinstance(file, str) and file and not _OUT.search(file)]
    if not named or len(named) < len(files):
        raise UsageError("the thread has no list of files to edit", hint="it is damaged")
    return named


def find_dropped(options: Mapping[str, Any], safe: Mapping[str, Any]) -> list[str]:
    """Return the names of the user's options that are not kept."""
    lasting = Options.__annotations__.keys() - FOR_ONE_MESSAGE
    return sorted(name for name in lasting if options.get(name) and name not in safe)


@with_config(ConfigDict(extra="ignore", strict=True))
class _Marks(TypedDict, total=False):
    """Of `additional_kwargs`; its other keys are never read."""

    role: RoleName
    """The role whose conversation has it."""
    step: int
    """Number of the answer in the thread."""
    reasoning_content: str
    seen: dict[str, str]
    """Files that it shows or that were written, by path, with their content hash."""
    unchanged_since: str
    """ID of the call whose answer it refers to."""
    instructions: list[str]
    """Instruction files that it includes."""
    instructions_left: list[str]
    """Instruction files for which it had no room."""
    instructions_passed_over: list[str]
    """Instruction files that were not trusted."""
    skills: dict[str, str]
    """Skills that it has in full, and the hash of each."""
    cards: list[str]
    """Cards that it shows, by their short IDs."""
    synthetic: Literal[True]
    """The graph wrote it."""
    aside: Literal[True]
    """Side context of the user's message."""
    steered: Literal[True]
    """The user sent it while the model worked."""
    interrupted: Literal[True]
    """The answer was cut short."""
    tree: str
    """Snapshot of the files when the answer was given."""
    loop: int
    """How often the model has been told that it repeats itself."""
    hides: list[str]
    """IDs of messages that it is not sent any more."""
    told: Literal[True]
    """The model has been informed of the interruption."""


_MARKS = TypeAdapter(_Marks)


def check_marks(message: BaseMessage) -> None:
    """Raise ValueError for an invalid mark, or one where our nodes set none."""
    marks = _MARKS.validate_python(message.additional_kwargs)
    if not isinstance(message, HumanMessage) and any(name in marks for name in _OF_HUMANS):
        raise ValueError("a message has the marks of another kind")
    if "told" in marks and "interrupted" not in marks:
        raise ValueError("it mentions an interrupted answer that does not exist")
    if "interrupted" in marks and not _is_partial_answer(message):
        raise ValueError("the interrupted answer is not text")


def _is_partial_answer(message: BaseMessage) -> bool:
    is_answer = isinstance(message, AIMessage)
    return is_answer and not message.tool_calls and not message.invalid_tool_calls
