"""Grants for a call that nothing restricts: read-only, a rule of the user, or the mode."""

from ...config.text import join_texts, text
from .call import RequestedCall
from .decision import Decision
from .policy import Policy
from .restrictions import is_plan_write, is_read_only
from .rule import find_allowing_rules, find_call_excess, find_changed_consents
from .suggested_rule import suggest_rule
from .unasked_commands import evaluate_unasked, find_limited_file, find_objection

# The rule that allows a command line that certainly only reads
READS = "read-only"
# The rule that asks again, in every mode, since what the user has allowed is no longer the same
CONSENT = "consent"
QUESTIONS = {
    "edit": "it changes files",
    "execute": "it runs a program",
    "fetch": "it reads from the network",
}


def grant(call: RequestedCall, policy: Policy) -> Decision:
    """Allow the call, or ask."""
    if call.effect == "talk":
        return Decision("ask", "it asks the user", "effect")
    if call.effect in ("read", "note"):
        return Decision("allow", "it does not change files or run programs", "effect")
    if is_plan_write(call, policy):
        return Decision("allow", "it writes the plan", "plan")
    if call.analysis and is_read_only(call):
        return Decision("allow", call.analysis.reason, READS)
    allowing = policy.filter_rules("allow")
    plainer = _simplify(call)
    if rules := find_allowing_rules(allowing, plainer):
        texts = ", ".join(dict.fromkeys(f"`{rule.text}`" for rule in rules))
        return Decision(
            "allow", text("the user's rules allow {texts}", texts=texts), rules[0].description
        )
    if unasked := evaluate_unasked(call, policy):
        return unasked
    if changed := _ask_about_changes(plainer, policy):
        return changed
    # no mode allows fetching a page: a URL can send out what the model has read
    by_mode = {"edits": ("edit",), "auto": ("edit", "execute")}
    if call.effect in by_mode.get(policy.mode, ()):
        return Decision("allow", text("mode `{mode}`", mode=policy.mode), "mode")
    reason = QUESTIONS.get(call.effect, "it may have an effect")
    if call.server:
        where = {"name": call.server, "address": call.servers[call.server]}
        reason = text("it asks the server `{name}` at {address}", **where)
    if call.is_of_server:
        reason = "it calls a tool of an MCP server"
    if call.analysis:
        is_guarded = policy.mode == "edits" and policy.safeguards
        objection = find_objection(call, policy) if is_guarded else ""
        why = find_call_excess(allowing, call) or objection or call.analysis.reason
        reason = text("{first}: {rest}", first=reason, rest=why)
    # an `allow` rule on the command would override a `deny` or `ask` rule on its files
    is_limited = bool(policy.file_limits and call.command and find_limited_file(call, policy))
    return Decision("ask", reason, "mode", always="" if is_limited else suggest_rule(call))


def _simplify(call: RequestedCall) -> RequestedCall:
    if not call.command:
        return call
    from .plainer_command import simplify  # compiles its expressions

    return simplify(call)


def _ask_about_changes(call: RequestedCall, policy: Policy) -> Decision | None:
    """Ask about a call that the user has allowed by an answer, if what it starts has changed."""
    changed = find_changed_consents(policy.filter_rules("allow"), call)
    if not changed:
        return None
    from ..consent.differences import render_differences

    messages, diffs = list[str](), list[str]()
    for rule, subject in changed:
        consented, current = rule.consent or (), call.find_origins(subject)
        messages += rule.find_changes(call, subject)
        diffs.append(render_differences(call.workspace.own, consented, current))
    what = join_texts("; ", dict.fromkeys(messages))
    reason = text("you have allowed `{rule}`, but {what}", rule=changed[0][0].text, what=what)
    diff = "".join(dict.fromkeys(diffs))
    return Decision("ask", reason, CONSENT, always=suggest_rule(call), diff=diff)
