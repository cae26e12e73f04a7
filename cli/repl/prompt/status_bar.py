"""The line below the prompt: who speaks, what it may do, how full and how dear the thread is."""

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from wcwidth import wcswidth

from ...i18n.catalogs import t
from ...rendering.sanitize import sanitize_line

SEPARATOR = " · "
# Bytes that are read of a file which names something
LONGEST_GIT_FILE = 200
_COMMIT = re.compile(r"[0-9a-f]{40,64}")


@dataclass(frozen=True)
class Status:
    """What the line says; what is empty is left out."""

    model: str = ""
    agent: str = ""
    plan: bool = False
    mode: str = ""
    """Approval mode."""
    sandbox: str = ""
    """What confines commands; begins with `none` where nothing does."""
    used: float | None = None
    """Share of the model's context that the last request took."""
    cost: float | None = None
    """US dollars."""
    branch: str = ""


def format_status(status: Status, columns: int) -> str:
    """As much as there is room for: the least needed goes first, the mode never."""
    parts = _build_parts(status)
    for least in ("sandbox", "branch", "cost", "model", "used", "agent"):
        if wcswidth(_join_parts(parts.values())) < columns:
            break
        parts.pop(least, None)
    return _join_parts(parts.values())


def _build_parts(status: Status) -> dict[str, str]:
    parts = {
        "model": sanitize_line(status.model.rpartition("/")[2]),
        "agent": f"@{sanitize_line(status.agent)}" if status.agent else "",
        "plan": t("status.plan" if status.plan else "status.build"),
        "mode": status.mode,
        "sandbox": _describe_sandbox(status.sandbox),
        "used": "" if status.used is None else f"{status.used:.0%}",
        "cost": "" if status.cost is None else f"${status.cost:.2f}",
        "branch": sanitize_line(status.branch),
    }
    return {name: words for name, words in parts.items() if words}


def _describe_sandbox(state: str) -> str:
    if not state:
        return ""
    return t("status.open" if state.startswith("none") else "status.sandbox")


def _join_parts(parts: Iterable[str]) -> str:
    return SEPARATOR.join(parts)


def read_branch(folder: Path) -> str:
    """Its name, or the commit's beginning; empty where there is no repository."""
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
    """`.git`, or where it points to in a worktree; raises OSError where there is none."""
    git = place / ".git"
    return git if git.is_dir() else place / _read_small_file(git).removeprefix("gitdir: ")


def _read_small_file(file: Path) -> str:
    """Raises OSError for anything but a file: the folder may be anybody's, a pipe never ends."""
    with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise OSError("not a file")
        return opened.read(LONGEST_GIT_FILE).decode().strip()
