"""Loader of the settings: flags over environment, project, profile, user file and defaults.

The project's file counts only in a trusted folder. An administrator's policy is above all of them.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast
from urllib.parse import unquote, urlsplit

from ..paths import locate_project_config, locate_user_config
from ..security.ignore_patterns import IGNORE_PATTERNS
from ..security.secrets.known_values import remember_secret
from ..text import text
from ..trust.decision import Trust, check_trust
from ..trust.trusted_reader import read_listed
from ..yaml.reader import KeyPath, YamlDocument, read_document
from .env_vars import expand_layer, from_environment
from .hooks import ConfiguredHook, merge_hooks, read_hooks, with_own_events
from .keys import fill_empty_sections, is_secret, iter_leaves, join_key, split_key
from .permission_rules import RawRule, merge_rules, read_rules
from .policy_file import load_managed_policy
from .policy_layer import build_policy_layer, select_allowed_hooks
from .profiles import find_profile
from .schema import Settings
from .sources import (
    Layer,
    build_layer,
    find_mistakes,
    format_mistakes,
    merge_layers,
    raise_mistakes,
)

_CREDENTIAL_HEADER = re.compile("auth|key|token|secret|cookie|password|credential", re.IGNORECASE)
PATTERNS_KEY = ("security", "ignore_patterns")
_MEMORY = "memory"
# What a project may switch off, but not on again where the user has switched it off
_ONLY_OFF = ("enabled", "propose")
# `security.exclude_files` adds to the same list
_PATTERNS_NAMES = (PATTERNS_KEY[1], "exclude_files")


@dataclass(frozen=True)
class LoadedSettings:
    """The settings, and the origin of each value."""

    settings: Settings
    origins: Mapping[str, str]
    """By dotted key: `default`, `FILE:LINE`, `environment NAME` or `flag`."""
    rules: tuple[RawRule, ...] = ()
    """Rules on tool calls, from all layers."""
    negated_patterns: tuple[str, ...] = ()
    """The user's `security.ignore_patterns` that begin with `!`, each with its place."""
    hooks: tuple[ConfiguredHook, ...] = ()
    """The hooks of all layers."""
    project_values: Mapping[str, object] = field(default_factory=dict[str, object])
    """What the project's own file sets; lists in it may add to the user's."""


def load_settings(
    folder: Path,
    home: Path,
    *,
    environ: Mapping[str, str] = os.environ,
    flags: Mapping[str, object] | None = None,
    trust: Trust | None = None,
) -> LoadedSettings:
    """Return the settings for work in `folder`; `flags` are by dotted key, None means not given.

    `trust` is the folder's, if the caller has checked it already.

    Raises UsageError that lists every error with its file and line, or its variable.
    """
    policy = load_managed_policy()
    layers: list[Layer] = []
    reports: list[str] = []
    project = str(locate_project_config(folder))
    for source in [
        *_load_files(folder, home, trust, find_profile(home, environ)),
        *from_environment(environ),
        *_build_flag_layers(flags or {}),
    ]:
        layer, mistakes = validate_layer(source, environ)
        layers.append(layer)
        reports += mistakes
        reports += _list_own_sections(layer) if layer.name == project else []
    raise_mistakes(reports)
    layers = [*map(with_own_events, without_switches(layers, project))]
    together = [*with_all_patterns(layers, project), merge_rules(layers), merge_hooks(layers)]
    settings = Settings.model_validate(merge_layers(together), strict=True)
    if policy:
        own = build_policy_layer(settings, policy)
        settings = Settings.model_validate(merge_layers([*together, own]), strict=True)
        layers = [*layers, own]
    _remember_secrets(settings)
    return LoadedSettings(
        settings,
        _find_origins(settings, layers),
        read_rules([*layers, policy.layer] if policy else layers),
        list_negated_patterns(layers, project),
        tuple(select_allowed_hooks(read_hooks(layers, project), policy)),
        next((layer.values for layer in layers if layer.name == project), dict[str, object]()),
    )


def _list_own_sections(layer: Layer) -> list[str]:
    """Report what a project may not say: where threads and traces go, how `mcode` looks."""
    return [
        text(
            "{place}: `{section}` can be set in your own configuration only",
            place=layer.find_origin((section,)),
            section=section,
        )
        for section in ("database", "storage", "otel", "ui", "server")
        if section in layer.values
    ]


def validate_layer(layer: Layer, environ: Mapping[str, str]) -> tuple[Layer, list[str]]:
    """Return the layer with its `${NAME}` replaced, and a report of every error in it."""
    layer, unset = expand_layer(layer, environ) if layer.lines else (layer, {})
    return layer, format_mistakes(layer, find_mistakes(layer) | unset)


def build_file_layer(file: Path, document: YamlDocument) -> Layer:
    """Build the layer of a file."""
    return Layer(str(file), fill_empty_sections(document.values), document.lines)


