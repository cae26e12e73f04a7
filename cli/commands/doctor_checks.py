"""What `mcode doctor` checks: small functions in a table, without the network."""

import asyncio
import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...config.errors import MaxAgentError, UsageError
from ...config.security.executables import find_program
from ...config.settings.loader import Loaded
from ...config.settings.schema import named_tools
from ...config.trust.decision import looked_further, trust_of
from ...config.trust.trusted_reader import is_empty_folder
from ...memory.snapshots.git_repository import git_program
from ...tools.aliases import later_tools
from ..i18n.catalogs import t
from ..i18n.message_translation import told
from ..rendering.trust_inventory import stands

SPACE_NEEDED = 500_000_000
"""Bytes free below which doctor warns: threads, snapshots and long outputs grow."""


@dataclass(frozen=True)
class Check:
    """What one check found."""

    name: str
    status: Literal["ok", "warn", "fail"]
    detail: str
    remedy: str = ""


@dataclass(frozen=True)
class Surroundings:
    """What the checks look at; either the configuration or the reason why it does not load."""

    environ: Mapping[str, str]
    home: Path
    loaded: Loaded | None
    problem: UsageError | None


def python(_: Surroundings) -> Check:
    """Which Python runs this; none below 3.11 gets here."""
    return Check("python", "ok", f"{platform.python_version()} ({sys.executable})")


def sqlite(_: Surroundings) -> Check:
    """SQLite 3.35 or newer."""
    if sqlite3.sqlite_version_info >= (3, 35):
        return Check("sqlite", "ok", sqlite3.sqlite_version)
    return Check("sqlite", "warn", sqlite3.sqlite_version, t("doctor.sqlite"))


def git(_: Surroundings) -> Check:
    """Whether git runs."""
    if version := _version("git"):
        return Check("git", "ok", version)
    return Check("git", "warn", t("doctor.not_found", program="git"), t("doctor.git"))


def snapshots(around: Surroundings) -> Check:
    """Which files can be shown and taken back: all of them with git, else what tools write."""
    if git_program(Path.cwd()):
        folder = around.home / "data" / "snapshots"
        return Check("snapshots", "ok", t("doctor.snapshots", folder=folder))
    return Check("snapshots", "warn", t("doctor.snapshots.plain"), t("doctor.snapshots.git"))


def ripgrep(_: Surroundings) -> Check:
    """Whether ripgrep runs."""
    if version := _version("rg"):
        return Check("ripgrep", "ok", version)
    return Check("ripgrep", "warn", t("doctor.not_found", program="rg"), t("doctor.ripgrep"))


def sandbox(around: Surroundings) -> Check:
    """What confines commands in the current folder: it is tried."""
    from ...config.settings.schema import Settings
    from ...tools.sandbox.detect import open_sandbox
    from ...tools.workspace import Workspace

    section = (around.loaded.settings if around.loaded else Settings()).sandbox
    try:
        found = open_sandbox(section, Workspace(Path.cwd()), around.home)
    except UsageError as error:
        return Check("sandbox", "fail", told(error.message), told(error.hint))
    if found.is_on:
        opens = found.why_unfiltered and not found.unix_sockets
        status = "warn" if opens else "ok"
        return Check("sandbox", status, f"{told(found.state)} ({found.program})")
    return Check("sandbox", "warn", t("doctor.sandbox", why=told(found.why_none)))


def trust(around: Surroundings) -> Check:
    """Whether the current folder is trusted; else what of it is not loaded."""
    found = trust_of(Path.cwd(), around.home)
    if found.trusted:
        if changed := looked_further(found).changed:
            return Check("trust", "warn", stands(changed), t("doctor.trust.how"))
        return Check("trust", "ok", t("doctor.trust"))
    if found.damaged:
        return Check("trust", "fail", told(found.damaged))
    files = ", ".join(one.path for one in found.brought)
    detail = t("doctor.trust.left_out", files=files) if files else t("doctor.trust.not")
    return Check("trust", "warn", detail, t("doctor.trust.how"))


