"""The files of a project that a command line names: what it runs when it runs."""

import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator
from glob import glob
from typing import NamedTuple, cast

from ..security.content_digest import UnreadableFileError, read_regular_file
from .runner_files import BUILD_FILES, ENDINGS, FOLDER_FILES, MAKEFILE, PACKAGE_SETTINGS, RUNNERS

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
# A name that a program may run once such a file exists: with a script's ending, or behind what
# begins a command or runs its next word
_SCRIPT = re.compile(
    r"(?!-)[\w./@+-]+\.(?:sh|bash|zsh|fish|py|[cm]?[jt]sx?|rb|pl|php|lua|ps1|mk|ya?ml)"
)
_PLACE = re.compile(r"(?!-)\.?[\w.@+-]*(?:/[\w.@+-]+)+")
_PLAIN = re.compile(r"[A-Za-z][\w.-]*")
_BEGIN = re.compile(
    r"[;|&()]+|[({!]|then|do|else|elif|if|while|until|exec|env|time|nice|nohup|sudo"
)
_SHELL = re.compile(r"(?:ba|z|da|k|fi)?sh|source|\.")
_NPM = frozenset(["npm", "pnpm", "yarn", "bun"])
_NPM_RUN = frozenset(["run", "run-script", "rum", "urn"])
# Scripts that the package manager runs by a word of its own
_NPM_WORDS = frozenset(["test", "t", "tst", "start", "stop", "restart", "install", "ci", "i"])
_NPM_NAMES = {"t": "test", "tst": "test", "ci": "install", "i": "install"}
# `${NAME:-word}`: the word that counts without the variable
_DEFAULT = re.compile(r"\$\{[\w:.]*?:?[-=+?]([^{}]*)\}")
# Also in lists, quotes and options, as in `node-options=--require=./x.cjs`
_SETTING_WORD = re.compile(r"[^\s'\"`;,=\[\]{}]+")
# What a Makefile includes by name; its lines go on behind a backslash
_INCLUDE = re.compile(r"^[ \t]*(?:[-s]?include|-?load)[ \t]+([^\n#]+)", re.MULTILINE)
# Lines that an expansion makes, and the includes in the text of variables and of `eval`
_MAKE_COMPUTES = re.compile(r"\$[({]eval\b|^[ \t]*\$(?:[({]|\w[ \t]*$)", re.MULTILINE)
_INNER_INCLUDE = re.compile(r"(?<![\w/.])(?:[-s]?include|-?load)[ \t]+([^\n#]+)")
# What such lines read when make runs
_MAKE_READS = re.compile(
    r"\$[({](?:eval(?![ \t]+\w+[ \t]*[:?+!]*=)|call)[^\n]*\$[({](?:shell|file)\b"
)
_MAKE_TEXTS = re.compile(r"(?:\$[({]eval[ \t]+|^[ \t]*)\$[({](?:call[ \t]+)?(\w+)", re.MULTILINE)
_MAKE_OUTPUTS = re.compile(
    r"^[ \t]*(?:define[ \t]+)?(\w+)[ \t]*[:?+!]*=[^\n]*\$[({](?:shell|file)\b"
    r"|^[ \t]*(\w+)[ \t]*!=",
    re.MULTILINE,
)
# make reads these first, and what the folders of `-I` hold
_MAKE_FIRST = re.compile(r"^[^#\n]*\bMAKEFILES[ \t]*[:?+]*=[ \t]*([^#\n]+)", re.MULTILINE)
_MAKE_FLAGS = re.compile(r"^[^#\n]*\b(?:GNU)?MAKEFLAGS[ \t]*[:?+]*=([^#\n]+)", re.MULTILINE)
_MAKE_SEARCH = re.compile(r"(?:-I|--include-dir)[ \t=]*(\S+)")
_LOADED_SYMBOL = re.compile(r"\(\w+\)(?=\s|$)")
_GOES_ON = re.compile(r"\\\r?\n[ \t]*")
_MAKE_FOLDER = re.compile(r"\$[({](?:CURDIR|PWD)[)}]")
_MAKE_PATTERN = re.compile(r"\$[({]wildcard[ \t]+([^(){}$]*)[)}]")


