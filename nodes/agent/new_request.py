"""A new request on a thread that had ended, as Studio allows: the conversation is kept."""

from typing import Any

from ..roles import RoleName
from ..state import State
from .message_history import build_role_message


def build_job_update(state: State, role: RoleName, handoff: str) -> dict[str, Any]:
    """Return the state changes for a job that starts with this role and this message."""
    message = build_role_message(role, handoff)
    return {
        "messages": [message],
        "message_id": message.id,
        "role": role,
        "steps_allowed": 0,
        "cost_allowed": 0.0,
        "turn": state.get("turn", 1) + 1,
        "thinking": None,
        "since": state.get("file_entry", 0),
        "queue": [],
        "summary": "",
        "evidence": None,
        "accepted": False,
        "kept": False,
        "rounds": 0,
        "outcome": None,
        **({"fallback": ""} if state.get("fallback") else {}),
    }
