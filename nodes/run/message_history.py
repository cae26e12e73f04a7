"""Each role's own conversation, selected from the one channel, and the roles' briefs."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from operator import is_
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from ...config.errors import MaxAgentError
from ...config.text import text
from ..conversation.cut import get_conversation
from ..conversation.view import build_view
from ..roles import CHAT_ROLES, RoleName
from ..state import State

FOREIGN = "it is damaged or was edited by hand; start a new one"
# Marks in `additional_kwargs`. Of a note: IDs of earlier messages that are not sent any more; how
# often the model was warned of a loop. Of an answer: the snapshot of the files when it was given
HIDES, LOOP, TREE = "hides", "loop", "tree"
_visible_cache: deque[tuple[list[AnyMessage], RoleName, list[AnyMessage]]] = deque(maxlen=8)
# compare the last messages too: after a read from disk they are other objects
_RECENT = 50


def select_conversation(state: State, role: RoleName) -> list[AnyMessage]:
    """Return a role's messages in order: its own, and in a chat the other mode's."""
    messages = state.get("messages", [])
    # a long conversation has thousands of messages: usually only the last few are new
    settled = messages[:-_RECENT]
    before, visible = _find_cached_prefix(settled, role)
    visible = _add_visible(visible, settled[len(before) :], role)
    _visible_cache.append((settled, role, visible))
    return _add_visible(visible, messages[-_RECENT:], role)


def _add_visible(
    visible: list[AnyMessage], later: list[AnyMessage], role: RoleName
) -> list[AnyMessage]:
    """Return the role's messages with later ones, less those that a note among these hides."""
    added = [message for message in later if _is_visible_to(message, role)]
    hidden = {name for message in added for name in message.additional_kwargs.get(HIDES, ())}
    together = [*visible, *added]
    return [message for message in together if message.id not in hidden] if hidden else together


def select_view(state: State, role: RoleName) -> list[AnyMessage]:
    """Return what a role's model is sent of its conversation."""
    cut = state.get("cuts", {}).get(get_conversation(role))
    return build_view(select_conversation(state, role), cut)


def _find_cached_prefix(
    messages: list[AnyMessage], role: RoleName
) -> tuple[list[AnyMessage], list[AnyMessage]]:
    """Return the longest prefix that was processed before, and its selected messages."""
    for cached_messages, by, visible in reversed(tuple(_visible_cache)):
        is_longer = by == role and len(cached_messages) <= len(messages)
        if is_longer and all(map(is_, cached_messages, messages)):
            return cached_messages, visible
    return [], []


def iter_newest_first(state: State, role: RoleName) -> Iterator[AnyMessage]:
    """Yield the role's messages from the last one back, for callers that need only a few."""
    return (
        message for message in reversed(state.get("messages", [])) if _is_visible_to(message, role)
    )


def build_role_message(role: RoleName, text: str) -> HumanMessage:
    """Build a message to a role from the user, the graph or another role."""
    return HumanMessage(text, id=f"brief-{uuid4().hex}", additional_kwargs={"role": role})


def build_tool_message(
    call_id: str,
    name: str,
    role: RoleName,
    text: str,
    *,
    ok: bool,
    seen: Mapping[str, str] | None = None,
    answered: bool = False,
) -> ToolMessage:
    """Build the answer to one tool call; its ID prevents a second answer to the same call.

    `seen` are the files that it showed or wrote, with their content hash. `answered`: the tool did
    not run, the user's text is its answer.
    """
    marks: dict[str, object] = {"seen": dict(seen)} if seen else {}
    if answered:
        marks["answered"] = True
    return ToolMessage(
        text,
        tool_call_id=call_id,
        name=name,
        status="success" if ok else "error",
        id=f"result-{call_id}",
        additional_kwargs={"role": role, **marks},
    )


def find_last_seen(state: State, paths: Iterable[str]) -> dict[str, str]:
    """Return the content hash of each of these files as the thread last saw it."""
    remaining_paths, digests = set(paths), dict[str, str]()
    for message in reversed(state.get("messages", [])):
        seen = message.additional_kwargs.get("seen", {})
        digests |= {path: digest for path, digest in seen.items() if path in remaining_paths}
        remaining_paths -= digests.keys()
        if not remaining_paths:
            break
    return digests


def find_last_answer(state: State, role: RoleName) -> AIMessage:
    """Return the role's last model answer; raises MaxAgentError if there is none."""
    for message in reversed(state.get("messages", [])):
        if isinstance(message, AIMessage) and _is_visible_to(message, role):
            return message
    raise MaxAgentError(text("this thread has no answer of `{role}`", role=role), hint=FOREIGN)


def find_final_text(state: State, role: RoleName) -> str | None:
    """Return the role's final text: an answer without calls, or `attempt_completion`; else None.

    A completion next to a failed call does not count: the role has not read that result yet.
    """
    results: list[ToolMessage] = []
    for message in reversed(state.get("messages", [])):
        if not _is_visible_to(message, role) or isinstance(message, HumanMessage):
            return None
        if isinstance(message, AIMessage):
            return _get_final_text(message, results, state.get("completion", ""))
        if isinstance(message, ToolMessage):
            results.append(message)
    return None


def is_tool_answer(state: State, role: RoleName) -> bool:
    """Return whether the role's final text is that of `attempt_completion`."""
    return isinstance(next(iter_newest_first(state, role), None), ToolMessage)


def _is_visible_to(message: AnyMessage, role: RoleName) -> bool:
    more = message.additional_kwargs
    if more.get("interrupted") and not more.get("told"):
        return False
    speaker = more.get("role")
    return speaker == role or (role in CHAT_ROLES and speaker in CHAT_ROLES)


def _get_final_text(answer: AIMessage, results: list[ToolMessage], completion: str) -> str | None:
    if not (answer.tool_calls or answer.invalid_tool_calls):
        return str(answer.text)
    completed = any(result.name == "attempt_completion" for result in results)
    return completion if completed and all(r.status == "success" for r in results) else None
