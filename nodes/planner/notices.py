"""What the user is told of the tool planner."""

from ...config.text import text


def build_failure_notice(reason: str) -> str:
    """Return the notice that a request has no plan."""
    return text("the steps could not be planned: {reason}", reason=reason)
