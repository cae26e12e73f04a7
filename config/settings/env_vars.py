"""Settings in the environment, as `LLC_*` and `MAXAGENT_*`, and `${NAME}` inside files."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import cast

from ..errors import UsageError
from ..text import join_texts, text
from .keys import KeyPath, is_secret, is_section, list_keys, map_values, parse_value
from .schema import Settings
from .sources import Layer, build_layer

# The later one wins
PREFIXES = ("LLC_", "MAXAGENT_")

SHORT_NAMES: dict[str, KeyPath] = {
    "PROVIDER": ("litellm", "provider"),
    "BASE_URL": ("litellm", "base_url"),
    "API_KEY": ("litellm", "api_key"),
    "MODEL": ("model", "default"),
    "MODE": ("security", "mode"),
    "LANG": ("language",),
}

# Variables that are read elsewhere and are no settings, without their prefix
_OTHER_NAMES = frozenset(
    ["DEBUG", "HOME", "PROFILE", "PROJECT_DIR", "REMOTE_TOKEN", "REMOTE_TOKEN_FILE", "STATUS"]
    + ["STUDIO_MODE"]
)
# The program's own name, which its variables do not have
_PROGRAM = "MCODE_"
_REFERENCE = re.compile(r"\$?\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def from_environment(environ: Mapping[str, str]) -> Iterator[Layer]:
    """Yield one layer for every variable that is a setting; skip empty variables and other names.

    `LLC_MODEL__MAX_TOKENS` is `model.max_tokens`. Raises UsageError for a value that is not YAML.
    """
    for prefix in PREFIXES:
        for name in sorted(environ):
            path = _parse_name(name.removeprefix(prefix)) if name.startswith(prefix) else None
            if path and environ[name]:
                yield build_layer(
                    text("environment {name}", name=name),
                    path,
                    _parse_value(name, path, environ[name]),
                )


def find_unknown_variables(environ: Iterable[str]) -> list[str]:
    """Return the names that begin as ours and are not read, each with the one that is meant.

    One that begins with the program's name counts only if it is like a name of ours: others may
    be anybody's.
    """
    unknown = list[str]()
    for name in sorted(environ):
        prefix = next(filter(name.startswith, (*PREFIXES, _PROGRAM)), "")
        suffix = name.removeprefix(prefix)
        if not prefix or (prefix in PREFIXES and (suffix in _OTHER_NAMES or _parse_name(suffix))):
            continue
        if suggestion := _find_meant_name(suffix, prefix if prefix in PREFIXES else PREFIXES[-1]):
            unknown.append(text("`{name}` (did you mean `{meant}`?)", name=name, meant=suggestion))
        elif prefix in PREFIXES:
            unknown.append(f"`{name}`")
    return unknown


def _find_meant_name(suffix: str, prefix: str) -> str:
    """Return the variable that a name without its prefix is like; empty if there is none."""
    path = _parse_name(suffix)
    if suffix in _OTHER_NAMES or path:
        return f"{prefix}{suffix}__KEY" if path and is_section(path) else f"{prefix}{suffix}"
    names = [key.replace(".", "__").upper() for key in list_keys()]
    flat = {name.replace("__", "_"): name for name in names}
    names_of_all = [*_OTHER_NAMES, *SHORT_NAMES, *flat]
    close = get_close_matches(suffix.replace("__", "_"), names_of_all, n=1, cutoff=0.8)
    return f"{prefix}{flat.get(close[0], close[0])}" if close else ""


def expand_references(text: str, environ: Mapping[str, str]) -> str:
    """Replace `${NAME}` and `${NAME:-default}`; `$${NAME}` stays `${NAME}`.

    The default also replaces an empty variable. Raises KeyError with an unset variable's name.
    """

    def resolve_reference(match: re.Match[str]) -> str:
        if match[0].startswith("$$"):
            return match[0][1:]
        name, default = match[1], cast("str | None", match[2])
        return environ[name] if default is None else environ.get(name) or default

    return _REFERENCE.sub(resolve_reference, text)


def expand_layer(layer: Layer, environ: Mapping[str, str]) -> tuple[Layer, dict[KeyPath, str]]:
    """Return the layer with its references replaced, and the errors of the others."""
    wrong: dict[KeyPath, str] = {}

    def expand_value(path: KeyPath, value: object) -> object:
        # there `${NAME}` is for the shell, as in `${CLAUDE_PROJECT_DIR}`
        if path[0] == "hooks" or path == ("ui", "status_line"):
            return value
        try:
            return _expand_text(path, value, environ) if isinstance(value, str) else value
        except UsageError as error:
            wrong[path] = join_texts("; ", [error.message, error.hint])
            return value

    return replace(layer, values=map_values(layer.values, expand_value)), wrong


def _expand_text(path: KeyPath, content: str, environ: Mapping[str, str]) -> object:
    """Return the text's value; parse replaced text as YAML for a number, switch or list."""
    try:
        result = expand_references(content, environ)
    except KeyError as unset:
        if is_secret(path):
            return ""  # the provider's own variable may hold it
        name = unset.args[0]
        hint = text("set it, or write `${{{name}:-DEFAULT}}`", name=name)
        raise UsageError(text("variable `{name}` is not set", name=name), hint=hint) from unset
    return content if result == content else parse_value(path, result)


def _parse_name(name: str) -> KeyPath | None:
    if name in SHORT_NAMES:
        return SHORT_NAMES[name]
    path = tuple(name.lower().split("__"))
    return path if path[0] in Settings.model_fields else None


def _parse_value(name: str, path: KeyPath, content: str) -> object:
    try:
        return parse_value(path, content)
    except UsageError as error:
        raise UsageError(
            text("environment {name}: {message}", name=name, message=error.message), hint=error.hint
        ) from error
