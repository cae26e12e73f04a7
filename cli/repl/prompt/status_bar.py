"""The status line below the prompt: agent, mode, context and cost."""

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from wcwidth import wcswidth

from ...i18n.catalogs import t
from ...rendering.sanitize import sanitize_line
from ...rendering.text_width import shorten_text

SEPARATOR = " · "
# US dollars that are worth a field
MIN_COST = 0.005
# Most bytes to read of a file that holds a name
MAX_GIT_FILE_BYTES = 200
# Fields in the order in which a narrow terminal loses them
_MIN_FIRST = (
    *("thinking", "sandbox", "branch", "proposals", "cost", "model", "used", "agent", "jobs"),
)
_COMMIT = re.compile(r"[0-9a-f]{40,64}")


@dataclass(frozen=True)
class Status:
    """Content of the line; empty fields are left out."""

    custom: str = ""
    """What the user's own command writes; it stands for all fields but the modes."""
    model: str = ""
    agent: str = ""
    plan: bool = False
    mode: str = ""
    """Approval mode."""
    thinking: str = ""
    """When the model thinks: `auto`, `enabled` or `disabled`."""
    effort: str = ""
    """How much it thinks; `auto`: the provider's default."""
    sandbox: str = ""
    """What confines commands; begins with `none` if nothing does."""
    used: float | None = None
    """Share of the model's context that the last request took."""
    cost: float | None = None
    """US dollars."""
    branch: str = ""
    proposals: int = 0
    """Cards that wait for the user's decision."""
    jobs: int = 0
    """Commands that run in the background."""


def format_status(status: Status, columns: int) -> str:
    """Return as much as fits: the least important field goes first, the mode never."""
    parts = _build_parts(status)
    if status.custom:
        modes = [parts["mode"]]
        return _join_parts([*_shorten_custom(status.custom, columns, modes), *modes])
    for least in _MIN_FIRST:
        if wcswidth(_join_parts(parts.values())) < columns:
            break
        parts.pop(least, None)
    return _join_parts(parts.values())


def _shorten_custom(line: str, columns: int, modes: list[str]) -> list[str]:
    room = columns - wcswidth(_join_parts(["", *modes])) - 1
    return [shorten_text(line, room)] if room > 1 else []


def _build_parts(status: Status) -> dict[str, str]:
    parts = {
        "model": sanitize_line(status.model.rpartition("/")[2]),
        "agent": f"@{sanitize_line(status.agent)}" if status.agent else "",
        "mode": describe_mode(status.mode, plan=status.plan),
        "thinking": _describe_chosen_thinking(status.thinking, status.effort),
        "sandbox": _describe_sandbox(status.sandbox),
        "used": "" if status.used is None else t("status.context", share=f"{status.used:.0%}"),
        "cost": "" if (status.cost or 0) < MIN_COST else f"${status.cost:.2f}",
        "branch": sanitize_line(status.branch),
        "jobs": t("status.jobs", count=status.jobs) if status.jobs else "",
        "proposals": t("status.proposals", count=status.proposals) if status.proposals else "",
    }
    return {name: words for name, words in parts.items() if words}


def describe_mode(mode: str, *, plan: bool) -> str:
    """Return what happens without a question, in plain words."""
    if plan:
        return t("status.plan")
    return t(f"status.mode.{mode}") if mode else t("status.build")


def _describe_chosen_thinking(strategy: str, effort: str) -> str:
    """Return it unless it is as the provider has it."""
    is_ordinary = strategy == "auto" and effort in ("", "auto")
    return "" if is_ordinary else describe_thinking(strategy, effort)


def describe_thinking(strategy: str, effort: str, *, is_labelled: bool = True) -> str:
    """Return when the model thinks, and how much if that was chosen; empty: not known yet.

    With `is_labelled` the text says what it is about, which a table says beside it.
    """
    if not strategy:
        return ""
    beside = t(f"slash.status.thinking.{strategy}")
    words = t(f"status.thinking.{strategy}") if is_labelled else beside
    return words if effort in ("", "auto") or strategy == "disabled" else f"{words} ({effort})"


def _describe_sandbox(state: str) -> str:
    """Return that nothing confines commands; that something does is ordinary."""
    return t("status.open") if state.startswith("none") else ""


def _join_parts(parts: Iterable[str]) -> str:
    return SEPARATOR.join(parts)


def read_branch(folder: Path) -> str:
    """Return the branch, or the beginning of the commit id; empty without a repository."""
    for place in (folder, *folder.parents):
        try:
            head = _read_small_file(_find_git_folder(place) / "HEAD")
        except (OSError, ValueError):
            continue
        name = head.removeprefix("ref: refs/heads/")
        if name != head:
            return name
        return head[:8] if _COMMIT.fullmatch(head) else ""
    return ""


def _find_git_folder(place: Path) -> Path:
    """Return `.git`, or its target in a worktree; raise OSError if there is none."""
    git = place / ".git"
    return git if git.is_dir() else place / _read_small_file(git).removeprefix("gitdir: ")


def _read_small_file(file: Path) -> str:
    """Read a file; raise OSError for anything else: a pipe in a foreign folder never ends."""
    with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise OSError("not a file")
        return opened.read(MAX_GIT_FILE_BYTES).decode().strip()
