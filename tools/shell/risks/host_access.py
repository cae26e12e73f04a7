"""Access to the whole machine: mounts, accounts, root privileges."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest
from pathlib import Path

from ....config.text import text
from ..parsing.path_targets import is_disk, resolve_target
from ..parsing.simple_command import SimpleCommand

_CONTAINERS = frozenset(["docker", "podman", "nerdctl", "finch", "docker-compose"])
_STARTS = frozenset(["run", "create", "exec", "up"])
_VOLUME = re.compile(r"(?:-[a-uw-z]*v|--volume)(?:=)?(.*)", re.DOTALL)
_SOURCE = re.compile(r"(?:^|,)(?:src|source)=([^,]*)")
_HOST_OPTIONS = re.compile(
    r"--privileged(=true)?|--(pid|userns|uts|cgroupns)[= ]host"
    r"|--cap-add[= ](CAP_)?(ALL|SYS_ADMIN|SYS_PTRACE|SYS_MODULE)",
    re.IGNORECASE,
)
_WHOLE_LIST = "bin boot dev etc home lib lib64 proc root run sbin sys usr var Users System Library"
# Top-level folders that are more than data
_WHOLE = frozenset(_WHOLE_LIST.split())
_ENGINE_SOCKET = re.compile(r"/(var/)?run/(.*/)?(docker|podman|containerd|crio)\.sock")
_ACCOUNTS_LIST = """
addgroup adduser chfn chpasswd chsh gpasswd groupadd groupmod newgrp newusers passwd useradd usermod
vigr vipw visudo
"""
_ACCOUNTS = frozenset(_ACCOUNTS_LIST.split())
_ONLY_TALKS = frozenset(["--help", "-h", "--version", "-V", "-S", "--status"])
_SETUID = re.compile(r"0*[4-7]\d{3}|(?:.*,)?(?:[goa]*u[goa]*|a*)[+=][rwxXt]*s[rwxXst]*(?:,.*)?")
_MOUNT_VALUED = frozenset(["-t", "-o", "-L", "-U", "-O", "--types", "--options"])


def find_host_access(step: SimpleCommand) -> str:
    """Describe the host resource that a step mounts or enters; empty if none."""
    words = [word.text for word in step.words[1:]]
    match step.program:
        case program if program in _CONTAINERS:
            return _check_container(words, step)
        case "mount":
            return "it mounts a file system" if _can_mount(words) else ""
        case "nsenter":
            enters = any(re.match(r"-t|--target|-a|--all", word) for word in words)
            return "it enters another process's namespaces" if enters else ""
        case "bwrap":
            bound = [at for at, word in enumerate(words) if word in ("--bind", "--dev-bind")]
            whole = any(words[at + 1 : at + 2] == ["/"] for at in bound)
            return "it mounts the root of the file system" if whole else ""
        case _:
            return ""


def find_account_change(step: SimpleCommand) -> str:
    """Describe the account or privilege that a step grants; empty if it grants none."""
    words = [word.text for word in step.words[1:]]
    if step.program in _ACCOUNTS and not set(words) & _ONLY_TALKS:
        return text("`{program}` changes user accounts", program=step.program)
    if step.program == "chmod":
        modes = [word for word in words if not word.startswith("--")][:2]
        if any(map(_SETUID.fullmatch, modes)):
            return "it makes a program setuid or setgid"
    if step.program == "setcap" and words:
        return "it gives a program root privileges"
    return ""


def _check_container(words: Sequence[str], step: SimpleCommand) -> str:
    if not _STARTS & set(words):
        return ""
    options = [*words, *(f"{word} {following}" for word, following in pairwise(words))]
    if option := next(filter(_HOST_OPTIONS.fullmatch, options), ""):
        return text(
            "`{program} {option}` gives access to the whole machine",
            program=step.program,
            option=option,
        )
    for source in _iter_mount_sources(words):
        if _is_whole(source, step):
            return text(
                "`{program}` would mount this machine's `{source}`",
                program=step.program,
                source=source,
            )
    return ""


def _iter_mount_sources(words: Sequence[str]) -> Iterator[str]:
    """Yield the host paths that a container would mount."""
    for word, following in zip_longest(words, words[1:], fillvalue=""):
        if match := _VOLUME.fullmatch(word):
            yield (match[1] or following).split(":")[0]
        elif word.startswith("--mount"):
            yield from _SOURCE.findall(word.partition("=")[2] if "=" in word else following)
        elif word.startswith("--device"):
            yield (word.partition("=")[2] if "=" in word else following).split(":")[0]


def _is_whole(source: str, step: SimpleCommand) -> bool:
    if is_disk(source):
        return True
    if "/" not in source and source not in ("~", ".."):
        return False  # a volume by name
    where = resolve_target(source, step.folder)
    if where is None:
        return False
    parts = where.parts[1:]
    top = not parts or (len(parts) == 1 and parts[0] in _WHOLE)
    return top or Path.home().is_relative_to(where) or bool(_ENGINE_SOCKET.fullmatch(str(where)))


def _can_mount(words: Sequence[str]) -> bool:
    operands = [
        word
        for before, word in pairwise(["", *words])
        if not word.startswith("-") and before not in _MOUNT_VALUED
    ]
    return bool(operands) or any(word in ("-a", "--all") for word in words)
