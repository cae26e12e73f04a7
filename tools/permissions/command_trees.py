"""Folders that a command reads, as `grep -r x .` does."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from ..shell.parsing.find_arguments import find_start_folders
from ..shell.parsing.find_expression import parse_find
from ..shell.parsing.flags import NotReadOnlyError, ParsedArguments
from ..shell.parsing.git_command import find_git_command, split_git_command
from .tree_filters import (
    DroppedNames,
    DroppingPattern,
    LeftOut,
    PatternFilter,
    compile_inclusion,
    parse_dropped,
)
from .tree_programs import PROGRAMS, TreeProgram, spell_out
from .tree_walk import ReadTree

if TYPE_CHECKING:
    from ..shell.parsing.simple_command import SimpleCommand

# Options after which a program is named that gets the files, and programs that name one
_STARTS = frozenset(["-exec", "-execdir", "-ok", "-okdir"])
_FD_STARTS = frozenset(["-x", "-X", "--exec", "--exec-batch"])
# Programs after `fd -x` that open a file, but nothing in a folder
_READS_NO_FOLDERS = (["cat"], ["head"], ["tail"], ["wc"], ["nl"], ["sed"], ["awk"], ["stat"])
_FEEDS = frozenset(["xargs", "parallel", "cpio"])
# Words that read folders in a command which is not understood
_MAY_READ_FOLDERS = re.compile(r"-[^-]*[rRad].*|--(rec|arch|deref|dir|files-from).*")
_MAKES_TAR = frozenset(["-c", "-r", "-u", "--create", "--append", "--update"])
_READS_TAR = frozenset(
    [
        "-x",
        "-t",
        "-d",
        "-A",
        "--extract",
        "--get",
        "--list",
        "--diff",
        "--compare",
        "--delete",
        "--test-label",
        "--concatenate",
        "--catenate",
    ]
)
# Commands of git that show the lines of files, or do so with an option
_SHOWS_FILES = frozenset(
    ["grep", "archive", "diff", "difftool", "show", "range-diff", "format-patch", "fast-export"]
)
_MAY_SHOW_FILES = frozenset(
    ["log", "whatchanged", "reflog", "stash", "diff-tree", "diff-index", "diff-files"]
)
_FROM_HERE = frozenset(["grep", "archive", "ls-files"])
_PATCH = re.compile(
    r"-(?![SGLOn])[a-zA-Z]*[puUWcm].*|--(patch.*|unified.*|cc|word-diff.*|color-words.*"
    r"|function-context|check|diff-merges.*|remerge-diff|dd)"
)
_SUMMED_UP = re.compile(
    r"-s|-q|--(stat|numstat|shortstat|dirstat|summary|compact-summary|name-only|name-status|raw"
    r"|no-patch|quiet)(=.*)?"
)
# Options of git that take no other word
_ALONE = re.compile(
    r"-[puwbiIEFPchHlLzsqn\d]*|-U\d+|--[\w-]+=.*|--(patch|cached|staged|stat|no-color"
    r"|color|oneline|follow|reverse|all|no-ext-diff|no-pager|no-index|line-number|ignore-case"
    r"|untracked|name-only|name-status|no-merges|merges|files-with-matches|count)"
)
# Options that list no whole names
_OTHER_NAMES = re.compile(r"-f?print.+|-exec.*|-ok.*|--full-name|--format.*|-[^-]*z|archive|grep")
_PASSES_LINES = re.compile(r"grep .+|sort( -[ur]+)?|head( -\d+| -n \d+)?")
_LISTS_OTHERS = frozenset(
    ["-o", "--others", "-i", "--ignored", "--no-index", "--no-exclude-standard"]
)
_FROM_TOP = re.compile(r":(?:/|\(top\))([\w./-]+)")
_GLOB = re.compile(r":\(glob\)((?:[\w.-]+/)*)[^()]*")
_GREP_DEPTH = re.compile(r"--max-depth(?:=(.*))?")
_EXCLUDED = re.compile(r":(?:!|\^|\(exclude\))(.+)")


def find_read_trees(
    step: "SimpleCommand", steps: Sequence["SimpleCommand"], readers: frozenset[str]
) -> Iterator[ReadTree]:
    """Yield the folders that a step reads.

    `steps` are those of the line: they may read what it lists. `readers` are the programs that read
    what they are given.
    """
    if step.folder is None:
        return
    arguments, reads = [word.text for word in step.words[1:]], partial(_names_reader, readers)
    is_piped = _is_read_later(step, steps, readers | {"cpio"})
    if step.program in ("git", "find"):
        find_trees = _find_git_trees if step.program == "git" else _find_trees_of_find
        dropped = _find_dropped(step, steps, arguments) if is_piped else ()
        for tree in find_trees(step.folder, arguments, is_piped=is_piped, reads=reads):
            yield replace(tree, filter=DroppedNames(tree.filter, dropped)) if dropped else tree
    elif program := PROGRAMS.get(step.program):
        if step.program in ("fd", "fdfind"):
            at = next(
                (at for at, word in enumerate(arguments) if word in _FD_STARTS), len(arguments)
            )
            if not is_piped and not reads(arguments[at:]):
                return
            is_flat = arguments[at + 1 : at + 2] in _READS_NO_FOLDERS and not is_piped
            arguments = [*arguments[:at], *(["--type=f"] if is_flat else [])]
        elif step.program == "rg" and _lists_only(arguments, is_piped=is_piped):
            return
        yield from _find_program_trees(step, program, arguments)


def _lists_only(arguments: Sequence[str], *, is_piped: bool) -> bool:
    """Return whether `rg` prints names or itself, and no reader gets them."""
    return "--type-list" in arguments or ("--files" in arguments and not is_piped)


def _names_reader(readers: frozenset[str], arguments: Sequence[str]) -> bool:
    """Return whether a command, or the code in it, names a program that reads files."""
    parts = (part for word in arguments for part in re.split(r"[^\w./-]+", word))
    return any(part.rpartition("/")[2] in readers - {"."} for part in parts if part)


def _is_read_later(
    step: "SimpleCommand", steps: Sequence["SimpleCommand"], readers: frozenset[str]
) -> bool:
    """Return whether another step may read the files that this one lists."""
    for other in steps:
        arguments = [word.text for word in other.words[1:]]
        is_fed = step.program in other.feed.programs
        if (
            is_fed
            and other.program in _FEEDS
            and _names_reader(readers, [other.program, *arguments])
        ):
            return True
        if (is_fed or step.substituted) and other.program in readers and not other.literal:
            return True
    return False


def _find_dropped(
    step: "SimpleCommand", steps: Sequence["SimpleCommand"], arguments: Sequence[str]
) -> tuple[DroppingPattern, ...]:
    """Return which names never reach a reader: `find … | grep -v X | xargs cat`.

    All that is listed must go the same way, and be listed by its whole path.
    """
    listers = [other for other in steps if other.program == step.program]
    fed = [other for other in steps if step.program in other.feed.programs]
    passing = [other for other in fed if _passes_lines(other)]
    routes = {other.feed.programs for other in fed if other not in passing}
    has_paths = not any(map(_OTHER_NAMES.match, arguments)) and not step.substituted
    if step.program == "git" and arguments[:1] != ["ls-files"]:  # others print contents
        return ()
    route = (step.program, *(other.program for other in passing))
    if len(listers) != 1 or not has_paths or routes != {route}:
        return ()
    greps = (
        [word.text for word in other.words[1:]] for other in passing if other.program == "grep"
    )
    return tuple(filter(None, map(parse_dropped, greps)))


def _passes_lines(step: "SimpleCommand") -> bool:
    """Return whether a step passes on whole lines of its input, or drops them."""
    line = " ".join(word.text for word in step.words)
    is_plain = step.literal and not step.wrapped and not step.redirects
    return is_plain and bool(_PASSES_LINES.fullmatch(line))


def _find_program_trees(
    step: "SimpleCommand", program: TreeProgram, arguments: Sequence[str]
) -> Iterator[ReadTree]:
    folder = step.folder or Path()
    try:
        parsed = program.flags.parse(step.program, spell_out(step.program, arguments))
    except NotReadOnlyError:  # then it may read all that it names
        if program.recursive and not any(map(_MAY_READ_FOLDERS.fullmatch, arguments)):
            return
        operands = [(folder, word) for word in arguments if not word.startswith("-")]
        yield from _build_trees(step, program, operands, None)
        return
    if step.program in ("tar", "bsdtar") and not _makes_tar(parsed):
        return
    if step.program in ("7z", "7za") and arguments[:1] not in (["a"], ["u"]):
        return
    if program.reads_folders(parsed):
        yield from _build_trees(step, program, _list_operands(step, program, parsed), parsed)


def _makes_tar(parsed: ParsedArguments) -> bool:
    return parsed.has_any(*_MAKES_TAR) or not parsed.has_any(*_READS_TAR)


def _list_operands(
    step: "SimpleCommand", program: TreeProgram, parsed: ParsedArguments
) -> list[tuple[Path, str]]:
    """Return the files and folders that are named, each with the folder in which it is."""
    folder, operands = step.folder or Path(), list[tuple[Path, str]]()
    for flag, value in parsed.entries:
        if flag in ("-C", "--directory") and step.program in ("tar", "bsdtar"):
            folder /= value
        elif not flag:
            operands.append((folder, value))
    searched = [(folder, value) for value in parsed.get_values("--search-path")]
    if program.lists.intersection(parsed.flag_values):
        operands.append((folder, "."))
    if program.pattern is not None and not parsed.has_any(*program.pattern):
        return [*operands[1:], *searched]
    if program.last is not None and not parsed.has_any(*program.last):
        return operands[:-1]
    return operands[1:] if step.program == "zip" else operands


def _build_trees(
    step: "SimpleCommand",
    program: TreeProgram,
    operands: Sequence[tuple[Path, str]],
    parsed: ParsedArguments | None,
) -> Iterator[ReadTree]:
    places = [(base, word) for base, word in operands if (base / _trim(word)).exists()]
    is_named = bool(places)
    is_input = program.takes_input and step.feed.programs and not step.wrapped
    is_unknown = not places and any("$" in word or "`" in word for _, word in operands)
    if is_unknown or (not places and program.reads_here and not is_input):
        places = [(step.folder or Path(), ".")]
    tree_filter = program.build_filter(parsed) if parsed else PatternFilter()
    skips, follows = "none", True
    if parsed:
        follows = program.always_follows or parsed.has_any(*program.follows)
        skips = "ignored" if parsed.has_any(*program.hidden) else program.skips
        skips = "none" if parsed.has_any(*program.ignored) else skips
    for base, word in places:
        path = base / _trim(word)
        if path.is_dir():
            view = _show(program, base, word)
            top = os.path.realpath(path)
            may_skip_top = program.filters_operands and is_named
            deepest = program.find_depth(parsed) if parsed else None
            limited = replace(tree_filter, start=view, deepest=deepest)
            yield ReadTree(top, view, limited, follows, skips, not is_unknown, may_skip_top)


def _trim(word: str) -> str:
    """Return the folder of all files that a pattern such as `src/*` names."""
    return re.sub(r"(^|/)\*+$", r"\1", os.path.expanduser(word))


def _show(program: TreeProgram, base: Path, word: str) -> str:
    """Return the path of a folder as the program's patterns see it."""
    if program.view == "given":
        return word.rstrip("/") or word
    if program.view == "inside":
        return "" if word.endswith(("/", ".")) else os.path.basename(word)
    if ".." in word.split("/"):
        return word.rstrip("/")
    if program.view == "stored" and os.path.isabs(word):
        return os.path.normpath(word).lstrip("/")
    view = os.path.relpath(os.path.normpath(base / _trim(word)), base)
    return "" if view == "." else view


