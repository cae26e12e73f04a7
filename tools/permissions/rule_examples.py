"""Examples of a rule, checked when it is loaded."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...config.settings.permission_rules import RawRule
from ...config.text import text
from ..workspace import Workspace
from .rule import Rule
from .subject import PATTERN_KINDS

if TYPE_CHECKING:
    from ..definition import Effect
    from .call import RequestedCall


def check_examples(rule: Rule, written: RawRule, workspace: Workspace) -> None:
    """Raise ValueError for an example that the rule does not match as expected."""
    examples = [(content, True) for content in written.match] + [
        (content, False) for content in written.not_match
    ]
    for source, should in examples:
        if _matches_example(rule, source, workspace) is not should:
            key = "match" if should else "not_match"
            matches = "it matches its example `{text}` under `{key}`"
            misses = "it does not match its example `{text}` under `{key}`"
            raise ValueError(text(misses if should else matches, text=source, key=key))


def _matches_example(rule: Rule, text: str, workspace: Workspace) -> bool:
    """Return whether a deny rule matches some part of the call, or an allow rule all of it."""
    call = _build_example_call(rule, text, workspace)
    if rule.kind != "allow":
        return rule.matches_call(call) is True
    if call.command and not (call.analysis and call.analysis.plain):
        return False
    return bool(call.subjects) and all(rule.can_allow(call, subject) for subject in call.subjects)


def _build_example_call(rule: Rule, text: str, workspace: Workspace) -> "RequestedCall":
    """Build the call of an example: a command, a path, a URL, or a tool's name."""
    from .call import RequestedCall

    about = PATTERN_KINDS.get(rule.tool, "call")
    args: Mapping[str, object] = {"command": text} if about == "command" else {}
    if about == "host":
        args = {"url": text if "://" in text else f"https://{text}"}
    if about == "server":
        args = {"server_name": text}
    paths = (text,) if about == "path" else ()
    effect: Effect = "edit" if rule.tool == "edit" else "execute"
    tool = text if about == "call" else rule.tool
    return RequestedCall(tool, effect, args, paths, workspace, {text: ""})
