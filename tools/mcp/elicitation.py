"""Questions that a server of the old era asks while its call runs: only who is there can answer."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .input_request import Elicit, InputRequest
    from .tool_adapter import McpTool

# Shows a request, as in an interrupt, and returns the user's decision; None: they left it open
AskUser = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any] | None]]


@dataclass
class Elicitation:
    """Who answers meanwhile; a door sets `ask` if a user sits at it."""

    ask: AskUser | None = None

    def build_answerer(self, tool: "McpTool") -> "Elicit | None":
        """Return what answers the questions of a call of this tool; None: they are declined."""
        ask = self.ask
        if ask is None:
            return None
        from .input_request import InputAnswer
        from .questions import describe_question, read_decision

        async def answer(request: "InputRequest") -> InputAnswer:
            action, _ = describe_question(request, tool)
            decision = await ask(action)
            settled = read_decision(decision, request) if decision else None
            return settled or InputAnswer("cancel")

        return answer
