"""Programs that check whether a file exists without reading it."""

import os
from pathlib import Path

from ..parsing.flags import split_names
from ..parsing.simple_command import SimpleCommand
from .referenced_files import FileReference

_EXISTENCE = split_names("test [ [[")
# Git commands that print only names or titles, with the options that keep it so
_GIT_NAMES = {
    "git check-ignore": split_names("-q -v -n --quiet --verbose --non-matching --no-index --"),
    "git log": split_names("--oneline --all --follow --no-merges --"),
    "git ls-files": split_names(
        "-c -o -i -t --cached --others --exclude-standard --error-unmatch --"
    ),
    "git rm": split_names("--cached -r -f -q -n --force --quiet --dry-run --ignore-unmatch --"),
}
# Commands that show no content of a file, for any expansion of a pattern
_NAMES_OR_MODES = split_names(
    "ls du touch chmod chown chgrp stat wc mkdir basename dirname realpath readlink echo"
) | {"git add"}
# Commands that enter a folder, or move it elsewhere
_TAKES_FOLDERS = split_names(
    """
    ls grep egrep fgrep zgrep rg ag ack cp mv rm ln rsync scp sftp install cat bat head tail less
    more find fd fdfind tar bsdtar zip 7z cpio pax du tree diff cd pushd rclone docker podman
    """
) | {f"git {command}" for command in split_names("add archive blame diff grep log rm mv show -C")}


def is_existence_check(step: SimpleCommand, name: FileReference, path: str, root: Path) -> bool:
    """Return whether the step shows no content of `path`, which one of its words names."""
    if name.bound:
        return False
    act, is_folder = _get_command_name(step), os.path.isdir(path)
    if act in _EXISTENCE or _is_git_name_listing(step, act):
        return True
    if name.by_chance:
        return act in _NAMES_OR_MODES
    if not Path(path).is_relative_to(root):
        return False
    if act == "ls":
        return not is_folder
    return is_folder and not set("/.") & set(name.text) and act not in _TAKES_FOLDERS


def _get_command_name(step: SimpleCommand) -> str:
    """Return the program, for git with its subcommand."""
    words = [word.text for word in step.words]
    return f"git {words[1]}" if step.program == "git" and words[1:] else step.program


def _is_git_name_listing(step: SimpleCommand, act: str) -> bool:
    words = [word.text for word in step.words[2:]]
    options = {word for word in words if word.startswith("-")}
    if act not in _GIT_NAMES or not options <= _GIT_NAMES[act]:
        return False
    return act != "git rm" or "--cached" in options
