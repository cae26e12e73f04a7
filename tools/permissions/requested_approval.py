"""A command that the model itself wants approved: `requires_approval: true` beside it."""

from collections.abc import Mapping

from ...config.settings.schema import ApprovalMode
from ...config.text import text

NAME = "requiresapproval"


def explain_request(tool: str, args: Mapping[str, object], mode: ApprovalMode) -> str:
    """Return why a call is asked that would run unasked; empty if the model does not want it.

    `args` are the arguments as the model wrote them. In `read-only` nothing has an effect; false
    never allows anything.
    """
    if tool != "run_command" or mode == "read-only":
        return ""
    flag_values = (value for name, value in args.items() if name.replace("_", "").lower() == NAME)
    if not any(str(value).strip().lower() == "true" for value in flag_values):
        return ""
    return text("the model wants your approval of this command")
