"""Whether a request begins otherwise than the last one, so that the provider's cache misses it."""

from collections.abc import Sequence
from typing import Literal

from langchain_core.messages import AIMessage, AnyMessage

from ...models.replay import MADE_BY
from ..roles import RoleName

ResetReason = Literal["", "model", "tools"]


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
