"""Subcommands that are imported when they are asked for: a start pays for its own command only."""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

import typer
from typer.main import get_command, get_group


class LazyCommands(Mapping[str, Any]):
    """Commands by name; each is built at its first lookup."""

    def __init__(self, places: Mapping[str, str]) -> None:
        """Create it; a place is `MODULE:NAME`, the module's name relative to this package."""
        self._places = places
        self._built: dict[str, Any] = {}
        self._prepare: Callable[[Any], None] = lambda command: None

    def replace(self, places: Mapping[str, str]) -> None:
        """Have these commands instead."""
        self._places = places
        self._built.clear()

    def prepare_each(self, prepare: Callable[[Any], None]) -> None:
        """Call this with each command, also with those that are built later."""
        self._prepare = prepare
        for command in self._built.values():
            prepare(command)

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            command = _build_command(name, self._places[name])
            self._prepare(command)
            self._built[name] = command
        return self._built[name]

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _build_command(name: str, place: str) -> Any:
    module, _, attribute = place.partition(":")
    entry = getattr(import_module(f".{module}", __package__), attribute)
    if isinstance(entry, typer.Typer) and _has_subcommands(entry):
        command = get_group(entry)
    elif isinstance(entry, typer.Typer):
        command = get_command(entry)
    else:
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(name)(entry)
        command = get_command(alone)
    command.name = name
    return command


def _has_subcommands(app: typer.Typer) -> bool:
    more = app.registered_groups or app.registered_callback
    return bool(more or len(app.registered_commands) > 1)
