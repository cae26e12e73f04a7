"""The wait for a provider: why, and when the turn continues by itself."""

import time
from dataclasses import dataclass, field

from ...i18n.catalogs import t
from ...rendering.humanize import format_duration

# Least seconds of a wait that are worth the time of day
SHOWN_SECONDS = 30


@dataclass(frozen=True)
class ProviderWait:
    """A wait that has begun."""

    seconds: float
    is_retry: bool = False
    """Whether the request is repeated; else the limit of the account is reached."""
    start_time: float = field(default_factory=time.monotonic)

    def format_row(self) -> str:
        """Return the row with its countdown; empty when the wait is over."""
        seconds_left = self.seconds - (time.monotonic() - self.start_time)
        if seconds_left <= 0:
            return ""
        key = "progress.retry" if self.is_retry else "progress.wait"
        row = t(key, left=format_duration(seconds_left))
        if self.seconds < SHOWN_SECONDS:
            return t("repl.busy.retry", wait=row)
        until = time.strftime("%H:%M", time.localtime(time.time() + seconds_left))
        return t("repl.busy.wait", wait=row, time=until)
