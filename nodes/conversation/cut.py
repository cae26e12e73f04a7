"""Cuts: what a model is no longer sent of a conversation. The messages themselves stay."""

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from ..roles import CHAT_ROLES, RoleName

CHAT = "chat"
CompactionReason = Literal["limit", "overflow", "user"]


class Cut(TypedDict):
    """What a conversation's view leaves out, and what stands for it."""

    id: str
    """Random, 32 hexadecimal digits."""
    upto: str
    """ID of the last message that is not sent; empty: all are sent."""
    summary: str
    """The note that stands for what is not sent, with the facts of the state at that time."""
    kept: list[str]
    """IDs of the user's own messages before that are sent nevertheless, in order."""
    request: str
    """ID of the user's newest message, if it is among those: it is sent after the summary."""
    references: dict[str, str]
    """Message of the user that is too long to be sent -> ID of the stored output that has it."""
    pruned: list[str]
    """IDs of messages sent as stubs: one line for a result, shortened arguments for calls."""
    skills: NotRequired[list[str]]
    """IDs of messages before that with skills, which are sent nevertheless, in order."""
    made_by: str
    """`PROVIDER/MODEL` that wrote the summary; `bridge`: no model; `prune`: there is none."""
    before: int
    """Tokens of the view before."""
    after: int
    """Estimated tokens of the view after."""
    scale: float
    """Reported tokens per estimated token when the cut was made."""
    step: int
    """Model turns of the thread when the cut was made; later answers report the new view."""


class CompactionRequest(TypedDict):
    """Why a role's view must become smaller before its next request."""

    role: RoleName
    reason: CompactionReason
    """`limit`: the view is too large; `overflow`: the model refused it; `user`: `/compact`."""
    focus: str
    """What the user wants the summary to keep."""
    tokens: int
    """Measured tokens of the view; 0: unknown."""
    attempt: int
    """Number of the attempt, from 1."""


def get_conversation(role: RoleName) -> str:
    """Return the conversation that a role takes part in: `build` and `plan` share one."""
    return CHAT if role in CHAT_ROLES else role


def merge_cuts(
    state: Mapping[str, Cut], writes: Sequence[Mapping[str, Cut | None]]
) -> dict[str, Cut]:
    """Keep each conversation's last cut; None removes it."""
    merged: dict[str, Cut | None] = {**state}
    for write in writes:
        merged |= write
    return {conversation: cut for conversation, cut in merged.items() if cut}
