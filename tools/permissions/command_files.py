"""Rules on files, applied to what a command names: `deny read_file(a)` covers `cat a`, too."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...config.text import text
from ..shell.parsing.shell_state import ShellState
from ..shell.parsing.simple_command import SimpleCommand
from .call import RequestedCall
from .decision import Decision
from .path_pattern import PathPattern
from .rule import Rule
from .subject import EDITING_TOOLS, Subject

if TYPE_CHECKING:
    from .tree_walk import ReadTree


# Programs that show, copy or search the files in their arguments
_READERS_LIST = """
cat tac nl head tail less more bat batcat view grep egrep fgrep zgrep rg ag ack sed gsed awk gawk
mawk nawk jq yq cut sort uniq comm diff cmp paste join column fold fmt pr rev strings od xxd hexdump
base64 base32 cp mv ln rsync scp install dd tar zip 7z gzip zcat bzcat xzcat vi vim nvim nano ed ex
source . curl wget split openssl gpg sqlite3 perl
"""
_READERS = frozenset(_READERS_LIST.split())
# Commands of git that show what is in files
_GIT_READERS = frozenset(
    ["annotate", "archive", "blame", "cat-file", "diff", "grep", "log", "show"]
)

_PERL = re.compile(r"-[a-zA-Z0-9]*i.*")
_AWK = re.compile(r"inplace|--include=inplace")
_WRITE = re.compile(r"-w|-i|--write|--in-place|--inplace")
# Programs that change the files in their arguments with such an option
_IN_PLACE = {
    "perl": _PERL,
    "ruby": _PERL,
    "awk": _AWK,
    "gawk": _AWK,
    "prettier": _WRITE,
    "gofmt": _WRITE,
    "goimports": _WRITE,
    "clang-format": _WRITE,
    "autopep8": _WRITE,
    "yapf": _WRITE,
    "find": re.compile(r"-delete|-(exec|ok)(dir)?|-fprint\w*"),
}
_ALWAYS_LIST = """
patch ed ex vim nvim sponge black isort rustfmt gzip gunzip bzip2 bunzip2 xz unxz zstd
"""
# Programs that change them without one
_ALWAYS = frozenset(_ALWAYS_LIST.split())
# Commands of git that change, move or remove files
_GIT = ("checkout", "restore", "rm", "mv", "clean")
_OUTPUT = re.compile(r"--out(?:put|file|-dir|put-document)?=(.+)|-[oO](.+)", re.DOTALL)
_OUTPUT_PROGRAMS = frozenset(["sort", "curl", "wget", "cc", "gcc", "clang", "go", "patch"])


def evaluate_named_files(call: RequestedCall, rules: Sequence[Rule]) -> Decision | None:
    """Apply rules with a pattern that deny or ask to the files that a command reads or changes.

    A change is asked, as in the mode `edits`; so is a program with the name of a file in its code.
    What another program does with a file is not known.
    """
    reading = [rule for rule in rules if rule.tool == "read_file"]
    editing = [rule for rule in rules if rule.tool in EDITING_TOOLS]
    decisions = [
        *_decide_trees(call, reading),
        *(_decide_read(rule, name, sure) for rule, name, sure in _find_reads(call, reading)),
        *(_decide_write(rule, name) for rule, name in _find_writes(call, editing)),
    ]
    return max(decisions, key=lambda decision: decision.verdict == "deny", default=None)


def _decide_read(rule: Rule, name: str, is_certain: bool) -> Decision:
    is_denied = is_certain and rule.kind == "deny"
    reason = text(
        "it names `{name}`, which the rule `{kind} {text}` covers",
        name=name,
        kind=rule.kind,
        text=rule.text,
    )
    return Decision("deny" if is_denied else "ask", reason, rule.description)


def _decide_tree(rule: Rule, name: str, step: "SimpleCommand", *, is_certain: bool) -> Decision:
    reason = text(
        "`{program}` would read `{name}`, which the rule `{kind} {text}` covers: name other files "
        "or folders, or leave it out",
        program=step.program,
        name=name,
        kind=rule.kind,
        text=rule.text,
    )
    return Decision(rule.kind if is_certain else "ask", reason, rule.description)


def _ask_for_size(rule: Rule, step: "SimpleCommand") -> Decision:
    reason = text(
        "`{program}` would read too many files to check them against the rule `{kind} {text}`: "
        "name a smaller folder, or leave folders out",
        program=step.program,
        kind=rule.kind,
        text=rule.text,
    )
    return Decision("ask", reason, rule.description)


def _decide_write(rule: Rule, name: str) -> Decision:
    reason = text(
        "it changes `{name}`, which the rule `{kind} {text}` covers",
        name=name,
        kind=rule.kind,
        text=rule.text,
    )
    return Decision("ask", reason, rule.description)


def _find_reads(call: RequestedCall, rules: Sequence[Rule]) -> Iterator[tuple[Rule, str, bool]]:
    """Yield each rule on a file that a command names to read it, and whether that is certain."""
    from ..shell.parsing.inline_code import is_interpreter
    from ..shell.risks.existence_checks import is_existence_check
    from ..shell.risks.sensitive_files import find_named_files

    root = call.workspace.root
    for step in _list_steps(call) if rules else ():
        written = {redirect.target.text for redirect in step.redirects if redirect.writes}
        for name, path in find_named_files(step):
            is_read = name.text not in written if name.bound else _is_reader(step)
            is_guess = not name.exact and is_interpreter(step.program)
            if not (is_read or is_guess) or is_existence_check(step, name, path, root):
                continue
            if _is_listed(step, name.text):
                continue
            for rule in _list_matches(call, path, rules):
                yield rule, name.text, name.exact and not name.by_chance


def _is_listed(step: "SimpleCommand", name: str) -> bool:
    """Return whether a name is a pattern of the program that lists the files: its tree decides."""
    is_list = step.feed.programs[:1] in (("find",), ("git",)) and "*" in name
    return is_list and name in (step.feed.text or "").split("\n")


def _decide_trees(call: RequestedCall, rules: Sequence[Rule]) -> Iterator[Decision]:
    """Yield what the rules on files say to the folders that a command reads."""
    patterns = sorted(
        (rule for rule in rules if rule.pattern), key=lambda rule: rule.kind != "deny"
    )
    if not patterns:
        return
    from .command_trees import find_read_trees
    from .tree_walk import ReadTree, TooManyFilesError

    steps, root = _list_steps(call), call.workspace.root
    seen = set[ReadTree]()
    for step in steps:
        for tree in find_read_trees(step, steps, _READERS):
            if tree in seen:
                continue
            seen.add(tree)
            try:
                if hit := _find_in_tree(tree, root, patterns):
                    yield _decide_tree(*hit, step, is_certain=tree.is_certain)
            except TooManyFilesError:
                yield _ask_for_size(patterns[0], step)


def _find_in_tree(tree: "ReadTree", root: Path, rules: Sequence[Rule]) -> tuple[Rule, str] | None:
    """Return a rule on a file in a folder, and the file; one that denies, if there is one."""
    from .tree_walk import walk_tree

    find_rule = _FileRules(rules, str(root))
    hit: tuple[Rule, str] | None = None
    has_deny = rules[0].kind == "deny"
    for name in walk_tree(tree, root, lambda name: find_rule(name) is not None):
        rule = find_rule(name)
        if rule and (rule.kind == "deny" or not has_deny):
            return rule, name
        hit = hit or (rule and (rule, name))
    return hit


class _FileRules:
    """The rules on the files of a walk, each folder looked at once."""

    def __init__(self, rules: Sequence[Rule], root: str) -> None:
        self._rules, self._root = rules, root
        self._of_folders: dict[str, list[Rule]] = {"": []}

    def __call__(self, name: str) -> Rule | None:
        """Return the first rule on a file."""
        folder = name.rpartition("/")[0]
        if folder not in self._of_folders:
            above = Subject((folder,), folder=self._root)
            self._of_folders[folder] = [rule for rule in self._rules if rule.may_match(above)]
        inherited, file = self._of_folders[folder], Subject((name,), folder=self._root)
        for rule in self._rules:
            if rule in inherited or _matches_entry(rule, file):
                return rule
        return None


def _matches_entry(rule: Rule, file: Subject) -> bool:
    pattern = rule.pattern
    return pattern.matches_entry(file) if isinstance(pattern, PathPattern) else True


def _find_writes(call: RequestedCall, rules: Sequence[Rule]) -> Iterator[tuple[Rule, str]]:
    """Yield each rule on a file that a command certainly changes, as far as it names it."""
    from ..shell.parsing.inline_code import is_interpreter
    from ..shell.parsing.path_targets import resolve_target
    from ..shell.risks.protected_writes import find_written_names
    from ..shell.risks.sensitive_files import find_named_files

    if not rules:
        return
    places = list(map(str, call.written_files.paths))
    for step in _list_steps(call):
        for name in (*find_written_names(step), *find_edited_names(step)):
            if place := resolve_target(name, step.folder):
                places.append(str(place))
        if is_interpreter(step.program):  # code that names a file may change it
            places += [path for name, path in find_named_files(step) if name.code]
    for path in dict.fromkeys(places):
        for rule in _list_matches(call, path, rules):
            yield rule, os.path.relpath(path, call.workspace.root)


def _is_reader(step: "SimpleCommand") -> bool:
    if step.program == "find":
        return any(word.text.startswith(("-exec", "-ok")) for word in step.words[1:])
    if step.program == "git":
        return any(word.text in _GIT_READERS for word in step.words[1:])
    return step.program in _READERS


def _list_steps(call: RequestedCall) -> "Sequence[SimpleCommand]":
    from ..shell.parsing.command_line import CommandLine

    root = call.workspace.root
    folder = Path(os.path.normpath(root / str(call.args.get("cwd") or ".")))
    return CommandLine(call.command, ShellState(root, folder)).steps


def _list_matches(call: RequestedCall, path: str, rules: Sequence[Rule]) -> list[Rule]:
    root = call.workspace.root
    places = {Path(path), Path(os.path.realpath(path))}
    names = [str(place.relative_to(root)) for place in places if place.is_relative_to(root)]
    if not names:
        return []
    file = Subject(tuple(names), folder=str(root))
    return [rule for rule in rules if rule.may_match(file)]


def find_edited_names(step: SimpleCommand) -> Iterator[str]:
    """Yield the words of a step that may name a file which it edits in place or writes.

    Scripts and patterns are among them: what counts is whether a rule covers such a name.
    """
    program, texts = step.program, [word.text for word in step.words[1:]]
    for match in filter(None, map(_OUTPUT.fullmatch, texts)):
        if match[1] or program in _OUTPUT_PROGRAMS:
            yield match[1] or match[2]
    mode = _IN_PLACE.get(program)
    is_git = program == "git" and any(text in _GIT for text in texts[:3])
    if is_git or program in _ALWAYS or (mode and any(map(mode.fullmatch, texts))):
        yield from (text for text in texts if not text.startswith("-"))
