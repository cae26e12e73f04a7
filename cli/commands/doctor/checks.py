"""The checks of `mcode doctor`: small functions in a table; none uses the network.

A new check takes:

- a function, and its place in the table of this module
- a row in `docs/troubleshooting.md`
"""

import asyncio
import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ....config.errors import MaxAgentError, UsageError
from ....config.security.executables import find_program
from ....config.security.file_lock import USE_LOCAL_DISK, find_lock_refusal
from ....config.settings.loader import LoadedSettings
from ....config.settings.schema import Settings
from ....config.trust.decision import check_trust, with_referenced_files
from ....config.trust.trusted_reader import is_empty_folder
from ....memory.snapshots.git_repository import find_git
from ....tools.runtime.missing_tools import find_missing_tools
from ....tools.tool_table import select_names
from ...fork_server.startup import count_forks, explain_cold_start
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...rendering.listings.trust_inventory import describe_trust_state

# Free bytes below which doctor warns, since threads, snapshots and long outputs grow
SPACE_NEEDED = 500_000_000


@dataclass(frozen=True)
class DoctorCheck:
    """Result of one check."""

    name: str
    status: Literal["ok", "warn", "fail"]
    detail: str
    remedy: str = ""


@dataclass(frozen=True)
class DoctorEnvironment:
    """Input of the checks: the configuration, or the reason why it does not load."""

    environ: Mapping[str, str]
    home: Path
    loaded: LoadedSettings | None
    problem: UsageError | None


def check_python(_: DoctorEnvironment) -> DoctorCheck:
    """Report the Python version; it is at least 3.11, or this code would not run."""
    return DoctorCheck("python", "ok", f"{platform.python_version()} ({sys.executable})")


def check_sqlite(_: DoctorEnvironment) -> DoctorCheck:
    """Check for SQLite 3.35 or newer."""
    if sqlite3.sqlite_version_info >= (3, 35):
        return DoctorCheck("sqlite", "ok", sqlite3.sqlite_version)
    return DoctorCheck("sqlite", "warn", sqlite3.sqlite_version, t("doctor.sqlite"))


def check_start(around: DoctorEnvironment) -> DoctorCheck:
    """Report whether runs are forked from a process that has everything loaded."""
    if reason := explain_cold_start(around.environ):
        return DoctorCheck("start", "ok", t(f"doctor.start.{reason}"))
    forks = count_forks(around.home, around.environ)
    if forks is None:
        return DoctorCheck("start", "ok", t("doctor.start.none"))
    return DoctorCheck("start", "ok", t("doctor.start.warm", count=forks))


def check_git(_: DoctorEnvironment) -> DoctorCheck:
    """Check that git runs."""
    if version := _read_version("git"):
        return DoctorCheck("git", "ok", version)
    return DoctorCheck("git", "warn", t("doctor.not_found", program="git"), t("doctor.git"))


def check_snapshots(around: DoctorEnvironment) -> DoctorCheck:
    """Report which files can be diffed and undone: all with git, else those that tools write."""
    if find_git(Path.cwd()):
        folder = around.home / "data" / "snapshots"
        return DoctorCheck("snapshots", "ok", t("doctor.snapshots", folder=folder))
    return DoctorCheck("snapshots", "warn", t("doctor.snapshots.plain"), t("doctor.snapshots.git"))


def check_worktrees(around: DoctorEnvironment) -> DoctorCheck:
    """Count the worktrees, and those that no thread needs any more."""
    from ....memory.threads.index import list_thread_ids
    from ....memory.worktrees.record import list_containers
    from ....memory.worktrees.removal import list_prunable_worktrees

    count, left = len([*list_containers(around.home)]), 0
    if count:
        with suppress(sqlite3.Error):  # the database has a check of its own
            threads = list_thread_ids(around.home / "data" / "threads.db")
            left = len(list_prunable_worktrees(around.home, threads))
    if left:
        detail = t("doctor.worktrees.left", count=left)
        return DoctorCheck("worktrees", "warn", detail, t("doctor.worktrees.prune"))
    return DoctorCheck("worktrees", "ok", t("doctor.worktrees", count=count))


def check_ripgrep(_: DoctorEnvironment) -> DoctorCheck:
    """Check that ripgrep runs."""
    if version := _read_version("rg"):
        return DoctorCheck("ripgrep", "ok", version)
    return DoctorCheck("ripgrep", "warn", t("doctor.not_found", program="rg"), t("doctor.ripgrep"))


