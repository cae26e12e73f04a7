"""Restrictions that no mode and no `allow` rule of the user overrides: each denies, asks or passes.

They are sorted by importance: of two equally strict answers, the first gives the reason.

A new restriction takes:

- a function in `tools/permissions/restrictions.py`, its place in the list there
- `tests/tools/permissions/test_evaluate.py`, `docs/permissions.md`
- its reason in `messages.po`
"""

from collections.abc import Callable

from ...config.security.path_variants import to_canonical_path
from ...config.settings.permission_rules import RuleKind
from ...config.settings.policy_file import POLICY_FILE, load_managed_policy
from ...config.text import text
from ..git.config_risks import can_steer_git
from ..mcp.server_policy import explain_refused_server
from ..named_scripts import is_named_script
from ..protected_paths import find_protected_name
from ..rag_servers import describe_missing
from ..result import ToolError
from ..testing.file_names import belongs_to_tests
from .call import RequestedCall
from .decision import Decision
from .host_pattern import parse_host
from .policy import Policy
from .rule import find_allowing_rules
from .subject import PATTERN_KINDS

# Effects on no file
CHANGES_NO_FILE = ("read", "fetch", "talk", "note")
OUTSIDE = "it runs outside the sandbox, with all your permissions"
ONLY_TESTS = (
    "only test files can be changed in this thread, and `{path}` is not one; write the tests to a "
    "file whose name or folder says so, as those of the project do (`tests/test_x.py`, "
    "`x.test.ts`, `x_test.go`), and report what is wrong in the code instead of changing it"
)
Restriction = Callable[[RequestedCall, Policy], Decision | None]


def restrict_by_managed_policy(call: RequestedCall, policy: Policy) -> Decision | None:
    """Deny what an administrator's policy does not allow."""
    managed = load_managed_policy()
    reason = ""
    if managed and call.is_outside_sandbox and managed.keys.sandbox.mode == "require":
        place = managed.locate("sandbox", "mode")
        reason = text("the policy ({place}) lets no command leave the sandbox", place=place)
    elif managed and call.tool == "webfetch":
        reason = managed.explain_refused_page(parse_host(call.args.get("url")) or "")
    elif managed and call.mcp_server:
        reason = explain_refused_server(call.mcp_server)
    return Decision("deny", reason, "policy") if reason else None


def restrict_by_path(call: RequestedCall, policy: Policy) -> Decision | None:
    """Deny paths outside the project, and paths hidden from all tools."""
    for path in call.paths:
        try:
            call.locate(path).resolve(path)
        except ToolError as refusal:
            return Decision("deny", str(refusal), "path")
    return None


def restrict_by_scope(call: RequestedCall, policy: Policy) -> Decision | None:
    """Deny changes outside the files that may be changed, if these are limited."""
    if not policy.scope or call.effect not in ("edit", "execute"):
        return None
    names = ", ".join(f"`{name}`" for name in policy.scope)
    only = text("only these files can be changed: {names}", names=names)
    if call.effect == "execute":
        return Decision(
            "deny", text("the program could change other files, and {only}", only=only), "scope"
        )
    if call.files and set(call.files) <= set(policy.scope):
        return None
    return Decision(
        "deny",
        only if call.files else text("the call does not name a file, and {only}", only=only),
        "scope",
    )


def restrict_by_agent(call: RequestedCall, policy: Policy) -> Decision | None:
    """Deny an agent with its own files to write others; ask if a call might do so."""
    if not policy.only or call.effect in CHANGES_NO_FILE or is_plan_write(call, policy):
        return None
    if call.effect != "edit":
        reason = "the program could change files that this agent may not write"
        return None if is_read_only(call) else Decision("ask", reason, "agent")
    every = [(group, file) for group in policy.only for file in call.subjects]
    if every and all(
        any(pattern.matches_strictly(file) for pattern in group) for group, file in every
    ):
        return None
    return Decision("deny", "this agent can only write the files listed in its `files`", "agent")


def restrict_to_tests(call: RequestedCall, policy: Policy) -> Decision | None:
    """Deny changes of other files than tests, if only tests may change.

    What a command changes is mostly not known before it runs: `nodes/testing/generation.py` looks
    at it afterwards.
    """
    if not policy.tests_only or call.effect not in ("edit", "execute"):
        return None
    names = call.files if call.effect == "edit" else _list_written_names(call)
    other = next((name for name in names if not belongs_to_tests(name)), None)
    if other is None:
        return None
    return Decision("deny", text(ONLY_TESTS, path=other), "tests")


def restrict_by_analysis(call: RequestedCall, policy: Policy) -> Decision | None:
    """Deny or ask because of the command line itself."""
    analysis = call.analysis
    if analysis is None or analysis.verdict not in ("deny", "ask"):
        return None
    return Decision(analysis.verdict, analysis.reason, analysis.rule)


def restrict_by_deny_rule(call: RequestedCall, policy: Policy) -> Decision | None:
    """Deny what the user's rules deny; ask if a call may match one."""
    return _restrict_by_rules("deny", call, policy)


def restrict_by_file_rules(call: RequestedCall, policy: Policy) -> Decision | None:
    """Apply the user's rules on files to a command that reads or changes them."""
    rules = [rule for rule in policy.rules if rule.kind != "allow" and rule.pattern is not None]
    if not rules or not call.command:
        return None
    from .command_files import evaluate_named_files  # only for such rules

    return evaluate_named_files(call, rules)