def _find_trees_of_find(
    folder: Path,
    arguments: Sequence[str],
    *,
    is_piped: bool,
    reads: Callable[[Sequence[str]], bool],
) -> Iterator[ReadTree]:
    started = next((at for at, word in enumerate(arguments) if word in _STARTS), len(arguments))
    if not is_piped and not reads(arguments[started:]):
        return
    starts = find_start_folders(arguments)
    tests = [word for word in arguments if word not in ("-H", "-L", "-P")]
    tests = tests[len(starts) :] if tests[: len(starts)] == starts else tests
    follows = not {"-L", "-follow"}.isdisjoint(arguments)
    for start in starts:
        path = folder / _trim(start)
        is_unknown = not path.exists() and ("$" in start or "`" in start)
        tree_filter = parse_find(tests, start.rstrip("/"), is_piped=is_piped, reads=reads)
        if is_unknown:
            path, tree_filter = folder, PatternFilter()
        if path.is_dir():
            top = os.path.realpath(path)
            view = start.rstrip("/")
            yield ReadTree(top, view, tree_filter, follows, "none", not is_unknown, True)


def _find_git_trees(
    folder: Path,
    arguments: Sequence[str],
    *,
    is_piped: bool,
    reads: Callable[[Sequence[str]], bool],
) -> Iterator[ReadTree]:
    command, remaining = split_git_command(arguments)
    before = arguments[: find_git_command(arguments)]
    for option, value in zip(before, before[1:], strict=False):
        folder = folder / value if option == "-C" else folder
    if not _shows_files(command, remaining, is_piped=is_piped):
        return
    specs = _list_pathspecs(folder, command, remaining)
    top = folder if command in _FROM_HERE else _find_repository(folder)
    if specs is None:
        specs = []
    left_out = [match[1] for spec in specs if (match := _EXCLUDED.fullmatch(spec))]
    compiled = [pair for text in left_out for pair in LeftOut("path", crosses=True).compile(text)]
    folders = tuple(pattern for kind, pattern in compiled if kind != "files")
    files = tuple(pattern for kind, pattern in compiled if kind != "folders")
    repository = _find_repository(folder)
    operands = [
        _simplify_spec(spec, folder, repository) for spec in specs if not _EXCLUDED.fullmatch(spec)
    ]
    globs = [spec for spec in operands if re.search(r"[*?\[]", spec) and not spec.startswith(":")]
    skips = "ignored" if _LISTS_OTHERS.isdisjoint(remaining) else "none"
    if not operands or any(spec.startswith(":") for spec in operands):
        operands, globs = [str(top)], []
    for spec in operands:
        is_glob = spec in globs
        path = folder if is_glob else folder / spec
        if path.is_dir():
            inclusions = (compile_inclusion(spec, "path"),) if is_glob else ()
            view = os.path.relpath(os.path.normpath(path), folder)
            view = "" if view == "." else view
            deepest = _find_grep_depth(remaining) if command == "grep" and not is_glob else None
            tree_filter = PatternFilter(folders, files, inclusions, start=view, deepest=deepest)
            yield ReadTree(os.path.realpath(path), view, tree_filter, skips=skips)


