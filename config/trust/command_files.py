"""The files of a project that a command line names: what it runs when it runs."""

import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator
from typing import cast

from ..security.content_digest import UnreadableFileError, read_regular_file

# Most nested command lines, as in `sh -c "npm run x"`; most files of one command
MAX_DEPTH, MAX_FILES = 5, 100
MAX_PACKAGE_BYTES = 1_000_000
# What stands for the project's folder
_PROJECT = re.compile(
    r"\$(\{(MAXAGENT_PROJECT_DIR|CLAUDE_PROJECT_DIR|workspaceFolder|PWD)(:-[^}]*)?\}"
    r"|(MAXAGENT_PROJECT_DIR|CLAUDE_PROJECT_DIR|PWD)\b)/?"
)
# A word that is a command line of its own, as after `sh -c`
_LINE = re.compile(r"""[\s;|&()<>`'"]""")
_WORD = re.compile(r"[^\s;|&()<>'\"`]+")
_OUTPUT = re.compile(r"[&>|]*>[&>|]*")
_NPM = frozenset(["npm", "pnpm", "yarn", "bun"])
_NPM_RUN = frozenset(["run", "run-script", "rum", "urn"])
# Scripts that the package manager runs by a word of its own
_NPM_WORDS = frozenset(["test", "t", "tst", "start", "stop", "restart", "install", "ci", "i"])
_NPM_NAMES = {"t": "test", "tst": "test", "ci": "install", "i": "install"}
# Programs that run what a file of a fixed name says
_BUILD_FILES = {
    "ant": "build.xml",
    "bake": "docker-bake.hcl",
    "composer": "composer.json",
    "deno": "deno.json deno.jsonc",
    "docker-compose": "compose.yaml compose.yml docker-compose.yaml docker-compose.yml",
    "gmake": "GNUmakefile makefile Makefile",
    "gradle": "build.gradle build.gradle.kts settings.gradle settings.gradle.kts",
    "grunt": "Gruntfile.js Gruntfile.cjs",
    "gulp": "gulpfile.js gulpfile.mjs gulpfile.cjs",
    "hatch": "hatch.toml pyproject.toml",
    "invoke": "tasks.py",
    "just": "justfile Justfile .justfile",
    "lefthook": "lefthook.yml .lefthook.yml lefthook.yaml",
    "make": "GNUmakefile makefile Makefile",
    "mvn": "pom.xml",
    "nox": "noxfile.py",
    "pre-commit": ".pre-commit-config.yaml",
    "rake": "Rakefile rakefile Rakefile.rb",
    "task": "Taskfile.yml Taskfile.yaml taskfile.yml",
    "tox": "tox.ini",
}
# Programs that run a folder, and the files with which they begin
_RUN_FOLDERS = re.compile(r"python[\d.]*|pypy\d*|node|bun|deno|tsx|ts-node|go")
_OF_FOLDERS = ("__main__.py", "index.js", "index.mjs", "index.cjs", "index.ts", "main.go")


