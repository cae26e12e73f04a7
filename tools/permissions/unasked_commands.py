"""Commands with an effect that run unasked in the mode `edits`: confined, or undoable."""

import os

from ...config.text import text
from .call import RequestedCall
from .decision import Decision
from .policy import Policy, Safeguards

# The rule that allows a command in the sandbox without a question
CONFINED = "confined"
# The rule that allows a command that changes only files which undo can restore
COVERED = "covered"
# The rule that asks for a command that cannot work in the sandbox
NEEDS_OUTSIDE = "needs-outside"
_NEEDS = {
    "network": "`{program}` needs the network; the sandbox has none",
    "machine": ("`{program}` needs processes or services of this machine; the sandbox hides them"),
}


def evaluate_unasked(call: RequestedCall, policy: Policy) -> Decision | None:
    """Allow a command in `edits`, or ask if the sandbox would stop it; None to ask as usual."""
    guards = policy.safeguards
    if policy.mode != "edits" or guards is None or not call.command:
        return None
    effects = call.effects
    if effects.need == "network" and guards.network:
        return None  # it works in the sandbox, but nothing limits what it sends
    if guards.sandboxed and effects.need:
        reason = text(_NEEDS[effects.need], program=effects.needed_by)
        return Decision("ask", reason, NEEDS_OUTSIDE)
    if find_objection(call, policy):
        return None
    if guards.sandboxed:
        return Decision("allow", "it runs inside the sandbox", CONFINED)
    if not effects.more and not call.is_background:
        return Decision("allow", "undo can restore everything it changes", COVERED)
    return None


def find_objection(call: RequestedCall, policy: Policy) -> str:
    """Explain why a command with an effect is asked in `edits`; empty if it may run unasked."""
    return (
        find_loss(call, policy)
        or _find_limit(call, policy)
        or _find_open_network(call, policy.safeguards)
    )


def _find_limit(call: RequestedCall, policy: Policy) -> str:
    """Return the file rule that a command matches or may match: it applies as for edits."""
    limits = policy.file_limits
    if not limits:
        return ""
    if call.effects.more:
        first = f"`{limits[0].kind} {limits[0].text}`"
        return text(
            "{more}, which may change files that the rule {rule} covers",
            more=call.effects.more,
            rule=first,
        )
    return call.written_files.doubt or find_limited_file(call, policy)


def find_limited_file(call: RequestedCall, policy: Policy) -> str:
    """Describe the first file that a command certainly changes and that a rule on edits matches."""
    names = [os.path.relpath(path, call.workspace.root) for path in call.written_files.paths]
    files = RequestedCall("edit", "edit", {}, names, call.workspace).subjects
    for name, file in zip(names, files, strict=True):
        if rule := next((limit for limit in policy.file_limits if limit.may_match(file)), None):
            return text(
                "it changes `{name}`, which the rule `{kind} {text}` covers",
                name=name,
                kind=rule.kind,
                text=rule.text,
            )
    return ""


def _find_open_network(call: RequestedCall, guards: Safeguards | None) -> str:
    """Describe what may send data if the sandbox has network access."""
    if guards is None or not (guards.sandboxed and guards.network and call.effects.more):
        return ""
    return text("{more}, and the sandbox has the network", more=call.effects.more)


def find_loss(call: RequestedCall, policy: Policy) -> str:
    """Describe the changes of a command that undo could not restore; empty if none."""
    effects, guards = call.effects, policy.safeguards
    if effects.doubt or guards is None:
        return effects.doubt
    root = call.workspace.root
    replaced = effects.replaced
    lost_path = next((path for path in replaced if not guards.can_restore(path)), None)
    if lost_path is None and call.is_background:
        lost_path = next((path for path in replaced if path.exists()), None)
    if lost_path is None:
        return ""
    name = lost_path.relative_to(root) if lost_path.is_relative_to(root) else lost_path
    return text("it deletes or overwrites `{name}`, which undo cannot restore", name=name)


def needs_outside(verdict: str, rule: str, policy: Policy) -> bool:
    """Return whether a command that this rule asks about can only work outside the sandbox."""
    return verdict == "ask" and (
        rule == NEEDS_OUTSIDE or (rule == "outside" and is_confined(policy))
    )


def is_confined(policy: Policy) -> bool:
    """Return whether commands run unasked in the sandbox."""
    guards = policy.safeguards
    return policy.mode == "edits" and guards is not None and guards.sandboxed
