"""Whether a git command surely only reads, shows no secret, and starts no other program.

What its flags allow is in `git_commands`; here is what depends on the repository and on the words.
Such a command must run in the environment of `tools/git/hardened_git.py`.
"""

import os
import re
import struct
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ....config.settings.schema import IGNORE_PATTERNS
from ...git.repository import Repository, check_home, find_repository
from ..parsing.flags import Flags, NotReadOnly, Parsed, one_of
from .git_allowlist import COMMANDS, GitCommand
from .git_attributes import check_attributes
from .git_index import Tracked, tracked
from .git_objects import kinds
from .git_refs import meant_by
from .path_scope import Place
from .tree_access import Manner

_BEFORE = Flags.of("--no-pager --no-optional-locks -P -C=A --version")
_SUMMED_UP = one_of(
    """
    --stat --numstat --shortstat --dirstat --summary --compact-summary --name-only --name-status
    --raw -s --no-patch --quiet --exit-code
    """
)
_ASKED = one_of(
    """
    -p -u -U --patch --unified --word-diff --word-diff-regex --color-words --patch-with-stat -c
    -m --cc -W --function-context --check
    """
)
_FIRST_WORDS = {
    "stash": ("list", "show"),
    "reflog": ("show",),
    "remote": ("get-url",),
    "worktree": ("list",),
}
"""Commands whose first operand says what they do."""
_SETTINGS = re.compile(
    r"user\.(name|email)|init\.defaultbranch|remote\.[\w.-]+\.url|branch\.[\w./-]+\.(merge|remote)"
    r"|core\.(bare|filemode|autocrlf|ignorecase|eol)",
    re.IGNORECASE,
)
_ALL_NAMES = one_of("--all --branches --tags --remotes --glob")
_RUNS_GPG = re.compile(r"%G|signature", re.IGNORECASE)
_HASH = re.compile(r"(?:.*-g)?([0-9a-f]{4,64})", re.IGNORECASE)
_NAME = re.compile(r"[^\^~@{}]*")
"""What a revision begins with; behind it stand steps from there: `v1^{}`, `main@{u}`, `HEAD~2`."""
_OBJECT = re.compile(r"((?:[^:{}]|\{[^:{}]*\})*):(.*)", re.DOTALL)
_WIDER = ("--follow", "--full-diff")
"""With these a file's limit shows others, too: what it was called before, or all of a commit."""
_EXCLUDED = (":!", ":^", ":(exclude)")
_MAGIC = re.compile(r"[*?\[\\]|^:")


def check_git(words: Sequence[str], place: Place) -> None:
    """Raises NotReadOnly for a git command that may do more than read."""
    before, command, rest = _split(words)
    for folder in before.values("-C"):
        place = replace(place, folder=place.check(folder))
    if not command and before.has("--version"):
        return
    if command not in COMMANDS:
        raise NotReadOnly(f"`git {command}` is not known to only read")
    parsed = COMMANDS[command].flags.parse(f"git {command}", rest)
    if command in _FIRST_WORDS:
        _check_first_word(command, rest, parsed.operands)
    _check_words(command, parsed)
    repository = find_repository(place.inside("."), place.workspace.root)
    if repository:
        _Line(command, parsed, repository, place).check()
    elif command == "diff":  # compares any two files then
        for operand in parsed.operands:
            place.check_tree(operand, Manner(lambda _: True, follows_links=True))


