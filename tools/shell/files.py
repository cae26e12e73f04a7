"""What a line may not name: secrets; and what it must ask for: protected names, places outside."""

import os
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from pathspec import GitIgnoreSpec

from ...config.paths import home
from ..protected import protected_name
from ..workspace import Workspace
from .named import Named, named_by
from .step import Step
from .targets import is_temporary, place

_SECRETS = (
    ".ssh/",
    "!.ssh/*.pub",
    "!.ssh/known_hosts*",
    ".gnupg/",
    ".aws/",
    ".azure/",
    ".kube/config",
    ".docker/config.json",
    ".config/gh/",
    ".config/gcloud/",
    ".config/git/credentials",
    ".password-store/",
    ".local/share/keyrings/",
    ".netrc",
    ".git-credentials",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".pypirc",
    ".cargo/credentials*",
    ".terraform.d/credentials*",
    ".vault-token",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "/etc/shadow*",
    "/etc/gshadow*",
    "/etc/ssh/*_key",
    "/etc/ssl/private/",
    "/proc/*/environ",
    "/proc/*/mem",
    "/proc/*/task/*/environ",
    "/proc/kcore",
    "/dev/mem",
    "/dev/kmem",
    "/run/secrets/",
    "/var/run/secrets/",
)
_FILE_LIKE = re.compile(r"/|\w\.\w|^\.\w", re.ASCII)
_WRITERS = frozenset(
    "rm rmdir unlink shred truncate touch mkdir mkfifo chmod chown chgrp tee mv chattr".split()
)
_WRITES_LAST = frozenset(["cp", "ln", "install", "rsync", "scp"])
_DEVICES = re.compile(r"/dev/(null|zero|full|tty|stdin|stdout|stderr|fd/\d+)")


def secret_in(step: Step, workspace: Workspace) -> str:
    """The word that names a secret; empty when none does."""
    for name in named_by(step):
        if _is_secret(name, step, workspace):
            return name.text
    return ""


def _is_secret(name: Named, step: Step, workspace: Workspace) -> bool:
    if not name.exact and not _FILE_LIKE.search(name.text) and len(name.text) < 3:
        return False
    for where in _places(name.text, step.folder):
        exists = os.path.lexists(where)
        if not exists and not (name.exact and _FILE_LIKE.search(name.text)):
            continue
        if _hides(where, workspace):
            return True
        if exists and _hides(Path(os.path.realpath(where)), workspace):
            return True
    return False


def _places(name: str, folder: Path | None) -> list[Path]:
    expanded = os.path.expanduser(name) if name.startswith("~") else name
    try:
        expanded.encode()
    except UnicodeEncodeError:
        return []
    if "\0" in expanded or len(expanded) > 4096:
        return []
    if expanded.startswith("/") or folder is not None:
        return [Path(os.path.normpath((folder or Path("/")) / expanded))]
    return [Path("/unknown", expanded)]


def _hides(path: Path, workspace: Workspace) -> bool:
    return (
        workspace.ignores(str(path))
        or _is_known_secret(path)
        or path.is_relative_to(home())
        or (path.is_relative_to("/proc") and path.name == "environ")
    )


@lru_cache(maxsize=10_000)
def _is_known_secret(path: Path) -> bool:
    return _spec().match_file(str(path).lstrip("/")) or _spec().match_file(
        str(path).lstrip("/") + "/"
    )


@lru_cache(maxsize=1)
def _spec() -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(
        pattern if pattern.startswith(("/", "!")) else f"**/{pattern}" for pattern in _SECRETS
    )


def protected_in(step: Step, workspace: Workspace, *, reads: bool) -> str:
    """The protected name that a step may change; empty when it names none or only reads."""
    for redirect in step.redirects:
        if redirect.writes and (found := _protected(redirect.target.text, step, workspace)):
            return found
    if reads or not step.words or _only_records(step):
        return ""
    for name in named_by(step):
        if (name.exact or name.code) and (found := _protected(name.text, step, workspace)):
            return found
    return ""


def _only_records(step: Step) -> bool:
    """Whether git only takes files as they are into its own history."""
    words = [word.text for word in step.words[1:2]]
    return step.program == "git" and words in (["add"], ["commit"], ["stage"], ["push"])


def _protected(name: str, step: Step, workspace: Workspace) -> str:
    if found := protected_name(name):
        return found
    where = place(name, step.folder)
    if where is None or not where.is_relative_to(workspace.root):
        return ""
    if where.is_symlink():
        real = Path(os.path.realpath(where))
        if real.is_relative_to(workspace.root):
            where = real
    return protected_name(str(where.relative_to(workspace.root)))


def outside_in(step: Step, workspace: Workspace) -> str:
    """The place outside the project that a step surely writes to; empty when there is none."""
    names = [redirect.target.text for redirect in step.redirects if redirect.writes]
    for name in [*names, *_written(step)]:
        if _DEVICES.fullmatch(name):
            continue
        where = place(name, step.folder)
        if where is None:
            continue
        real = Path(os.path.realpath(where.parent)) / where.name
        if not real.is_relative_to(workspace.root) and not is_temporary(real):
            return name
    return ""


def _written(step: Step) -> Sequence[str]:
    words = [word.text for word in step.words[1:] if word.known and not word.text.startswith("-")]
    program = step.program
    if program in ("chmod", "chown", "chgrp", "chattr"):
        return words[1:]
    if program in _WRITERS:
        return words
    if program in _WRITES_LAST:
        return [word for word in words[-1:] if ":" not in word] if len(words) > 1 else []
    if program == "dd":
        return [word.removeprefix("of=") for word in words if word.startswith("of=")]
    if program in ("sed", "perl") and any(
        w.text.startswith(("-i", "--in-place")) for w in step.words
    ):
        return [word for word in words if word.startswith(("/", "~", ".."))]
    return []
