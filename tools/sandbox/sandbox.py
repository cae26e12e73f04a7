"""The sandbox of one project: every command that a model causes is started through `wrap`."""

import asyncio
import hashlib
import os
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from ...config import paths
from ...config.settings.schema import EnvironmentSection
from ...config.text import text
from ..process.user_variables import VariableRules, explain_failure, select_variables
from ..protected_paths import INSIDE, find_protected_name
from ..workspace import Workspace
from . import bubblewrap, seatbelt
from .profile import SandboxProfile
from .profile_builder import build_guard_rules, build_profile
from .project_scan import GuardedFiles, scan_project
from .syscall_filter import write_filter
from .thread_temporary import prepare_temporary

Backend = Literal["bubblewrap", "sandbox-exec", "none"]


@dataclass(frozen=True)
class ConfinedCommand:
    """What to start in place of a command."""

    argv: list[str]
    guard: Mapping[str, Any] | None = None
    """The rules of its guard, for `launcher.py`; None: nothing is created in the project."""


@dataclass(frozen=True)
class Sandbox:
    """What confines the commands in a project, or why nothing does."""

    workspace: Workspace
    home: Path
    """MaxAgent's own folder, hidden from every command."""
    backend: Backend = "none"
    why_none: str = ""
    program: Path = Path()
    owner_rights: bool = False
    """Whether root can write the project's files of other owners: bubblewrap needs no user
    namespace then."""
    why_no_rights: str = ""
    """Why root cannot write files of other owners; empty for others than root."""
    network: bool = False
    unix_sockets: bool = False
    """Whether the user allows unix sockets inside."""
    why_unfiltered: str = ""
    """Why there is no system call filter, so that unix sockets are open regardless of the setting;
    empty if there is one."""
    why_unguarded: str = ""
    """Why a command can create steering files; empty if it cannot."""
    writable: tuple[Path, ...] = ()
    missing: tuple[Path, ...] = ()
    """Configured writable folders that did not exist when the sandbox was opened."""
    origins: tuple[Workspace, ...] = ()
    """The project that the workspace is a worktree of, after the worktree that this one was made
    from: they can be read, their secrets cannot."""
    temporary: Path | None = None
    """The folder that the commands of a thread share as `/tmp`; None: each has its own."""
    reads_only: bool = False
    """Whether nothing can be written inside, so that missing files need no guard."""
    writes_programs: bool = False
    """Whether the command may write the folders of installed programs, such as `.venv/bin`."""
    variables: VariableRules = VariableRules()
    """Which variables of the user's shell its commands get."""
    approved_files: tuple[Path, ...] = ()
    """The protected files of the project that the command may write, since the user was asked."""

    @property
    def is_on(self) -> bool:
        """Whether commands are confined."""
        return self.backend != "none"

    @property
    def state(self) -> str:
        """The state in words, for the first line of a run."""
        if not self.is_on:
            return text("none: {reason}", reason=self.why_none)
        if not self.missing:
            return self.confinement
        return text(
            "{network}; configured as writable, but missing: {missing}",
            network=self.confinement,
            missing=", ".join(f"`{folder}`" for folder in self.missing),
        )

    @property
    def confinement(self) -> str:
        """What confines commands, in words: answers are bound to it. Empty if nothing does.

        A configured folder that is missing, and may come, does not change an answer.
        """
        if not self.is_on:
            return ""
        has_network = "{backend}, with network" if self.network else "{backend}, no network"
        network = text(has_network, backend=self.backend)
        if self.why_no_rights and self.workspace.root.stat().st_uid != os.geteuid():
            network = text(
                "{network}; files of other owners cannot be written: {reason}",
                network=network,
                reason=self.why_no_rights,
            )
        if self.why_unguarded:
            network = text(
                "{network}; files that steer tools can be created: {reason}",
                network=network,
                reason=self.why_unguarded,
            )
        if self.unix_sockets:
            network = text("{network}; unix sockets are allowed", network=network)
        elif self.why_unfiltered:
            network = text(
                "{network}; unix sockets are open: {reason}",
                network=network,
                reason=self.why_unfiltered,
            )
        return network

    @property
    def denies_unix_sockets(self) -> bool:
        """Whether a command fails because unix sockets are denied."""
        return self.is_on and not self.unix_sockets and not self.why_unfiltered

    def with_unix_sockets(self) -> "Sandbox":
        """Return the sandbox for a command that may create unix sockets."""
        return replace(self, unix_sockets=True)

    def as_read_only(self) -> "Sandbox":
        """Return the sandbox for a command that only reads: the project stays unchanged."""
        return replace(self, reads_only=True)

    def with_program_folders(self) -> "Sandbox":
        """Return the sandbox for a command that only installs packages."""
        return replace(self, writes_programs=True)

    def with_approved_files(self, files: Sequence[Path]) -> "Sandbox":
        """Return the sandbox for a command that was approved, with what it writes by name."""
        return replace(self, approved_files=tuple(files))

    def with_variables(self, section: EnvironmentSection) -> "Sandbox":
        """Return the sandbox whose commands get the variables that the user's settings say."""
        rules = VariableRules(tuple(section.include), tuple(section.exclude))
        return replace(self, variables=rules)

    def without_confinement(self) -> "Sandbox":
        """Return what starts a command that the user lets out of the sandbox."""
        return replace(self, backend="none")

    def build_environment(self) -> dict[str, str]:
        """Build the environment of a command, beside the variables that every child has.

        What only reads runs unasked, so nothing of the user's may make it start a program.
        """
        return {} if self.reads_only else select_variables(os.environ, self.variables)

    def explain_failure(self, output: str) -> str:
        """Explain a failed command that lacks a variable of the user's shell; else empty."""
        return explain_failure(output, os.environ, self.variables)

    def for_thread(self, thread_id: str) -> "Sandbox":
        """Return the sandbox for the commands of a thread, which share one `/tmp`."""
        if self.backend != "bubblewrap":
            return self
        return replace(self, temporary=paths.locate_temporary(self.home, thread_id))

    @asynccontextmanager
    async def wrap(
        self,
        argv: Sequence[str],
        cwd: Path,
        *,
        extra_writable: Sequence[Path] = (),
        in_network: bool = False,
    ) -> AsyncGenerator[ConfinedCommand]:
        """Yield what to start, once, in place of `argv`.

        `extra_writable` are MaxAgent's folders that it may write to. `in_network`: it is started
        in the private network of its thread, so it gets no other one. Raises ToolError for a
        project that cannot be protected.
        """
        if not self.is_on:
            yield ConfinedCommand(list(argv))
            return
        stack = ExitStack()
        building = asyncio.ensure_future(
            asyncio.to_thread(self._prepare_command, stack, argv, cwd, extra_writable, in_network)
        )
        try:
            yield await asyncio.shield(building)
        finally:
            await asyncio.wait([building])  # even if cancelled, its links must be restored
            await asyncio.to_thread(stack.close)

    def build_probe_command(self, folder: Path, *, in_network: bool = False) -> ConfinedCommand:
        """Return a command that succeeds if the sandbox works; it accesses no file.

        `folder` holds the files that it needs while it runs.
        """
        profile = self._build_profile(GuardedFiles(), (), reserve=False)
        argv, guard = ["true"], None
        if not self.why_unguarded:
            # in its private folder, where it leaves nothing
            argv = ["/bin/sh", "-c", "! (: > /tmp/.envrc) 2>&- && : > /tmp/p && rm /tmp/p"]
            guard = build_guard_rules(Path("/tmp"), ())
        line = self._build_command_line(profile, argv, Path("/"), in_network, folder, guard)
        return ConfinedCommand(line, guard)

    def _prepare_command(
        self,
        stack: ExitStack,
        argv: Sequence[str],
        cwd: Path,
        extra_writable: Sequence[Path],
        in_network: bool,
    ) -> ConfinedCommand:
        root = self.workspace.root
        if self.reads_only or not os.access(root, os.W_OK):
            profile = self._build_profile(self._scan_projects(), extra_writable, reserve=False)
            others = extra_writable if self.reads_only else (*self.writable, *extra_writable)
            profile = profile.as_read_only(keeping=others)
            return ConfinedCommand(self._build_command_line(profile, argv, cwd, in_network))
        stack.enter_context(restore_links(find_links(root)))
        profile = self._build_profile(self._scan_projects(), extra_writable, reserve=True)
        profile = profile.without_protection(self.approved_files)
        guard = (
            None
            if self.why_unguarded
            else build_guard_rules(
                root,
                profile.reserved,
                writes_programs=self.writes_programs,
                approved=self.approved_files,
            )
        )
        line = self._build_command_line(profile, argv, cwd, in_network, guard=guard)
        return ConfinedCommand(line, guard)

    def _scan_projects(self) -> GuardedFiles:
        guarded_files = scan_project(self.workspace)
        for origin in self.origins:
            secrets = scan_project(origin)
            guarded_files.secret_files += secrets.secret_files
            guarded_files.secret_folders += secrets.secret_folders
        return guarded_files

    def _build_profile(
        self, guarded_files: GuardedFiles, extra_writable: Sequence[Path], *, reserve: bool
    ) -> SandboxProfile:
        profile = build_profile(
            self.workspace,
            guarded_files,
            home=self.home,
            writable=(*self.writable, *extra_writable),
            network=self.network,
            unix_sockets=self.unix_sockets,
            filtered=not self.why_unfiltered,
            reserve=reserve,
            origins=[origin.root for origin in self.origins],
        )
        if self.temporary:
            profile = replace(profile, temporary=self.temporary)
            prepare_temporary(self.temporary, bubblewrap.find_mount_folders(profile))
        return profile

    def _build_command_line(
        self,
        profile: SandboxProfile,
        argv: Sequence[str],
        cwd: Path,
        in_network: bool,
        folder: Path | None = None,
        guard: Mapping[str, Any] | None = None,
    ) -> list[str]:
        if self.backend == "sandbox-exec":
            return seatbelt.build_arguments(profile, argv)
        syscalls = None
        if not self.why_unfiltered:
            folder = folder or self.home / "data" / "sandbox"
            syscalls = write_filter(
                folder, unix_sockets=self.unix_sockets, guarded=guard is not None
            )
        return bubblewrap.build_arguments(
            self.program,
            profile,
            argv,
            cwd,
            syscalls,
            in_network=in_network,
            owner_rights=self.owner_rights and os.geteuid() == 0,
        )