def check_sandbox(around: DoctorEnvironment) -> DoctorCheck:
    """Report what confines commands in the current folder, by trying it."""
    from ....tools.sandbox.detect import open_sandbox
    from ....tools.workspace import Workspace

    section = (around.loaded.settings if around.loaded else Settings()).sandbox
    try:
        sandbox = open_sandbox(section, Workspace(Path.cwd()), around.home)
    except UsageError as error:
        return DoctorCheck("sandbox", "fail", translate(error.message), translate(error.hint))
    if sandbox.is_on:
        opens = sandbox.why_unfiltered and not sandbox.unix_sockets
        status = "warn" if opens else "ok"
        return DoctorCheck("sandbox", status, f"{translate(sandbox.state)} ({sandbox.program})")
    return DoctorCheck("sandbox", "warn", t("doctor.sandbox", why=translate(sandbox.why_none)))


def check_variables(around: DoctorEnvironment) -> DoctorCheck:
    """Name the variables of the user's shell that commands do not get."""
    from ....tools.process.user_variables import VariableRules, list_held_back

    section = (around.loaded.settings if around.loaded else Settings()).environment
    rules = VariableRules(tuple(section.include), tuple(section.exclude))
    names = list_held_back(os.environ, rules)
    if names:
        return DoctorCheck("variables", "ok", t("doctor.variables", names=", ".join(names)))
    return DoctorCheck("variables", "ok", t("doctor.variables.all"))


def check_folder_trust(around: DoctorEnvironment) -> DoctorCheck:
    """Check whether the current folder is trusted; if not, name what is ignored."""
    trust = check_trust(Path.cwd(), around.home)
    if trust.trusted:
        if changed := with_referenced_files(trust).changed:
            return DoctorCheck(
                "trust", "warn", describe_trust_state(changed), t("doctor.trust.how")
            )
        return DoctorCheck("trust", "ok", t("doctor.trust"))
    if trust.damaged:
        return DoctorCheck("trust", "fail", translate(trust.damaged))
    files = ", ".join(item.path for item in trust.inventory)
    detail = t("doctor.trust.left_out", files=files) if files else t("doctor.trust.not")
    return DoctorCheck("trust", "warn", detail, t("doctor.trust.how"))


def check_instructions(around: DoctorEnvironment) -> DoctorCheck:
    """List the instruction files that every agent reads."""
    from ...execution.instruction_files import list_effective_files

    settings = around.loaded.settings if around.loaded else Settings()
    trust = check_trust(Path.cwd(), around.home)
    return DoctorCheck(
        "instructions", "ok", list_effective_files(Path.cwd(), around.home, trust, settings)
    )


def check_configuration(around: DoctorEnvironment) -> DoctorCheck:
    """Check that the configuration loads, and list its files."""
    if around.problem:
        problem = around.problem
        return DoctorCheck(
            "configuration", "fail", translate(problem.message), translate(problem.hint)
        )
    if is_empty_folder(Path.cwd()):
        return DoctorCheck(
            "configuration", "warn", t("doctor.empty_folder"), t("doctor.empty_folder.how")
        )
    origins = around.loaded.origins.values() if around.loaded else ()
    kinds = {origin for origin in origins if origin != "default"}
    files = {origin.rpartition(":")[0] or origin for origin in kinds}
    named = ", ".join(map(translate, sorted(files))) or t("doctor.defaults")
    if around.loaded and (negated := around.loaded.negated_patterns):
        detail = f"{named} · {t('doctor.opening', patterns=', '.join(negated))}"
        return DoctorCheck("configuration", "warn", detail, t("doctor.opening.how"))
    if around.loaded and (
        missing := find_missing_tools(around.loaded.settings, Path.cwd(), around.home)
    ):
        detail = t("doctor.missing_tools", tools=", ".join(missing))
        return DoctorCheck("configuration", "warn", f"{named} · {detail}")
    return DoctorCheck("configuration", "ok", named)


def check_hooks(around: DoctorEnvironment) -> DoctorCheck:
    """Check the programs and matchers of the hooks; none is run."""
    hooks = around.loaded.hooks if around.loaded else ()
    if not hooks:
        return DoctorCheck("hooks", "ok", t("doctor.hooks.none"))
    from ....tools.hooks.problems import find_problems

    # a call that asks the user does not run, so no hook sees it
    hooked_tools = select_names(lambda entry: entry.effect != "talk")
    problems = [
        t(f"doctor.hooks.{problem.kind}", place=problem.origin, **{problem.kind: problem.value})
        for problem in find_problems(hooks, hooked_tools, Path.cwd())
    ]
    if problems:
        return DoctorCheck("hooks", "warn", "; ".join(problems), t("doctor.hooks.how"))
    return DoctorCheck("hooks", "ok", t("doctor.hooks.count", count=len(hooks)))


