"""What the user is told of hooks."""

from ...config.settings.hooks import ConfiguredHook
from ...config.text import text


def build_failure_notice(hook: ConfiguredHook, reason: str) -> str:
    """Return the notice of a hook that gave no answer."""
    return text(
        "the hook `{command}` ({event}) failed and is skipped: {reason}",
        command=hook.command,
        event=hook.event,
        reason=reason,
    )


def build_ignored_notice(hook: ConfiguredHook, field: str) -> str:
    """Return the notice of a hook that tries to change a call."""
    return text(
        "`{field}` of the hook `{command}` is ignored: a hook can deny a call or have it asked, "
        "not change it",
        field=field,
        command=hook.command,
    )


def build_limit_notice(count: int) -> str:
    """Return the notice at the most continuations of one turn."""
    return text(
        "hooks of `on_stop` made the model continue {count} times; the turn ends here",
        count=count,
    )


def format_question(reason: str) -> str:
    """Return the reason of a question that a hook wants."""
    return text("a hook asks: {reason}", reason=reason)