def find_command_files(
    commands: Iterable[str], root: str, words: Iterable[str] = ()
) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the files below `root`, and entries of `package.json` as path and name.

    `commands` are lines for a shell, `words` those of a program that starts without one. Each word
    that names a file counts, whatever the program makes of it.
    """
    search = _Search(root)
    for command in commands:
        search.read_line(command)
    if words := list(words):
        search.read_words(words)
    return list(search.files)[:MAX_FILES], list(search.entries)


class _Search:
    def __init__(self, root: str) -> None:
        self.root = root
        self.files, self.entries = dict[str, None](), dict[tuple[str, str], None]()

    def read_line(self, command: str, base: str = "", depth: int = 0) -> None:
        """Note what a command line names, which starts in the folder `base`."""
        self.read_words(_split_words(command), base, depth)

    def read_words(self, words: list[str], base: str = "", depth: int = 0) -> None:
        words = [_PROJECT.sub("./", word) for word in words]
        folders = [place for word in words for place in self._find_folders(word, base)]
        bases = [base, *folders]
        if any(_RUN_FOLDERS.fullmatch(os.path.basename(word)) for word in words):
            for path in (os.path.join(place, file) for place in folders for file in _OF_FOLDERS):
                self._add_file(path)
        for word in words:
            if depth < MAX_DEPTH and _LINE.search(word):
                self.read_line(word, base, depth + 1)
            for name in _list_names(word):
                for place in bases:
                    self._add_file(os.path.join(place, name))
        for at, word in enumerate(words):
            self._read_program(os.path.basename(word), words[at + 1 :], bases, depth)

    def _read_program(self, program: str, rest: list[str], bases: list[str], depth: int) -> None:
        if names := _BUILD_FILES.get(program):
            for place in bases:
                for name in names.split():
                    self._add_file(os.path.join(place, name))
        if program == "-m" and rest:
            self._add_module(rest[0], bases)
        if program in _NPM:
            for name in _find_package_scripts(program, rest):
                for place in bases:
                    self._add_package_script(os.path.join(place, "package.json"), name, depth)

    def _add_module(self, name: str, bases: list[str]) -> None:
        path = name.replace(".", "/")
        for place in bases:
            for file in (f"{path}.py", f"{path}/__main__.py"):
                self._add_file(os.path.join(place, file))

    def _add_package_script(self, path: str, name: str, depth: int) -> None:
        path = os.path.normpath(path)
        scripts = read_package_scripts(self.root, path)
        for script in (f"pre{name}", name, f"post{name}"):
            if script in scripts and (path, script) not in self.entries:
                self.entries[path, script] = None
                if depth < MAX_DEPTH:
                    self.read_line(scripts[script], os.path.dirname(path), depth + 1)

    def _add_file(self, path: str) -> None:
        """Note a file by its name in the project, also where that is a link to elsewhere."""
        try:
            relative = os.path.relpath(os.path.join(self.root, path), self.root)
            is_file = os.path.isfile(os.path.join(self.root, relative))
        except ValueError:
            return
        if is_file and not relative.startswith(".." + os.sep):
            self.files[relative] = None

    def _find_folders(self, word: str, base: str) -> Iterator[str]:
        """Yield the folders below the project that a word names."""
        for name in _list_names(word):
            place = os.path.normpath(os.path.join(base, name))
            try:
                real = os.path.normpath(os.path.join(self.root, place))
                inside = real.startswith(self.root + os.sep) and os.path.isdir(real)
            except ValueError:
                continue
            if inside:
                yield os.path.relpath(real, self.root)


def read_package_scripts(root: str, path: str) -> dict[str, str]:
    """Return the commands of a `package.json` by name; empty if it cannot be read."""
    try:
        content = read_regular_file(
            os.path.realpath(os.path.join(root, path)), MAX_PACKAGE_BYTES + 1
        )
        document = json.loads(content) if len(content) <= MAX_PACKAGE_BYTES else None
    except (UnreadableFileError, ValueError, RecursionError):
        return {}
    fields = cast("dict[str, object]", document) if isinstance(document, dict) else {}
    scripts = fields.get("scripts")
    items = cast("dict[str, object]", scripts).items() if isinstance(scripts, dict) else ()
    return {name: value for name, value in items if isinstance(value, str)}


def _split_words(command: str) -> list[str]:
    """Split a command line roughly as a shell does; what a substitution runs counts, too.

    A file that the output goes to is not run by that.
    """
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";|&()<>`")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:  # a quote that does not end
        return _WORD.findall(command)
    before = ["", *words]
    return [word for word, sign in zip(words, before, strict=False) if not _OUTPUT.fullmatch(sign)]


def _list_names(word: str) -> Iterator[str]:
    """Yield the word, and what follows a sign: `--config=x.js`, `@list`, `-f./x`."""
    short_option = word[2:] if word[:1] == "-" else ""
    for name in (word, word.partition("=")[2], word.removeprefix("@"), short_option):
        if name and not name.startswith("-") and "\0" not in name:
            yield os.path.expanduser(name)


def _find_package_scripts(program: str, rest: list[str]) -> Iterator[str]:
    words = [word for word in rest if not word.startswith("-")]
    for at, word in enumerate(words[:4]):
        if word in _NPM_RUN and at + 1 < len(words):
            yield words[at + 1]
        elif word in _NPM_WORDS:
            yield _NPM_NAMES.get(word, word)
        elif program != "npm":  # `yarn build` runs a script of that name
            yield word
