"""How long an administrator's policy lets threads be kept, and how long it wants them kept."""

from datetime import UTC, datetime, timedelta

from ...config.errors import UsageError
from ...config.settings.policy_file import load_managed_policy
from ...config.text import text
from .record import ThreadRow


def check_deletion(row: ThreadRow) -> None:
    """Raise UsageError for a thread that the policy wants to be kept for longer."""
    policy = load_managed_policy()
    days = policy.keys.retention.keep_days if policy else None
    if policy and days and row.request and row.updated_at >= _format_limit(days):
        raise UsageError(
            text(
                "the policy ({place}) keeps threads for {days} days, and `{thread}` is younger",
                place=policy.locate("retention", "keep_days"),
                days=f"{days:g}",
                thread=row.thread_id[:8],
            ),
            hint="delete it later, or ask whoever administers this machine",
        )


def find_deletion_limit() -> str:
    """Return the time before which a thread was last used that the policy does not keep.

    ISO 8601, UTC; empty: it keeps all.
    """
    policy = load_managed_policy()
    days = policy.keys.retention.delete_days if policy else None
    return _format_limit(days) if days else ""


def _format_limit(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="microseconds")
