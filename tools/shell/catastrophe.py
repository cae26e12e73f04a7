"""What no mode lets run: commands that ruin the machine, its disks, or the whole project.

Each check takes one step of the line and answers with what would be ruined, in words for people;
an empty answer is no finding.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from . import removal
from .scope import Word
from .steps import Step
from .targets import is_disk, is_system, is_vital, is_vital_file, place

_STOPS = frozenset(["shutdown", "reboot", "halt", "poweroff", "init", "telinit", "killall5"])
_ASKS_ABOUT = frozenset(["--help", "--version", "-h?", "-c", "--show", "-V"])
_SYSTEMCTL_STOPS = frozenset(
    ["poweroff", "reboot", "halt", "kexec", "suspend", "hibernate", "rescue", "emergency"]
    + ["soft-reboot", "hybrid-sleep", "isolate"]
)
_MAKES_FILESYSTEM = re.compile(r"mkfs(\.[a-z]\w*)?|mke2fs|mkdosfs|mkntfs|newfs(_\w+)?|mkswap")
_ON_DISKS = frozenset(
    """
    shred wipefs blkdiscard sfdisk sgdisk gdisk fdisk cfdisk parted badblocks hdparm nvme cryptsetup
    pvcreate pvremove mdadm zpool diskutil dd tee truncate sg_format format install ddrescue
    """.split()
)
_LOOKS_ONLY = frozenset(
    ["-l", "--list", "-I", "print", "luksDump", "-p", "--print", "-n", "list", "info"]
)
_CODE_REMOVES = re.compile(
    r"(?:rmtree|rm_rf|rm_r|rmSync|rmdirSync|rmdir_r|remove_tree|removeSync|emptyDirSync|rimraf|rm)"
    r"\s*\(?\s*(?:Path\()?['\"]([^'\"]+)['\"]"
)
_CODE_FORKS = re.compile(r"fork\s*(\(\))?\s+while\s+(fork|1|true)|while.*\bfork\b|loop.*\bfork\b")
_CODE_RUNS = re.compile(
    r"system|popen|exec|spawn|subprocess|check_call|check_output|`|\brun\(|%x|qx"
)
_CODE_TEXT = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|`([^`]*)`", re.DOTALL)


def ruined_by(step: Step, root: Path) -> str:
    """What a step would ruin; empty when nothing is found."""
    if found := _by_redirects(step, root):
        return found
    program, words = step.program, step.words[1:]
    if _MAKES_FILESYSTEM.fullmatch(program):
        return _on_disks(program, words)
    if program in _STOPS:
        return _stops(program, words)
    if program in _ON_DISKS and (found := _on_disks(program, words)):
        return found
    check = _CHECKS.get(program)
    found = check(step, root) if check else ""
    if not found and step.words and not step.words[0].known and len(step.words) > 1:
        found = removal.ruined_by(step, root)  # a program that nobody knows may be `rm`
    return found


def _by_redirects(step: Step, root: Path) -> str:
    for redirect in step.redirects:
        name = redirect.target.text
        if redirect.writes and name not in ("/dev/null",) and (found := _overwritten(name, step)):
            return found
    return ""


def _overwritten(name: str, step: Step) -> str:
    if is_disk(name):
        return f"it writes to the disk `{name}`"
    where = place(name, step.folder)
    return f"it overwrites `{name}`, a file of the system" if where and is_vital_file(where) else ""


def _stops(program: str, words: Sequence[Word]) -> str:
    texts = [word.text for word in words]
    if any(text in ("--help", "--version", "-c", "--show") for text in texts):
        return ""
    if program in ("init", "telinit") and not set(texts) & {"0", "1", "6", "s", "S", "u"}:
        return ""
    return f"`{program}` stops the machine"


def _on_disks(program: str, words: Sequence[Word]) -> str:
    texts = [word.text for word in words]
    if set(texts) & _LOOKS_ONLY and program not in ("dd", "tee"):
        return ""
    if program == "dd":
        texts = [text.removeprefix("of=") for text in texts if text.startswith("of=")]
    disk = next((text for text in texts if is_disk(text)), "")
    return f"`{program}` destroys what is on `{disk}`" if disk else ""


def _dd(step: Step, root: Path) -> str:
    outs = [word.text.removeprefix("of=") for word in step.words if word.text.startswith("of=")]
    return next(filter(None, (_overwritten(out, step) for out in outs)), "")


def _writes_all(step: Step, root: Path) -> str:
    """For programs all of whose words may be files that they write."""
    names = [word.text for word in step.words[1:] if not word.text.startswith("-")]
    return next(filter(None, (_overwritten(name, step) for name in names)), "")


def _writes_last(step: Step, root: Path) -> str:
    names = [word.text for word in step.words[1:] if not word.text.startswith("-")]
    return _overwritten(names[-1], step) if len(names) > 1 else ""


def _mv(step: Step, root: Path) -> str:
    names = [word.text for word in step.words[1:] if not word.text.startswith("-")]
    for name in names[:-1]:
        where = place(name, step.folder)
        if where and where != root and is_vital(where, root) or where == root and "*" not in name:
            return f"it moves `{name}` away"
        if where == root and names[-1] == "/dev/null":
            return f"it moves `{name}` to nowhere"
    moved = next(filter(None, (_overwritten(name, step) for name in names)), "")
    return moved or _writes_last(step, root)


def _modes(step: Step, root: Path) -> str:
    texts = [word.text for word in step.words[1:]]
    recursive = any(re.fullmatch(r"--recursive|-\w*R\w*", text) for text in texts)
    for text in texts:
        where = place(text, step.folder) if not text.startswith("-") else None
        if (
            where is None
            or where.is_relative_to(root)
            or "/" not in text
            and text not in ("..", "~")
        ):
            continue
        if is_system(where) and len(where.parts) <= 2 or recursive and is_vital(where, root):
            return f"`{step.program}` on `{text}` breaks the system"
        if is_vital_file(where):
            return f"`{step.program}` on `{text}`, a file of the system"
    return ""


def _kill(step: Step, root: Path) -> str:
    texts = [word.text for word in step.words[1:]]
    pids, signal_next, signalled = list[str](), False, False
    for text in texts:
        if signal_next:
            signal_next = False
        elif text in ("-s", "-n", "--signal"):
            signal_next = signalled = True
        elif text.startswith("-") and not signalled and not pids and text != "--":
            signalled = True
        elif text != "--":
            pids.append(text)
    if texts[:1] in (["-l"], ["-L"]):
        return ""
    all_of_them = "-1" in pids or (texts[-1:] == ["-1"] and len(texts) > 1)
    return "it kills every process" if all_of_them or "1" in pids else ""


def _pkill(step: Step, root: Path) -> str:
    texts = [word.text for word in step.words[1:]]
    names = [text for text in texts if not text.startswith("-")]
    users = [
        names.pop(names.index(texts[at + 1]))
        for at, text in enumerate(texts[:-1])
        if text in ("-u", "-U", "--euid", "--user") and texts[at + 1] in names
    ]
    everything = (users and not names) or any(name in (".", ".*", "", "^") for name in names)
    return "it kills every process" if everything else ""


def _systemctl(step: Step, root: Path) -> str:
    found = next((word.text for word in step.words if word.text in _SYSTEMCTL_STOPS), "")
    return f"`systemctl {found}` stops the machine" if found else ""


def _crontab(step: Step, root: Path) -> str:
    return "it removes all timed jobs" if any(w.text == "-r" for w in step.words) else ""


def _users(step: Step, root: Path) -> str:
    names = {word.text for word in step.words[1:]}
    return "it removes a user's account" if names & {"root", Path.home().name} else ""


def _umount(step: Step, root: Path) -> str:
    texts = {word.text for word in step.words[1:]}
    return "it takes the disks away" if texts & {"-a", "--all", "/"} else ""


def _rsync(step: Step, root: Path) -> str:
    texts = [word.text for word in step.words[1:]]
    if not any(text.startswith("--delete") or text == "--del" for text in texts):
        return _writes_last(step, root)
    where = place(texts[-1], step.folder)
    return f"it removes what is in `{texts[-1]}`" if where and is_vital(where, root) else ""


def _code(step: Step, root: Path) -> str:
    """What code in the line or on the input would remove, or start without end."""
    for code in (*(word.text for word in step.words[1:]), step.feed.text or ""):
        if _CODE_FORKS.search(code):
            return "it starts processes without end"
        for found in _CODE_REMOVES.finditer(code):
            where = place(found[1], step.folder)
            if where and (is_vital(where, root) or where == root):
                return f"it removes `{found[1]}`"
    return ""


def lines_in_code(step: Step) -> list[str]:
    """The texts in code that the code may give to a shell."""
    lines = list[str]()
    for code in (*(word.text for word in step.words[1:]), step.feed.text or ""):
        if _CODE_RUNS.search(code):
            lines += [one or two or three for one, two, three in _CODE_TEXT.findall(code)]
    return lines[:20]


_Check = Callable[[Step, Path], str]
_CHECKS: Mapping[str, _Check] = {
    "rm": removal.ruined_by,
    "rmdir": removal.ruined_by,
    "unlink": removal.ruined_by,
    "find": removal.found_by,
    "dd": _dd,
    "tee": _writes_all,
    "truncate": _writes_all,
    "shred": removal.ruined_by,
    "sed": _writes_all,
    "cp": _writes_last,
    "install": _writes_last,
    "ln": _writes_last,
    "rsync": _rsync,
    "mv": _mv,
    **dict.fromkeys(["chmod", "chown", "chgrp", "chattr", "setfacl"], _modes),
    "kill": _kill,
    "pkill": _pkill,
    "killall": _pkill,
    "systemctl": _systemctl,
    "loginctl": _systemctl,
    "crontab": _crontab,
    **dict.fromkeys(["userdel", "deluser"], _users),
    "umount": _umount,
    **dict.fromkeys(
        "python python2 python3 perl ruby node nodejs deno bun php lua awk gawk mawk".split(), _code
    ),
}