def instructions(around: Surroundings) -> Check:
    """Which instruction files every agent is told."""
    from ...config.settings.schema import Settings
    from .instruction_files import in_effect

    settings = around.loaded.settings if around.loaded else Settings()
    found = trust_of(Path.cwd(), around.home)
    return Check("instructions", "ok", in_effect(Path.cwd(), around.home, found, settings))


def configuration(around: Surroundings) -> Check:
    """Whether the configuration loads, and which files it comes from."""
    if around.problem:
        problem = around.problem
        return Check("configuration", "fail", told(problem.message), told(problem.hint))
    if is_empty_folder(Path.cwd()):
        return Check(
            "configuration", "warn", t("doctor.empty_folder"), t("doctor.empty_folder.how")
        )
    origins = around.loaded.origins.values() if around.loaded else ()
    kinds = {origin for origin in origins if origin != "default"}
    files = {origin.rpartition(":")[0] or origin for origin in kinds}
    named = ", ".join(map(told, sorted(files))) or t("doctor.defaults")
    if around.loaded and (opening := around.loaded.opening_patterns):
        detail = f"{named} · {t('doctor.opening', patterns=', '.join(opening))}"
        return Check("configuration", "warn", detail, t("doctor.opening.how"))
    if around.loaded and (later := later_tools(named_tools(around.loaded.settings))):
        detail = t("doctor.later", tools=", ".join(later))
        return Check("configuration", "warn", f"{named} · {detail}")
    return Check("configuration", "ok", named)


def provider(around: Surroundings) -> Check:
    """Which provider and model would be asked, and where the key comes from; never the key."""
    from ...models.resolver import resolve

    if not around.loaded:
        return Check("provider", "fail", t("doctor.provider.unknown"))
    try:
        model = resolve(around.loaded.settings, around.environ)
    except MaxAgentError as error:
        return Check("provider", "fail", told(error.message), told(error.hint))
    key = t("doctor.no_key")
    if model.api_key:
        variables = [
            name for name in model.provider.key_variables if around.environ.get(name, "").strip()
        ]
        configured = around.loaded.settings.litellm.api_key == model.api_key
        source = around.loaded.origins["litellm.api_key"] if configured else variables[0]
        key = t("doctor.key", source=told(source))
    return Check("provider", "ok", f"{model.name} · {model.host} · {key}")


def data_directory(around: Surroundings) -> Check:
    """Whether threads can be stored, by their owner alone."""
    folder = around.home / "data"
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    detail = str(folder) if existing == folder else t("doctor.data.new", folder=folder)
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return Check("data_directory", "fail", detail, t("doctor.data.closed", folder=existing))
    if existing == folder and folder.stat().st_mode & 0o077:
        return Check("data_directory", "warn", detail, t("doctor.data.open", folder=folder))
    free = shutil.disk_usage(existing).free
    if free < SPACE_NEEDED:
        return Check("data_directory", "warn", detail, t("doctor.data.full", free=_size(free)))
    return Check("data_directory", "ok", t("doctor.data.free", detail=detail, free=_size(free)))


CHECKS: tuple[Callable[[Surroundings], Check], ...] = (
    python,
    sqlite,
    git,
    snapshots,
    ripgrep,
    sandbox,
    trust,
    instructions,
    configuration,
    provider,
    data_directory,
)


def _version(program: str) -> str:
    """What `PROGRAM --version` says first, and where the program is; empty when it does not run."""
    from ...tools.process.launcher import capture

    found = find_program(program, outside=[Path.cwd()])  # a look must run nothing of the project
    if not found:
        return ""
    answer = asyncio.run(capture([found, "--version"], cwd=Path(found).parent, timeout=10))
    return f"{answer.text.splitlines()[0]} ({found})" if answer.exit_code == 0 else ""


def _size(count: int) -> str:
    """Bytes for people."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
