"""The arguments of a program's calls, checked against their annotations."""

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import wraps
from pathlib import Path
from reprlib import Repr
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, cast, get_args, get_origin

from typing_extensions import is_typeddict

from .errors import UsageError
from .text import text

Params = ParamSpec("Params")
Result = TypeVar("Result")
_FORMS: dict[object, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    Path: "a path",
    list: "a list",
    dict: "a dictionary",
    NoneType: "None",
    Callable: "a function",
}
_SHORT = Repr()
_SHORT.maxother = _SHORT.maxstring = 60


def validate_arguments(method: Callable[Params, Result]) -> Callable[Params, Result]:
    """Have calls raise UsageError for an argument of another type than the annotated one.

    An annotation in quotes is not looked at: its part checks what it gets.
    """
    signature = inspect.signature(method)

    @wraps(method)
    def call(*args: Params.args, **kwargs: Params.kwargs) -> Result:
        with suppress(TypeError):  # for what it does not take, the call says so
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                validate_argument(name, value, signature.parameters[name].annotation)
        return method(*args, **kwargs)

    return call


def validate_fields(instance: object) -> None:
    """Raise UsageError for a field of a dataclass with a value of another type."""
    assert is_dataclass(instance)
    for field in fields(instance):
        validate_argument(field.name, getattr(instance, field.name), field.type)


def validate_argument(name: str, value: object, annotation: object) -> None:
    """Raise UsageError for a value of another type than the annotated one."""
    if not has_type(value, annotation):
        raise UsageError(
            text("the argument `{name}` cannot be {value}", name=name, value=_SHORT.repr(value)),
            hint=text("it is {form}", form=describe_type(annotation)),
        )


def has_type(value: object, annotation: object) -> bool:
    """Return whether the value is of the annotated type, as a type checker would see it."""
    kind = get_origin(annotation) or annotation
    if kind in (Union, UnionType):
        return any(has_type(value, member) for member in get_args(annotation))
    if kind is Literal:
        return isinstance(value, str) and value in get_args(annotation)
    if kind in (list, tuple, Sequence):
        is_list = isinstance(value, Sequence) and not isinstance(value, str | bytes)
        items = cast("Sequence[object]", value) if is_list else ()
        return is_list and all(has_type(item, _get_item_type(annotation)) for item in items)
    if kind in (dict, Mapping) or is_typeddict(kind):
        return isinstance(value, Mapping)
    if kind in (int, float):
        is_number = isinstance(value, int if kind is int else int | float)
        return is_number and not isinstance(value, bool)
    if kind is Callable:
        return callable(value)
    if not isinstance(kind, type) or kind in (Any, inspect.Parameter.empty):
        return True
    return isinstance(value, os.PathLike if kind is Path else kind)


def describe_type(annotation: object) -> str:
    """Return the annotated type in words."""
    kind = get_origin(annotation) or annotation
    if kind in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(describe_type, get_args(annotation))))
    if kind is Literal:
        return ", ".join(f"`{choice}`" for choice in get_args(annotation))
    if kind in (list, tuple, Sequence):
        return "a list of texts" if _get_item_type(annotation) is str else _FORMS[list]
    if kind in (dict, Mapping) or is_typeddict(kind):
        return _FORMS[dict]
    return _FORMS.get(kind) or f"`{getattr(kind, '__name__', kind)}`"


def _get_item_type(annotation: object) -> object:
    return (*get_args(annotation), Any)[0]