def has_ignored_config(folder: Path, home: Path) -> bool:
    """Return whether a project's file is ignored because the folder is not trusted."""
    trust = check_trust(folder, home)
    return not trust.trusted and any(item.kind == "configuration" for item in trust.inventory)


def _remember_secrets(settings: Settings) -> None:
    """Remember the settings' secrets for redaction."""
    for path, value in iter_leaves(settings.model_dump()):
        if is_secret(path):
            _remember_secret(path, str(value))


def _remember_secret(path: KeyPath, value: str) -> None:
    """Remember a key, or the credential in a header; other headers may hold ordinary words."""
    if path[-1] == "api_key":
        remember_secret(join_key(path), value)
    elif path in (("database",), ("storage",)):
        remember_secret(join_key(path), unquote(urlsplit(value).password or ""))
    elif _CREDENTIAL_HEADER.search(path[-1]):
        remember_secret(join_key(path), value)
        remember_secret(join_key(path), value.rpartition(" ")[2])  # after `Bearer`


def _load_files(folder: Path, home: Path, trust: Trust | None, profile: Path | None) -> list[Layer]:
    user, own = locate_user_config(home), locate_project_config(folder)
    if trust is None and os.path.lexists(own):
        trust = check_trust(folder, home)
    documents = {
        user: read_document(user),
        **({profile: read_document(profile)} if profile else {}),
        own: read_listed(own, trust) if trust and trust.trusted else None,
    }
    return [
        build_file_layer(file, document)
        for file, document in documents.items()
        if document is not None
    ]


def _build_flag_layers(flags: Mapping[str, object]) -> list[Layer]:
    given_flags = {key: value for key, value in flags.items() if value is not None}
    return [build_layer("flag", split_key(key), value) for key, value in given_flags.items()]


def _find_origins(settings: Settings, layers: list[Layer]) -> dict[str, str]:
    origins = {
        path: layer.find_origin(path) for layer in layers for path, _ in iter_leaves(layer.values)
    }
    return {
        join_key(path): origins.get(path, "default")
        for path, _ in iter_leaves(settings.model_dump())
    }


def without_switches(layers: Sequence[Layer], project: str) -> list[Layer]:
    """Leave out what the project's file says about memory that the user has switched off."""
    users = merge_layers(layer for layer in layers if layer.name != project)
    off = {name for name in _ONLY_OFF if _get_memory(users).get(name) is False}
    return [
        replace(layer, values=_omit_from_memory(layer.values, off))
        if layer.name == project and off & _get_memory(layer.values).keys()
        else layer
        for layer in layers
    ]


def _get_memory(values: Mapping[str, object]) -> dict[str, object]:
    return cast("dict[str, object]", values.get(_MEMORY) or {})


def _omit_from_memory(values: Mapping[str, object], names: Collection[str]) -> dict[str, object]:
    items = _get_memory(values).items()
    return {**values, _MEMORY: {name: value for name, value in items if name not in names}}


def with_all_patterns(layers: Sequence[Layer], project: str) -> list[Layer]:
    """Append a layer with the ignore patterns of all layers, if one of them has some."""
    if all(_read_patterns(layer) is None for layer in layers):
        return list(layers)
    own = [layer for layer in layers if layer.name == project]
    users = [layer for layer in layers if layer.name != project]
    # The last pattern that matches decides, as in `.gitignore`. So a project can hide more and open
    # nothing, while the user's `!NAME` opens a file that the built-in list hides.
    every = [*_join_patterns(own), *IGNORE_PATTERNS, *_join_patterns(users)]
    return [*layers, build_layer("", PATTERNS_KEY, every)]


def list_negated_patterns(layers: Sequence[Layer], project: str) -> tuple[str, ...]:
    """List the user's patterns that begin with `!`, each with its place."""
    return tuple(
        f"`{pattern}` ({layer.find_origin((PATTERNS_KEY[0], name, str(number)))})"
        for layer in layers
        if layer.name != project
        for name in _PATTERNS_NAMES
        for number, pattern in enumerate(_get_texts(layer, name) or ())
        if pattern.startswith("!")
    )


def _join_patterns(layers: Sequence[Layer]) -> Iterator[str]:
    for layer in layers:
        yield from _read_patterns(layer) or ()


def _read_patterns(layer: Layer) -> list[str] | None:
    lists = [
        patterns for name in _PATTERNS_NAMES if (patterns := _get_texts(layer, name)) is not None
    ]
    return [pattern for part in lists for pattern in part] if lists else None


def _get_texts(layer: Layer, name: str) -> list[str] | None:
    section = cast("dict[str, object]", layer.values.get(PATTERNS_KEY[0]) or {})
    return cast("list[str] | None", section.get(name))
