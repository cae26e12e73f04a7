"""Destructive commands, denied in every mode.

Each check takes one step of the line and describes the damage for the user; an empty result is no
finding.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from ....config.text import text
from ..parsing import inline_code
from ..parsing.path_targets import is_disk, is_system, is_vital, is_vital_file, resolve_target
from ..parsing.simple_command import SimpleCommand
from . import deletions
from .copy_targets import parse_copy

_Check = Callable[[SimpleCommand, Path], str]
_STOPS = frozenset(["shutdown", "reboot", "halt", "poweroff", "killall5", "pm-hibernate"])
_ONLY_TALKS = frozenset(["--help", "--version", "-c", "--show", "-w", "--wtmp-only"])
_SYSTEMCTL_STOPS_LIST = """
emergency halt hibernate hybrid-sleep isolate kexec poweroff reboot rescue soft-reboot suspend
terminate-user kill-user
"""
_SYSTEMCTL_STOPS = frozenset(_SYSTEMCTL_STOPS_LIST.split())


def find_damage(step: SimpleCommand, root: Path) -> str:
    """Describe what a step would destroy; empty if nothing is found."""
    written = (redirect.target.text for redirect in step.redirects if redirect.writes)
    if damage := _pick_first(_check_overwrite(name, step) for name in written):
        return damage
    program = step.program
    if damage := find_shutdown(step) or find_disk_wipe(step) or inline_code.find_damage(step, root):
        return damage
    if step.words and not step.words[0].known:
        return deletions.find_damage(step, root)  # an unknown program may be `rm`
    check = _CHECKS.get(program)
    return check(step, root) if check else ""


def _pick_first(findings: Iterable[str]) -> str:
    return next(filter(None, findings), "")


def _check_overwrite(name: str, step: SimpleCommand) -> str:
    where = resolve_target(name, step.folder)
    if where and is_disk(str(where)):
        return text("it writes to the disk `{name}`", name=name)
    return (
        text("it overwrites `{name}`, a system file", name=name)
        if where and is_vital_file(where)
        else ""
    )


def _list_operands(step: SimpleCommand) -> list[str]:
    return [word.text for word in step.words[1:] if not word.text.startswith("-")]


def _check_dd(step: SimpleCommand, root: Path) -> str:
    outputs = [name.removeprefix("of=") for name in _list_operands(step) if name.startswith("of=")]
    return _pick_first(_check_overwrite(name, step) for name in outputs)


def _check_all_operands(step: SimpleCommand, root: Path) -> str:
    return _pick_first(_check_overwrite(name, step) for name in _list_operands(step))


def _check_in_place(step: SimpleCommand, root: Path) -> str:
    in_place = any(re.match(r"-[a-zA-Z]*i|--in-place", word.text) for word in step.words[1:])
    return _check_all_operands(step, root) if in_place else ""


def _check_last_operand(step: SimpleCommand, root: Path) -> str:
    return _pick_first(_check_overwrite(name, step) for name in _list_operands(step)[1:][-1:])


def _check_mv(step: SimpleCommand, root: Path) -> str:
    copied = parse_copy(step)
    sources, target = copied.sources, copied.target
    patterns = [word.pattern for word in step.words if word.pattern]
    for name in [*sources, *patterns]:
        where = resolve_target(name, step.folder)
        if where and is_vital(where, root) or (where == root and name not in patterns):
            return text("it moves `{name}` away", name=name)
        if where == root and target == "/dev/null":
            return text("it moves `{name}` to `/dev/null`", name=name)
    return _check_all_operands(step, root)


def _check_modes(step: SimpleCommand, root: Path) -> str:
    """Check `chmod`, `chown` and similar programs on paths that the system needs."""
    recursive = any(re.fullmatch(r"--recursive|-\w*R\w*", word.text) for word in step.words[1:])
    for name in _list_operands(step):
        where = resolve_target(name, step.folder) if "/" in name or name in ("..", "~") else None
        if where is None:
            continue
        shallow = is_system(where) and len(where.parts) < 3 and not where.is_relative_to(root)
        if shallow or (recursive and is_vital(where, root)) or is_vital_file(where):
            return text(
                "`{program}` on `{name}` breaks the system", program=step.program, name=name
            )
    return ""


def _check_rsync(step: SimpleCommand, root: Path) -> str:
    names = _list_operands(step)
    deletes = any(re.match(r"--del(ete|$)", word.text) for word in step.words)
    where = resolve_target(names[-1], step.folder) if deletes and names else None
    if where and is_vital(where, root):
        return text("it removes the contents of `{names}`", names=names[-1])
    return _check_last_operand(step, root)


_CHECKS: Mapping[str, _Check] = {
    **dict.fromkeys(
        ["rm", "rmdir", "unlink", "shred", "srm", "rimraf", "trash", "trash-put"],
        deletions.find_damage,
    ),
    "find": deletions.check_find,
    "dd": _check_dd,
    **dict.fromkeys(["tee", "truncate", "fallocate"], _check_all_operands),
    **dict.fromkeys(["cp", "install", "ln"], _check_last_operand),
    **dict.fromkeys(["sed", "perl"], _check_in_place),
    "mv": _check_mv,
    "rsync": _check_rsync,
    **dict.fromkeys(["chmod", "chown", "chgrp", "chattr", "setfacl"], _check_modes),
}
_MAKES_FILESYSTEM = re.compile(r"mkfs(\.[a-z]\w*)?|mke2fs|mkdosfs|mkntfs|newfs(_\w+)?|mkswap")
_ON_DISKS_LIST = """
badblocks blkdiscard cfdisk cp cryptsetup ddrescue diskutil fdisk gdisk hdparm install mdadm mv
nvme parted pvcreate pvremove sfdisk sgdisk shred tee truncate wipefs zpool
"""
_ON_DISKS = frozenset(_ON_DISKS_LIST.split())
# Subcommands that destroy data, for any name after them
_DESTROYS = {
    "zpool": r"destroy|labelclear",
    "zfs": r"destroy",
    "diskutil": r"(erase|zero|secureErase|partition|reformat)\w*",
    **dict.fromkeys(["lvremove", "vgremove"], r"[^-].*"),
}
_TO_THE_LAST = frozenset(["cp", "mv", "install", "ddrescue"])
# Options that only query
_LOOKS = {
    **dict.fromkeys(["fdisk", "gdisk", "sfdisk"], r"-l|--list|-d|--dump"),
    "sgdisk": r"-p|--print|-i.*|-b|--backup.*",
    "parted": r"-l|--list|print|p",
    "hdparm": r"-[ItTgiv]+",
    "cryptsetup": r"luksDump|isLuks|status|luksUUID",
    "wipefs": r"-n|--no-act",
    "mdadm": r"-D|--detail|-E|--examine|-Q",
    "nvme": r"list|id-ctrl|smart-log",
    "diskutil": r"list|info",
    "badblocks": r"-n|-s|-v|-sv",
    "zpool": r"list|status|get",
}


def find_disk_wipe(step: SimpleCommand) -> str:
    """Describe the disk that a step wipes; empty if it wipes none."""
    program, words = step.program, [word.text for word in step.words[1:]]
    destroys = _DESTROYS.get(program)
    if destroys and any(re.fullmatch(destroys, word) for word in words):
        return text("`{program}` destroys a disk", program=program)
    if _MAKES_FILESYSTEM.fullmatch(program):
        looks = None
    elif program in _ON_DISKS:
        looks = _LOOKS.get(program)
    else:
        return ""
    if looks and any(re.fullmatch(looks, word) for word in words):
        return ""
    candidates = words[-1:] if program in _TO_THE_LAST else words
    places = ((word, resolve_target(word, step.folder)) for word in candidates)
    disk = next((word for word, where in places if where and is_disk(str(where))), "")
    return (
        text("`{program}` destroys the data on `{disk}`", program=program, disk=disk)
        if disk
        else ""
    )


def find_shutdown(step: SimpleCommand) -> str:
    """Describe what a step would stop; empty if nothing."""
    words = [word.text for word in step.words[1:]]
    if step.program in _STOPS:
        return (
            ""
            if set(words) & _ONLY_TALKS
            else text("`{program}` shuts down the machine", program=step.program)
        )
    check = _SHUTDOWN_CHECKS.get(step.program)
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


_SHUTDOWN_CHECKS: Mapping[str, Callable[[Sequence[str]], str]] = {
    **dict.fromkeys(["init", "telinit"], _check_init),
    **dict.fromkeys(["systemctl", "loginctl"], _check_systemctl),
    "kill": _check_kill,
    **dict.fromkeys(["pkill", "killall"], _check_pkill),
    "crontab": _check_crontab,
    **dict.fromkeys(["userdel", "deluser"], _check_account),
    "umount": _check_umount,
}