class CommandFiles(NamedTuple):
    """What commands name in a project."""

    files: list[str]
    entries: list[tuple[str, str]]
    """Entries of `package.json`, as path and name."""
    is_complete: bool
    """False: they name more files, or are nested deeper, than is followed."""
    missing: list[str]
    """What they would run if it existed."""


def find_command_files(
    commands: Iterable[str], root: str, words: Iterable[str] = ()
) -> CommandFiles:
    """Return the files below `root`, and entries of `package.json`.

    `commands` are lines for a shell, `words` those of a program that starts without one. Each word
    that names a file counts, whatever the program makes of it.
    """
    search = _Search(root)
    for command in commands:
        search.read_line(command)
    if words := list(words):
        search.read_words(words)
    is_complete = search.is_complete and max(len(search.files), len(search.entries)) <= MAX_FILES
    missing = list(search.missing)[:MAX_FILES]
    return CommandFiles(list(search.files), list(search.entries), is_complete, missing)


class _Search:
    def __init__(self, root: str) -> None:
        self.root = root
        self.files, self.entries = dict[str, None](), dict[tuple[str, str], None]()
        self.missing = dict[str, None]()
        self.is_complete = True

    def read_line(self, command: str, base: str = "", depth: int = 0) -> None:
        """Note what a command line names, which starts in the folder `base`."""
        self.read_words(_split_words(command), base, depth)

    def read_words(self, words: list[str], base: str = "", depth: int = 0) -> None:
        words = list(_expand_words(words))
        folders = [place for word in words for place in self._find_folders(word, base)]
        bases = [base, *folders]
        has_runner = any(RUNNERS.fullmatch(os.path.basename(word)) for word in words)
        for word in words:
            if _LINE.search(word):
                self._read_nested(word, base, depth)
            for path in (
                os.path.join(place, name) for name in _list_names(word) for place in bases
            ):
                self._add_file(path)
                if has_runner:
                    self._add_entry(path)
        for before, word in zip(["", *words], words, strict=False):
            if _may_be_script(word, before):
                self._add_missing(os.path.join(base, word))
        for at, word in enumerate(words):
            self._read_program(os.path.basename(word), words[at + 1 :], bases, depth)

    def _read_nested(self, command: str, base: str, depth: int) -> None:
        words = _split_words(command)
        if depth < MAX_DEPTH:
            self.read_words(words, base, depth + 1)
        elif words != [command]:  # a sign of the shell alone, such as `&&`, names nothing
            self.is_complete = False

    def _read_program(self, program: str, rest: list[str], bases: list[str], depth: int) -> None:
        for name in BUILD_FILES.get(program, "").split():
            for place in bases:
                self._add_file(os.path.join(place, name))
            self._add_missing(os.path.join(bases[0], name))
        if program.startswith("-m") and (module := program[2:] or "".join(rest[:1])):
            self._add_module(module, bases)
        for name in PACKAGE_SETTINGS.get(program, "").split():
            for place in _list_ancestors(bases):
                self._add_settings(os.path.join(place, name))
        if program in _NPM:
            for name in _find_package_scripts(program, rest):
                for place in bases:
                    self._add_package_script(os.path.join(place, "package.json"), name, depth)

    def _add_module(self, name: str, bases: list[str]) -> None:
        path = name.replace(".", "/")
        packages = [path[:at] for at, letter in enumerate(f"{path}/") if letter == "/"]
        files = [f"{path}.py", f"{path}/__main__.py", *(f"{one}/__init__.py" for one in packages)]
        for file in (os.path.join(place, file) for place in bases for file in files):
            self._add_file(file)

    def _add_settings(self, path: str) -> None:
        """Note the settings of a package program, and the files that they name."""
        self._add_file(path)
        content = _read_text(os.path.join(self.root, path))
        for word in list_setting_words(content):
            self._add_file(os.path.join(os.path.dirname(path), word))

    def _add_entry(self, path: str) -> None:
        """Note the file that a program means by a name without its ending, or by a folder."""
        real = os.path.join(self.root, path)
        if os.path.isfile(real):
            return
        files = [f"{path}{ending}" for ending in ENDINGS]
        if os.path.isdir(real):
            main = read_package_main(self.root, os.path.join(path, "package.json"))
            places = [path, os.path.join(path, main)] if main else [path]
            files += [os.path.join(place, file) for place in places for file in FOLDER_FILES]
            files += [f"{places[-1]}{ending}" for ending in ("", *ENDINGS)] if main else []
            files += [os.path.join(path, "package.json")] if main else []
        for file in files:
            self._add_file(file)

    def _add_package_script(self, path: str, name: str, depth: int) -> None:
        path = os.path.normpath(path)
        self._add_missing(path)
        scripts = read_package_scripts(self.root, path)
        self.is_complete &= not _is_too_large(os.path.join(self.root, path))
        for script in (f"pre{name}", name, f"post{name}"):
            if script in scripts and (path, script) not in self.entries:
                self.entries[path, script] = None
                self._read_nested(scripts[script], os.path.dirname(path), depth)

    def _add_file(self, path: str, base: str | None = None) -> None:
        """Note a file by its name in the project, also where that is a link to elsewhere.

        `base` is the folder of the Makefile that includes it.
        """
        try:
            relative = os.path.relpath(os.path.join(self.root, path), self.root)
            is_file = os.path.isfile(os.path.join(self.root, relative))
        except ValueError:
            return
        if not is_file or relative.startswith(".." + os.sep) or relative in self.files:
            return
        self.files[relative] = None
        if MAKEFILE.fullmatch(os.path.basename(relative)) and len(self.files) <= MAX_FILES:
            self._add_included(relative, os.path.dirname(relative) if base is None else base)

    def _add_missing(self, path: str) -> None:
        """Note a name in the project that a file may get which the command then runs."""
        relative = os.path.relpath(os.path.join(self.root, path), self.root)
        is_inside = relative != "." and not relative.startswith("..")
        if is_inside and not os.path.isdir(os.path.join(self.root, relative)):
            self.missing[relative] = None

    def _add_included(self, path: str, base: str) -> None:
        for places in list_make_includes(_read_text(os.path.join(self.root, path))):
            for pattern in (os.path.join(base, name) for name in places.split()):
                for file in [pattern, *sorted(glob(pattern, root_dir=self.root))[:MAX_FILES]]:
                    self._add_file(file, base)

    def _find_folders(self, word: str, base: str) -> Iterator[str]:
        """Yield the folders below the project that a word names."""
        for name in _list_names(word):
            place = os.path.normpath(os.path.join(base, name))
            try:
                real = os.path.normpath(os.path.join(self.root, place))
                inside = f"{real}{os.sep}".startswith(self.root + os.sep) and os.path.isdir(real)
            except ValueError:
                continue
            if inside:
                yield os.path.relpath(real, self.root)


