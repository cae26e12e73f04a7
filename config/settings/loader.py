"""Loading the settings: flags over environment over project file over user file over defaults.

The project's file counts only where the folder is trusted.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..paths import locate_project_config, locate_user_config
from ..security.redaction import remember_secret
from ..trust.decision import Trust, check_trust
from ..trust.trusted_reader import read_listed
from ..yaml.reader import YamlDocument, read_document
from .env_vars import expand_layer, from_environment
from .ignore_patterns import list_negated_patterns, with_all_patterns
from .keys import is_secret, iter_leaves, join_key, split_key
from .permission_rules import RawRule, merge_rules, read_rules
from .schema import Settings
from .sources import (
    Layer,
    build_layer,
    find_mistakes,
    format_mistakes,
    merge_layers,
    raise_mistakes,
)


@dataclass(frozen=True)
class LoadedSettings:
    """The settings, and where each value comes from."""

    settings: Settings
    origins: Mapping[str, str]
    """By dotted key: `default`, `FILE:LINE`, `environment NAME` or `flag`."""
    rules: tuple[RawRule, ...] = ()
    """Those on tool calls, from all layers."""
    negated_patterns: tuple[str, ...] = ()
    """The user's `security.ignore_patterns` that begin with `!`, each with its place."""


def load_settings(
    folder: Path,
    home: Path,
    *,
    environ: Mapping[str, str] = os.environ,
    flags: Mapping[str, object] | None = None,
    trust: Trust | None = None,
) -> LoadedSettings:
    """The settings for work in `folder`; `flags` are by dotted key, None means not given.

    `trust`: how the folder stands, from who has looked already.

    Raises UsageError that names every mistake with its file and line, or its variable.
    """
    layers: list[Layer] = []
    reports: list[str] = []
    for source in [
        *_load_files(folder, home, trust),
        *from_environment(environ),
        *_build_flag_layers(flags or {}),
    ]:
        layer, found = validate_layer(source, environ)
        layers.append(layer)
        reports += found
    raise_mistakes(reports)
    project = str(locate_project_config(folder))
    together = [*with_all_patterns(layers, project), merge_rules(layers)]
    settings = Settings.model_validate(merge_layers(together), strict=True)
    _remember_secrets(settings)
    opening = list_negated_patterns(layers, project)
    return LoadedSettings(settings, _find_origins(settings, layers), read_rules(layers), opening)


def validate_layer(layer: Layer, environ: Mapping[str, str]) -> tuple[Layer, list[str]]:
    """The layer with its `${NAME}` replaced, and a report of every mistake in it."""
    layer, unset = expand_layer(layer, environ) if layer.lines else (layer, {})
    return layer, format_mistakes(layer, find_mistakes(layer) | unset)


def build_file_layer(file: Path, document: YamlDocument) -> Layer:
    """What a file says, as a layer."""
    return Layer(str(file), document.values, document.lines)


def has_ignored_config(folder: Path, home: Path) -> bool:
    """Whether there is a project's file that is not loaded, since the folder is not trusted."""
    found = check_trust(folder, home)
    return not found.trusted and any(one.kind == "configuration" for one in found.inventory)


def _remember_secrets(settings: Settings) -> None:
    """From now on they are hidden wherever they turn up."""
    for path, value in iter_leaves(settings.model_dump()):
        if is_secret(path):
            remember_secret(join_key(path), str(value))


def _load_files(folder: Path, home: Path, trust: Trust | None) -> list[Layer]:
    user, own = locate_user_config(home), locate_project_config(folder)
    if trust is None and os.path.lexists(own):
        trust = check_trust(folder, home)
    said = {
        user: read_document(user),
        own: read_listed(own, trust) if trust and trust.trusted else None,
    }
    return [build_file_layer(file, found) for file, found in said.items() if found is not None]


def _build_flag_layers(flags: Mapping[str, object]) -> list[Layer]:
    given = {key: value for key, value in flags.items() if value is not None}
    return [build_layer("flag", split_key(key), value) for key, value in given.items()]


def _find_origins(settings: Settings, layers: list[Layer]) -> dict[str, str]:
    found = {
        path: layer.find_origin(path) for layer in layers for path, _ in iter_leaves(layer.values)
    }
    return {
        join_key(path): found.get(path, "default") for path, _ in iter_leaves(settings.model_dump())
    }
