"""Check that a git command only reads, shows no secret, and starts no other program.

`git_allowlist` lists the allowed flags; this module checks what depends on the repository and on
the arguments. Such a command must run in the environment of `tools/git/hardened_git.py`.
"""

import os
import re
import struct
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ....config.security.ignore_patterns import IGNORE_PATTERNS
from ....config.text import text
from ..parsing.flags import Flags, NotReadOnlyError, ParsedArguments, split_names
from .git_allowlist import COMMANDS, GitCommand
from .git_attributes import check_attributes
from .git_index import TrackedFiles, read_tracked_files
from .git_objects import find_hashes, find_object_kinds
from .git_repository import RepositoryPaths, check_git_dirs, find_repository
from .path_scope import PathScope
from .tree_access import TraversalOptions

_BEFORE = Flags.from_usage("--no-pager --no-optional-locks -P -C=A --version")
_SUMMED_UP = split_names(
    """
    --stat --numstat --shortstat --dirstat --summary --compact-summary --name-only --name-status
    --raw -s --no-patch --quiet --exit-code
    """
)
_ASKED = split_names(
    """
    -p -u -U --patch --unified --word-diff --word-diff-regex --color-words --patch-with-stat -c
    -m --cc -W --function-context --check
    """
)
# Commands whose first operand selects what they do
_FIRST_WORDS = {
    "stash": ("list", "show"),
    "reflog": ("show",),
    "remote": ("get-url",),
    "worktree": ("list",),
}
_SETTINGS = re.compile(
    r"user\.(name|email)|init\.defaultbranch|remote\.[\w.-]+\.url|branch\.[\w./-]+\.(merge|remote)"
    r"|core\.(bare|filemode|autocrlf|ignorecase|eol)",
    re.IGNORECASE,
)
_ALL_NAMES = split_names("--all --branches --tags --remotes --glob")
_RUNS_GPG = re.compile(r"%G|signature", re.IGNORECASE)
_HASH = re.compile(r"(?:.*-g)?([0-9a-f]{4,64})", re.IGNORECASE)
# The beginning of a revision; steps may follow it: `v1^{}`, `main@{u}`, `HEAD~2`
_NAME = re.compile(r"[^\^~@{}]*")
_OBJECT = re.compile(r"((?:[^:{}]|\{[^:{}]*\})*):(.*)", re.DOTALL)
# With these flags a file limit includes more: the file's earlier names, or the whole commit
_WIDER = ("--follow", "--full-diff")
_EXCLUDED = (":!", ":^", ":(exclude)")
_MAGIC = re.compile(r"[*?\[\\]|^:")


def check_git(words: Sequence[str], place: PathScope) -> None:
    """Raise NotReadOnlyError for a git command that may do more than read."""
    before, command, rest = _split_subcommand(words)
    for folder in before.get_values("-C"):
        place = replace(place, folder=place.check_path(folder))
    if not command and before.has_any("--version"):
        return
    if command not in COMMANDS:
        raise NotReadOnlyError(text("`git {command}` can change the repository", command=command))
    parsed = COMMANDS[command].flags.parse(f"git {command}", rest)
    if command in _FIRST_WORDS:
        _check_first_word(command, rest, parsed.operands)
    _check_words(command, parsed)
    repository = find_repository(place.resolve_inside("."), place.workspace.root)
    if repository:
        _GitInvocation(command, parsed, repository, place).check()
    elif command == "diff":  # then it compares any two files
        for operand in parsed.operands:
            place.check_tree(operand, TraversalOptions(lambda _: True, follows_links=True))


