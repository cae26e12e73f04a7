"""Grants for a call that nothing restricts: read-only, a rule of the user, or the mode.

A question offers the narrowest rule that would have allowed the call.
"""

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from unicodedata import normalize

from ...config.security.control_characters import CONTROL_CHARACTERS
from ...config.settings.permission_rules import RawRule
from ...config.text import join_texts, text
from ..consent.harmless_flags import find_command
from .call import RequestedCall
from .decision import Decision
from .policy import Policy
from .restrictions import is_plan_write, is_read_only
from .rule import (
    Rule,
    find_allowing_rules,
    find_call_excess,
    find_changed_consents,
    find_other_name,
    read_rule,
)
from .unasked_commands import evaluate_unasked, find_limited_file, find_objection

# Most characters of a command; the user cannot review a longer rule at a glance
MAX_COMMAND_LENGTH = 200

_INTERPRETER = re.compile(
    r"(python|pypy|node|deno|bun|perl|ruby|php|lua|tclsh|Rscript|osascript|[bdkz]?a?sh|fish)[\d.]*"
    r"|npx|uvx|eval|source|\."
)
# Characters with a meaning in a pattern, or invisible in a list of rules
_UNNAMEABLE = re.compile(rf"[*?\[\]{{}}!\\(){CONTROL_CHARACTERS}]|[^\S ]|^\s|\s$")
_PLAIN_VALUE = r"(?:'[\w.,:@%+*= -]*'|\"[\w.,:@%+*= -]*\"|[\w.,:@%+*-]*)"
_ASSIGNMENT = re.compile(rf"(?P<name>[A-Za-z_]\w*)=(?P<value>{_PLAIN_VALUE})[ \t]+")
_DURATION = r"\d+(?:\.\d+)?[smhd]?"
_WRAPPER = re.compile(
    rf"""(?:timeout(?:[ ](?:-k|--kill-after)[ =]{_DURATION}|[ ](?:-s|--signal)[ =](?:SIG)?[A-Z]+
        |[ ]--foreground|[ ]--preserve-status)*[ ]{_DURATION}
      |nice(?:[ ]-n[ ]\d+|[ ]-\d+)?|time(?:[ ]-p)?|nohup|env|stdbuf(?:[ ]-[ioe][L0])+
      )[ \t]+(?=[\w./'"])""",
    re.VERBOSE,
)
# Nothing before and after it is quoted, so that the shell reads the here-document as well
_MESSAGE_DOCUMENT = re.compile(
    r"""\A(?P<before>[\w ./:&;=@+-]*\bgit[ ]commit(?:[ ]--?[\w-]+)*?)[ ](?:-F[ ]?-|--file[ =]-)
    [ ]?<<(?P<quote>['"]?)(?P<end>\w+)(?P=quote)(?P<after>[\w ./:&;=@+|-]*)\n
    (?P<body>(?:(?!(?P=end)(?:\n|\Z)).*\n)*?)(?P=end)\Z""",
    re.VERBOSE,
)
# They only tell a program where it runs, what it prints and how much
_HARMLESS_VARIABLE = re.compile(
    r"CI|(?:NODE|RAILS|RACK|APP|FLASK|MIX)_ENV|DEBUG|VERBOSE|(?:FORCE|NO|CLICOLOR|CARGO_TERM)_?COLOR"
    r"|CLICOLOR(?:_FORCE)?|TERM|COLORTERM|COLUMNS|LINES|LANG|LANGUAGE|LC_[A-Z]+|TZ"
    r"|PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|IOENCODING|UTF8)"
    r"|RUST_(?:BACKTRACE|LOG)|LOG_?LEVEL|GOMAXPROCS|CGO_ENABLED|PORT"
)
# A switch that may turn a check off, one of a tool that others start, or a name that means a file,
# a folder, a program or its options
_RISKY_VARIABLE = re.compile(
    r"^(?:LD|DYLD|NPM_CONFIG|MAKE|GNUMAKE|XDG|CARGO|RUST|GO(?!MAX)|CMAKE|PYTEST|TOX|NOX|COVERAGE"
    r"|LESS|GRADLE|MAVEN|(?:CC|CXX|CPP|AR|AS)$|BASH|GIT|GLIBC|MALLOC|SSH|PIP|UV|YARN|PNPM|DOCKER|KUBE|NODE"
    r"|PYTHON|PERL|RUBY|JAVA|LLC|MAXAGENT)|SSL|TLS|VERIF|CERT|PROX|HUSKY|SKIP|HOOK|CONFIRM|YES|TRUST|SAFE|SANDBOX"
    r"|AUTH|SECUR|SIGN|FORCE|ALLOW|DISABLE|BYPASS|INSPECT|DANGER|ATTEND|ROOT|ENV$"
    r"|PATH|HOME|DIR|FILE|FLAGS|OPTS?$|OPTIONS|ARGS|PLUGIN|PRELOAD|EDITOR|VISUAL|PAGER|SHELL|COMMAND|CMD|WRAPPER"
    r"|EXEC|BIN|PROG|^IFS$|TMP|TEMP|CONF|MODULE|IMPORT|REQUIRE|SCRIPT|INCLUDE|STARTUP|RC$|URL|HOST",
    re.IGNORECASE,
)
# The rule that allows a command line that certainly only reads
READS = "read-only"
# The rule that asks again, in every mode, since what the user has allowed is no longer the same
CONSENT = "consent"
QUESTIONS = {
    "edit": "it changes files",
    "execute": "it runs a program",
    "fetch": "it reads from the network",
}


