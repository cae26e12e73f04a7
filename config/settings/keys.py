"""Dotted keys of the settings: known keys, their types, and suggestions for unknown ones."""

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import cast, get_args, get_origin

from pydantic import BaseModel

from ..errors import UsageError
from ..security.masked_values import mask_literals
from ..text import text
from ..yaml.reader import KeyPath, parse_inline
from .schema import Settings

HIDDEN = "********"
# Settings of endpoints, permissions and commands: a project's values for them are reported
FAR_REACHING = (
    "litellm.",
    "copilot.",
    "model.catalog_url",
    "model.fallback",
    "security.",
    "permissions.",
    "sandbox.",
    "environment.",
    "task.",
    "after_edit.",
    "hooks.",
    "rag.",
)

# Lists to which each file adds: what a project says in them holds whatever stands elsewhere
ADDING_UP = ("permissions.", "hooks.", "security.ignore_patterns", "security.exclude_files")


def split_key(key: str) -> KeyPath:
    """Split `model.max_tokens` into a path; raises UsageError for a key not in the schema."""
    parts = tuple(key.split("."))
    path = _with_dotted_name(parts)
    if type_of(path) is None:
        raise UsageError(text("unknown key `{key}`", key=key), hint=suggest_key(key))
    return path


def join_key(path: KeyPath) -> str:
    return ".".join(path)


def type_of(path: KeyPath) -> object:
    """Return the type of a key; None for an unknown key."""
    key_type: object = Settings
    for part in path:
        key_type = (
            get_args(key_type)[1]
            if get_origin(key_type) is dict
            else _get_fields(key_type).get(part)
        )
    return key_type


def is_section(path: KeyPath) -> bool:
    """Return whether it is a section or a table of named sections, not a value."""
    return bool(_get_fields(type_of(path))) or _is_table(path)


def is_secret(path: KeyPath) -> bool:
    """Return whether its value must never be shown."""
    if path in (("database",), ("storage",)):  # it may have a password in it
        return True
    return path[-1:] == ("api_key",) or path[-2:-1] in (("extra_headers",), ("headers",))


def iter_leaves(
    tree: Mapping[str, object], above: KeyPath = ()
) -> Iterator[tuple[KeyPath, object]]:
    """Yield every value of nested mappings with its path; an empty mapping counts as a value."""
    for name, value in tree.items():
        if isinstance(value, Mapping) and value:
            yield from iter_leaves(cast("Mapping[str, object]", value), (*above, name))
        else:
            yield (*above, name), value


def map_values(
    tree: Mapping[str, object], change: Callable[[KeyPath, object], object], above: KeyPath = ()
) -> dict[str, object]:
    """Return the nested mappings with every value, and every item of a list, changed."""

    def visit_value(value: object, path: KeyPath) -> object:
        if isinstance(value, Mapping):
            return map_values(cast("Mapping[str, object]", value), change, path)
        if isinstance(value, list):
            items = enumerate(cast("list[object]", value))
            return [visit_value(item, (*path, str(number))) for number, item in items]
        return change(path, value)

    return {name: visit_value(value, (*above, name)) for name, value in tree.items()}


def fill_empty_sections(tree: Mapping[str, object]) -> dict[str, object]:
    """Replace each section that has nothing below its name by an empty mapping."""
    return map_values(tree, lambda path, value: {} if value is None and is_section(path) else value)


def parse_value(path: KeyPath, text: str) -> object:
    """Parse a value for a key: text for a text key, YAML for any other.

    Raises UsageError when it is not YAML.
    """
    return text if type_of(path) in (str, None) else parse_inline(text)


def hide_secrets(tree: Mapping[str, object]) -> dict[str, object]:
    """Return the settings with every secret that is set replaced by stars; `${NAME}` stays."""
    return map_values(
        tree, lambda path, value: _mask(value) if value and is_secret(path) else value
    )


def _mask(value: object) -> object:
    return mask_literals(value, HIDDEN) if isinstance(value, str) else HIDDEN


def list_keys() -> list[str]:
    """Return every dotted key that takes a value, in the order of the schema."""
    return [join_key(path) for path, _ in iter_leaves(Settings().model_dump())]


def suggest_key(key: str) -> str:
    """Suggest a known key for an unknown one, or list the keys known in its place."""
    keys = list_keys()
    last = key.rpartition(".")[2]
    similar_keys = [known_key for known_key in keys if known_key.rpartition(".")[2] == last]
    similar_keys = similar_keys[:1] or get_close_matches(
        key, [*keys, *Settings.model_fields], n=1, cutoff=0.75
    )
    if similar_keys:
        return text("did you mean `{suggestion}`?", suggestion=similar_keys[0])
    place: KeyPath = tuple(key.split(".")[:-1])
    while not _get_fields(type_of(place)):
        place = place[:-1]
    names = ", ".join(f"`{name}`" for name in _get_fields(type_of(place)))
    return text("available: {names}", names=names)


def _get_fields(key_type: object) -> dict[str, object]:
    if isinstance(key_type, type) and issubclass(key_type, BaseModel):
        return {name: field.annotation for name, field in key_type.model_fields.items()}
    return {}


def _is_table(path: KeyPath) -> bool:
    """Return whether the names below are the user's own, as under `model.models`."""
    return get_origin(type_of(path)) is dict


def _with_dotted_name(parts: KeyPath) -> KeyPath:
    """Join a name with dots below a table, as in `model.models.glm-4.6.max_tokens`."""
    depth = next((size for size in range(1, len(parts)) if _is_table(parts[:size])), len(parts))
    table, rest = parts[:depth], parts[depth:]
    if not rest:
        return parts
    names_a_field = len(rest) > 1 and rest[-1] in _get_fields(get_args(type_of(table))[1])
    name, field = (rest[:-1], rest[-1:]) if names_a_field else (rest, ())
    return (*table, ".".join(name), *field)
