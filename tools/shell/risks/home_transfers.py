"""A whole home folder, with the keys in it, sent to a network client."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ....config.text import text
from ...sensitive_paths import find_homes
from ..parsing.network_clients import is_network_client
from ..parsing.simple_command import SimpleCommand

_NAMES_ONLY_LIST = """
basename cd chdir df dirname du echo exit ls mkdir popd printf pushd pwd readlink realpath stat
test tree
"""
# Programs that read nothing of what is in a folder
_NAMES_ONLY = frozenset(_NAMES_ONLY_LIST.split())
_UPLOADERS_LIST = """
aws az azcopy b2 borg duplicity gcloud gh gsutil kubectl mc oci rclone restic rsync s3cmd s5cmd scp
"""
# Programs that copy the folders in their arguments to another machine
_UPLOADERS = frozenset(_UPLOADERS_LIST.split())
_COPIERS_LIST = """
7z 7za bsdtar cp cpio dd mksquashfs pax tar zip
"""
# Programs that copy a folder into a file or to another machine; the last argument may be the target
_COPIERS = frozenset(_COPIERS_LIST.split()) | _UPLOADERS
_TARGET_LAST_LIST = """
aws azcopy cp duplicity gsutil kubectl mc rclone rsync s3cmd s5cmd scp
"""
_TARGET_LAST = frozenset(_TARGET_LAST_LIST.split())
# Options of `find` and `fd` that start a program for each file
_STARTS = frozenset(["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"])
# Options of `curl`, `wget` and `http` that name a file to send
_SENDS = re.compile(
    r"(?:-[TFd]|--upload-file|--form|--data(?:-\w+)?|--json|--(?:post|body)-file)(?:=|$)(.*)"
)
_HOME_VARIABLE = re.compile(r"\$(?:HOME\b|\{HOME\})")
_ALL_INSIDE = re.compile(r"(?:/|^)(?:\.?\*+|\.\[\^?\.?.*\]\*?)$")


def find_home_transfer(steps: Sequence[SimpleCommand]) -> str:
    """Describe how a line may send a home folder to the network; empty if it does not."""
    for at, step in enumerate(steps):
        if step.program in _NAMES_ONLY or not _reads_home(step):
            continue
        if step.program in _UPLOADERS or _sends_home(step):
            client = step.program
        else:
            client = _find_client(step, steps[at + 1 :])
        if client:
            return text(
                "`{program}` may send a whole home folder, with the keys in it, to the network",
                program=client,
            )
    return ""


def _find_client(source: SimpleCommand, later: Sequence[SimpleCommand]) -> str:
    """Return the client that gets the source's output, or may get the file that it writes."""
    fed = {source.program}
    starts = source.program == "parallel" or any(word.text in _STARTS for word in source.words)
    for step in later:
        is_fed = not fed.isdisjoint({*step.feed.programs, *step.inner})
        is_fed = is_fed or (starts and step.wrapped)
        if is_network_client(step) and (is_fed or source.program in _COPIERS):
            return step.program
        if is_fed:
            fed.add(step.program)
    return ""


def _sends_home(step: SimpleCommand) -> bool:
    """Return whether a client sends the files of a home folder: `curl -T ~/*`."""
    if not is_network_client(step):
        return False
    words = [word.text for word in step.words[1:]]
    sent = [
        (match[1] or following).rpartition("=")[2].lstrip("@<")
        for word, following in zip(words, [*words[1:], ""], strict=True)
        if (match := _SENDS.fullmatch(word))
    ]
    return any(map(_holds_home, _iter_paths(list(filter(None, sent)), step.folder)))


def _reads_home(step: SimpleCommand) -> bool:
    words = [word.text for word in step.words[1:]]
    if step.program in _TARGET_LAST:
        words = [word for word in words if not word.startswith("-")][:-1]
    return any(map(_holds_home, _iter_paths(words, step.folder)))


def _iter_paths(words: Sequence[str], folder: Path | None) -> Iterator[Path]:
    home = os.path.expanduser("~")
    for word in words:
        name = _HOME_VARIABLE.sub(lambda _: home, word.rpartition("=")[2])
        name = _ALL_INSIDE.sub("", os.path.expanduser(name)) or "."
        if name.startswith("/") or (folder and not word.startswith("-")):
            yield Path(os.path.normpath(os.path.join(folder or "/", name)))


def _holds_home(path: Path) -> bool:
    return any(home.is_relative_to(path) for home in find_homes() if home != Path("/"))
