"""What a repository says of itself in its files: its first remote, its worktrees, its commits.

git is not started: a repository's own configuration can make it run programs.
"""

import os
from dataclasses import dataclass
from pathlib import Path

_MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class Repository:
    """The folder of a project, and git's folder for it, if there is one."""

    root: Path
    git_dir: Path | None

    def read_remote(self) -> str:
        """Return the address of the first remote; empty if there is none."""
        if self.git_dir is None:
            return ""
        import configparser  # most memories have no remote

        common = _read_start(self.git_dir / "commondir").strip()
        parser = configparser.RawConfigParser(
            strict=False, allow_no_value=True, delimiters=("=",), comment_prefixes=("#", ";")
        )
        lines = _read_start(self.git_dir / common / "config").splitlines()
        try:
            parser.read_string("\n".join(line.strip() for line in lines))
        except configparser.Error:
            return ""
        remotes = (name for name in parser.sections() if name.startswith("remote "))
        urls = (parser.get(name, "url", fallback="") or "" for name in remotes)
        return next((url.strip('"') for url in urls if url), "")

    def find_main_folder(self) -> Path:
        """Return the folder whose memory this one has: of a linked worktree, the main one's.

        That is certain only if the main repository names this folder, too: what a folder says of
        itself may name any repository.
        """
        git_dir = Path(os.path.realpath(self.git_dir)) if self.git_dir else self.root
        main = git_dir.parent.parent
        if not (self.root / ".git").is_file() or git_dir.parent.name != "worktrees":
            return self.root
        named = _read_start(git_dir / "gitdir").strip()
        is_named = bool(named) and os.path.realpath(git_dir / named) == str(self.root / ".git")
        if not is_named or os.path.realpath(
            git_dir / _read_start(git_dir / "commondir").strip()
        ) != str(main):
            return self.root
        return main.parent if main.name == ".git" else main

    def read_commits(self) -> list[str]:
        """Return the commits that were checked out here, the latest last, from git's own log."""
        if self.git_dir is None:
            return []
        lines = _read_end(self.git_dir / "logs" / "HEAD").splitlines()
        return [line.split(" ", 2)[1] for line in lines if line.count(" ") >= 2]


def find_repository(folder: Path) -> Repository:
    """Return the repository around a real folder; without one, the folder alone."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        if git.is_dir():
            return Repository(place, git)
        if git.is_file():  # of a worktree or a submodule
            line = _read_start(git)
            named = line.removeprefix("gitdir:").strip() if line.startswith("gitdir:") else ""
            return Repository(place, place / named if named else None)
    return Repository(folder, None)


def _read_start(file: Path) -> str:
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            return stream.read(_MAX_BYTES)
    except OSError:
        return ""


def _read_end(file: Path) -> str:
    """Return the last lines of a file that may have grown large."""
    try:
        with open(file, "rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(max(size - _MAX_BYTES, 0))
            return stream.read().decode(errors="replace")
    except OSError:
        return ""