def suggest_rule(call: RequestedCall) -> str:
    """Return the rule's text; empty if no rule is sensible, or it would not allow the call."""
    if call.command:
        candidates = _suggest_for_command(call)
    else:
        candidates = [_suggest_for_files(call) if call.paths else _suggest_for_other(call)]
    return next((candidate for candidate in candidates if _is_sensible(candidate, call)), "")


def _is_sensible(rule_text: str, call: RequestedCall) -> bool:
    if not rule_text or "${" in rule_text:
        return False
    consent = tuple(origin.provenance for origin in call.origins)
    rule = read_rule(RawRule("allow", rule_text, "", consent=consent))
    return bool(find_allowing_rules([rule], call))


def _suggest_for_command(call: RequestedCall) -> list[str]:
    """Suggest rules for a line in which a single command has an effect, the broadest first."""
    effective_subjects = [subject for subject in call.subjects if not subject.harmless]
    if (
        len(effective_subjects) != 1
        or len(call.command) > MAX_COMMAND_LENGTH
        or "\n" in call.command.strip()
    ):
        return []
    words = effective_subjects[0].names
    exact = [] if _is_inline_code(words) else [f"run_command({shlex.join(words)})"]
    first = find_command(words)
    return [f"run_command({shlex.join(first)}:*)", *exact] if first else exact


def _is_inline_code(words: Sequence[str]) -> bool:
    """Return whether an interpreter runs inline code: a script must be its first argument."""
    program, *arguments = words
    if not _INTERPRETER.fullmatch(PurePosixPath(program).name):
        return False
    return not arguments or arguments[0].startswith("-")


def _suggest_for_files(call: RequestedCall) -> str:
    """Suggest the one file, or the folder that contains all of them; only in this project."""
    root = str(call.workspace.root)
    if call.effect != "edit" or not all(map(_can_be_named, (root, *call.files))):
        return ""
    if len(set(call.files)) == 1:
        return f"edit(/{root}/{call.files[0]})" if call.files[0] != "." else ""
    folders = {str(PurePosixPath(name).parent) for name in call.files}
    folder = folders.pop() if len(folders) == 1 else "."
    return f"edit(/{root}/{folder}/**)" if folder != "." else ""


def _can_be_named(name: str) -> bool:
    """Return whether a pattern can name only this file, in one spelling that the user can read."""
    return not _UNNAMEABLE.search(name) and normalize("NFC", name) == name


def _suggest_for_other(call: RequestedCall) -> str:
    """Suggest the host that the call reads from, or the tool of an MCP server."""
    if call.tool == "webfetch":
        return "".join(
            f"webfetch(domain:{host})" for subject in call.subjects for host in subject.names
        )
    if call.server:
        return f"{call.tool}({call.server})"
    return call.tool if call.tool.startswith("mcp_") else ""


def _simplify(call: RequestedCall) -> RequestedCall:
    """Return the call with a plainer command line; only rules that allow may look at it."""
    line = call.command.strip()
    plainer = _strip_wrappers(_MESSAGE_DOCUMENT.sub(_inline_message, line))
    return replace(call, args={**call.args, "command": plainer}) if plainer != line else call


def _strip_wrappers(line: str) -> str:
    command = line
    while match := _ASSIGNMENT.match(command) or _WRAPPER.match(command):
        values = match.groupdict()
        if values.get("name") and not _is_harmless_variable(
            values["name"], values["value"].strip("'\"")
        ):
            return line
        command = command[match.end() :]
    return command


def _inline_message(match: re.Match[str]) -> str:
    expands = not match["quote"] and re.search(r"[$`\\]", match["body"])
    return match[0] if expands else f"{match['before']} -m message{match['after']}"


def _is_harmless_variable(name: str, value: str) -> bool:
    if _HARMLESS_VARIABLE.fullmatch(name):
        return True
    return value in ("0", "1", "true", "false") and not _RISKY_VARIABLE.search(name)


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
    plainer = _simplify(call) if call.command else call
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
    # an `allow` rule on the command would override a `deny` or `ask` rule on its files
    is_limited = bool(policy.file_limits and call.command and find_limited_file(call, policy))
    always = "" if is_limited else suggest_rule(call)
    return Decision("ask", _explain_question(call, policy, allowing), "mode", always=always)


def _explain_question(call: RequestedCall, policy: Policy, allowing: Sequence[Rule]) -> str:
    """Return why a call is asked that nothing allows; `allowing` are the rules that could."""
    if call.is_of_server:
        reason = "it calls a tool of an MCP server"
    elif call.server:
        where = {"name": call.server, "address": call.servers[call.server]}
        reason = text("it asks the server `{name}` at {address}", **where)
    else:
        reason = QUESTIONS.get(call.effect, "it may have an effect")
    if not call.analysis:
        return reason
    is_guarded = policy.mode == "edits" and policy.safeguards
    objection = find_objection(call, policy) if is_guarded else ""
    unlike = find_call_excess(allowing, call) or find_other_name(allowing, call)
    why = unlike or objection or call.analysis.reason
    if call.effect == "execute" and why and not call.server and not call.is_of_server:
        return why  # that it runs a program is seen
    return text("{first}: {rest}", first=reason, rest=why)


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
