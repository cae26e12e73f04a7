"""The one place that decides whether a tool call is allowed, asked or denied.

Every restriction checks every call and the strictest answer wins; if a check fails, the user is
asked. Only a call that no restriction stops may be allowed: because it only reads, by a rule of the
user, or by the mode. An edit is also asked if a command that runs after it must be asked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from ...config.settings.policy_file import load_managed_policy
from ...config.text import text
from ..workspace import Workspace
from .call import RequestedCall
from .decision import Decision, Verdict
from .grants import grant
from .policy import Policy
from .post_edit_commands import find_all_checks
from .restrictions import RESTRICTIONS

if TYPE_CHECKING:
    from ..definition import Effect

Found = TypeVar("Found", bound=Decision | None)

_STRICTNESS: dict[Verdict, int] = {"allow": 0, "ask": 1, "deny": 2}


def evaluate_call(
    tool_name: str,
    effect: "Effect",
    args: Mapping[str, object],
    paths: Sequence[str],
    workspace: Workspace,
    policy: Policy,
    server: str = "",
) -> Decision:
    """Decide one call; `paths` are all paths in its arguments, `server` the MCP server's name."""
    managed = load_managed_policy()
    if managed:
        policy = replace(policy, mode=managed.limit_mode(policy.mode))
    own_server = policy.mcp_servers.get(server)
    call = RequestedCall(
        tool_name,
        effect,
        args,
        paths,
        workspace,
        policy.servers,
        own_server,
        policy.mcp_servers,
    )
    restrictions = [
        restriction for check in RESTRICTIONS if (restriction := _run_check(check, call, policy))
    ]
    if restrictions:
        decision = max(restrictions, key=lambda candidate: _STRICTNESS[candidate.verdict])
    else:
        decision = _run_check(grant, call, policy)
    return _with_checks(decision, call, policy)


def evaluate_check(command: str, workspace: Workspace, policy: Policy) -> Decision:
    """Decide a command that runs after an edit, as if the model had called `run_command`."""
    guards = None if policy.only else policy.safeguards  # it may change more than the agent's files
    plain = replace(policy, scope=(), only=(), tests_only=False, after_edit={})
    plain = replace(plain, safeguards=guards)
    return evaluate_call("run_command", "execute", {"command": command}, (), workspace, plain)


def _run_check(
    check: Callable[[RequestedCall, Policy], Found], call: RequestedCall, policy: Policy
) -> Found | Decision:
    try:
        return check(call, policy)
    except Exception as error:
        return Decision(
            "ask",
            text("this call could not be checked: {name}", name=type(error).__name__),
            "error",
        )


def _with_checks(decision: Decision, call: RequestedCall, policy: Policy) -> Decision:
    """Combine an edit's decision with those on the commands that run after it, without denied ones.

    A user who approves the edit approves the commands, so the reason names all of them.
    """
    if call.effect != "edit" or decision.verdict == "deny" or decision.rule == "error":
        return decision
    commands = find_all_checks(policy.after_edit, call.files)
    verdicts = {
        command: evaluate_check(command, call.workspace, policy).verdict for command in commands
    }
    runs = tuple(command for command, verdict in verdicts.items() if verdict != "deny")
    asked = "ask" in verdicts.values()
    if not runs or not (asked or decision.verdict == "ask"):
        return replace(decision, commands=runs)
    first = decision.reason if decision.verdict == "ask" else "it changes files"
    named = ", ".join(f"`{command}`" for command in runs)
    rule = decision.rule if decision.verdict == "ask" else "after_edit"
    reason = "{first}; after it runs {named}"
    if asked:
        reason = "{first}; after it runs {named} (an `allow` rule lets them run unasked)"
    return Decision("ask", text(reason, first=first, named=named), rule, runs)
