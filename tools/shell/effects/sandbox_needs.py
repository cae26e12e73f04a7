"""Programs that can do nothing inside the sandbox: they need the network, or the machine's own
processes and services.

Where a program only may need more it is tried inside first.
"""

import re
from collections.abc import Mapping
from typing import Literal

from ..parsing.flags import one_of
from ..parsing.simple_command import Step
from .git_changes import needs_network

Need = Literal["", "network", "machine"]

_NETWORK = one_of(
    """
    aria2c az aws curl dig flyctl ftp gcloud gh glab heroku host httpie lftp nc ncat netcat netlify
    nslookup ping ping6 scp sftp ssh ssh-copy-id telnet traceroute vercel wget whois
    createdb dropdb mongo mongosh mysql mysqldump pg_dump pg_restore psql redis-cli
    """
)
_MACHINE = one_of(
    """
    apt apt-get aptitude apk brew dnf docker docker-compose doas flatpak fuser helm initctl
    journalctl killall kubectl launchctl minikube open pacman pkill podman reboot service snap su
    sudo systemctl xdg-open yum zypper
    """
)
_NPM = one_of("install i ci add update upgrade up publish audit outdated view info search dlx")
_NETWORK_COMMANDS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(["npm", "pnpm", "yarn", "bun"], _NPM | {"create", "init", "login"}),
    **dict.fromkeys(["pip", "pip3"], one_of("install download wheel index search")),
    "uv": one_of("add sync lock publish self"),
    "poetry": one_of("install add update lock publish self"),
    "pipenv": one_of("install update sync lock"),
    "pdm": one_of("install add update lock sync publish"),
    **dict.fromkeys(["conda", "mamba"], one_of("install create update search")),
    "cargo": one_of("install add update publish search fetch login"),
    "go": one_of("get install"),
    "gem": one_of("install update push fetch"),
    "bundle": one_of("install update add"),
    "composer": one_of("install update require"),
    "rustup": one_of("update install toolchain target component self"),
}
_REMOVES: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(["npm", "pnpm", "yarn", "bun"], one_of("uninstall remove rm un r prune")),
    **dict.fromkeys(["pip", "pip3"], one_of("uninstall")),
    **dict.fromkeys(["uv", "poetry", "pdm"], one_of("remove")),
    **dict.fromkeys(["pipenv", "gem"], one_of("uninstall")),
    **dict.fromkeys(["conda", "mamba"], one_of("remove uninstall")),
    "cargo": one_of("uninstall remove"),
}
_SECOND_WORDS = {
    ("go", "mod"): one_of("download tidy"),
    ("uv", "pip"): one_of("install sync compile"),
}
_PROCESS = re.compile(r"-?\d+")


def find_need(step: Step) -> Need:
    """What a step surely needs from outside of the sandbox."""
    program, words = _without_python(step)
    if program in _MACHINE or (program == "kill" and any(map(_PROCESS.fullmatch, words[-1:]))):
        return "machine"
    if program in _NETWORK or (program == "rsync" and any(":" in word for word in words)):
        return "network"
    if program == "git":
        return "network" if needs_network(words) else ""
    named = _named(words)
    is_bare = program in ("yarn", "bundle") and not any(words)
    if is_bare or named in _NETWORK_COMMANDS.get(program, ()):
        return "network"
    more = _SECOND_WORDS.get((program, named), frozenset[str]())
    return "network" if more.intersection(words) else ""


def find_package_removal(step: Step) -> str:
    """Why undo cannot bring back the packages that a step removes; empty where it removes none."""
    program, words = _without_python(step)
    if _named(words) in _REMOVES.get(program, ()):
        return "it removes packages, which undo cannot bring back"
    return ""


def _named(words: list[str]) -> str:
    return next((word for word in words if not word.startswith("-")), "")


def _without_python(step: Step) -> tuple[str, list[str]]:
    """`python -m pip install` is `pip install`."""
    words = [word.text for word in step.words[1:]]
    if re.fullmatch(r"python[\d.]*", step.program) and words[:1] == ["-m"] and words[1:]:
        return words[1], words[2:]
    return step.program, words