def restrict_by_read_only_mode(call: RequestedCall, policy: Policy) -> Decision | None:
    """Deny every call with an effect in read-only mode."""
    if policy.mode != "read-only" or call.effect not in ("edit", "execute"):
        return None
    if is_read_only(call) and not call.is_outside_sandbox:
        return None
    if is_allowed_on_server(call, policy):
        return None
    reason = text(
        "{tool} is not available in read-only mode; say what you would do instead", tool=call.tool
    )
    if call.command:
        reason = (
            "in read-only mode a command must be known to only read; say what you would do instead"
        )
    return Decision("deny", reason, "mode")


def restrict_by_plan_mode(call: RequestedCall, policy: Policy) -> Decision | None:
    """Deny every call with an effect in plan mode, except writing the plan."""
    if not policy.plan or call.effect in CHANGES_NO_FILE or is_plan_write(call, policy):
        return None
    if is_read_only(call) and not call.is_outside_sandbox:
        return None
    if is_allowed_on_server(call, policy):
        return None
    reason = text("in plan mode only the plan, `{plan}`, can be changed", plan=policy.plan)
    return Decision(
        "deny", text("{reason}; write what you would do into the plan", reason=reason), "plan"
    )


def restrict_by_protection(call: RequestedCall, policy: Policy) -> Decision | None:
    """Ask before a change of files that configure this agent or other tools."""
    if call.effect not in ("edit", "execute") or is_plan_write(call, policy):
        return None
    for requested_path, real in zip(call.paths, call.files, strict=True):
        paths = (requested_path, real)
        name = next(filter(None, (find_protected_name(path, programs=True) for path in paths)), "")
        if name or _is_gitattributes(real) or can_steer_git(call.workspace.root, real):
            name = name or real
            reason = text(
                "`{name}` configures this agent or other tools; changes always need approval",
                name=name,
            )
            return Decision("ask", reason, "protected")
        if is_named_script(call.workspace, real):
            reason = text(
                "a hook, check or MCP server runs `{name}` unasked; changes always need approval",
                name=real,
            )
            return Decision("ask", reason, "protected")
    return None


def restrict_by_address(call: RequestedCall, policy: Policy) -> Decision | None:
    """Deny a URL that is never fetched, instead of asking."""
    if call.tool != "webfetch":
        return None
    from .url_policy import read_address, refuse_own_network

    try:
        refuse_own_network(read_address(str(call.args.get("url") or "")))
    except ToolError as refusal:
        return Decision("deny", str(refusal), "address")
    return None


def restrict_by_server(call: RequestedCall, policy: Policy) -> Decision | None:
    """Deny a retrieval server that is not configured, instead of asking."""
    if PATTERN_KINDS.get(call.tool) != "server" or call.server:
        return None
    return Decision("deny", describe_missing(call.args.get("server_name"), call.servers), "server")


def restrict_by_sandbox(call: RequestedCall, policy: Policy) -> Decision | None:
    """Ask before a command leaves the sandbox."""
    if not call.is_outside_sandbox:
        return None
    return Decision("ask", OUTSIDE, "sandbox")


def restrict_by_ask_rule(call: RequestedCall, policy: Policy) -> Decision | None:
    """Ask if an `ask` rule of the user matches, in every mode."""
    return _restrict_by_rules("ask", call, policy)


RESTRICTIONS: tuple[Restriction, ...] = (
    restrict_by_managed_policy,
    restrict_by_path,
    restrict_by_scope,
    restrict_by_agent,
    restrict_to_tests,
    restrict_by_analysis,
    restrict_by_deny_rule,
    restrict_by_file_rules,
    restrict_by_read_only_mode,
    restrict_by_plan_mode,
    restrict_by_protection,
    restrict_by_address,
    restrict_by_server,
    restrict_by_sandbox,
    restrict_by_ask_rule,
)


def is_plan_write(call: RequestedCall, policy: Policy) -> bool:
    """Return whether a call writes only the plan, by its own name and not through a link."""
    return bool(policy.plan) and call.effect == "edit" and set(call.files) == {policy.plan}


def is_read_only(call: RequestedCall) -> bool:
    """Return whether a call is a command line that certainly only reads."""
    return call.analysis is not None and call.analysis.verdict == "allow"


def is_allowed_on_server(call: RequestedCall, policy: Policy) -> bool:
    """Return whether the user's rules allow a tool of an MCP server, so that no mode denies it."""
    return call.is_of_server and bool(find_allowing_rules(policy.filter_rules("allow"), call))


def _list_written_names(call: RequestedCall) -> list[str]:
    """List the project's files that a command line certainly changes, by path in the project."""
    root = call.workspace.root
    written = call.written_files.paths if call.command else ()
    return [str(path.relative_to(root)) for path in written if path.is_relative_to(root)]


def _is_gitattributes(file: str) -> bool:
    """Return whether git uses a file to decide what it prints of secrets in its history.

    In the sandbox it may be written, as by `git switch`.
    """
    return to_canonical_path(file.rpartition("/")[2]) == ".gitattributes"


def _restrict_by_rules(kind: RuleKind, call: RequestedCall, policy: Policy) -> Decision | None:
    perhaps: Decision | None = None
    for rule in policy.filter_rules(kind):
        touched = rule.matches_call(call)
        if touched and rule.origin.startswith(f"{POLICY_FILE}:"):
            does = "the policy ({origin}) denies `{text}`"
            if kind == "ask":
                does = "the policy ({origin}) asks about `{text}`"
            reason = text(does, text=rule.text, origin=rule.origin)
            return Decision(kind, reason, rule.description)
        if touched:
            does = "the user's rules deny `{text}`"
            if kind == "ask":
                does = "the user's rules ask about `{text}`"
            return Decision(kind, text(does, text=rule.text), rule.description)
        if touched is None:
            reason = text("it may match `{text}`, which the user's rules name", text=rule.text)
            perhaps = perhaps or Decision("ask", reason, rule.description)
    return perhaps
