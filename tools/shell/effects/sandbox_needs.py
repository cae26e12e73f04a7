"""Programs that cannot work in the sandbox: they need the network, processes or services.

A program that only may need them is first tried in the sandbox.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from ..parsing.flags import split_names
from ..parsing.network_clients import NETWORK_ONLY
from ..parsing.simple_command import SimpleCommand
from .git_changes import needs_network

Need = Literal["", "network", "machine"]

_MACHINE = split_names(
    """
    apt apt-get aptitude apk brew dnf docker docker-compose doas flatpak fuser helm initctl
    journalctl killall kubectl launchctl minikube open pacman pkill podman reboot service snap su
    sudo systemctl xdg-open yum zypper
    """
)
_NPM = split_names("install i ci add update upgrade up publish audit outdated view info search dlx")
_NETWORK_COMMANDS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(["npm", "pnpm", "yarn", "bun"], _NPM | {"create", "init", "login"}),
    **dict.fromkeys(["pip", "pip3"], split_names("install download wheel index search")),
    "uv": split_names("add sync lock publish self"),
    "poetry": split_names("install add update lock publish self"),
    "pipenv": split_names("install update sync lock"),
    "pdm": split_names("install add update lock sync publish"),
    **dict.fromkeys(["conda", "mamba"], split_names("install create update search")),
    "cargo": split_names("install add update publish search fetch login"),
    "go": split_names("get install"),
    "gem": split_names("install update push fetch"),
    "bundle": split_names("install update add"),
    "composer": split_names("install update require"),
    "rustup": split_names("update install toolchain target component self"),
}
_REMOVES: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(["npm", "pnpm", "yarn", "bun"], split_names("uninstall remove rm un r prune")),
    **dict.fromkeys(["pip", "pip3"], split_names("uninstall")),
    **dict.fromkeys(["uv", "poetry", "pdm"], split_names("remove")),
    **dict.fromkeys(["pipenv", "gem"], split_names("uninstall")),
    **dict.fromkeys(["conda", "mamba"], split_names("remove uninstall")),
    "cargo": split_names("uninstall remove"),
}
_SECOND_WORDS = {
    ("go", "mod"): split_names("download tidy"),
    ("uv", "pip"): split_names("install sync compile"),
}
# Options with which these programs use no network
_OFFLINE = frozenset(["--offline", "--no-index"])
_PROCESS = re.compile(r"-?\d+")
# An address on this machine; in the sandbox that is the thread's own loopback
_LOOPBACK = re.compile(
    r"([a-z]+://)?([^/@]*@)?(localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[?::1\]?)(:\d+)?([/?#].*)?",
    re.IGNORECASE,
)


def find_need(step: SimpleCommand) -> Need:
    """Return what a step certainly needs from outside the sandbox."""
    program, words = _without_python(step)
    if program in _MACHINE or (program == "kill" and any(map(_PROCESS.fullmatch, words[-1:]))):
        return "machine"
    if program in NETWORK_ONLY:
        return "" if is_local_client(words) else "network"
    if program == "rsync" and any(":" in word for word in words):
        return "network"
    if program == "git":
        return "network" if needs_network(words) else ""
    if any(word in _OFFLINE for word in words):
        return ""
    named = _get_subcommand(words)
    if named == "init" and len([word for word in words if not word.startswith("-")]) == 1:
        return ""  # asks for the fields of package.json; `init NAME` downloads a program
    is_bare = program in ("yarn", "bundle") and not any(words)
    if is_bare or named in _NETWORK_COMMANDS.get(program, ()):
        return "network"
    more = _SECOND_WORDS.get((program, named), frozenset[str]())
    return "network" if more.intersection(words) else ""


def is_local_client(words: Sequence[str]) -> bool:
    """Return whether a network client's arguments name this machine, and no other by a URL."""
    addresses = [word for word in words if "://" in word or _LOOPBACK.fullmatch(word)]
    return bool(addresses) and all(map(_LOOPBACK.fullmatch, addresses))


def find_package_removal(step: SimpleCommand) -> str:
    """Explain why undo cannot restore the packages that a step removes; empty if it can."""
    program, words = _without_python(step)
    if _get_subcommand(words) in _REMOVES.get(program, ()):
        return "it removes packages, which undo cannot restore"
    return ""


def _get_subcommand(words: list[str]) -> str:
    return next((word for word in words if not word.startswith("-")), "")


def _without_python(step: SimpleCommand) -> tuple[str, list[str]]:
    """Return program and arguments, with `python -m pip install` as `pip install`."""
    words = [word.text for word in step.words[1:]]
    if re.fullmatch(r"python[\d.]*", step.program) and words[:1] == ["-m"] and words[1:]:
        return words[1], words[2:]
    return step.program, words
