"""Options: what the user chose for a thread or for one message."""

import json
from collections.abc import Mapping
from difflib import get_close_matches
from math import inf
from typing import Any, Literal, cast, get_origin, get_type_hints

from typing_extensions import TypedDict

from ..config.arguments import describe_type, has_type
from ..config.errors import UsageError
from ..config.settings.schema import ApprovalMode
from ..config.text import text


class Options(TypedDict, total=False):
    """Choices that are stored with the thread, so that they survive a resume in another shell."""

    mode: ApprovalMode
    """Approval mode; absent: the configuration's."""
    model: str
    """`PROVIDER/MODEL`; absent: the configuration's."""
    served_model: str
    """`PROVIDER/MODEL` that the provider's server has; used where nobody named the model."""
    base_url: str
    """Endpoint of the model; absent: the provider's."""
    apply: bool
    """Keep the result without asking."""
    skip_tests: bool
    """End without evidence, as `unverified`."""
    files: list[str]
    """The only files that may be changed, by path relative to the project; absent: any."""
    backup: bool
    """Keep what a file held before it is overwritten; absent: as the configuration says."""
    plan: bool
    """A conversation is in plan mode: nothing but the plan may be written."""
    plan_file: str
    """The plan, by path relative to the project; chosen when plan mode begins."""
    agent: str
    """The profile that speaks in a conversation; absent: the mode's own, `build` or `plan`."""
    thinking: Literal["auto", "enabled", "disabled"]
    """`auto`, `enabled` or `disabled`; absent: as the configuration says."""
    effort: Literal["auto", "low", "medium", "high", "max"]
    """How much the model thinks: `auto`, `low`, `medium`, `high` or `max`; absent: likewise."""
    best_of: int
    """Attempts at a task, each in a worktree of its own, of which the best is kept; absent: one."""
    models: list[str]
    """`PROVIDER/MODEL` of each attempt, in turn; absent: `model`."""
    tests_for: str
    """The file that a task writes tests for, by path relative to the project; it can change test
    files only. Absent: an ordinary task."""
    workspace: str
    """`URL#COMMIT` of the repository whose clone the thread works in; absent: its folder."""
    memory: bool
    """False: the thread neither reads nor writes cards; absent: as the configuration says."""
    speaker: str
    """The profile that speaks this turn; each message chooses it again."""
    turn_model: str
    """`PROVIDER/MODEL` of this turn only; absent: `model`."""
    max_turns: int
    """Model turns that one message may take; absent: as the configuration says."""
    max_cost: float
    """US dollars that one message may cost; absent: any."""
    subagent: str
    """The profile that works as a sub-agent; only in the state of a child."""
    sender: str
    """The profile that sent it, whose limits apply, too."""
    schema: dict[str, Any]
    """JSON schema that the answer to one message must fit; absent: any words."""
    aside: list[str]
    """Side context of one message: what happened besides the conversation, or was piped to it."""
    goal: bool
    """One message is done only when the project's tests pass."""
    pr: Literal["ask", "yes"]
    """Open a pull request for the result of one message: `ask` first, or `yes`; absent: no."""
    mentioning: str
    """The part of one message that may mention files: what the user typed; absent: all of it."""


# Options that do not hold for later messages
FOR_ONE_MESSAGE = frozenset(
    {
        "speaker",
        "turn_model",
        "max_turns",
        "max_cost",
        "schema",
        "aside",
        "pr",
        "mentioning",
        "goal",
    }
)

# Options that only MaxAgent itself sets
INTERNAL = frozenset({"served_model", "speaker", "turn_model", "subagent", "sender", "tests_for"})

# What the values of these types are, for people
FORMS: dict[object, str] = {
    int: "a whole number above 0",
    float: "a number above 0",
    dict: "a JSON object",
}

# Options of one message that are not for the sub-agents that it sends
FOR_CHILDREN_NOT = frozenset({"max_turns", "max_cost", "schema", "aside", "mentioning", "goal"})


def select_lasting(options: Options) -> Options:
    """Select the options that hold for later messages."""
    lasting_options = {key: value for key, value in options.items() if key not in FOR_ONE_MESSAGE}
    return cast(Options, lasting_options)


def validate_options(options: Mapping[str, object]) -> None:
    """Raise UsageError for a name that no option has, or a value that it cannot have."""
    validate_option_names(options)
    for name, value in options.items():
        if value is not None and not _is_valid(name, value):
            raise UsageError(
                text("the option `{name}` cannot be {value}", name=name, value=repr(value)),
                hint=text("it is {form}", form=_describe_form(name)),
            )


def validate_option_names(options: Mapping[str, object]) -> None:
    """Raise UsageError for a name that no option has: what it should do would not happen."""
    unknown = next((name for name in options if name not in Options.__annotations__), None)
    if unknown is None:
        return
    close = get_close_matches(str(unknown), Options.__annotations__, n=1, cutoff=0.6)
    suggestion = text("did you mean `{name}`? ", name=close[0]) if close else ""
    raise UsageError(
        text("unknown option `{name}`", name=unknown),
        hint=text(
            "{suggestion}There are: {names}",
            suggestion=suggestion,
            names=", ".join(name for name in Options.__annotations__ if name not in INTERNAL),
        ),
    )


def _is_valid(name: str, value: object) -> bool:
    kind = get_type_hints(Options)[name]
    if value == "":  # not chosen
        return get_origin(kind) is Literal or kind is str
    if not has_type(value, kind):
        return False
    if kind in (int, float):
        return 0 < cast(float, value) < inf
    return name != "schema" or _is_json(value)


def _is_json(value: object) -> bool:
    try:
        return bool(json.dumps(value))
    except (TypeError, ValueError, RecursionError):
        return False


def _describe_form(name: str) -> str:
    kind = get_type_hints(Options)[name]
    return FORMS.get(get_origin(kind) or kind) or describe_type(kind)
