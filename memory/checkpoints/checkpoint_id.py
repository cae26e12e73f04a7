"""Time in a checkpoint's id, which is a UUID of version 6."""

from datetime import UTC, datetime, timedelta


def parse_time(checkpoint_id: str) -> str:
    """Return when a checkpoint was made: ISO 8601, UTC; empty for an id of another kind."""
    try:
        since = timedelta(microseconds=parse_ticks(checkpoint_id) // 10)
        moment = datetime(1582, 10, 15, tzinfo=UTC) + since
    except (ValueError, OverflowError):
        return ""
    return moment.isoformat(timespec="microseconds")


def parse_ticks(checkpoint_id: str) -> int:
    """Return the time in units of 100 ns since 1582-10-15; raises ValueError."""
    # the thirteenth digit is the version, in the middle of the time
    digits = checkpoint_id.replace("-", "")
    return int(digits[:12] + digits[13:16], 16)
