"""Programs with an argument language: awk, find, sed, test, printf, jq."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile

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
Words = Sequence[str]

_FIND_BARE = split_names(
    """
    ( ) ! , -a -and -o -or -not -true -false -print -print0 -ls -prune -quit -depth -d -daystart
    -mount -xdev -noleaf -nogroup -nouser -empty -executable -readable -writable -warn -nowarn
    -ignore_readdir_race -noignore_readdir_race
    """
)
_FIND_VALUED = split_names(
    """
    -name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname
    -type -xtype -size -mtime -atime -ctime -mmin -amin -cmin -used -maxdepth -mindepth -perm
    -user -group -uid -gid -links -inum -fstype -printf
    """
)
_FIND_FILE = split_names("-newer -anewer -cnewer -samefile")

# A character in brackets; some versions of `sed` may end a pattern there, so none that ends it
_IN_CLASS = r"[^]\\\n\[]|\\.|\[:[a-z]+:\]"
_ADDRESS = rf"(?:\d+|\$|\+\d+|/(?:[^/\\\n\[]|\[(?!\^?\])(?:(?!/)(?:{_IN_CLASS}))+\])*/I?)"
_PRINTING = re.compile(rf"(?:{_ADDRESS}(?:,{_ADDRESS})?)?[pdq=]")
_SUBSTITUTION = re.compile(
    rf"s([/|#,:@])(?:(?!\1)[^\\\n\[]|\\.|\[(?!\^?\])(?:(?!\1)(?:{_IN_CLASS}))+\])*\1"
    r"(?:(?!\1)[^\\\n]|\\.)*\1[gpI0-9]*"
)
_SED = Flags.from_usage(
    "-n -E -r -u -s -z -e= --quiet --silent --regexp-extended --separate --unbuffered"
    " --null-data --expression= --posix --sandbox"
)

_TESTS = split_names(
    """
    ! ( ) -a -o = == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef -b -c -d -e -f -g -h -k -n -p -r
    -s -t -u -w -x -z -G -L -N -O -S
    """
)
_CONVERSION = re.compile(r"%(%|[-+ #0']*(\d+|\*)?(\.(\d+|\*)?)?[diouxXeEfFgGcsbq])")

_DATE = Flags.from_usage(
    "-d= -u -I=? -R -r=F --date= --utc --universal --iso-8601=? --rfc-3339= --rfc-email"
)

_JQ = Flags.from_usage(
    "-c -r -j -a -s -n -e -S -C -M -R --compact-output --raw-output --join-output --ascii-output"
    " --slurp --null-input --exit-status --sort-keys --color-output --monochrome-output --raw-input"
    " --tab --indent=N"
)
_JQ_REACHES_OUT = re.compile(
    r"\bENV\b|\$\s|(?<![.\w])(env|import|include|modulemeta|get_search_list|input_filename|\$__prog_args)\b"
)
_XXD_VALUED = split_names("-c -g -l -s")
_XXD_BARE = re.compile(r"-(a|b|e|i|p|ps|plain|u|[cgls]\d+)")


def check_awk(words: Sequence[str], place: PathScope) -> None:
    """Raise NotReadOnlyError unless the `awk` program is known to only print."""
    parsed = _FLAGS.parse("awk", words)
    program, *files = parsed.operands or [""]
    settings = parsed.get_values("-v", "--assign")
    if not is_print_only(program) or not all(map(_is_plain_setting, settings)):
        raise NotReadOnlyError(
            text("the `awk` program `{program}` can change files or run programs", program=program)
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


def _check_find(words: Words, place: PathScope) -> None:
    roots = list(takewhile(lambda word: not word.startswith(("-", "(", "!")), words))
    for root in roots:
        place.check_path(root)
    rest = iter(words[len(roots) :])
    for word in rest:
        if word in _FIND_BARE:
            continue
        if word not in _FIND_VALUED | _FIND_FILE:
            raise NotReadOnlyError(
                text("`find {argument}` can change files or run programs", argument=word)
            )
        value = next(rest, "")
        if word in _FIND_FILE:
            place.check_path(value)


def _check_sed(words: Words, place: PathScope) -> None:
    parsed = _SED.parse("sed", words)
    scripts = parsed.get_values("-e", "--expression")
    files = parsed.operands
    if not scripts:
        scripts, files = list(files[:1]), files[1:]
    for script in scripts:
        if not all(map(_is_print_only, re.split(r"[;\n]", script))):
            raise NotReadOnlyError(
                text("the `sed` script `{script}` can change files or run programs", script=script)
            )
    for file in files:
        place.check_path(file)


def _is_print_only(command: str) -> bool:
    plain = command.strip()
    return bool(_PRINTING.fullmatch(plain) or _SUBSTITUTION.fullmatch(plain))


def _check_test(words: Words, place: PathScope) -> None:
    for word in words:
        if word.startswith("-") and word not in _TESTS and not word[1:].isdecimal():
            raise NotReadOnlyError(text("`test {argument}` can run programs", argument=word))
        if "/" in word:
            place.check_path(word)


def _check_bracket(words: Words, place: PathScope) -> None:
    if words[-1:] != ["]"] and words[-1:] != ("]",):
        raise NotReadOnlyError("`[` without `]`")
    _check_test(words[:-1], place)


def _check_printf(words: Words, place: PathScope) -> None:
    """Check `printf`: `-v` and `%n` set shell variables, which may be `PATH`."""
    argument = words[0] if words else ""
    if argument.startswith("-") or "%" in _CONVERSION.sub("", argument):
        raise NotReadOnlyError(
            text("`printf {argument}` may do more than print", argument=argument)
        )


def _check_date(words: Words, place: PathScope) -> None:
    parsed = place.parse_words("date", _DATE, words)
    if any(not operand.startswith("+") for operand in parsed.operands):
        raise NotReadOnlyError("`date` with an argument sets the clock")


def _check_sleep(words: Words, place: PathScope) -> None:
    if len(words) != 1 or not re.fullmatch(r"\d{1,4}(\.\d+)?s?|\.\d+", words[0]):
        raise NotReadOnlyError("`sleep` may take very long")


def _check_jq(words: Words, place: PathScope) -> None:
    program, *files = _JQ.parse("jq", words).operands or [""]
    if _JQ_REACHES_OUT.search(program):
        raise NotReadOnlyError("the `jq` program may read more than its input")
    for file in files:
        place.check_path(file)


def _check_xxd(words: Words, place: PathScope) -> None:
    """Check `xxd`: its flags cannot be bundled, so `xxd -ac 8 IN` writes the file IN."""
    files: list[str] = []
    rest = iter(words)
    for word in rest:
        if files or not word.startswith("-"):  # flags cannot follow a file
            files.append(word)
        elif word in _XXD_VALUED:
            if not next(rest, "").isdecimal():
                raise NotReadOnlyError(text("`xxd {argument}` needs a number", argument=word))
        elif not _XXD_BARE.fullmatch(word):
            raise NotReadOnlyError(text("`xxd {argument}` can change files", argument=word))
    if len(files) > 1:
        raise NotReadOnlyError(text("`xxd` would write to `{files}`", files=files[1]))
    for file in files:
        place.check_path(file)


def _check_command(words: Words, place: PathScope) -> None:
    if words[:1] not in (["-v"], ["-V"], ("-v",), ("-V",)):
        raise NotReadOnlyError("`command` runs another program")


def _accept_any(words: Words, place: PathScope) -> None:
    """Accept any words: the program prints or ignores them."""


# Program → check that raises NotReadOnlyError for arguments that do more than read
CHECKS: Mapping[str, Callable[[Words, PathScope], None]] = {
    **dict.fromkeys(["awk", "gawk", "mawk"], check_awk),
    "find": _check_find,
    "sed": _check_sed,
    "test": _check_test,
    "[": _check_bracket,
    "printf": _check_printf,
    "date": _check_date,
    "jq": _check_jq,
    "sleep": _check_sleep,
    "xxd": _check_xxd,
    "command": _check_command,
    "echo": _accept_any,
    "true": _accept_any,
    "false": _accept_any,
    ":": _accept_any,
}
