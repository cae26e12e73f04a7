"""The expression of `find`: which files it hands to a program that reads them.

What is not understood counts as handed over, and prunes nothing.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

_PLAIN = re.compile(r"(?:[\w.*?+@%,=:~ /-]|\[\w+\])+")
# What means the same in the regular expressions of find's usual types and here
_REGEX_PART = re.compile(
    r"(?P<text>[\w/ @%,=:~-]|\\\.)|(?P<same>\.|\*|\[[\w.]+\])|(?P<sign>\\?[(|)])|(?P<repeat>[+?])"
)
_EXTENDED = re.compile(r"(posix-)?(extended|egrep|awk|gnu-awk|posix-awk)")
_EMACS = frozenset(["", "emacs", "findutils-default"])
# The words of `find` that take no value, and those that take one; any other one is not understood
_ALONE = frozenset(
    [
        "-depth",
        "-d",
        "-daystart",
        "-follow",
        "-mount",
        "-xdev",
        "-x",
        "-warn",
        "-nowarn",
        "-noleaf",
        "-empty",
        "-executable",
        "-readable",
        "-writable",
        "-nouser",
        "-nogroup",
        "-true",
        "-false",
        "-prune",
        "-print",
        "-print0",
        "-ls",
        "-quit",
        "-delete",
    ]
)
_ALWAYS_TRUE = frozenset(
    [
        "-depth",
        "-d",
        "-daystart",
        "-follow",
        "-mount",
        "-xdev",
        "-x",
        "-warn",
        "-nowarn",
        "-noleaf",
        "-true",
        "-print",
        "-print0",
        "-printf",
        "-ls",
        "-fls",
        "-fprint",
        "-fprint0",
        "-maxdepth",
        "-mindepth",
        "-regextype",
    ]
)
_VALUED = re.compile(
    r"-(i?name|i?path|i?wholename|i?regex|i?lname|x?type|size|[acm](time|min)|newer\w*|[ac]newer"
    r"|perm|user|group|uid|gid|inum|links|samefile|maxdepth|mindepth|regextype|fstype|used|printf"
    r"|fprint0?|fls)"
)
_STARTS = ("-exec", "-execdir", "-ok", "-okdir")
_PRINTS = re.compile(r"-print0?|-printf|-fprint0?|-fprintf")
_ACTS = re.compile(r"-(print.*|fprint.*|f?ls|exec.*|ok.*)")

# A test with its value, or `and`, `or`, `not` and `,` with what they join
Expression = tuple[str, "str | Expression", "Expression | None"]


class _NotUnderstoodError(Exception):
    pass


@dataclass
class _Outcome:
    """What `find` does with a file or folder."""

    path: str
    is_folder: bool
    reads: bool = False
    prunes: bool = False


@dataclass(frozen=True)
class FindFilter:
    """The expression of `find`, as far as it is understood."""

    start: str
    """The folder in which it starts, as it is written."""
    expression: Expression | None
    deepest: int | None
    prunes: bool
    """Whether `-prune` has an effect."""
    is_printed: bool
    """Whether the files are read for which it is true."""

    def skips_folder(self, path: str) -> bool:
        """Return whether nothing below a folder is read."""
        if self.deepest is not None and self._measure_depth(path) >= self.deepest:
            return True
        return self.prunes and self._run(path, is_folder=True).prunes

    def reads(self, path: str) -> bool:
        """Return whether a file may be read."""
        if self.deepest is not None and self._measure_depth(path) > self.deepest:
            return False
        return self._run(path, is_folder=False).reads

    def takes_in(self, path: str) -> bool:
        """Return False: `find` ignores nothing."""
        return False

    def _measure_depth(self, path: str) -> int:
        return len([part for part in path.removeprefix(self.start).split("/") if part])

    def _run(self, path: str, *, is_folder: bool) -> _Outcome:
        outcome = _Outcome(path, is_folder)
        is_true = self.expression is None or _evaluate(self.expression, outcome, is_sure=True)
        outcome.reads |= self.is_printed and is_true is not False
        return outcome


def parse_find(
    arguments: Sequence[str], start: str, *, is_piped: bool, reads: Callable[[Sequence[str]], bool]
) -> FindFilter:
    """Parse the words after the folders of `find`.

    `is_piped`: a program reads the files that it prints; `reads`: whether a command reads files.
    """
    acts = any(map(_ACTS.fullmatch, arguments))
    try:
        remaining = list(_read_tests(arguments, is_piped=is_piped, reads=reads))
        depths = [value for test, value in remaining if test == "-maxdepth"]
        expression = _parse_list(remaining)
        if remaining or not all(map(str.isdecimal, depths)):
            raise _NotUnderstoodError
    except _NotUnderstoodError:
        return FindFilter(start, None, None, prunes=False, is_printed=True)
    # above a `-mindepth` no test is applied
    prunes = {"-depth", "-d", "-delete", "-mindepth"}.isdisjoint(arguments)
    deepest = min(map(int, depths), default=None)
    return FindFilter(start, expression, deepest, prunes, is_piped and not acts)


def _read_tests(
    arguments: Sequence[str], *, is_piped: bool, reads: Callable[[Sequence[str]], bool]
) -> Iterable[tuple[str, str]]:
    """Yield each test with its value; actions that read files as `read`."""
    remaining, regex_type = list(arguments), ""
    while remaining:
        word = remaining.pop(0)
        if word == "-regextype" and remaining:
            regex_type = remaining[0]
        if word in ("-regex", "-iregex") and remaining:
            regex = _translate_regex(remaining.pop(0), regex_type)
            yield ("unknown", "") if regex is None else (word, regex)
        elif word in _STARTS:
            ends = [
                at
                for at, other in enumerate(remaining)
                if other == ";" or remaining[at - 1 : at + 1] == ["{}", "+"]
            ]
            command, remaining = (
                remaining[: ends[0]] if ends else remaining,
                remaining[ends[0] + 1 :] if ends else [],
            )
            yield ("read" if reads(command) else "unknown", "")
        elif word == "-fprintf":
            remaining = remaining[2:]
            yield ("read" if is_piped else "-true", "")
        elif _VALUED.fullmatch(word):
            value = remaining.pop(0) if remaining else ""
            is_read = is_piped and _PRINTS.fullmatch(word)
            yield ("print" if is_read else word, value)
        elif word in _ALONE:
            yield ("print" if is_piped and _PRINTS.fullmatch(word) else word, "")
        else:
            yield (word, "")


def _parse_list(remaining: list[tuple[str, str]]) -> Expression | None:
    """Parse what is joined by `,`, then by `-o`, then by `-a` or nothing."""
    return _parse_joined(
        remaining,
        (",",),
        lambda: _parse_joined(remaining, ("-o", "-or"), lambda: _parse_and(remaining)),
    )


def _parse_joined(
    remaining: list[tuple[str, str]], signs: Sequence[str], parse: Callable[[], Expression | None]
) -> Expression | None:
    operand = parse()
    while operand and remaining and remaining[0][0] in signs:
        sign = remaining.pop(0)[0]
        right = parse()
        if right is None:
            raise _NotUnderstoodError
        operand = ("," if sign == "," else "or", operand, right)
    return operand


def _parse_and(remaining: list[tuple[str, str]]) -> Expression | None:
    if not remaining or remaining[0][0] in (",", "-o", "-or", ")"):
        return None
    operand: Expression = _parse_one(remaining)
    while remaining and remaining[0][0] not in (",", "-o", "-or", ")"):
        if remaining[0][0] in ("-a", "-and"):
            remaining.pop(0)
        joined: Expression = ("and", operand, _parse_one(remaining))
        operand = joined
    return operand


def _parse_one(remaining: list[tuple[str, str]]) -> Expression:
    test, value = remaining.pop(0) if remaining else ("", "")
    if test in ("!", "-not"):
        return ("not", _parse_one(remaining), None)
    if test == "(":
        inner = _parse_list(remaining)
        if inner is None or not remaining or remaining.pop(0)[0] != ")":
            raise _NotUnderstoodError
        return inner
    if test in _ALONE or _VALUED.fullmatch(test) or test in ("read", "print", "unknown"):
        return (test, value, None)
    raise _NotUnderstoodError


def _evaluate(expression: Expression, outcome: _Outcome, *, is_sure: bool) -> bool | None:
    """Return whether it is true, None if that is not known; `is_sure`: it is evaluated."""
    sign, first, second = expression
    if isinstance(first, str):
        return _test(sign, first, outcome, is_sure=is_sure)
    operand = _evaluate(first, outcome, is_sure=is_sure)
    if second is None:
        return None if operand is None else not operand
    if sign == ",":
        return _evaluate(second, outcome, is_sure=is_sure)
    end = sign == "or"  # the value with which the second one is not evaluated
    if operand is end:
        return end
    right = _evaluate(second, outcome, is_sure=is_sure and operand is not None)
    return right if operand is not None or right is end else None


def _test(test: str, value: str, outcome: _Outcome, *, is_sure: bool) -> bool | None:
    if test == "-prune":
        outcome.prunes |= is_sure and outcome.is_folder
    elif test in ("read", "print"):
        outcome.reads = True
        return None if test == "read" else True
    elif test.lstrip("-").removeprefix("i") in ("name", "path", "wholename"):
        is_name = test in ("-name", "-iname")
        name = _get_name(outcome.path) if is_name else outcome.path
        return _match_find_pattern(value, name, folds=test.startswith("-i"))
    elif test in ("-regex", "-iregex"):
        flags = re.IGNORECASE if test == "-iregex" else 0
        return None if "\n" in outcome.path else bool(re.fullmatch(value, outcome.path, flags))
    elif test == "-type":
        return ("d" if outcome.is_folder else "f") in value.split(",")
    elif test == "-false":
        return False
    elif test not in _ALWAYS_TRUE:
        return None
    return True


def _get_name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _match_find_pattern(pattern: str, name: str, *, folds: bool) -> bool | None:
    regex = _compile_find_pattern(pattern, re.IGNORECASE if folds else 0)
    return None if regex is None else bool(regex.fullmatch(name))


@lru_cache(maxsize=256)
def _compile_find_pattern(pattern: str, flags: int) -> re.Pattern[str] | None:
    if not _PLAIN.fullmatch(pattern):
        return None
    signs = {"*": ".*", "?": "."}
    regex = "".join(
        part if part.startswith("[") else signs.get(part) or re.escape(part)
        for part in re.split(r"([*?]|\[\w+\])", pattern)
    )
    return re.compile(regex, flags | re.DOTALL)


def _translate_regex(written: str, regex_type: str) -> str | None:
    """Return the regular expression as ours; None if that is not understood."""
    is_extended = _EXTENDED.fullmatch(regex_type) is not None
    if not is_extended and regex_type not in _EMACS:
        return None
    regex, at = "", 0
    while at < len(written):
        match = _REGEX_PART.match(written, at)
        if match is None or (match["sign"] and (len(match["sign"]) == 1) is not is_extended):
            return None
        regex, at = regex + match[0].removeprefix("\\" if match["sign"] else ""), match.end()
    try:
        re.compile(regex)
    except re.error:
        return None
    return regex