def list_make_includes(makefile: str) -> list[str]:
    """Return what each `include` names; of variables only the folder and `wildcard` are known.

    A line that begins with an expansion, and `eval`, may include what the text of any variable
    names. A name with `$` is known only when make runs.
    """
    joined = _GOES_ON.sub(" ", makefile)
    lines = [*_INCLUDE.findall(joined), *_MAKE_FIRST.findall(joined)]
    if _MAKE_COMPUTES.search(joined):
        inner = (_cut_expansion(text) for text in _INNER_INCLUDE.findall(joined))
        lines += [line for line in inner if line not in lines]
        lines += [call[0] for call in _MAKE_READS.finditer(joined)]
        outputs = {"".join(names) for names in _MAKE_OUTPUTS.findall(joined)}
        lines += [f"$({name})" for name in _MAKE_TEXTS.findall(joined) if name in outputs]
    includes = [_LOADED_SYMBOL.sub("", _expand_make(line)) for line in lines]
    flags = " ".join(_MAKE_FLAGS.findall(joined))
    folders = [_expand_make(folder) for folder in _MAKE_SEARCH.findall(flags)]
    if "--eval" in flags or re.search(r"(?:^|\s)-E", flags):
        includes.append("$(MAKEFLAGS)")
    names = [name for line in includes for name in line.split() if not name.startswith(("/", "$"))]
    return list(
        dict.fromkeys([*includes, *(f"{folder}/{name}" for folder in folders for name in names)])
    )


