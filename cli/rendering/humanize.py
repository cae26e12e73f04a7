"""Ages, durations and sizes for display."""

from datetime import UTC, datetime

from ..i18n.catalogs import t

# Older moments are shown as a date: few count days that far back
DAYS = 14


def format_age(moment: str, now: datetime | None = None) -> str:
    """Return the age of an ISO 8601 moment in its largest unit; empty if it is unknown."""
    if not moment:
        return ""
    then = datetime.fromisoformat(moment)
    minutes = int(((now or datetime.now(UTC)) - then).total_seconds() // 60)
    if minutes < 1:
        return t("ago.now")
    if minutes < 60:
        return t("ago.minutes", count=minutes)
    if minutes < 24 * 60:
        return t("ago.hours", count=minutes // 60)
    if minutes < DAYS * 24 * 60:
        return t("ago.days", count=minutes // (24 * 60))
    return then.astimezone().strftime("%Y-%m-%d")


def format_size(count: int) -> str:
    """Return bytes in the largest fitting unit, such as `3.4 MB`."""
    if count < 1_000:
        return f"{count} bytes"
    if count < 999_950:  # beyond, it would be rounded to 1000 kB
        return f"{count / 1e3:.1f} kB"
    return f"{count / 1e6:.1f} MB" if count < 999_950_000 else f"{count / 1e9:.1f} GB"


def format_count(count: int) -> str:
    """Return a count as `950`, `4.2k`, `21k` or `1.3M`."""
    if count < 1_000:
        return str(count)
    if count < 9_950:
        return f"{count / 1_000:.1f}k"
    if count < 999_500:
        return f"{count / 1_000:.0f}k"
    return f"{count / 1_000_000:.1f}M"


def format_share(tokens: int, window: int) -> str:
    """Return a share of a window, such as `4%` or `<1%`; `?` without a window."""
    if not window:
        return "?"
    share = tokens / window
    return "<1%" if 0 < share < 0.01 else f"{share:.0%}"


def format_cost(dollars: float) -> str:
    """Return a cost with the cents' fractions of a model, and nothing as `$0.00`."""
    cost = f"${dollars:.4f}"
    return "$0.00" if cost == "$0.0000" else cost


def format_remaining_time(until: str) -> str:
    """Return the time until an ISO 8601 moment in its two largest units; empty if it is over."""
    seconds = (datetime.fromisoformat(until) - datetime.now(UTC)).total_seconds()
    return format_duration(seconds) if seconds > 0 else ""


def format_duration(seconds: float) -> str:
    """Return seconds in their two largest units, such as `2 d 23 h` or `1 min 5 s`."""
    whole = round(seconds)
    for unit, size, smaller, part in (
        ("days", 86_400, "hours", 3600),
        ("hours", 3600, "minutes", 60),
        ("minutes", 60, "seconds", 1),
    ):
        if whole >= size:
            first = t(f"duration.{unit}", count=whole // size)
            return f"{first} {t(f'duration.{smaller}', count=whole % size // part)}"
    return t("duration.seconds", count=whole)
