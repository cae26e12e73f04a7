"""Files that a step names: by a word, a part of a word, a redirection, or a string in its code."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ..parsing.inline_code import is_interpreter
from ..parsing.path_targets import resolve_target
from ..parsing.shell_state import Word
from ..parsing.simple_command import SimpleCommand

# Programs whose arguments are not files
_WITHOUT_FILES = frozenset(
    ["echo", "printf", "export", "unset", ":", "true", "false", "alias", "which"]
)
_PATTERN_FIRST_LIST = """
grep egrep fgrep zgrep rg ag ack sed awk gawk mawk jq yq pgrep pkill
"""
# Programs whose first argument is not a file but a pattern or a script
_PATTERN_FIRST = frozenset(_PATTERN_FIRST_LIST.split())
_PATTERN_OPTION = re.compile(r"-[a-zA-Z]*e|--regexp|--expression")
_GIVES_PATTERN = re.compile(
    r"-[a-zA-Z]*[ef]|-[ef].+|--(regexp|expression|file|from-file)(=.*)?", re.DOTALL
)
_TEXT_OPTIONS_LIST = """
-m --message --title --body -b --grep --author -S -G --exclude --exclude-dir --ignore
--ignore-file-name --exclude-from-name -name -iname --iglob --glob
"""
# Options whose value is a text or an exclusion
_TEXT_OPTIONS = frozenset(_TEXT_OPTIONS_LIST.split())
_TEXT_OPTION_JOINED = re.compile(r"--(exclude|exclude-dir|ignore|message|grep|title|body|author)=")
_TEXT_PROGRAMS_LIST = """
git gh glab hg svn tar rsync grep rg find tree ls du zip diff cloc
"""
_TEXT_PROGRAMS = frozenset(_TEXT_PROGRAMS_LIST.split())
_SIGNS = re.compile(r"[=:@,]")
_SEPARATORS = re.compile(r"[\s;&|<>()$`\"'\\=,:@{}\[\]]+")
# A pattern that matches every name: `*`, `src/*`, `*/*`
_TAKES_ALL = re.compile(r"((?:[^*?\[\]/]*/)*)(?:\*+/)*(?:\*+|\*\.\*)/?")
_MAX_PARTS = 10
_FIND_ACTS = re.compile(r"-(exec|execdir|ok|okdir|delete|fprint\w*|fls)")


@dataclass(frozen=True)
class FileReference:
    """A name, and how certain it is that it names a file."""

    text: str
    exact: bool = True
    """False: a part of a longer text, which counts only if such a file exists."""
    code: bool = False
    """Whether it is in code."""
    bound: bool = False
    """Whether a redirection reads or writes it."""
    by_chance: bool = False
    """Whether it matched only a pattern that matches everything, such as `*`."""


def find_references(step: SimpleCommand) -> Iterator[FileReference]:
    """Yield every name in a step, the most certain first."""
    for redirect in step.redirects:
        if redirect.operator != "<<<":
            yield FileReference(redirect.target.text, bound=True)
    program = step.program
    words = [] if program in _WITHOUT_FILES else _select_file_words(step)
    for word in words:
        yield from _split_word(word)
    interprets = is_interpreter(program)
    for word in words:
        if re.search(r"[\s'\"(]", word.text):
            yield from _split_text(word.text, code=interprets)
    if interprets and step.feed.text:
        yield from _split_text(step.feed.text, code=True)


def _split_word(word: Word) -> Iterator[FileReference]:
    """Yield a whole word, and the part after `=`, `:` or `@`, as in `--file=NAME`."""
    texts = {word.text} if word.known else {word.text, word.rest}
    if takes_all := _TAKES_ALL.fullmatch(word.pattern):
        yield FileReference(takes_all[1] or "./")
        yield FileReference(word.text, by_chance=True)
        return
    for text in sorted(texts - {""}):
        yield FileReference(text)
        if 1 < len(parts := _SIGNS.split(text)) <= _MAX_PARTS:
            yield from (FileReference(part) for part in parts if part)
            yield from (FileReference(text[match.end() :]) for match in _SIGNS.finditer(text))
        if short := re.match(r"-\w([^-=].*)", text):
            yield FileReference(short[1], exact=False)


def _split_text(text: str, *, code: bool) -> Iterator[FileReference]:
    for piece in dict.fromkeys(_SEPARATORS.split(text)):
        if piece:
            yield FileReference(piece, exact=False, code=code)


def _select_file_words(step: SimpleCommand) -> list[Word]:
    """Select the words of a step that may be files."""
    words, program = list(step.words[1:]), step.program
    if program in _PATTERN_FIRST:
        words = _without_pattern(words)
    if program == "find" and _has_action(words):
        return _without_exclusions(words)
    return _without_texts(words) if program in _TEXT_PROGRAMS else words


def _has_action(words: Sequence[Word]) -> bool:
    return any(_FIND_ACTS.fullmatch(word.text) for word in words)


def _without_pattern(words: list[Word]) -> list[Word]:
    """Remove the search pattern: each value of `-e`, else the first word that is not an option."""
    patterns = {at + 1 for at, word in enumerate(words) if _PATTERN_OPTION.fullmatch(word.text)}
    if not any(_GIVES_PATTERN.fullmatch(word.text) for word in words):
        plain = (at for at, word in enumerate(words) if not word.text.startswith("-"))
        patterns = {next(plain, -1)}
    return [word for at, word in enumerate(words) if at not in patterns]


def _without_exclusions(words: Sequence[Word]) -> list[Word]:
    """Remove the names that `find` excludes: `-not -path X`, `-path X -prune`."""
    texts = ["", "", *(word.text for word in words), ""]
    return [
        word
        for at, word in enumerate(words)
        if texts[at] not in ("-not", "!") and texts[at + 3] != "-prune"
    ]


def _without_texts(words: Sequence[Word]) -> list[Word]:
    remaining, skip = list[Word](), False
    for word in words:
        if skip:
            skip = False
        elif word.text in _TEXT_OPTIONS or re.fullmatch(r"-[a-z]+m", word.text):
            skip = True
        elif not _TEXT_OPTION_JOINED.match(word.text):
            remaining.append(word)
    return remaining


def find_folders(step: SimpleCommand) -> list[Path | None]:
    """Return the folders of a step's relative names: its own folder, and the folder of `-C`."""
    folders, words = [step.folder], [word.text for word in step.words]
    for option, value in pairwise([*words, ""]):
        named = re.match(r"(?:-C|--directory=|--chdir=|--cwd=|--prefix=)(.+)", option)
        if named or option in ("-C", "--directory", "--chdir", "--cwd", "--prefix", "-D"):
            where = resolve_target(named[1] if named else value, step.folder)
            folders.append(where)
    return folders
