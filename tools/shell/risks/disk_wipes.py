"""Commands that wipe a disk."""

import re

from ....config.text import text
from ..parsing.path_targets import is_disk, resolve_target
from ..parsing.simple_command import SimpleCommand

_MAKES_FILESYSTEM = re.compile(r"mkfs(\.[a-z]\w*)?|mke2fs|mkdosfs|mkntfs|newfs(_\w+)?|mkswap")
_ON_DISKS_LIST = """
badblocks blkdiscard cfdisk cp cryptsetup ddrescue diskutil fdisk gdisk hdparm install mdadm mv
nvme parted pvcreate pvremove sfdisk sgdisk shred tee truncate wipefs zpool
"""
_ON_DISKS = frozenset(_ON_DISKS_LIST.split())
_DESTROYS = {
    "zpool": r"destroy|labelclear",
    "zfs": r"destroy",
    "diskutil": r"(erase|zero|secureErase|partition|reformat)\w*",
    **dict.fromkeys(["lvremove", "vgremove"], r"[^-].*"),
}
"""Words with which they do so, whatever the name behind them."""
_TO_THE_LAST = frozenset(["cp", "mv", "install", "ddrescue"])
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
"""Words with which they only look."""


def find_disk_wipe(step: SimpleCommand) -> str:
    """The disk that a step wipes, in words; empty when it wipes none."""
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