def _simplify_spec(spec: str, folder: Path, top: Path) -> str:
    """Return `:/src` and `:(glob)src/**` as the folder above what they name."""
    if match := _FROM_TOP.fullmatch(spec):
        return os.path.relpath(top / match[1], folder)
    if match := _GLOB.fullmatch(spec):
        return match[1] or "."
    return spec


def _find_grep_depth(options: Sequence[str]) -> int | None:
    """Return how many levels `git grep` reads below a folder; None: all."""
    for option, following in zip_longest(options, options[1:], fillvalue=""):
        if match := _GREP_DEPTH.fullmatch(option):
            value = following if match[1] is None else match[1]
            return int(value) + 1 if value.isdecimal() else None
    return None


def _shows_files(command: str, remaining: Sequence[str], *, is_piped: bool) -> bool:
    """Return whether a command of git shows what is in files, or lists them for a reader."""
    options = remaining[: remaining.index("--")] if "--" in remaining else remaining
    has_patch = any(map(_PATCH.fullmatch, options))
    if command in ("grep", "archive"):
        return True
    if command == "ls-files":
        return is_piped
    if command not in _SHOWS_FILES | _MAY_SHOW_FILES:
        return False
    if is_piped and "--name-only" in options:
        return True
    if command == "show" and _shows_named_files(options):
        return False
    if command in _MAY_SHOW_FILES:
        return has_patch and not (command == "stash" and options[:1] not in (["show"], ["list"]))
    return has_patch or not any(map(_SUMMED_UP.fullmatch, options))


def _shows_named_files(options: Sequence[str]) -> bool:
    """Return whether `git show` names files alone, as `HEAD:a.py`."""
    objects = [word for word in options if not word.startswith("-")]
    return bool(objects) and all(":" in word and not word.startswith(":") for word in objects)


def _list_pathspecs(folder: Path, command: str, remaining: Sequence[str]) -> list[str] | None:
    """Return what limits a command of git to files; None if that is not certain."""
    at = remaining.index("--") if "--" in remaining else len(remaining)
    specs, is_pattern_left = list(remaining[at + 1 :]), command == "grep"
    for before, word in zip(["", *remaining[:at]], remaining[:at], strict=False):
        if word.startswith("-"):
            is_pattern_left &= re.match(r"-\w*[ef]", word) is None
        elif is_pattern_left:
            is_pattern_left = False
        elif word.startswith(":") or command == "ls-files" or (folder / word).exists():
            if before.startswith("-") and not _ALONE.fullmatch(before):
                return None  # it may be the value of the option
            specs.append(word)
    return specs


def _find_repository(folder: Path) -> Path:
    return next((at for at in (folder, *folder.parents) if (at / ".git").exists()), folder)
