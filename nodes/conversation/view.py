"""The view of a conversation: the messages that a model is sent of it."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from ...models.replay import MADE_BY
from ..roles import RoleName
from .cut import Cut
from .token_estimate import estimate_tokens

LEFT_OUT = "The messages before this one are left out."
# the message has the user's role: a summary may repeat orders of files and pages
LABEL = (
    "[A note on the conversation so far, in place of messages that are left out. It is no message "
    "of the user.]\n\n{summary}"
)
SKILLS_LABEL = "[Skills that were loaded before. They still hold. It is no message of the user.]"
# Cuts whose unchanging part is kept in memory
_MAX_CUTS = 16
ResetReason = Literal["", "model", "tools"]


@dataclass(frozen=True)
class _Head:
    """What a cut puts before the tail, and in place of messages of the tail."""

    cut: Cut
    messages: list[AnyMessage]
    replaced: Mapping[str, AnyMessage]


_heads: OrderedDict[str, _Head] = OrderedDict()


def build_view(messages: Sequence[AnyMessage], cut: Cut | None) -> list[AnyMessage]:
    """Return what a model is sent of a conversation's messages (pure).

    The user's earlier messages, the summary, the newest one if it is hidden, and everything after
    the cut, with stubs for what was pruned. The same message gives the same object each time, since
    its JSON is cached by object.
    """
    if not cut:
        return [*messages]
    start = find_tail(messages, cut)
    if start is None:
        return [*messages]
    head = _get_head(messages, start, cut)
    replaced = head.replaced
    tail = messages[start:]
    if replaced:
        tail = [replaced.get(str(message.id), message) for message in tail]
    return [*head.messages, *tail]


def find_tail(messages: Sequence[AnyMessage], cut: Cut | None) -> int | None:
    """Return the index of the first message after the cut; None if the cut is of other messages."""
    if not cut or not cut["upto"]:
        return 0
    # from the end: what is hidden may be long
    for at in range(len(messages) - 1, -1, -1):
        if messages[at].id == cut["upto"]:
            return at + 1
    return None


def estimate_view(messages: Sequence[AnyMessage], cut: Cut) -> int:
    """Return the estimated, scaled tokens of the view with this cut, without what precedes it."""
    return round(estimate_tokens(build_view(messages, cut)) * cut["scale"])


def _get_head(messages: Sequence[AnyMessage], start: int, cut: Cut) -> _Head:
    head = _heads.get(cut["id"])
    if head is None or head.cut != cut:
        head = _Head(
            cut,
            _build_head(messages, start, cut) if cut["upto"] else [],
            _build_replaced(messages[start:], cut),
        )
        _heads[cut["id"]] = head
        while len(_heads) > _MAX_CUTS:
            _heads.popitem(last=False)
    return head


def _build_head(messages: Sequence[AnyMessage], start: int, cut: Cut) -> list[AnyMessage]:
    """Return the earlier requests, the summary, and the newest request if it is hidden."""
    from .user_requests import DONE, EARLIER, find_done_requests, render_request

    hidden = messages[:start]
    skills, references = cut.get("skills", []), cut["references"]
    message_ids = {*cut["kept"], cut["request"], *skills}
    by_id = {str(message.id): message for message in hidden if message.id in message_ids}
    # the answer to a hidden request may follow the cut; the next request came before the cut
    done = find_done_requests(messages)
    earlier = [
        render_request(by_id[name], references, DONE if name in done else EARLIER)
        for name in cut["kept"]
        if name in by_id and name != cut["request"]
    ]
    newest = by_id.get(cut["request"])
    return [
        *earlier,
        HumanMessage(
            LABEL.replace("{summary}", cut["summary"]) if cut["summary"].strip() else LEFT_OUT,
            id=f"summary-{cut['id']}",
            additional_kwargs={"synthetic": True},
        ),
        *_build_skills(cut, [by_id[name] for name in skills if name in by_id]),
        *([render_request(newest, references)] if newest else []),
    ]


def _build_skills(cut: Cut, loaded: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return the message with the skills of hidden messages; none without any."""
    if not loaded:
        return []
    from .loaded_skills import SKILLS, find_loaded_skills

    texts = [SKILLS_LABEL, *(str(message.text) for message in loaded)]
    marks = {"synthetic": True, SKILLS: find_loaded_skills(loaded)}
    return [
        HumanMessage("\n\n".join(texts), id=f"skills-{cut['id']}", additional_kwargs=marks),
    ]


def _build_replaced(tail: Sequence[AnyMessage], cut: Cut) -> dict[str, AnyMessage]:
    """Return what is sent in place of messages after the cut."""
    from .stubs import build_stubs
    from .user_requests import render_request

    references = cut["references"]
    long = [message for message in tail if message.id in references]
    return {
        **build_stubs(tail, {*cut["pruned"]}),
        **{str(message.id): render_request(message, references) for message in long},
    }


def find_reset_reason(view: Sequence[AnyMessage], model: str, role: RoleName) -> ResetReason:
    """Return why; empty if the same model answered last, in the same role.

    Another role, such as the other mode of a conversation, has another system prompt and tools.
    """
    last = next((each for each in reversed(view) if isinstance(each, AIMessage)), None)
    if last is None:
        return ""
    marks = last.additional_kwargs
    if marks.get(MADE_BY, model) != model:
        return "model"
    return "tools" if marks.get("role", role) != role else ""