def get_store_folder(home: Path, root: Path) -> Path:
    """Return the folder in which earlier versions kept a project's placeholders."""
    name = hashlib.sha256(str(root).encode(errors="surrogateescape")).hexdigest()[:32]
    return home / "data" / "sandbox" / name


def find_links(root: Path) -> list[Path]:
    """Return the links in a project's uppermost folder that have protected names."""
    with os.scandir(root) as entries:
        links = [entry.name for entry in entries if entry.is_symlink()]
    return [root / name for name in links if name in INSIDE or find_protected_name(name)]


@contextmanager
def restore_links(names: Iterable[Path]) -> Generator[None]:
    """On exit, restore the links among the names that were replaced or changed."""
    targets = {name: os.readlink(name) for name in names if name.is_symlink()}
    try:
        yield
    finally:
        for name, target in targets.items():
            if not (name.is_symlink() and os.readlink(name) == target):
                _restore_link(name, target)


def _restore_link(name: Path, target: str) -> None:
    """Restore a link; keep the file that replaced it under another name, as it may be work."""
    if os.path.lexists(name):
        name.rename(_find_free_name(name))
    name.parent.mkdir(parents=True, exist_ok=True)
    name.symlink_to(target)


def _find_free_name(name: Path) -> Path:
    numbered = (name.with_name(f"{name.name}.replaced-{number}") for number in range(1, 10_000))
    return next(candidate for candidate in numbered if not os.path.lexists(candidate))
