"""No regular expression of the package takes the cube of a long run's length, or more.

Every pattern is tried on the least text that it fits, with a run of each character that it names
put at each place. How the work grows with the run decides, not how long it takes: work that is
not to be seen in a run of `SHORT` characters is not that of a cube.
"""

import ast
import contextlib
import importlib
import inspect
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from math import log2
from pathlib import Path
from typing import Any, cast

import pytest

kinds: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")

ROOT = Path(__file__).parent.parent
FLOORS = ("config", "memory", "models", "tools", "nodes", "graphs", "sdk", "cli")
SEARCHING = {"search", "sub", "subn", "split", "findall", "finditer"}
METHODS = SEARCHING | {"match", "fullmatch"}
SEEN = 0.001  # seconds of processor time from which on work can be compared
SHORT, LONG = 192, 3_072
STEPS = (12, 16, 20, 24, 32, 48, 64)  # what is seen in so short a run may never end in a long one
MAX_PLACES, MAX_LETTERS = 6, 14
TIMES = 4  # a busy machine may slow the longer text alone, but not each time
USUAL = " \ta0\n-"

Pattern = re.Pattern[Any]


def patterns_of(value: Any) -> Iterator[Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from patterns_of([*value.keys(), *value.values()])
    elif isinstance(value, list | tuple | set | frozenset):
        for item in cast("Iterable[Any]", value):
            yield from patterns_of(item)


def named_patterns(path: Path) -> Iterator[tuple[Pattern, str]]:
    """Those that a module names, and the methods by which it calls each; "" where unknown."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    methods = defaultdict[str, set[str]](set)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        of, method = node.func.value, node.func.attr
        of = of.func if isinstance(of, ast.Call) else of
        if not isinstance(of, ast.Name) or method not in METHODS:
            continue
        methods[of.id].add(method)
        if of.id == "re" and isinstance(node.args[0], ast.Constant):
            yield re.compile(cast("str", node.args[0].value)), method
    parts = path.relative_to(ROOT).with_suffix("").parts
    module = importlib.import_module(".".join(["maxagent", *parts]).removesuffix(".__init__"))
    for name, value in vars(module).items():
        built = call_builder(value)
        for pattern in patterns_of(value if built is None else choices_of(built)):
            called = methods[name] if isinstance(value, re.Pattern) else {""}
            for method in {"search"} if built else called:
                yield pattern, method


def call_builder(value: Any) -> Pattern | None:
    """The pattern that a function builds at its first use; None if it is no such function."""
    code: Any = getattr(inspect.unwrap(value) if callable(value) else None, "__code__", None)
    returned = str(getattr(value, "__annotations__", {}).get("return", ""))
    builds = code and not code.co_argcount and re.fullmatch(r"(re\.)?Pattern(\[\w+\])?", returned)
    return value() if builds else None


def choices_of(pattern: Pattern) -> list[Pattern]:
    """Each choice at the top of a pattern, alone: a run is put into all of them."""
    parts = pattern.pattern.split("|")
    choices, open_part = list[Pattern](), ""
    for part in parts:
        open_part += f"|{part}" if open_part else part
        with contextlib.suppress(re.error):
            choices.append(re.compile(open_part, pattern.flags & ~re.UNICODE))
            open_part = ""
    return choices


def package_patterns(folders: Iterable[str]) -> dict[Pattern, set[str]]:
    result = defaultdict[Pattern, set[str]](set)
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for pattern, method in named_patterns(path):
                result[pattern].add("findall" if method in SEARCHING else method or "fullmatch")
    return dict(result)


def least_text(tree: Iterable[Any]) -> str:
    """A short text that a parsed pattern fits, but for what stands around it."""
    text = ""
    for kind, value in tree:
        if kind is kinds.LITERAL:
            text += chr(value)
        elif kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            text += least_text(value[2]) * max(value[0], 1)
        elif kind in (kinds.SUBPATTERN, kinds.ATOMIC_GROUP):
            text += least_text(value[-1] if kind is kinds.SUBPATTERN else value)
        elif kind is kinds.BRANCH:
            text += least_text(value[1][0])
        elif kind is kinds.IN and value[0][0] is not kinds.NEGATE:
            text += member(value[0])
        elif kind in (kinds.IN, kinds.ANY, kinds.NOT_LITERAL):
            text += "a"
    return text


def member(item: Any) -> str:
    kind, value = item
    if kind is kinds.CATEGORY:
        return {kinds.CATEGORY_DIGIT: "0", kinds.CATEGORY_SPACE: " "}.get(value, "a")
    return chr(value[0] if kind is kinds.RANGE else value)


def named_letters(tree: Iterable[Any]) -> Iterator[str]:
    for kind, value in tree:
        if kind in (kinds.LITERAL, kinds.NOT_LITERAL):
            yield chr(value)
        elif kind is kinds.IN:
            yield from (member(item) for item in value if item[0] is not kinds.NEGATE)
        elif kind is kinds.BRANCH:
            for branch in value[1]:
                yield from named_letters(branch)
        elif isinstance(value, tuple):
            last: Any = cast("tuple[Any, ...]", value)[-1]
            yield from named_letters(last if isinstance(last, parser.SubPattern) else [])


def with_runs(pattern: Pattern) -> Iterator[Callable[[int], str | bytes]]:
    """Makers of texts with a run of a given length."""
    tree = parser.parse(pattern.pattern, pattern.flags)
    text, expected = least_text(tree), dict.fromkeys([*USUAL, *named_letters(tree)])
    step = len(text) // MAX_PLACES + 1
    edges = [match.start() for match in re.finditer(r"\b", text)]
    for letter in [item for item in expected if ord(item) < 0x10000][:MAX_LETTERS]:
        for number in {*range(0, len(text), step), *edges[:MAX_PLACES], len(text)}:
            for end in (text[number:], text[number:] + "a\0", "\0"):

                def make(size: int, at: int = number, run: str = letter, end: str = end) -> Any:
                    made = text[:at] + run * size + end
                    return made.encode() if isinstance(pattern.pattern, bytes) else made

                yield make


def seconds(call: Callable[[Any], object], text: str | bytes) -> float:
    started = time.thread_time()
    call(text)
    return time.thread_time() - started


def growth(pattern: Pattern, method: str, make: Callable[[int], str | bytes], number: int) -> float:
    """The power of the length with which work grows up to a size; 0 where none is to be seen."""
    call, size = getattr(pattern, method), SHORT // 2
    for short, longer in pairwise(STEPS):
        if (slow := seconds(call, make(longer))) > SEEN:
            return log2(slow / max(seconds(call, make(short)), 1e-9)) / log2(longer / short)
    while seconds(call, make(size)) < SEEN:
        size *= 2
        if size > number:
            return 0.0
    texts = make(size), make(2 * size)
    # by turns, since a machine may be slower from one moment to the next, for both texts then
    turns = [tuple(seconds(call, text) for text in texts) for _ in range(3)]
    less, more = (min(column) for column in zip(*turns, strict=True))
    return log2(more / max(less, 1e-9))


def steepest(pattern: Pattern, method: str, size: int) -> float:
    return max(growth(pattern, method, make, size) for make in with_runs(pattern))


def steep(folders: Iterable[str], size: int, limit: float) -> list[str]:
    return [
        f"{pattern.pattern!r}.{method}"
        for pattern, methods in package_patterns(folders).items()
        for method in sorted(methods)
        if all(steepest(pattern, method, size) > limit for _ in range(TIMES))
    ]


@pytest.mark.slow
def test_no_pattern_is_cubic_in_a_run() -> None:
    assert len(package_patterns(FLOORS)) > 300
    assert steep(FLOORS, SHORT, 2.6) == []


def test_edit_patterns_are_linear_in_a_run() -> None:
    assert steep(["tools/editing", "tools/textedits"], LONG, 1.6) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "method", "size", "power"),
    [
        (r"\s*(.*?)\s*x?\s*$", "match", SHORT, 3),
        (r"[ \t]*(~~~+)[^`\n]*\n(.*?)\n?\1\n?", "findall", SHORT, 3),
        (r"\s+\n", "findall", LONG, 2),
        (r"a\s*+b", "match", LONG, 0),
    ],
)
def test_the_measure_sees_how_work_grows(source: str, method: str, size: int, power: float) -> None:
    pattern = re.compile(source)
    assert any(abs(steepest(pattern, method, size) - power) < 0.7 for _ in range(TIMES))


@pytest.mark.parametrize(
    "source",
    [
        r"(?:[\w/-]+[\s/-]+){0,5}?end",
        r"\bpush[\s-]+(?:[\w.-]+[\s-]+){0,5}?now",
        r"(?:a|aa)+$",
        r"(?:\w+\s*)+!",
        r"(?:-+/*)*x",
    ],
)
def test_a_run_that_never_ends_is_seen_early(source: str) -> None:
    assert steepest(re.compile(source), "search", SHORT) > 2.6


def test_patterns_that_functions_build_are_found() -> None:
    path = ROOT / "memory/cards/permission_speech.py"
    assert len([*named_patterns(path)]) > 80
