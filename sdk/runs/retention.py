"""Deletion of the threads that an administrator's policy lets nobody keep any longer."""

from contextlib import suppress

from ...config.errors import ThreadBusyError
from ...config.settings.policy_file import load_managed_policy
from ...config.text import text
from ...memory.threads.index import ThreadIndex


def delete_expired(threads: ThreadIndex, new: str) -> list[str]:
    """Delete them, but for the `new` thread; return a notice if there were any. Blocks."""
    policy = load_managed_policy()
    if policy is None:
        return []
    from ...memory.threads.retention import find_expired

    count = 0
    for row in find_expired(threads.list()):
        with suppress(ThreadBusyError):
            if row.thread_id != new:
                threads.delete(row.thread_id)
                count += 1
    if not count:
        return []
    return [
        text(
            "the policy ({place}) keeps threads for {days} days; deleted: {count}",
            place=policy.locate("retention", "delete_days"),
            days=f"{policy.keys.retention.delete_days:g}",
            count=count,
        )
    ]