def check_mcp(around: DoctorEnvironment) -> DoctorCheck:
    """Check the definitions of MCP servers and their programs; none is started."""
    from ....tools.mcp.config_files import load_configuration

    configuration = load_configuration(Path.cwd(), around.home, environ=around.environ)
    problems = [
        f"{file.path}: {translate(file.problem)}" for file in configuration.files if file.problem
    ]
    for server in configuration.servers:
        if server.problem and server.enabled:
            problems.append(f"{server.name}: {translate(server.problem)}")
        elif server.is_usable and server.command and not _is_program(server.command, server.env):
            problems.append(f"{server.name}: {t('doctor.not_found', program=server.command)}")
    if problems:
        return DoctorCheck("mcp", "warn", "; ".join(problems), t("doctor.mcp.how"))
    count = sum(server.is_usable for server in configuration.servers)
    return DoctorCheck("mcp", "ok", t("doctor.mcp", count=count) if count else t("doctor.mcp.none"))


def check_provider(around: DoctorEnvironment) -> DoctorCheck:
    """Report the provider, the model and the source of the key; never the key itself."""
    from ....models.resolver import resolve
    from ..models_details import describe_address, describe_key

    if not around.loaded:
        return DoctorCheck("provider", "fail", t("doctor.provider.unknown"))
    try:
        model = resolve(around.loaded.settings, around.environ)
    except MaxAgentError as error:
        return DoctorCheck("provider", "fail", translate(error.message), translate(error.hint))
    address = describe_address(around.loaded, around.environ, model)
    key = describe_key(around.loaded, around.environ, model)
    return DoctorCheck("provider", "ok", f"{model.name} · {address} · {key}")


def check_data_directory(around: DoctorEnvironment) -> DoctorCheck:
    """Check that threads can be stored and that only their owner can read them."""
    folder = around.home / "data"
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    detail = str(folder) if existing == folder else t("doctor.data.new", folder=folder)
    if not existing.is_dir():
        return DoctorCheck("data_directory", "fail", detail, t("doctor.data.file", file=existing))
    if not os.access(existing, os.W_OK | os.X_OK):
        return DoctorCheck(
            "data_directory", "fail", detail, t("doctor.data.closed", folder=existing)
        )
    if existing == folder and folder.stat().st_mode & 0o077:
        return DoctorCheck("data_directory", "warn", detail, t("doctor.data.open", folder=folder))
    if find_lock_refusal(existing):
        return DoctorCheck("data_directory", "fail", detail, translate(USE_LOCAL_DISK))
    free = shutil.disk_usage(existing).free
    if free < SPACE_NEEDED:
        return DoctorCheck(
            "data_directory", "warn", detail, t("doctor.data.full", free=_format_size(free))
        )
    return DoctorCheck(
        "data_directory", "ok", t("doctor.data.free", detail=detail, free=_format_size(free))
    )


CHECKS: tuple[Callable[[DoctorEnvironment], DoctorCheck], ...] = (
    check_python,
    check_start,
    check_sqlite,
    check_git,
    check_snapshots,
    check_worktrees,
    check_ripgrep,
    check_sandbox,
    check_variables,
    check_folder_trust,
    check_instructions,
    check_configuration,
    check_hooks,
    check_mcp,
    check_provider,
    check_data_directory,
)


def _is_program(command: str, variables: Mapping[str, str]) -> bool:
    """Return whether a server would find it; a relative path depends on the server's folder."""
    from ....tools.process.environment import build_child_environment

    is_relative = "/" in command and not os.path.isabs(command)
    path = build_child_environment(os.environ, variables)["PATH"]
    return is_relative or shutil.which(os.path.expanduser(command), path=path) is not None


def _read_version(program: str) -> str:
    """Return the first line of `PROGRAM --version` and the program's path; empty if it fails."""
    from ....tools.process.launcher import capture_output

    executable = find_program(program, outside=[Path.cwd()])  # never run a program of the project
    if not executable:
        return ""
    command = [executable, "--version"]
    try:
        answer = asyncio.run(capture_output(command, cwd=Path(executable).parent, timeout=10))
    except OSError:  # its interpreter is missing, or it is for another machine
        return ""
    lines: list[str] = [line.strip() for line in str(answer.text).splitlines()]
    version = next((line for line in lines if line), "")
    return f"{version} ({executable})".lstrip() if answer.exit_code == 0 else ""


def _format_size(count: int) -> str:
    """Format bytes for display."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
