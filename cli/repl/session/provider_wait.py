"""The wait for a provider: why, and when the turn continues by itself."""

import time
from dataclasses import dataclass, field

from ...i18n.catalogs import t
from ...rendering.humanize import format_duration
from ...rendering.sanitize import sanitize_text

# Least seconds of a wait that are worth the time of day
SHOWN_SECONDS = 30


@dataclass(frozen=True)
class ProviderWait:
    """A wait that has begun."""

    seconds: float
    reason: str = ""
    """Why the request is repeated; empty: the limit of the account is reached."""
    start_time: float = field(default_factory=time.monotonic)

    def format_row(self) -> str:
        """Return the row with its countdown; empty when the wait is over."""
        seconds_left = self.seconds - (time.monotonic() - self.start_time)
        if seconds_left <= 0:
            return ""
        duration = format_duration(seconds_left)
        if self.reason:
            row = t("progress.retry", reason=sanitize_text(self.reason), left=duration)
        else:
            row = t("progress.wait", left=duration)
        if self.seconds < SHOWN_SECONDS:
            return row
        until = time.strftime("%H:%M", time.localtime(time.time() + seconds_left))
        return t("repl.busy.wait", wait=row, time=until)
