import pytest

from maxagent.config.settings.schema import ApprovalMode
from maxagent.tools.permissions.requested_approval import explain_request

WANTED = {"command": "make", "requires_approval": True}


@pytest.mark.parametrize(
    ("tool", "args", "mode", "is_asked"),
    [
        ("run_command", WANTED, "auto", True),
        ("run_command", WANTED, "edits", True),
        ("run_command", WANTED, "ask", True),
        ("run_command", WANTED, "read-only", False),
        ("read_file", WANTED, "auto", False),
        ("run_command", {"requires_approval": "true"}, "auto", True),
        ("run_command", {"requiresApproval": True}, "auto", True),
        ("run_command", {"requires_approval": False}, "auto", False),
        ("run_command", {"requires_approval": "no"}, "auto", False),
        ("run_command", {"requires_approval": None}, "auto", False),
        ("run_command", {"command": "make"}, "auto", False),
    ],
)
def test_only_true_of_a_command_asks(
    tool: str, args: dict[str, object], mode: ApprovalMode, is_asked: bool
) -> None:
    assert bool(explain_request(tool, args, mode)) is is_asked