def _split(words: Sequence[str]) -> tuple[Parsed, str, Sequence[str]]:
    """The flags before the subcommand, the subcommand, and what follows it."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] == "-C" else 1
    return _BEFORE.parse("git", words[:at]), "".join(words[at : at + 1]), words[at + 1 :]


def _check_words(command: str, parsed: Parsed) -> None:
    """What can be told without a repository."""
    kind, operands = COMMANDS[command], parsed.operands
    if operands and kind.operands == "none":
        raise NotReadOnly(f"`git {command} {operands[0]}` is not known to only read")
    if operands and kind.lists_only_with and not parsed.has(*kind.lists_only_with):
        raise NotReadOnly(f"`git {command} {operands[0]}` would make `{operands[0]}`")
    if command == "config" and not (len(operands) == 1 and _SETTINGS.fullmatch(operands[0])):
        raise NotReadOnly("of `git config` only to read a plain setting is known to be harmless")
    if command == "show" and parsed.has(*_ALL_NAMES):
        raise NotReadOnly("`git show` would show whatever some tag stands on")
    for shown in parsed.values("--format", "--pretty", "--sort"):
        if _RUNS_GPG.search(shown):
            raise NotReadOnly(f"`git {command}` would start gpg for `{shown}`")


def _check_first_word(command: str, words: Sequence[str], operands: Sequence[str]) -> None:
    """It must be the first of all: `git stash -- list` stashes a file of that name."""
    is_bare = not operands and command in ("reflog", "remote")
    if not is_bare and not (words and words[0] in _FIRST_WORDS[command]):
        raise NotReadOnly(f"`git {' '.join([command, *words])}` is not known to only read")


class _Line:
    """One command in its repository."""

    def __init__(self, command: str, parsed: Parsed, repository: Repository, place: Place) -> None:
        self._command, self._parsed = command, parsed
        self._kind: GitCommand = COMMANDS[command]
        self._repository, self._place = repository, place

    def check(self) -> None:
        if self._command in ("remote", "config") and self._repository.holds_credentials:
            raise NotReadOnly("an address in git's configuration holds a password")
        limits = self._limits()
        if self._looks_into_submodules():
            for name in self._tracked().submodules:
                check_home(self._repository.top / name, self._place.workspace.root)
        if self._follows_submodules() and self._tracked().submodules:
            raise NotReadOnly(
                "git would follow the configuration of submodules; "
                "`--ignore-submodules` keeps it from that"
            )
        if self._shows_content():
            self._check_content(limits)

    def _limits(self) -> list[Path]:
        """Check the operands; the files and folders to which the command is limited, if any."""
        if self._kind.operands in ("text", "none"):
            return []
        limits: list[Path] = []
        unlimited = False
        may_be_path = self._parsed.after_dashes is None
        operands, paths = self._operands()
        for number, word in enumerate((*operands, *paths)):
            is_path = number >= len(operands) or self._kind.operands == "files"
            if word.startswith(_EXCLUDED):
                continue
            if not is_path and ":" in word and not word.startswith(":("):
                self._check_object(word)
            elif _MAGIC.search(word):
                unlimited = True
            else:
                path = self._place.check(word)
                if is_path or (may_be_path and path.exists()):
                    limits.append(path)
                if not is_path:
                    self._check_revision(word)
        return [] if unlimited else limits

    def _operands(self) -> tuple[Sequence[str], Sequence[str]]:
        """The operands before and after `--`, without a first one that is neither."""
        operands, paths = self._parsed.operands, self._parsed.after_dashes or ()
        before = operands[: len(operands) - len(paths)]
        is_pattern = self._command == "grep" and not self._parsed.has("-e")
        if is_pattern and not before:
            return before, paths[1:]
        return before[1:] if is_pattern or self._command in _FIRST_WORDS else before, paths

    def _check_object(self, word: str) -> None:
        """`REVISION:PATH`; the path counts from the repository's top unless it begins with `.`"""
        found = _OBJECT.fullmatch(word)
        if not found or "{/" in word or found[2].startswith("/"):
            raise NotReadOnly(f"which file `{word}` names cannot be told")
        revision, path = found.groups()
        self._check_revision(revision)
        if revision == "" and path[:2] in ("0:", "1:", "2:", "3:"):
            path = path[2:]
        folder = self._place.folder if path.startswith(".") else self._repository.top
        self._place.check(str(folder / path))
        self._place.check(str(self._repository.top / path))

    def _check_revision(self, word: str) -> None:
        """A hash, and a tag, could be that of any file's content."""
        for part in re.split(r"\.{2,3}", word.removeprefix("^")):
            name = _NAME.match(part)
            if name and name[0] not in ("", "HEAD") and self._kinds(name[0]) & {"blob", "tag"}:
                raise NotReadOnly(f"`{part}` is not a commit but the content of some file")

    def _kinds(self, name: str) -> set[str]:
        """The kinds of all that a name or the beginning of a hash may mean."""
        repository, hash = self._repository, _HASH.fullmatch(name)
        objects = repository.common / "objects"
        if hash and (objects / "info" / "alternates").exists():
            raise NotReadOnly("the git repository shares the objects of another one")
        try:
            named = meant_by(name, repository.git_dir, repository.common)
            prefixes = {*named, *([hash[1].lower()] if hash else [])}
            return {kind for one in prefixes for kind in kinds(objects, one, repository.hash_size)}
        except (OSError, ValueError, LookupError, StopIteration, struct.error, zlib.error) as error:
            raise NotReadOnly("the git repository is damaged, or of an unusual kind") from error

    def _looks_into_submodules(self) -> bool:
        """Whether git reads which commit each submodule is at, which no flag keeps it from."""
        lists_changed = self._command == "ls-files" and self._parsed.has("-m", "--modified")
        return self._kind.enters_submodules or lists_changed

    def _follows_submodules(self) -> bool:
        kept_out = self._parsed.values("--ignore-submodules")
        told = bool(kept_out) and all(value in ("", "all", "dirty") for value in kept_out)
        return self._kind.enters_submodules and not told

    def _tracked(self) -> Tracked:
        repository = self._repository
        return tracked(
            repository.git_dir, repository.top, self._place.workspace, repository.hash_size
        )

    def _shows_content(self) -> bool:
        kind, parsed = self._kind.content, self._parsed
        if kind == "always" or (kind != "never" and parsed.has(*_ASKED)):
            return True
        return kind == "unless summed up" and not parsed.has(*_SUMMED_UP)

    def _check_content(self, limits: Sequence[Path]) -> None:
        top = self._repository.top
        if not top.is_relative_to(self._place.workspace.root):
            raise NotReadOnly("the git repository holds files outside the project")
        for name in self._tracked().secrets:
            path = top / name
            if not limits or any(path.is_relative_to(limit) for limit in limits):
                raise NotReadOnly(f"git tracks `{name}`, which is kept from every tool")
        is_of_files = limits and all(map(Path.is_file, limits))
        if self._shows_history() and (not is_of_files or self._parsed.has(*_WIDER)):
            self._check_history()

    def _shows_history(self) -> bool:
        """Whether it shows files as they were, of which the index says nothing."""
        if self._command not in ("diff", "grep") or self._parsed.has("--cached", "--staged"):
            return True
        operands, _ = self._operands()
        is_told = self._parsed.after_dashes is not None
        return any(is_told or not os.path.lexists(self._place.folder / one) for one in operands)

    def _check_history(self) -> None:
        """The guard knows the built-in patterns, as long as nothing is stronger than it."""
        repository, workspace = self._repository, self._place.workspace
        own = [one for one in workspace.ignore if one not in IGNORE_PATTERNS and one[:1] != "!"]
        if own:
            raise NotReadOnly(
                f"git's history may hold files of `{own[0]}`, which are kept from every tool"
            )
        check_attributes(repository.top, repository.common, self._tracked(), workspace)
