"""Loading the settings: flags over environment over project file over user file over defaults.

The project's file counts only where the folder is trusted.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..paths import project_config, user_config
from ..security.redaction import remember
from ..trust.decision import Trust, trust_of
from ..trust.trusted_reader import read_listed
from ..yaml.reader import Document, read
from .env_vars import expanded, from_environment
from .ignore_patterns import opening_patterns, with_all_patterns
from .keys import is_secret, join, leaves, split
from .permission_rules import WrittenRule, gathered, written_rules
from .schema import Settings
from .sources import Layer, merged, mistakes, refuse, report, single


@dataclass(frozen=True)
class Loaded:
    """The settings, and where each value comes from."""

    settings: Settings
    origins: Mapping[str, str]
    """By dotted key: `default`, `FILE:LINE`, `environment NAME` or `flag`."""
    rules: tuple[WrittenRule, ...] = ()
    """Those on tool calls, from all layers."""
    opening_patterns: tuple[str, ...] = ()
    """The user's `security.ignore_patterns` that begin with `!`, each with its place."""


def load(
    folder: Path,
    home: Path,
    *,
    environ: Mapping[str, str] = os.environ,
    flags: Mapping[str, object] | None = None,
    trust: Trust | None = None,
) -> Loaded:
    """The settings for work in `folder`; `flags` are by dotted key, None means not given.

    `trust`: how the folder stands, from who has looked already.

    Raises UsageError that names every mistake with its file and line, or its variable.
    """
    layers: list[Layer] = []
    reports: list[str] = []
    for source in [*_files(folder, home, trust), *from_environment(environ), *_flags(flags or {})]:
        layer, found = checked(source, environ)
        layers.append(layer)
        reports += found
    refuse(reports)
    project = str(project_config(folder))
    together = [*with_all_patterns(layers, project), gathered(layers)]
    settings = Settings.model_validate(merged(together), strict=True)
    _remember_secrets(settings)
    opening = opening_patterns(layers, project)
    return Loaded(settings, _origins(settings, layers), written_rules(layers), opening)


def checked(layer: Layer, environ: Mapping[str, str]) -> tuple[Layer, list[str]]:
    """The layer with its `${NAME}` replaced, and a report of every mistake in it."""
    layer, unset = expanded(layer, environ) if layer.lines else (layer, {})
    return layer, report(layer, mistakes(layer) | unset)


def file_layer(file: Path, document: Document) -> Layer:
    """What a file says, as a layer."""
    return Layer(str(file), document.values, document.lines)


def leaves_out(folder: Path, home: Path) -> bool:
    """Whether there is a project's file that is not loaded, since the folder is not trusted."""
    found = trust_of(folder, home)
    return not found.trusted and any(one.kind == "configuration" for one in found.brought)


def _remember_secrets(settings: Settings) -> None:
    """From now on they are hidden wherever they turn up."""
    for path, value in leaves(settings.model_dump()):
        if is_secret(path):
            remember(join(path), str(value))


def _files(folder: Path, home: Path, trust: Trust | None) -> list[Layer]:
    user, own = user_config(home), project_config(folder)
    if trust is None and os.path.lexists(own):
        trust = trust_of(folder, home)
    said = {user: read(user), own: read_listed(own, trust) if trust and trust.trusted else None}
    return [file_layer(file, found) for file, found in said.items() if found is not None]


def _flags(flags: Mapping[str, object]) -> list[Layer]:
    given = {key: value for key, value in flags.items() if value is not None}
    return [single("flag", split(key), value) for key, value in given.items()]


def _origins(settings: Settings, layers: list[Layer]) -> dict[str, str]:
    found = {path: layer.origin(path) for layer in layers for path, _ in leaves(layer.values)}
    return {join(path): found.get(path, "default") for path, _ in leaves(settings.model_dump())}