def _split_subcommand(words: Sequence[str]) -> tuple[ParsedArguments, str, Sequence[str]]:
    """Split off the flags before the subcommand, the subcommand, and the words after it."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] == "-C" else 1
    return _BEFORE.parse("git", words[:at]), "".join(words[at : at + 1]), words[at + 1 :]


def _check_words(command: str, parsed: ParsedArguments) -> None:
    """Check the arguments that need no repository."""
    kind, operands = COMMANDS[command], parsed.operands
    if operands and kind.operands == "none":
        raise NotReadOnlyError(
            text(
                "`git {command} {operands}` can change the repository",
                command=command,
                operands=operands[0],
            )
        )
    if operands and kind.lists_only_with and not parsed.has_any(*kind.lists_only_with):
        raise NotReadOnlyError(
            text(
                "`git {command} {operands}` would create `{operands2}`",
                command=command,
                operands=operands[0],
                operands2=operands[0],
            )
        )
    if command == "config" and not (len(operands) == 1 and _SETTINGS.fullmatch(operands[0])):
        raise NotReadOnlyError("`git config` can change the settings of git")
    if command == "show" and parsed.has_any(*_ALL_NAMES):
        raise NotReadOnlyError("`git show` would show whatever a tag points to")
    for value in parsed.get_values("--format", "--pretty", "--sort"):
        if _RUNS_GPG.search(value):
            raise NotReadOnlyError(
                text(
                    "`git {command}` would start gpg for `{argument}`",
                    command=command,
                    argument=value,
                )
            )


def _check_first_word(command: str, words: Sequence[str], operands: Sequence[str]) -> None:
    """Check that the subcommand is the first word: `git stash -- list` stashes the file `list`."""
    is_bare = not operands and command in ("reflog", "remote")
    if not is_bare and not (words and words[0] in _FIRST_WORDS[command]):
        raise NotReadOnlyError(
            text("`git {names}` can change the repository", names=" ".join([command, *words]))
        )


class _GitInvocation:
    """One command in its repository."""

    def __init__(
        self, command: str, parsed: ParsedArguments, repository: RepositoryPaths, place: PathScope
    ) -> None:
        self._command, self._parsed = command, parsed
        self._kind: GitCommand = COMMANDS[command]
        self._repository, self._place = repository, place

    def check(self) -> None:
        if self._command in ("remote", "config") and self._repository.has_credentials:
            raise NotReadOnlyError("a URL in git's configuration contains a password")
        limits = self._find_limits()
        if self._can_read_submodules():
            for name in self._read_tracked_files().submodules:
                check_git_dirs(self._repository.top / name, self._place.workspace.root)
        if self._can_follow_submodules() and self._read_tracked_files().submodules:
            raise NotReadOnlyError(
                "git would use the configuration of submodules; add `--ignore-submodules`"
            )
        if self._can_show_content():
            self._check_content(limits)

    def _find_limits(self) -> list[Path]:
        """Check the operands; return the files and folders that limit the command, if any."""
        if self._kind.operands in ("text", "none"):
            return []
        limits: list[Path] = []
        unlimited = False
        may_be_path = self._parsed.after_dashes is None
        operands, paths = self._split_operands()
        for number, word in enumerate((*operands, *paths)):
            is_path = number >= len(operands) or self._kind.operands == "files"
            if word.startswith(_EXCLUDED):
                continue
            if not is_path and ":" in word and not word.startswith(":("):
                self._check_object(word)
            elif _MAGIC.search(word):
                unlimited = True
            else:
                path = self._place.check_path(word)
                if is_path or (may_be_path and path.exists()):
                    limits.append(path)
                if not is_path:
                    self._check_revision(word)
        return [] if unlimited else limits

    def _split_operands(self) -> tuple[Sequence[str], Sequence[str]]:
        """Split operands at `--`, without a first operand that is neither a revision nor a path."""
        operands, paths = self._parsed.operands, self._parsed.after_dashes or ()
        before = operands[: len(operands) - len(paths)]
        is_pattern = self._command == "grep" and not self._parsed.has_any("-e")
        if is_pattern and not before:
            return before, paths[1:]
        return before[1:] if is_pattern or self._command in _FIRST_WORDS else before, paths

    def _check_object(self, word: str) -> None:
        """Check `REVISION:PATH`; the path is relative to the top unless it starts with `.`"""
        match = _OBJECT.fullmatch(word)
        if not match or "{/" in word or match[2].startswith("/"):
            raise NotReadOnlyError(text("the file `{name}` names is not known", name=word))
        revision, path = match.groups()
        self._check_revision(revision)
        if revision == "" and path[:2] in ("0:", "1:", "2:", "3:"):
            path = path[2:]
        folder = self._place.folder if path.startswith(".") else self._repository.top
        self._place.check_path(str(folder / path))
        self._place.check_path(str(self._repository.top / path))

    def _check_revision(self, word: str) -> None:
        """Check a revision: a hash or a tag could be that of any file's content."""
        for part in re.split(r"\.{2,3}", word.removeprefix("^")):
            name = _NAME.match(part)
            if name and name[0] not in ("", "HEAD") and self._find_kinds(name[0]) & {"blob", "tag"}:
                raise NotReadOnlyError(
                    text("`{part}` is not a commit but a file's content", part=part)
                )

    def _find_kinds(self, name: str) -> set[str]:
        """Return the kinds of all objects that a name or an abbreviated hash may mean."""
        repository, hash = self._repository, _HASH.fullmatch(name)
        objects = repository.common / "objects"
        if hash and (objects / "info" / "alternates").exists():
            raise NotReadOnlyError("the git repository shares objects with another one")
        try:
            named = find_hashes(name, repository.git_dir, repository.common)
            prefixes = {*named, *([hash[1].lower()] if hash else [])}
            return {
                kind
                for prefix in prefixes
                for kind in find_object_kinds(objects, prefix, repository.hash_size)
            }
        except (OSError, ValueError, LookupError, StopIteration, struct.error, zlib.error) as error:
            raise NotReadOnlyError(
                "the git repository is damaged or has an unusual format"
            ) from error

    def _can_read_submodules(self) -> bool:
        """Return whether git reads the current commit of each submodule, which no flag prevents."""
        lists_changed = self._command == "ls-files" and self._parsed.has_any("-m", "--modified")
        return self._kind.enters_submodules or lists_changed

    def _can_follow_submodules(self) -> bool:
        kept_out = self._parsed.get_values("--ignore-submodules")
        ignores_submodules = bool(kept_out) and all(
            value in ("", "all", "dirty") for value in kept_out
        )
        return self._kind.enters_submodules and not ignores_submodules

    def _read_tracked_files(self) -> TrackedFiles:
        repository = self._repository
        return read_tracked_files(
            repository.git_dir, repository.top, self._place.workspace, repository.hash_size
        )

    def _can_show_content(self) -> bool:
        kind, parsed = self._kind.content, self._parsed
        if kind == "always" or (kind != "never" and parsed.has_any(*_ASKED)):
            return True
        return kind == "unless summed up" and not parsed.has_any(*_SUMMED_UP)

    def _check_content(self, limits: Sequence[Path]) -> None:
        top = self._repository.top
        if not top.is_relative_to(self._place.workspace.root):
            raise NotReadOnlyError("the git repository has files outside the project")
        for name in self._read_tracked_files().secrets:
            path = top / name
            if not limits or any(path.is_relative_to(limit) for limit in limits):
                raise NotReadOnlyError(
                    text("git tracks `{name}`, which tools may not read", name=name)
                )
        is_of_files = limits and all(map(Path.is_file, limits))
        if self._can_show_history() and (not is_of_files or self._parsed.has_any(*_WIDER)):
            self._check_history()

    def _can_show_history(self) -> bool:
        """Return whether the command shows old versions of files, which the index does not list."""
        if self._command not in ("diff", "grep") or self._parsed.has_any("--cached", "--staged"):
            return True
        operands, _ = self._split_operands()
        has_separator = self._parsed.after_dashes is not None
        return any(
            has_separator or not os.path.lexists(self._place.folder / operand)
            for operand in operands
        )

    def _check_history(self) -> None:
        """Check the history: the guard covers the built-in patterns unless overridden."""
        repository, workspace = self._repository, self._place.workspace
        own = [
            pattern
            for pattern in workspace.ignore
            if pattern not in IGNORE_PATTERNS and pattern[:1] != "!"
        ]
        if own:
            raise NotReadOnlyError(
                text(
                    "git's history may hold files that match `{pattern}`, which tools may not read",
                    pattern=own[0],
                )
            )
        check_attributes(repository.top, repository.common, self._read_tracked_files(), workspace)
