"""What is said when commands in the background end with MaxAgent."""

from typing import TYPE_CHECKING

from ..i18n.catalogs import t
from ..rendering.output import echo
from ..rendering.sanitize import escape_hidden, sanitize_line

if TYPE_CHECKING:
    from ...sdk.runner import Runner


def collect_running(runner: "Runner") -> list[str]:
    """Collect the commands that will end with the runner."""
    return [sanitize_line(escape_hidden(job.command)) for job in runner.background.list_running()]


def show_stopped(commands: list[str]) -> None:
    """Say on stderr which commands have ended; nothing if there were none."""
    if commands:
        command_list = ", ".join(f"`{command}`" for command in commands)
        echo(t("jobs.stopped", commands=command_list), err=True)