def _expand_make(names: str) -> str:
    return _MAKE_PATTERN.sub(r"\1", _MAKE_FOLDER.sub(".", names)).strip()


def _cut_expansion(text: str) -> str:
    """Return the text up to the bracket that ends the expansion around it."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter in "({") - (letter in ")}")
        if depth < 0:
            return text[:at]
    return text


def read_package_scripts(root: str, path: str) -> dict[str, str]:
    """Return the commands of a `package.json` by name; empty if it cannot be read."""
    scripts = _read_package(root, path).get("scripts")
    items = cast("dict[str, object]", scripts).items() if isinstance(scripts, dict) else ()
    return {name: value for name, value in items if isinstance(value, str)}


def read_package_main(root: str, path: str) -> str:
    """Return the file with which the package of a `package.json` begins; empty if it says none."""
    main = _read_package(root, path).get("main")
    return main if isinstance(main, str) and "\0" not in main else ""


def _read_package(root: str, path: str) -> dict[str, object]:
    try:
        document = json.loads(_read_text(os.path.join(root, path)))
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", document) if isinstance(document, dict) else {}


def _read_text(file: str) -> str:
    """Return a file's text; empty if it cannot be read."""
    try:
        content = read_regular_file(os.path.realpath(file), MAX_PACKAGE_BYTES + 1)
    except (UnreadableFileError, ValueError):
        return ""
    return "" if len(content) > MAX_PACKAGE_BYTES else content.decode("utf-8-sig", "replace")


def _is_too_large(file: str) -> bool:
    try:
        return os.stat(file).st_size > MAX_PACKAGE_BYTES
    except (OSError, ValueError):
        return False


def _expand_words(words: Iterable[str]) -> Iterator[str]:
    """Yield each word with the default of its variables, and these defaults alone."""
    for word in words:
        project_word = _PROJECT.sub("./", word)
        defaults = list[str]()
        while found := _DEFAULT.search(project_word):
            defaults.append(found[1])
            project_word = project_word.replace(found[0], found[1])
        yield project_word
        yield from (default for default in defaults if default not in ("", project_word))


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


def _may_be_script(word: str, before: str) -> bool:
    """Return whether a word that names no file names a script, by how it looks or stands."""
    runner = os.path.basename(before)
    if not before or _BEGIN.fullmatch(before):
        return bool(_PLACE.fullmatch(word) or _SCRIPT.fullmatch(word))
    if _SHELL.fullmatch(runner) or RUNNERS.fullmatch(runner):
        return bool(_PLACE.fullmatch(word) or _PLAIN.fullmatch(word))
    return bool(_SCRIPT.fullmatch(word))


def list_setting_words(content: str) -> list[str]:
    """Return all words of a file of settings that may name a file."""
    return list(dict.fromkeys(_SETTING_WORD.findall(content)))


def _list_ancestors(bases: Iterable[str]) -> list[str]:
    """Return these folders with all above them in the project."""
    places = dict[str, None]()
    for place in map(os.path.normpath, bases):
        parts = [] if place == "." else place.split(os.sep)
        places |= dict.fromkeys(os.path.join("", *parts[:at]) for at in range(len(parts) + 1))
    return list(places)


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
