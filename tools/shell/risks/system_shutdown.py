"""Commands that shut down the machine, kill all processes, or remove accounts and jobs."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ....config.text import text
from ..parsing.simple_command import SimpleCommand

_STOPS = frozenset(["shutdown", "reboot", "halt", "poweroff", "killall5", "pm-hibernate"])
_ONLY_TALKS = frozenset(["--help", "--version", "-c", "--show", "-w", "--wtmp-only"])
_SYSTEMCTL_STOPS_LIST = """
emergency halt hibernate hybrid-sleep isolate kexec poweroff reboot rescue soft-reboot suspend
terminate-user kill-user
"""
_SYSTEMCTL_STOPS = frozenset(_SYSTEMCTL_STOPS_LIST.split())


def find_shutdown(step: SimpleCommand) -> str:
    """Describe what a step would stop; empty if nothing."""
    words = [word.text for word in step.words[1:]]
    if step.program in _STOPS:
        return (
            ""
            if set(words) & _ONLY_TALKS
            else text("`{program}` shuts down the machine", program=step.program)
        )
    check = _CHECKS.get(step.program)
    return check(words) if check else ""


def _check_init(words: Sequence[str]) -> str:
    return "it shuts down the machine" if words and words[0] in "016sSq" else ""


def _check_systemctl(words: Sequence[str]) -> str:
    plain = [word for word in words if not word.startswith("-")]
    return "it shuts down the machine" if plain and plain[0] in _SYSTEMCTL_STOPS else ""


def _check_kill(words: Sequence[str]) -> str:
    if words[:1] in (["-l"], ["-L"], ["--list"]):
        return ""
    rest = list(words)
    if rest and re.fullmatch(r"-s|-n|--signal", rest[0]):
        rest = rest[2:]
    elif rest and rest[0].startswith("-") and rest[0] != "--" and len(rest) > 1:
        rest = rest[1:]
    everything = {"1", "-1"} & set(rest) and words != ["-1"]
    return "it kills every process" if everything else ""


def _check_pkill(words: Sequence[str]) -> str:
    names, by_user, skip = list[str](), False, False
    for word in words:
        if skip:
            skip = False
        elif re.fullmatch(r"-[uU]|--(e?uid|user)", word):
            skip = by_user = True
        elif re.match(r"-[uU]\w|--(e?uid|user)=", word):
            by_user = True
        elif not word.startswith("-"):
            names.append(word)
    all_of_them = any(re.fullmatch(r"\.?\*?|\^\.?\*?|\.\+", name) for name in names)
    return "it kills every process" if all_of_them or (by_user and not names) else ""


def _check_crontab(words: Sequence[str]) -> str:
    return "it removes all scheduled jobs" if "-r" in words else ""


def _check_account(words: Sequence[str]) -> str:
    return "it removes a user account" if {"root", Path.home().name} & set(words) else ""


def _check_umount(words: Sequence[str]) -> str:
    return "it unmounts or detaches disks" if {"-a", "--all", "/"} & set(words) else ""


_CHECKS: Mapping[str, Callable[[Sequence[str]], str]] = {
    **dict.fromkeys(["init", "telinit"], _check_init),
    **dict.fromkeys(["systemctl", "loginctl"], _check_systemctl),
    "kill": _check_kill,
    **dict.fromkeys(["pkill", "killall"], _check_pkill),
    "crontab": _check_crontab,
    **dict.fromkeys(["userdel", "deluser"], _check_account),
    "umount": _check_umount,
}
