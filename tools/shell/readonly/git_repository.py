"""The git repository of a command, found and read without running git.

Its configuration can name programs for git to start. Programs under fixed keys are switched off by
the environment of such a command (`tools/git/hardened_git.py`); every other key must be on the list
of harmless keys.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from ....config.text import text
from ...git.git_dirs import GitDirs, UnsupportedGitDirError, find_git_dirs
from ..parsing.flags import NotReadOnlyError, split_names

# Bytes
MAX_CONFIG_BYTES = 100_000


_SECTION = re.compile(r'\s*\[([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\]\s*(?:[#;].*)?', re.ASCII)


_KEY = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*[^\\]|))?", re.ASCII)


_EMPTY = re.compile(r"\s*(?:[#;].*)?")


_HARMLESS = {
    "core": """abbrev autocrlf bare bigfilethreshold checkstat commentchar commitgraph compression
        eol filemode hidedotfiles hookspath ignorecase logallrefupdates longpaths multipackindex
        packedgitlimit precomposeunicode preloadindex protecthfs protectntfs quotepath
        repositoryformatversion safecrlf sparsecheckout sparsecheckoutcone splitindex symlinks
        trustctime untrackedcache whitespace worktree""",
    "extensions": "compatobjectformat noop objectformat partialclone refstorage worktreeconfig",
    "remote": "fetch gh-resolved mirror prune promisor partialclonefilter push pushurl tagopt url",
    "submodule": "active branch fetchrecursesubmodules ignore path shallow update url",
    "user": "email name signingkey useconfigonly",
    "author": "email name",
    "committer": "email name",
    "commit": "gpgsign status template verbose",
    "gpg": "format",
    "tag": "gpgsign",
    "diff": """algorithm colormoved context indentheuristic interhunkcontext mnemonicprefix noprefix
        renamelimit renames""",
    "log": "abbrevcommit date decorate follow",
    "status": "aheadbehind branch relativepaths short showstash showuntrackedfiles",
    "index": "threads version",
    "lfs": "repositoryformatversion",
}


_HARMLESS_SECTIONS = split_names(
    """
    advice alias apply branch checkout clean clone color column credential fetch gc gui help
    http init maintenance merge mergetool pack pull push rebase receive rerere url
    """
)


_CREDENTIALS = re.compile(r"://[^/\s]*:[^/\s]*@|://[^/\s]{20,}@")


_AS_CLONED = re.compile(
    r"""\s* (?: \[core] | \[user] | \[(remote|branch)[ ]"[^"\\]+"]
    | (repositoryformatversion | filemode | bare | logallrefupdates | ignorecase
      | precomposeunicode | symlinks) [ ]=[ ] (true | false | [0-9])
    | url [ ]=[ ] ((https? | ssh | git)://(git@)? | git@ | /)[^@?\s]+
    | fetch [ ]=[ ] \+?refs/\S+ | remote [ ]=[ ] [\w.-]+ | merge [ ]=[ ] refs/\S+
    | name [ ]=[ ] [\w .-]+ | email [ ]=[ ] [\w.+-]+@[\w.-]+ )?""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class ConfigLine:
    """One line of a configuration."""

    section: str
    """In lower case, without the quoted subsection."""
    key: str
    """In lower case."""
    value: str


@dataclass(frozen=True)
class RepositoryPaths:
    """Paths of a repository's parts."""

    top: Path
    """The top folder of its files."""
    git_dir: Path
    common: Path
    """The same, or the folder shared with other worktrees."""
    settings: tuple[ConfigLine, ...]

    @property
    def hash_size(self) -> int:
        """Bytes of an object's hash."""
        return 32 if ("objectformat", "sha256") in self._pairs else 20

    @property
    def has_credentials(self) -> bool:
        """Whether a URL in the configuration contains a password."""
        return any(_CREDENTIALS.search(setting.value) for setting in self.settings)

    @property
    def _pairs(self) -> set[tuple[str, str]]:
        return {(setting.key, setting.value.strip().lower()) for setting in self.settings}


def find_repository(folder: Path, root: Path) -> RepositoryPaths | None:
    """Find the repository of a real folder, as git does.

    Raises NotReadOnlyError if it may start a program, or if it lies outside `root` although the
    folder does not.
    """
    for top in (folder, *folder.parents):
        if repository := _open_repository(top, root):
            return repository
        if all(os.path.lexists(top / part) for part in ("HEAD", "objects", "refs")):
            raise NotReadOnlyError(
                text("git may treat the folder `{folder}` as a repository", folder=top)
            )
    return None


def check_git_dirs(top: Path, root: Path) -> GitDirs | None:
    """Return the git folders of a checkout, if it has any; raises NotReadOnlyError."""
    try:
        return find_git_dirs(Path(os.path.realpath(top)), root)
    except UnsupportedGitDirError as error:
        raise NotReadOnlyError(str(error)) from error


def is_as_cloned(config: Path) -> bool:
    """Return whether a configuration holds only what `git clone` writes, and no password."""
    try:
        text = config.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return all(map(_AS_CLONED.fullmatch, text.splitlines()))


def _open_repository(top: Path, root: Path) -> RepositoryPaths | None:
    """Open the repository; None if git, too, would reject the folder and look further up."""
    home = check_git_dirs(top, root)
    if not home:
        return None
    settings = [
        *_read_settings(home.common / "config"),
        *_read_settings(home.git_dir / "config.worktree"),
    ]
    trees = [
        setting.value
        for setting in settings
        if (setting.section, setting.key) == ("core", "worktree")
    ]
    if any(Path(os.path.realpath(home.git_dir / tree)) != top for tree in trees):
        raise NotReadOnlyError("git's configuration sets another work tree")
    return RepositoryPaths(top, home.git_dir, home.common, tuple(settings))


def _read_settings(config: Path) -> list[ConfigLine]:
    """Read all settings of a configuration; raises NotReadOnlyError unless all are harmless."""
    try:
        with open(config, encoding="latin-1", newline="\n") as file:
            content = file.read(MAX_CONFIG_BYTES + 1)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise NotReadOnlyError("git's configuration cannot be read") from error
    if len(content) > MAX_CONFIG_BYTES:
        raise NotReadOnlyError("git's configuration is too long")
    settings: list[ConfigLine] = []
    section = subsection = ""
    for line in content.replace("\r\n", "\n").split("\n"):
        if header := _SECTION.fullmatch(line):
            section, subsection = header[1].lower(), header[2] or ""
        elif setting := _KEY.fullmatch(line):
            key = setting[1].lower()
            if not _is_harmless(section, subsection, key):
                raise NotReadOnlyError(
                    text(
                        "git's configuration sets `{section}.{key}`, which may run programs or "
                        "read other files",
                        section=section,
                        key=key,
                    )
                )
            settings.append(ConfigLine(section, key, setting[2] or ""))
        elif not _EMPTY.fullmatch(line):
            raise NotReadOnlyError("git's configuration has an unusual format")
    return settings


def _is_harmless(section: str, subsection: str, key: str) -> bool:
    if section in _HARMLESS_SECTIONS:
        return True
    if subsection and section in ("diff", "log", "core"):
        return False
    return key in _HARMLESS.get(section, "").split()
