"""The user's own status line: the first line that the command `ui.status_line` writes.

It runs beside the prompt: when what it is told has changed, or some time after its last start.
"""

import asyncio
import json
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .... import __version__
from ....config.text import text
from ....tools.process.launcher import SHELL, capture_output
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...rendering.sanitize import sanitize_line

if TYPE_CHECKING:
    from .session import Session

# Seconds that the command may take
LIMIT = 2.0
# Seconds after which it runs again although nothing is new to it
FRESH = 5.0
MAX_BYTES = 10_000
# It becomes the input; unlike an argument, other users do not see a variable
_VARIABLE = "MAXAGENT_STATUS"
_START = """
line=$MAXAGENT_STATUS; unset MAXAGENT_STATUS; exec "$0" -c "$1" <<END
$line
END
"""
_ENVIRON = {"NO_COLOR": "1"}
# Colours, for programs that write them nevertheless; any other code is shown as harmless text
_COLOR = re.compile(r"\x1b\[[0-9;:]*m")


class StatusLine:
    """Runs the command, one at a time, and keeps its last line."""

    def __init__(
        self, command: str, folder: Path, refresh: Callable[[], None], warn: Callable[[str], None]
    ) -> None:
        """Build it; `refresh` draws the prompt again, `warn` shows why there is no line, once."""
        self.command = command
        self._folder, self._refresh, self._warn = folder, refresh, warn
        self._line = ""
        self._payload: str = ""
        self._started = float("-inf")
        self.is_blocked = False
        """Whether it must not run here."""
        self._has_failed = self._has_warned = False
        self._running: asyncio.Task[None] | None = None

    def read_line(self, fields: Mapping[str, object]) -> str:
        """Return the last line, empty: none; start the command if these fields are new or old."""
        payload = json.dumps(fields, ensure_ascii=False)
        is_old = not self._has_failed and time.monotonic() - self._started > FRESH
        if not self.is_blocked and self._running is None and (payload != self._payload or is_old):
            self._payload, self._started = payload, time.monotonic()
            self._running = asyncio.ensure_future(self._run(payload))
        return self._line

    def block(self, reason: str) -> None:
        """Never run the command, and show why."""
        self.is_blocked = True
        self._fail(reason)

    async def _run(self, payload: str) -> None:
        try:
            await self._read_output(payload)
        finally:
            self._running = None
        self._refresh()

    async def _read_output(self, payload: str) -> None:
        try:
            ended = await capture_output(
                [SHELL, "-c", _START, SHELL, self.command],
                cwd=self._folder,
                timeout=LIMIT,
                limit=MAX_BYTES,
                env={**_ENVIRON, _VARIABLE: payload},
            )
        except OSError as error:
            self._fail(text("it could not be run: {reason}", reason=str(error)))
            return
        if ended.timed_out:
            self._fail(text("it was stopped after {seconds} seconds", seconds=f"{LIMIT:g}"))
        elif ended.exit_code:
            first = ended.stderr.decode(errors="replace").strip().partition("\n")[0] or "-"
            self._fail(text("exit code {code}: {first}", code=ended.exit_code, first=first))
        else:
            line = _COLOR.sub("", ended.text.partition("\n")[0])
            self._has_failed, self._line = False, sanitize_line(line)

    def _fail(self, reason: str) -> None:
        self._line, self._has_failed = "", True
        if not self._has_warned:
            self._has_warned = True
            self._warn(t("status.own.failed", reason=translate(reason)))


def build_fields(session: "Session", branch: str) -> dict[str, object]:
    """Return what the command reads as JSON: our fields and those of Claude Code's status line."""
    folder, usage = str(session.folder.resolve()), session.usage
    tokens = {name: getattr(usage, name, 0) for name in ("input", "output", "cached")}
    cost = None if usage is None else usage.cost
    return {
        "thread": session.thread,
        "folder": folder,
        "mode": session.mode,
        "plan": session.plan,
        "agent": session.agent,
        "branch": branch,
        "tokens": tokens,
        "session_id": session.thread,
        "cwd": folder,
        "version": __version__,
        "model": {"id": session.model, "display_name": session.model.rpartition("/")[2]},
        "workspace": {"current_dir": folder, "project_dir": folder},
        "cost": {} if cost is None else {"total_cost_usd": cost},
        "context_window": _build_window(usage, tokens),
    }


def _build_window(usage: Any, tokens: Mapping[str, int]) -> dict[str, object]:
    window, length = getattr(usage, "window", 0), getattr(usage, "context_length", 0)
    used = round(100 * window / length) if length else None
    return {
        "total_input_tokens": tokens["input"],
        "total_output_tokens": tokens["output"],
        "context_window_size": length or None,
        "used_percentage": used,
        "remaining_percentage": None if used is None else max(0, 100 - used),
    }
