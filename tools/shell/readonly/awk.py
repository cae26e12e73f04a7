"""Check that an `awk` program only prints: a small part of its language, token by token.

Any unknown token may run a command or write a file: `system`, `getline`, `|`, and `>` outside a
comparison. A `/` counts as the start of a pattern only where no other reading is possible.
"""

import re
from collections.abc import Iterator, Sequence

from ....config.text import text
from ..parsing.flags import Flags, NotReadOnlyError, split_names
from .path_scope import PathScope

_FLAGS = Flags.from_usage("-F= -v= --field-separator= --assign=")
_TOKEN = re.compile(
    r"""(?P<blank>[ \t]+)|(?P<line>\n)|(?P<text>"(?:[^"\\\n]|\\[^\n])*"|\d+(?:\.\d+)?)"""
    r"""|(?P<name>[A-Za-z_]\w*)|(?P<sign>&&|\|\||!~|[-+*%^=!<>]=|\+\+|--|[-+*%^=!<>~?:,;(){}\[\]$])"""
)
# A bracket expression with a certain end: a first `]` belongs to it
_CLASS = r"\[(?!\^?\])(?:[^]/\\\n\[]|\\[^]/\n\[]|\[:[a-z]+:\])+\]"
_PATTERN = re.compile(rf"/(?:[^/\\\n\[]|\\[^\n]|{_CLASS})*/")
_BEFORE_PATTERN = split_names("{ } ( , ; ! ~ !~ && ||") | {""}
_STATEMENTS = split_names("BEGIN END if else for in next exit print printf delete break continue")
_VARIABLES = split_names("NR NF FNR FS OFS RS ORS FILENAME RSTART RLENGTH")
_FUNCTIONS = split_names("length substr index split sub gsub match sprintf tolower toupper int")
_NOT_OURS = split_names("system getline close fflush func function while do nextfile")
_OWN_NAME = re.compile(r"[a-z][a-z0-9_]*")


def check_awk(words: Sequence[str], place: PathScope) -> None:
    """Raise NotReadOnlyError unless the `awk` program is known to only print."""
    parsed = _FLAGS.parse("awk", words)
    program, *files = parsed.operands or [""]
    settings = parsed.get_values("-v", "--assign")
    if not is_print_only(program) or not all(map(_is_plain_setting, settings)):
        raise NotReadOnlyError(
            text("the `awk` program `{program}` may do more than read", program=program)
        )
    for file in files:
        if "=" not in file:
            place.check_path(file)
        elif not _is_plain_setting(file):
            raise NotReadOnlyError(
                text("`awk` may read `{file}` as an assignment or as a file", file=file)
            )


def is_print_only(program: str) -> bool:
    """Return whether a program can do nothing but read its input and print."""
    opened, before = list[str](), ""
    try:
        tokens = list(_tokenize(program))
    except ValueError:
        return False
    for token, after in zip(tokens, [*tokens[1:], ""], strict=False):
        if token in ("(", "{", "["):
            opened.append(before if token == "(" else token)
        elif token in (")", "}", "]") and opened:
            opened.pop()
        elif token == ">" and "{" in opened and "if" not in opened:
            return False  # it could be a file to write to
        elif token[0].isalpha() and not _is_known(token, after):
            return False
        before = token
    return bool(tokens) and not opened


def _tokenize(program: str) -> Iterator[str]:
    at, before = 0, ""
    while at < len(program):
        pattern = _PATTERN if program[at] == "/" and before in _BEFORE_PATTERN else _TOKEN
        match = pattern.match(program, at)
        if not match:
            raise ValueError(program[at:])
        at = match.end()
        if pattern is _PATTERN or match.lastgroup != "blank":
            before = ";" if match[0] == "\n" else '""' if match[0][0] in '"/' else match[0]
            yield before


def _is_known(name: str, after: str) -> bool:
    if after == "(":
        return name in _FUNCTIONS | _STATEMENTS
    own = _OWN_NAME.fullmatch(name) is not None and name not in _NOT_OURS
    return own or name in _STATEMENTS | _VARIABLES


def _is_plain_setting(setting: str) -> bool:
    name, equals, _ = setting.partition("=")
    return (
        bool(equals)
        and name not in _NOT_OURS
        and (_OWN_NAME.fullmatch(name) is not None or name in _VARIABLES)
    )
