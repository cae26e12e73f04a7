"""What gives leave to a call that nothing restricts: it only reads, the user's rules, the mode."""

from .call import Call
from .decision import Decision
from .policy import Policy
from .restrictions import named, only_reads, writes_plan
from .rule import allowed_by
from .suggested_rule import narrowest_rule

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
    if rules := allowed_by(policy.of_kind("allow"), call):
        texts = ", ".join(dict.fromkeys(f"`{rule.text}`" for rule in rules))
        return Decision("allow", f"the user's rules allow {texts}", named(rules[0]))
    if policy.mode == "auto" or (policy.mode == "edits" and call.effect == "edit"):
        return Decision("allow", f"mode `{policy.mode}`", "mode")
    reason = QUESTIONS.get(call.effect, "it may have an effect")
    if call.judgement:
        reason = f"{reason}: {call.judgement.reason}"
    return Decision("ask", reason, "mode", always=narrowest_rule(call))
