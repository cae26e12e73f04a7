"""The sandbox of one project: every command that a model causes is started through `around`."""

import asyncio
import hashlib
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ...config.text import text
from ..workspace import Workspace
from . import bubblewrap, seatbelt
from .placeholders import open_placeholders, restore_links
from .profile import SandboxProfile
from .profile_builder import RESERVED, build_profile
from .project_scan import GuardedFiles, scan_project
from .syscall_filter import write_filter

Backend = Literal["bubblewrap", "sandbox-exec", "none"]


@dataclass(frozen=True)
class Sandbox:
    """What confines the commands in a project, or why nothing does."""

    workspace: Workspace
    home: Path
    """MaxAgent's own folder, which no command sees."""
    backend: Backend = "none"
    why_none: str = ""
    program: Path = Path()
    network: bool = False
    unix_sockets: bool = False
    """Whether the user allows unix sockets inside."""
    why_unfiltered: str = ""
    """Why no system call is refused inside, so that unix sockets are open whatever the user says;
    empty where they are."""
    writable: tuple[Path, ...] = ()
    missing: tuple[Path, ...] = ()
    """What would be writable too, if it existed when the sandbox was opened."""
    reads_only: bool = False
    """Nothing can be written inside, so nothing has to stand for missing files either."""

    @property
    def is_on(self) -> bool:
        """Whether commands are confined."""
        return self.backend != "none"

    @property
    def state(self) -> str:
        """In words, for the first line of a run."""
        if not self.is_on:
            return text("none: {why_none}", why_none=self.why_none)
        has_network = "{backend}, with network" if self.network else "{backend}, no network"
        network = text(has_network, backend=self.backend)
        if self.unix_sockets:
            network = text("{network}; unix sockets are allowed", network=network)
        elif self.why_unfiltered:
            network = text(
                "{network}; unix sockets are open: {why_unfiltered}",
                network=network,
                why_unfiltered=self.why_unfiltered,
            )
        missing = ", ".join(f"`{folder}`" for folder in self.missing)
        return (
            text(
                "{network}; configured as writable, but missing: {missing}",
                network=network,
                missing=missing,
            )
            if missing
            else network
        )

    @property
    def denies_unix_sockets(self) -> bool:
        """Whether a command fails for want of a unix socket."""
        return self.is_on and not self.unix_sockets and not self.why_unfiltered

    def with_unix_sockets(self) -> "Sandbox":
        """The same for a command that may make unix sockets."""
        return replace(self, unix_sockets=True)

    def as_read_only(self) -> "Sandbox":
        """The same for a command that surely only reads: it sees the project as it is."""
        return replace(self, reads_only=True)

    @asynccontextmanager
    async def wrap(
        self, argv: Sequence[str], cwd: Path, *, also: Sequence[Path] = ()
    ) -> AsyncGenerator[list[str]]:
        """What to start instead of `argv`, once, while the context is open.

        `also` are folders of ours that it may write to. Raises ToolError for a project that
        cannot be guarded.
        """
        if not self.is_on:
            yield list(argv)
            return
        stack = ExitStack()
        building = asyncio.ensure_future(
            asyncio.to_thread(self._prepare_command, stack, argv, cwd, also)
        )
        try:
            yield await asyncio.shield(building)
        finally:
            await asyncio.wait([building])  # cancelled or not, what it has made is taken away
            await asyncio.to_thread(stack.close)

    def build_probe_command(self, folder: Path) -> list[str]:
        """A command line that succeeds where the sandbox works; it looks at no file.

        `folder` keeps what it needs until it has run.
        """
        wall = self._build_profile(GuardedFiles(), (), reserve=False)
        return self._build_command_line(wall, ["true"], Path("/"), folder)

    def _prepare_command(
        self, stack: ExitStack, argv: Sequence[str], cwd: Path, also: Sequence[Path]
    ) -> list[str]:
        root = self.workspace.root
        if self.reads_only or not os.access(root, os.W_OK):
            wall = self._build_profile(scan_project(self.workspace), also, reserve=False)
            others = also if self.reads_only else (*self.writable, *also)
            return self._build_command_line(wall.as_read_only(keeping=others), argv, cwd)
        stack.enter_context(restore_links(root / name for name in (*RESERVED, ".github")))
        stand = stack.enter_context(open_placeholders(get_store_folder(self.home, root)))
        wall = self._build_profile(scan_project(self.workspace), also, reserve=True)
        for place in wall.reserved if self.backend == "bubblewrap" else ():
            stand(place)
        return self._build_command_line(wall, argv, cwd)

    def _build_profile(
        self, found: GuardedFiles, also: Sequence[Path], *, reserve: bool
    ) -> SandboxProfile:
        return build_profile(
            self.workspace,
            found,
            home=self.home,
            writable=(*self.writable, *also),
            network=self.network,
            unix_sockets=self.unix_sockets,
            filtered=not self.why_unfiltered,
            reserve=reserve,
        )

    def _build_command_line(
        self, wall: SandboxProfile, argv: Sequence[str], cwd: Path, folder: Path | None = None
    ) -> list[str]:
        if self.backend == "sandbox-exec":
            return seatbelt.build_arguments(wall, argv)
        if self.why_unfiltered:
            return bubblewrap.build_arguments(self.program, wall, argv, cwd)
        folder = folder or self.home / "data" / "sandbox"
        syscalls = write_filter(folder, unix_sockets=self.unix_sockets)
        return bubblewrap.build_arguments(self.program, wall, argv, cwd, syscalls)


def get_store_folder(home: Path, root: Path) -> Path:
    """Where it is kept and on record what stands in a project for missing files."""
    name = hashlib.sha256(str(root).encode(errors="surrogateescape")).hexdigest()[:32]
    return home / "data" / "sandbox" / name
