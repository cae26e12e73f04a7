"""Files that a command reads because it reads a folder above them, as `grep -r x .` does."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from ..shell.parsing.flags import NotReadOnlyError
from ..shell.readonly.recursive_programs import RG_TYPES
from ..shell.readonly.tree_access import RipgrepIgnore, TraversalOptions, walk_files

if TYPE_CHECKING:
    from ..shell.parsing.simple_command import SimpleCommand

# Programs that read folders with such an option, and those that do without
_OPTIONS = {
    **dict.fromkeys(
        ("grep", "egrep", "fgrep", "zgrep"),
        re.compile(r"-[a-zA-Z]*[rR]\w*|--(dereference-)?recursive|--directories=recurse|recurse"),
    ),
    **dict.fromkeys(("diff", "zip", "scp"), re.compile(r"-[a-zA-Z]*r\w*|--recursive")),
    **dict.fromkeys(("cp", "rsync"), re.compile(r"-[a-zA-Z]*[rRa]\w*|--recursive|--archive")),
}
_SEARCHES = frozenset(["rg", "ag", "ack"])
_COPIES = frozenset(["tar", "bsdtar", "7z", "7za"])
_LISTS = frozenset(["find", "fd", "fdfind"])
_GIT_SEARCHES = frozenset(["grep", "archive"])
_PATCHES = frozenset(["-p", "-u", "--patch"])
# Options after which a program is named that gets the files, and programs that name one
_STARTS = frozenset(["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"])
_FEEDS = frozenset(["xargs", "parallel", "cpio"])
_LEFT_OUT = re.compile(
    r"--(?:exclude|exclude-dir|ignore|ignore-dir)(?:=(.+))?|-x|:(?:!|\^|\(exclude\))(.+)"
)
_TAKEN_IN = re.compile(r"--(?:include|glob|iglob)(?:=(.+))?|-g(.+)?|-i?name|-i?path")
_NOT = frozenset(["!", "-not"])
_ALL_FILES = re.compile(r"(-uu*|-\.|--hidden|--no-ignore|--unrestricted|-[a-zA-Z]*[uUI][a-zA-Z]*)")


@dataclass(frozen=True)
class _NameFilter:
    """The names that options leave out, and those that alone are taken in."""

    left_out: tuple[str, ...]
    taken_in: tuple[str, ...]

    def reads(self, name: str) -> bool:
        """Return whether a file is read, by its path in the project."""
        parts = name.split("/")
        ways = {*parts, name, f"./{name}", *("/".join(parts[:end]) for end in range(len(parts)))}
        if any(fnmatchcase(way, pattern) for pattern in self.left_out for way in ways):
            return False
        return not self.taken_in or any(
            fnmatchcase(way, pattern)
            for pattern in self.taken_in
            for way in (parts[-1], name, f"./{name}")
        )


def find_tree_files(
    step: "SimpleCommand", later: Sequence["SimpleCommand"], root: Path, readers: frozenset[str]
) -> Iterator[str]:
    """Yield the project's files that a step reads in whole folders, by their paths.

    Yields `.` if there are too many. `later` are the steps that may get its output, `readers` the
    programs that read what they are given.
    """
    if step.folder is None or not _reads_folders(step, later, readers):
        return
    arguments = [word.text for word in step.words[1:]]
    names = _parse_filter(step.program, arguments)
    for folder in _find_folders(step, arguments):
        top = Path(os.path.realpath(folder))
        if not top.is_relative_to(root):
            continue
        manner = TraversalOptions(lambda _: True, _choose_skips(step, arguments, root))
        try:
            for entry in walk_files(top, manner):
                name = os.path.relpath(entry.path, root)
                if names.reads(name) and not manner.skips(Path(entry.path)):
                    yield name
        except NotReadOnlyError:
            yield "."


def _reads_folders(
    step: "SimpleCommand", later: Sequence["SimpleCommand"], readers: frozenset[str]
) -> bool:
    arguments = [word.text for word in step.words[1:]]
    if option := _OPTIONS.get(step.program):
        return any(map(option.fullmatch, arguments))
    if step.program in _SEARCHES:
        return "--files" not in arguments
    if step.program == "git" and not _GIT_SEARCHES.isdisjoint(arguments[:4]):
        return True
    if step.program == "git" and "log" in arguments[:4]:  # with the lines of all files
        return not _PATCHES.isdisjoint(arguments)
    if step.program in _COPIES:
        return not any(
            re.fullmatch(r"-?-?(x\w*|t\w*|extract|list|get)", word) for word in arguments[:1]
        )
    if step.program in _LISTS or (step.program == "git" and "ls-files" in arguments):
        started = arguments[
            next((at for at, word in enumerate(arguments) if word in _STARTS), len(arguments)) :
        ]
        return not readers.isdisjoint(started) or any(
            other.program in _FEEDS
            and step.program in other.feed.programs
            and not (readers | {"cpio"}).isdisjoint(word.text for word in other.words)
            for other in later
        )
    return False


def _find_folders(step: "SimpleCommand", arguments: Sequence[str]) -> list[Path]:
    """Return the folders that are named; where no file is named either, that of the command."""
    folder = step.folder or Path()
    operands = [word for word in arguments if not word.startswith(("-", ":"))]
    if step.program in _OPTIONS.keys() - {"cp", "rsync", "scp", "zip", "diff"} | _SEARCHES:
        operands = operands if {"-e", "-f", "--regexp", "--file"} & {*arguments} else operands[1:]
    if step.program in ("cp", "rsync", "scp"):
        operands = operands[:-1]
    paths = [folder / re.sub(r"(^|/)\*+$", r"\1", os.path.expanduser(word)) for word in operands]
    existing = [path for path in paths if path.exists()]
    if existing or step.program in ("cp", "rsync", "scp", "diff", "zip", *_COPIES):
        return [path for path in existing if path.is_dir()]
    return [folder]


def _parse_filter(program: str, arguments: Sequence[str]) -> _NameFilter:
    left_out, taken_in = list[str](), list[str]()
    for before, word, value in zip(["", *arguments], arguments, [*arguments[1:], ""], strict=False):
        if match := _LEFT_OUT.fullmatch(word):
            left_out.append(match[1] or match[2] or value)
        elif match := _TAKEN_IN.fullmatch(word):
            pattern = match[1] or match[2] or value
            is_left_out = before in _NOT or pattern.startswith("!") or "-prune" in arguments
            (left_out if is_left_out else taken_in).append(pattern.lstrip("!"))
        elif word in ("-t", "--type") and program == "rg":
            taken_in += RG_TYPES.get(value, ("*",))
    is_choice = program == "find" and not {"-o", "-or"}.isdisjoint(arguments)
    return _NameFilter(tuple(map(_trim, left_out)), () if is_choice else tuple(taken_in))


def _trim(pattern: str) -> str:
    return re.sub(r"^(\./|/|\*\*/)|/(\*\*?)?$", "", pattern)


def _choose_skips(
    step: "SimpleCommand", arguments: Sequence[str], root: Path
) -> Callable[[Path], bool]:
    """Return what a program skips by itself: git's folder, hidden names, those of .gitignore."""
    if step.program not in {*_SEARCHES, "git", "fd", "fdfind"} or (
        step.program != "git" and any(map(_ALL_FILES.fullmatch, arguments))
    ):
        return lambda path: path.name == ".git"
    ignored = RipgrepIgnore(root, lambda name: step.program == "git" and name.startswith("."))

    def skips(path: Path) -> bool:
        return path.name == ".git" or ignored(path)

    return skips
