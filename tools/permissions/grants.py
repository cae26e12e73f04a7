"""What gives leave to a call that nothing restricts: it only reads, the user's rules, the mode."""

from .call import Call
from .decision import Decision
from .policy import Policy
from .restrictions import named, only_reads, writes_plan
from .rule import allowed_by, why_not_allowed
from .suggested_rule import narrowest_rule
from .unasked_commands import decide_unasked, find_objection

READS = "read-only"
"""The rule by which a command line runs that surely only reads."""
QUESTIONS = {
    "edit": "it changes files",
    "execute": "it runs a program",
    "fetch": "it reads from the network",
}


def leave(call: Call, policy: Policy) -> Decision:
    """Allow the call, or ask."""
    if call.effect == "talk":
        return Decision("ask", "it asks the user", "effect")
    if call.effect in ("read", "note"):
        return Decision("allow", "it changes no file and runs nothing", "effect")
    if writes_plan(call, policy):
        return Decision("allow", "it writes the plan", "plan")
    if call.judgement and only_reads(call):
        return Decision("allow", call.judgement.reason, READS)
    allowing = policy.of_kind("allow")
    if rules := allowed_by(allowing, call):
        texts = ", ".join(dict.fromkeys(f"`{rule.text}`" for rule in rules))
        return Decision("allow", f"the user's rules allow {texts}", named(rules[0]))
    if unasked := decide_unasked(call, policy):
        return unasked
    # no mode lets a page be fetched: an address can carry away what was read here
    by_mode = {"edits": ("edit",), "auto": ("edit", "execute")}
    if call.effect in by_mode.get(policy.mode, ()):
        return Decision("allow", f"mode `{policy.mode}`", "mode")
    reason = QUESTIONS.get(call.effect, "it may have an effect")
    if call.judgement:
        is_guarded = policy.mode == "edits" and policy.safeguards
        objection = find_objection(call, policy) if is_guarded else ""
        why = why_not_allowed(allowing, call) or objection or call.judgement.reason
        reason = f"{reason}: {why}"
    return Decision("ask", reason, "mode", always=narrowest_rule(call))
