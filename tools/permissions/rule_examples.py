"""A rule's own examples: what it must meet and must not, checked when it is loaded."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...config.settings.permission_rules import WrittenRule
from ..workspace import Workspace
from .call import Call
from .rule import Rule
from .subject import ABOUT

if TYPE_CHECKING:
    from ..definition import Effect


def check_examples(rule: Rule, written: WrittenRule, workspace: Workspace) -> None:
    """Raise ValueError for an example that the rule gets wrong."""
    wanted = [(text, True) for text in written.match] + [
        (text, False) for text in written.not_match
    ]
    for text, should in wanted:
        if _meets(rule, text, workspace) is not should:
            key, does = ("match", "does not meet") if should else ("not_match", "meets")
            raise ValueError(f"it {does} its example `{text}` under `{key}`")


def _meets(rule: Rule, text: str, workspace: Workspace) -> bool:
    """Whether a rule that refuses meets some part of the call, or one that allows all of it."""
    call = _example(rule, text, workspace)
    if rule.kind != "allow":
        return rule.touches(call) is True
    if call.command and not (call.judgement and call.judgement.plain):
        return False
    return bool(call.subjects) and all(rule.covers(call, one) for one in call.subjects)


def _example(rule: Rule, text: str, workspace: Workspace) -> Call:
    """The call that an example stands for: a command, a path, an address, or a tool's name."""
    about = ABOUT.get(rule.tool, "call")
    args: Mapping[str, object] = {"command": text} if about == "command" else {}
    if about == "host":
        args = {"url": text if "://" in text else f"https://{text}"}
    paths = (text,) if about == "path" else ()
    effect: Effect = "edit" if rule.tool == "edit" else "execute"
    return Call(text if about == "call" else rule.tool, effect, args, paths, workspace)
