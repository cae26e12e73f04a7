from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict

import pytest

from maxagent.config.arguments import (
    has_type,
    validate_argument,
    validate_arguments,
    validate_fields,
)
from maxagent.config.errors import UsageError


class Choice(TypedDict):
    name: str


@pytest.mark.parametrize(
    ("value", "annotation", "fits"),
    [
        ("a", str, True),
        (b"a", str, False),
        (1, int, True),
        (True, int, False),
        (1, float, True),
        ("1", float, False),
        (False, float, False),
        (True, bool, True),
        (1, bool, False),
        (Path("a"), Path | str, True),
        ("a", Path | str, True),
        (None, Path | str, False),
        (None, Path | str | None, True),
        (["a"], Sequence[str], True),
        (("a",), Sequence[str], True),
        ("a", Sequence[str], False),
        (["a", 1], Sequence[str], False),
        ({"a"}, Sequence[str], False),
        ({}, Choice, True),
        ([], Choice | None, False),
        ({"a": 1}, Mapping[str, int], True),
        (["a"], Mapping[str, int], False),
        ("ask", Literal["ask", "yes"], True),
        ("no", Literal["ask", "yes"], False),
        (["ask"], Literal["ask", "yes"], False),
        (print, Callable[[], None], True),
        ("print", Callable[[], None], False),
        ([print, 1], Sequence[Callable[[], None]], False),
        (object(), Any, True),
        (object(), "Later", True),
        (Path(), Path, True),
        (Path, Path, False),
    ],
)
def test_value_fits_its_annotation(value: object, annotation: object, fits: bool) -> None:
    assert has_type(value, annotation) is fits


@pytest.mark.parametrize(
    ("annotation", "form"),
    [
        (str, "it is a text"),
        (Path | str, "it is a path or a text"),
        (float | None, "it is a number or None"),
        (Sequence[str], "it is a list of texts"),
        (Sequence[int] | None, "it is a list or None"),
        (Choice, "it is a dictionary"),
        (Literal["ask", "yes"], "it is `ask`, `yes`"),
        (Callable[[], None], "it is a function"),
        (UsageError, "it is `UsageError`"),
    ],
)
def test_hint_describes_the_annotated_type(annotation: object, form: str) -> None:
    with pytest.raises(UsageError, match="`part` cannot be b'x'") as caught:
        validate_argument("part", b"x", annotation)
    assert caught.value.hint == form


@validate_arguments
def order(item: str, count: int = 1, *, note: "str | None" = None) -> str:
    return f"{count} {item}{note or ''}"


def test_right_call_returns_as_before() -> None:
    assert (order("bolt"), order("bolt", count=3, note="!")) == ("1 bolt", "3 bolt!")
    assert order.__name__ == "order"


def test_unknown_argument_is_pythons_own_error() -> None:
    with pytest.raises(TypeError, match=r"order\(\) got an unexpected keyword argument 'pieces'"):
        order("bolt", pieces=3)  # pyright: ignore[reportCallIssue]


def test_long_value_is_shortened() -> None:
    with pytest.raises(UsageError) as caught:
        order("bolt", count="3" * 500)  # pyright: ignore[reportArgumentType]
    assert len(str(caught.value)) < 150


@dataclass(frozen=True)
class Part:
    name: str
    sizes: tuple[int, ...] = ()


def test_wrong_field_is_refused() -> None:
    validate_fields(Part("bolt", (1, 2)))
    with pytest.raises(UsageError, match="`sizes`"):
        validate_fields(Part("bolt", ("small",)))  # pyright: ignore[reportArgumentType]
