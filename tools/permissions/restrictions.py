"""What no mode and no `allow` rule of the user loosens: each check refuses a call, asks, or passes.

They stand in the order of their weight: of two that are equally strict, the first gives the reason.
"""

from collections.abc import Callable

from ...config.security.path_variants import simplest
from ...config.settings.permission_rules import Kind
from ..git.config_risks import steers_git
from ..protected_paths import protected_name
from ..result import ToolRefusal
from .call import Call
from .decision import Decision
from .policy import Policy
from .rule import Rule

CHANGES_NO_FILE = ("read", "fetch", "talk", "note")
"""Effects on no file."""
OUTSIDE = "it runs outside the sandbox, with all your rights"
Restriction = Callable[[Call, Policy], Decision | None]


def by_path(call: Call, policy: Policy) -> Decision | None:
    """No path outside the project, none that is kept from all tools."""
    for path in call.paths:
        try:
            call.workspace.resolve(path)
        except ToolRefusal as refusal:
            return Decision("deny", str(refusal), "path")
    return None


def by_scope(call: Call, policy: Policy) -> Decision | None:
    """Where only some files may be changed, no others are."""
    if not policy.scope or call.effect not in ("edit", "execute"):
        return None
    only = "only these files may be changed: " + ", ".join(f"`{name}`" for name in policy.scope)
    if call.effect == "execute":
        return Decision("deny", f"a program could change other files, and {only}", "scope")
    if call.files and set(call.files) <= set(policy.scope):
        return None
    return Decision("deny", only if call.files else f"the call names no file, and {only}", "scope")


def by_agent(call: Call, policy: Policy) -> Decision | None:
    """An agent with files of its own writes no others, and what might do so is asked."""
    if not policy.only or call.effect in CHANGES_NO_FILE or writes_plan(call, policy):
        return None
    if call.effect != "edit":
        reason = "a program could change files that this agent may not write"
        return None if only_reads(call) else Decision("ask", reason, "agent")
    every = [(group, file) for group in policy.only for file in call.subjects]
    if every and all(any(one.covers(file) for one in group) for group, file in every):
        return None
    return Decision("deny", "this agent may not write there, only where its `files` say", "agent")


def by_judgement(call: Call, policy: Policy) -> Decision | None:
    """What is wrong with a command line itself."""
    found = call.judgement
    if found is None or found.verdict not in ("deny", "ask"):
        return None
    return Decision(found.verdict, found.reason, found.rule)


def by_deny_rule(call: Call, policy: Policy) -> Decision | None:
    """What the user has refused; what may turn out to be it is asked."""
    return _by_rules("deny", call, policy)


def by_read_only_mode(call: Call, policy: Policy) -> Decision | None:
    """In this mode nothing runs that has an effect."""
    if policy.mode != "read-only" or call.effect not in ("edit", "execute"):
        return None
    if only_reads(call) and not call.is_outside_sandbox:
        return None
    reason = f"{call.tool} is not available in read-only mode; say what you would do instead"
    if call.command:
        reason = "in read-only mode a command must surely only read; say what you would do instead"
    return Decision("deny", reason, "mode")


def by_plan_mode(call: Call, policy: Policy) -> Decision | None:
    """While a plan is made nothing has an effect but writing that plan."""
    if not policy.plan or call.effect in CHANGES_NO_FILE or writes_plan(call, policy):
        return None
    if only_reads(call) and not call.is_outside_sandbox:
        return None
    reason = f"in plan mode nothing changes but the plan, `{policy.plan}`"
    return Decision("deny", f"{reason}; put into it what you would do", "plan")


def by_protection(call: Call, policy: Policy) -> Decision | None:
    """Files that steer this agent or other tools are changed only after a question."""
    if call.effect not in ("edit", "execute") or writes_plan(call, policy):
        return None
    for given, real in zip(call.paths, call.files, strict=True):
        name = protected_name(given) or protected_name(real)
        if name or _says_how_git_shows(real) or steers_git(call.workspace.root, real):
            name = name or real
            reason = f"`{name}` steers this agent or other tools; a change of it is always asked"
            return Decision("ask", reason, "protected")
    return None


def by_address(call: Call, policy: Policy) -> Decision | None:
    """What is never fetched is not asked about."""
    if call.tool != "webfetch":
        return None
    from .url_policy import read_address, refuse_own_network

    try:
        refuse_own_network(read_address(str(call.args.get("url") or "")))
    except ToolRefusal as refusal:
        return Decision("deny", str(refusal), "address")
    return None


def by_sandbox(call: Call, policy: Policy) -> Decision | None:
    """To leave the sandbox is a question of its own."""
    if not call.is_outside_sandbox:
        return None
    return Decision("ask", OUTSIDE, "sandbox")


def by_ask_rule(call: Call, policy: Policy) -> Decision | None:
    """What the user wants to be asked about in every mode."""
    return _by_rules("ask", call, policy)


RESTRICTIONS: tuple[Restriction, ...] = (
    by_path,
    by_scope,
    by_agent,
    by_judgement,
    by_deny_rule,
    by_read_only_mode,
    by_plan_mode,
    by_protection,
    by_address,
    by_sandbox,
    by_ask_rule,
)


def writes_plan(call: Call, policy: Policy) -> bool:
    """Whether it writes the plan and no other file, by its own name and not through a link."""
    return bool(policy.plan) and call.effect == "edit" and set(call.files) == {policy.plan}


def only_reads(call: Call) -> bool:
    """Whether it is a command line that surely only reads."""
    return call.judgement is not None and call.judgement.verdict == "allow"


def named(rule: Rule) -> str:
    """A user's rule and where it stands."""
    return f"{rule.kind} {rule.text} ({rule.origin})"


def _says_how_git_shows(file: str) -> bool:
    """Whether git goes by it in what it prints of secrets in its history.

    In the sandbox it may be written, as by `git switch`.
    """
    return simplest(file.rpartition("/")[2]) == ".gitattributes"


def _by_rules(kind: Kind, call: Call, policy: Policy) -> Decision | None:
    perhaps: Decision | None = None
    for rule in policy.of_kind(kind):
        touched = rule.touches(call)
        if touched:
            does = "refuse" if kind == "deny" else "ask about"
            return Decision(kind, f"the user's rules {does} `{rule.text}`", named(rule))
        if touched is None:
            reason = f"it may turn out to be `{rule.text}`, which the user's rules name"
            perhaps = perhaps or Decision("ask", reason, named(rule))
    return perhaps
